import CameraProtocol
import Synchronization
import Varlink

/// Events of the daemon, from the moment it was made.
final class EventReader: Sendable {
  struct NoEvent: Error {
    var wanted: EventKind
    var seen: [EventKind]
  }

  private let client: Client
  private let seen = Mutex<[Event]>([])

  init(_ path: String, _ kinds: [EventKind]? = nil) throws {
    client = try Client(path)
    let first = try client.call(Subscribe.self, .init(kinds: kinds), more: true).event
    guard first.kind == .subscribed else { throw NoEvent(wanted: .subscribed, seen: [first.kind]) }
  }

  /// What was seen so far, skipped events included.
  var history: [Event] { seen.withLock { $0 } }

  /// The next event.
  @discardableResult
  func nextOfAny(within limit: Duration = Client.patience) throws -> Event {
    let event = try client.receive(within: limit).decode(Subscribe.Reply.self).event
    seen.withLock { $0.append(event) }
    return event
  }

  /// The next event of that kind, and that the condition holds for; others are skipped.
  @discardableResult
  func next(
    _ kind: EventKind, within limit: Duration = Client.patience, where condition: (Event) -> Bool = { _ in true }
  ) throws -> Event {
    let deadline = ContinuousClock.now + limit
    while true {
      do {
        let event = try nextOfAny(within: max(deadline - .now, .zero))
        if event.kind == kind, condition(event) { return event }
      } catch VarlinkError.timedOut {
        throw NoEvent(wanted: kind, seen: history.map(\.kind))
      }
    }
  }
}
