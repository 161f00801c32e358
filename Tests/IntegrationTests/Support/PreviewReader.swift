import CameraProtocol
import Foundation
import Synchronization
import Varlink

/// A preview that is read into a file as fast as it comes.
final class PreviewReader: Sendable {
  let path: String
  let viewer: String
  private let client: Client
  private let ended = DispatchSemaphore(value: 0)

  /// Starts it; returns when the daemon says that it runs.
  init(_ daemon: TestDaemon, _ name: String, _ format: PreviewFormat, camera: String? = nil) throws {
    path = daemon.folder.file(name)
    client = try daemon.client()
    let (reading, writing) = try Self.pipe(capacity: 1 << 20)
    viewer = try client.call(
      Preview.self, .init(camera: camera, output: 0, format: format), descriptors: [writing], more: true
    ).viewer
    try Data().write(to: URL(filePath: path))
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    let ended = ended
    writing.close()
    Thread.detachNewThread {
      let input = FileHandle(fileDescriptor: reading.release(), closeOnDealloc: true)
      while let bytes = try? input.read(upToCount: 1 << 16), !bytes.isEmpty { try? file.write(contentsOf: bytes) }
      ended.signal()
    }
  }

  /// Ends it and waits for the last byte.
  func stop(with other: Client) throws -> Preview.Reply {
    try other.call(StopPreview.self, .init(viewer: viewer))
    let reply = try client.next(Preview.self)
    guard ended.wait(timeout: .now() + 10) == .success else { throw VarlinkError.timedOut }
    return reply
  }

  /// The two ends of a pipe. `capacity`: bytes that fit in, where the reader should not have to be quick.
  static func pipe(capacity: Int32? = nil) throws -> (reading: Varlink.FileDescriptor, writing: Varlink.FileDescriptor)
  {
    var ends: [Int32] = [-1, -1]
    guard Foundation.pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let setPipeSize: Int32 = 1031  // F_SETPIPE_SZ
    if let capacity, fcntl(ends[1], setPipeSize, capacity) < 0 { throw CocoaError(.fileReadUnknown) }
    return (Varlink.FileDescriptor(owning: ends[0]), Varlink.FileDescriptor(owning: ends[1]))
  }
}
