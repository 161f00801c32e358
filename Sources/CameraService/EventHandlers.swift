import CameraProtocol
import Varlink

/// What happens.
struct EventHandlers: Sendable {
  let events: EventHub

  func subscribe(_ call: Call, _ replies: ReplyWriter) async throws {
    try call.requireMore()
    let wanted: Subscribe.Parameters = try call.decode()
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let id = events.add(wanted.kinds.map(Set.init)) { event in
      do {
        try replies.reply(Subscribe.Reply(event: event), continues: true)
        return true
      } catch {
        end.finish()  // gone, or too slow
        return false
      }
    }
    defer { events.remove(id) }
    // ends with the connection, which cancels this task
    for await _ in ended {}
    throw CancellationError()
  }
}
