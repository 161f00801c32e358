import CameraProtocol
import Foundation
import TestSupport
import Varlink

/// A client of the daemon. One call at a time.
struct Client: Sendable {
  /// The longest wait for an answer, on a machine with other work.
  static let patience = Duration.seconds(60)

  let connection: ClientConnection

  init(_ path: String) throws { connection = try ClientConnection(path: path) }

  @discardableResult
  func call<Method: CameraMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, descriptors: [Varlink.FileDescriptor] = [],
    more: Bool = false
  ) throws -> Method.Reply {
    try reply(method, parameters, descriptors: descriptors, more: more).decode()
  }

  /// The answer with its descriptors.
  func reply<Method: CameraMethod>(
    _ method: Method.Type, _ parameters: Method.Parameters, descriptors: [Varlink.FileDescriptor] = [],
    more: Bool = false
  ) throws -> ClientConnection.Reply {
    try send(method, parameters, descriptors: descriptors, more: more)
    return try receive()
  }

  func send<Method: CameraMethod>(
    _: Method.Type, _ parameters: Method.Parameters, descriptors: [Varlink.FileDescriptor] = [], more: Bool = false
  ) throws {
    try connection.send(Method.qualifiedName, parameters, descriptors: descriptors, more: more)
  }

  /// The next answer. Throws `CameraError` where it is one of the interface's errors.
  func receive(within limit: Duration = patience) throws -> ClientConnection.Reply {
    do {
      return try connection.receive(timeout: limit)
    } catch VarlinkError.remote(let name, let parameters) {
      guard let kind = CameraError.Kind(qualifiedName: name) else {
        throw VarlinkError.remote(name: name, parameters: parameters)
      }
      throw CameraError(kind, detail: try JSONDecoder().decode(CameraError.Detail.self, from: Data(parameters)))
    }
  }

  /// The next answer, to a call of that method.
  func next<Method: CameraMethod>(_: Method.Type, within limit: Duration = patience) throws -> Method.Reply {
    try receive(within: limit).decode()
  }

  func status() throws -> Status { try call(GetStatus.self, CameraSelection()).status }

  /// How the camera stands; the first one where none is named.
  func camera(_ id: String? = nil) throws -> CameraStatus {
    let cameras = try status().cameras
    guard let camera = cameras.first(where: { id == nil || $0.id == id }) else {
      throw CameraError(.noSuchCamera, "\(cameras.map(\.id))")
    }
    return camera
  }

  @discardableResult
  func photo(_ parameters: TakePhoto.Parameters = .init()) throws -> TakePhoto.Reply {
    try call(TakePhoto.self, parameters)
  }

  @discardableResult
  func start(
    _ quality: Quality? = nil, camera: String? = nil, maxDuration: Double? = nil, maxBytes: Int? = nil,
    audio: Bool? = nil, settings: MovieSettings = .init()
  ) throws -> RecordingStatus {
    try call(
      StartRecording.self,
      .init(
        camera: camera, quality: quality, maxDuration: maxDuration, maxBytes: maxBytes, audio: audio, movie: settings)
    ).recording
  }

  func stop(camera: String? = nil) throws -> RecordingResult { try call(StopRecording.self, .init(camera: camera)) }

  @discardableResult
  func select(_ camera: String) throws -> SelectCamera.Reply { try call(SelectCamera.self, .init(camera: camera)) }

  /// Records for some seconds of real time.
  func record(_ seconds: Double, _ quality: Quality? = nil, audio: Bool? = nil) throws -> RecordingResult {
    try start(quality, audio: audio)
    pass(seconds)
    return try stop()
  }

  @discardableResult
  func setMode(_ mode: CaptureMode) throws -> SetMode.Reply { try call(SetMode.self, .init(mode: mode)) }
}

/// Lets real time pass, where that is what the test is about.
func pass(_ seconds: Double) {
  Thread.sleep(forTimeInterval: seconds)
}

/// The situation that the body was refused with; nil where it went well.
func refusal(_ body: () throws -> Void) throws -> CameraError.Kind? {
  do {
    try body()
    return nil
  } catch let error as CameraError {
    return error.kind
  }
}

/// The error that the body was refused with; nil where it went well.
func cameraError(_ body: () throws -> Void) throws -> CameraError? {
  do {
    try body()
    return nil
  } catch let error as CameraError {
    return error
  }
}

/// What was captured has no file.
struct NoFile: Error {
  var message: String?
}

extension Asset {
  /// Its file's path.
  func file() throws -> String {
    guard let path else { throw NoFile() }
    return path
  }

  func judge() throws -> MovieJudge { MovieJudge(try file()) }

  /// Width and height.
  var size: [Int] { [width, height].compactMap { $0 } }
}

extension RecordingResult {
  func judge() throws -> MovieJudge {
    guard let asset else { throw NoFile(message: message) }
    return try asset.judge()
  }
}
