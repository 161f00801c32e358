/// A refusal or a failure, told as the situation of the user.
public struct CameraError: Error, Sendable, Equatable {
  /// The situation; each is an error of the interface file.
  public enum Kind: String, Sendable, CaseIterable {
    case noSuchCamera, noSuchMicrophone, cameraBusy, cameraDisconnected, cameraFailed
    case recordingInProgress, notRecording, timelapseInProgress, noTimelapse, notSupported
    case captureFailed, diskFull, libraryUnavailable, queueFull, cancelled, descriptorRequired, noSuchViewer, timedOut
    case noSuchControl, valueOutOfRange, controlReadOnly, controlInactive
    case noSuchAsset, notCompatible, noSuchEdit
    case permissionDenied, shuttingDown, internalError

    /// The error's name in a message, such as `org.camd.Camera.NotRecording`.
    public var qualifiedName: String {
      "\(CameraInterface.name).\(rawValue.prefix(1).uppercased())\(rawValue.dropFirst())"
    }

    /// The situation of that name, if it is one of this interface's.
    public init?(qualifiedName: String) {
      guard let kind = Self.allCases.first(where: { $0.qualifiedName == qualifiedName }) else { return nil }
      self = kind
    }
  }

  /// What travels with the error.
  public struct Detail: Codable, Sendable, Equatable {
    /// What happened, to what, why, and what to do.
    public var message: String
    /// The id of the camera it is about.
    public var camera: String?
    /// The file or folder it is about.
    public var path: String?
    /// What lies behind it, for those who look closer.
    public var cause: String?
  }

  /// The situation.
  public var kind: Kind
  /// What travels with it.
  public var detail: Detail

  /// An error of these values.
  public init(_ kind: Kind, _ message: String, camera: String? = nil, path: String? = nil, cause: String? = nil) {
    self.kind = kind
    detail = Detail(message: message, camera: camera, path: path, cause: cause)
  }

  /// An error that came over the wire.
  public init(_ kind: Kind, detail: Detail) {
    self.kind = kind
    self.detail = detail
  }
}

extension CameraError: CustomStringConvertible {
  /// The message, with the cause behind it where there is one.
  public var description: String {
    detail.cause.map { "\(detail.message) (\($0))" } ?? detail.message
  }
}
