public import CameraProtocol
import Synchronization

/// Hands everything that happens to everyone who subscribed. Never waits for a subscriber.
public final class EventHub: Sendable {
  private struct Subscriber {
    var kinds: Set<EventKind>?
    var take: @Sendable (Event) -> Bool
  }

  private struct State {
    var subscribers: [Int: Subscriber] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Nobody has subscribed yet.
  public init() {}

  /// What only those get who name it, since it comes many times a second.
  private static let onDemand: Set<EventKind> = [.soundLevel]

  /// Whether somebody named a kind. From any thread.
  public func isWanted(_ kind: EventKind) -> Bool {
    state.withLock { $0.subscribers.values.contains { $0.kinds?.contains(kind) ?? false } }
  }

  /// Hands out an event. From any thread.
  public func emit(_ event: Event) {
    let subscribers = state.withLock { $0.subscribers }
    let isForAll = !Self.onDemand.contains(event.kind)
    for (id, subscriber) in subscribers where subscriber.kinds?.contains(event.kind) ?? isForAll {
      if !subscriber.take(event) { remove(id) }
    }
  }

  /// Adds a subscriber of some kinds of events, nil for all; the first one that it gets is `subscribed`, and from then on
  /// it misses none. `take` must not block; it returns false to get no more. Returns the id for `remove`.
  func add(_ kinds: Set<EventKind>?, _ take: @escaping @Sendable (Event) -> Bool) -> Int {
    state.withLock { state in
      state.next += 1
      guard take(Event(.subscribed)) else { return state.next }
      state.subscribers[state.next] = Subscriber(kinds: kinds, take: take)
      return state.next
    }
  }

  /// Takes a subscriber away.
  func remove(_ id: Int) {
    state.withLock { $0.subscribers[id] = nil }
  }
}
