public import Camera
import CameraProtocol
import Glibc
import Synchronization
public import Varlink

/// Live pictures.
struct PreviewHandlers: Sendable {
  let system: CameraSystem

  func stream(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: Preview.Parameters = try call.decode()
    guard let index = wanted.output, let output = call.takeDescriptor(at: index) else {
      throw CameraError(
        .descriptorRequired,
        "a preview needs an open descriptor to write to, passed with the call and named by 'output'")
    }
    try output.makeNonBlocking()
    let (handle, frames, dropped) = try await system.preview(
      wanted.camera, number: call.connectionID, format: wanted.format ?? .matroska,
      requester: await .asking(call.peer), output: output
    ) { handle in
      guard call.more else { return }
      try replies.reply(
        Preview.Reply(viewer: handle.id, format: handle.format, frames: 0, droppedFrames: 0), continues: true)
    }
    try replies.reply(
      Preview.Reply(viewer: handle.id, format: handle.format, frames: frames, droppedFrames: dropped))
  }

  func stop(_ wanted: StopPreview.Parameters) async throws -> Nothing {
    guard await system.stopPreview(wanted.viewer) else {
      throw CameraError(.noSuchViewer, "there is no preview '\(wanted.viewer)'")
    }
    return Nothing()
  }
}

extension FileDescriptor: OpenDescriptor {
  /// A reader that doesn't read must never hold up the daemon.
  fileprivate func makeNonBlocking() throws {
    let flags = fcntl(rawValue, F_GETFL)
    guard flags >= 0, flags & O_ACCMODE != O_RDONLY else {
      throw CameraError(.descriptorRequired, "the descriptor of the preview is not open for writing")
    }
    guard fcntl(rawValue, F_SETFL, flags | O_NONBLOCK) == 0 else {
      throw CameraError(.descriptorRequired, "the descriptor of the preview can't be made non-blocking")
    }
  }
}
