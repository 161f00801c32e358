public import CameraProtocol

extension CameraSession {
  /// Tells everyone that a photo is saved.
  public nonisolated func report(photo asset: Asset) {
    settings.emit(Event(.photoSaved, camera: id, asset: asset))
    settings.log(.info, "photo \(asset.path ?? asset.id)")
  }

  /// Tells everyone that a photo failed.
  public nonisolated func report(photo error: any Error) {
    settings.emit(Event(.photoFailed, camera: id, message: (error as? CameraError)?.detail.message ?? "\(error)"))
    settings.log(.error, "photo of camera '\(id)': \(error)")
  }
}
