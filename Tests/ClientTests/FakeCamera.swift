import CameraProtocol
import Foundation
import Varlink

/// A daemon without cameras: it answers as the real one would.
struct FakeCamera: Service {
  static let picture = Array("not really a JPEG".utf8)

  let interface: InterfaceDescription
  /// The photo's answer comes without the descriptor that was asked for.
  var forgetsDescriptor = false

  /// The names of the methods that were called.
  let begun: AsyncStream<String>
  private let sink: AsyncStream<String>.Continuation

  init() throws {
    (begun, sink) = AsyncStream.makeStream()
    interface = try InterfaceDescription(CameraInterface.description)
  }

  func handle(_ call: Call, _ replies: ReplyWriter) async throws {
    sink.yield(call.methodName)
    switch call.methodName {
    case "TakePhoto":
      let wanted: TakePhoto.Parameters = try call.decode()
      if wanted.camera == "none" { throw CameraError(.noSuchCamera, "there is no camera 'none'", camera: "none") }
      let asset = Asset(
        id: "1", kind: .image, path: wanted.album == false ? nil : "/album/1.jpg", width: 4, height: 3,
        bytes: Self.picture.count, time: Timestamp(seconds: 0), camera: "fake")
      guard wanted.descriptor == true else { return try replies.reply(TakePhoto.Reply(asset: asset, frameAge: 0.01)) }
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Self.picture)
      try pipe.fileHandleForWriting.close()
      let reading = FileDescriptor(owning: dup(pipe.fileHandleForReading.fileDescriptor))
      try replies.reply(
        TakePhoto.Reply(asset: asset, frameAge: 0.01, descriptor: 0), descriptors: forgetsDescriptor ? [] : [reading])
    case "Subscribe":
      try call.requireMore()
      try replies.reply(Subscribe.Reply(event: Event(.subscribed, time: Timestamp(seconds: 0))), continues: true)
      try replies.reply(
        Subscribe.Reply(event: Event(.warning, time: Timestamp(seconds: 0), message: "low")), continues: true)
      try replies.reply(Subscribe.Reply(event: Event(.modeChanged, time: Timestamp(seconds: 0), mode: .video)))
    case "Preview":
      let wanted: Preview.Parameters = try call.decode()
      guard let output = wanted.output.flatMap({ call.takeDescriptor(at: $0) }) else {
        throw CameraError(.descriptorRequired, "no descriptor")
      }
      // Writes on until the reader has gone.
      let bytes = [UInt8](repeating: 7, count: 1 << 12)
      while write(output.rawValue, bytes, bytes.count) > 0 || errno == EAGAIN {
        try await Task.sleep(for: .milliseconds(1))
      }
      let format = Format(width: 4, height: 3, frameRate: 30, encoding: "I420")
      try replies.reply(Preview.Reply(viewer: "1", format: format, frames: 1, droppedFrames: 0))
    case "StopRecording": throw CameraError(.notRecording, "camera 'fake' is not recording")
    // Long enough for the test to end the server meanwhile.
    case "CancelRecording": try await Task.sleep(for: .seconds(60))
    default: throw ServiceError.methodNotImplemented(call.method)
    }
  }

  func serviceError(for error: any Error, in call: Call) -> ServiceError {
    let error = error as? CameraError ?? CameraError(.internalError, "\(error)")
    return ServiceError(error.kind.qualifiedName, error.detail)
  }
}

/// The fake daemon, running.
final class FakeDaemon: Sendable {
  let folder: String
  let path: String
  let server: Server
  let begun: AsyncStream<String>

  init(_ camera: FakeCamera? = nil) throws {
    // A preview's reader goes before the writer.
    signal(SIGPIPE, SIG_IGN)
    folder = NSTemporaryDirectory() + "camctl-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    path = "\(folder)/socket"
    let camera = try camera ?? FakeCamera()
    begun = camera.begun
    server = try Server(
      listener: try Listener(path: path, mode: 0o600),
      info: ServiceInfo(vendor: "camd", product: "fake", version: "0", url: "https://example.org"),
      services: [camera])
    try server.start()
  }

  /// Runs a test against a daemon and ends that.
  static func run<T: Sendable>(
    _ camera: FakeCamera? = nil, _ body: @escaping @Sendable (FakeDaemon) async throws -> T
  ) async throws -> T {
    let daemon = try FakeDaemon(camera)
    let result: Result<T, any Error>
    do { result = .success(try await body(daemon)) } catch { result = .failure(error) }
    await daemon.server.stop(grace: .zero)
    try FileManager.default.removeItem(atPath: daemon.folder)
    return try result.get()
  }
}

/// Runs what may block on a thread of its own.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "blocking").async { continuation.resume(with: Result(catching: body)) }
  }
}
