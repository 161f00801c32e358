public import CameraProtocol

extension CameraSession {
  /// Tells everyone what is not as it should be.
  nonisolated func warn(_ message: String) {
    settings.log(.warning, message)
    settings.emit(Event(.warning, camera: id, message: message))
  }

  /// The same for what failed; the cause behind it is for the journal.
  nonisolated func warn(_ error: CameraError) {
    settings.log(.warning, "\(error)")
    settings.emit(Event(.warning, camera: id, message: error.detail.message))
  }

  /// Tells everyone that a photo is saved.
  public nonisolated func report(photo asset: Asset) {
    settings.emit(Event(.photoSaved, camera: id, asset: asset))
    settings.log(.info, "photo \(asset.path ?? asset.id)")
  }

  /// Tells everyone about damaged frames: at the first one, and then ever more seldom.
  static func damageReport(_ id: String, _ settings: SessionSettings) -> @Sendable (Int) -> Void {
    { count in
      var power = 1
      while power < count { power *= 10 }
      guard power == count else { return }
      let message = "camera '\(id)' has delivered \(count == 1 ? "a damaged frame" : "\(count) damaged frames")"
      settings.log(.warning, message)
      settings.emit(Event(.warning, camera: id, message: "\(message); left out"))
    }
  }

  /// Tells everyone that a photo failed.
  public nonisolated func report(photo error: any Error) {
    settings.emit(Event(.photoFailed, camera: id, message: (error as? CameraError)?.detail.message ?? "\(error)"))
    settings.log(.error, "photo of camera '\(id)': \(error)")
  }
}
