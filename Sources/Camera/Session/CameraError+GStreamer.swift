import CameraProtocol
import GStreamer

extension CameraError {
  /// What a failure of a camera's source means to a user.
  init(source error: GStreamerError, camera: String, origin: String?) {
    let place = origin.map { " (\($0))" } ?? ""
    switch error.situation {
    case .busy:
      self.init(
        .cameraBusy, "camera '\(camera)' is in use by another program; close that first", camera: camera,
        cause: error.description)
    case .notFound:
      self.init(
        .cameraDisconnected, "camera '\(camera)' is not there any more; plug it in again\(place)", camera: camera,
        cause: error.description)
    case .notPermitted:
      self.init(
        .cameraFailed, "camera '\(camera)' may not be opened; the daemon's user needs access to the device\(place)",
        camera: camera, cause: error.description)
    case .silent:
      self.init(
        .cameraDisconnected, "camera '\(camera)' fell silent: \(error.message)", camera: camera,
        cause: error.description)
    case .noSpace, .other:
      self.init(
        .cameraFailed, "camera '\(camera)' failed: \(error.message)\(place)", camera: camera, cause: error.description)
    }
  }

  /// What a failure of an encoder or a writer means to a user.
  init(capture error: GStreamerError, camera: String, what: String) {
    self.init(
      error.situation == .noSpace ? .diskFull : .captureFailed,
      "\(what) of camera '\(camera)' failed: \(error.message)",
      camera: camera, cause: error.description)
  }
}
