/// What an edit does.
public enum EditKind: String, Codable, Sendable, CaseIterable {
  case trim, crop, transcode
}

/// How an edit stands.
public enum EditState: String, Codable, Sendable, CaseIterable {
  case waiting, running, finished, failed, cancelled

  /// Whether it has come to its end.
  public var isOver: Bool { self != .waiting && self != .running }
}

/// A new asset on its way, made of another one, which stays as it is.
public struct Edit: Codable, Sendable, Equatable {
  /// Names the edit until the daemon ends.
  public var id: String
  /// What it does.
  public var kind: EditKind
  /// How it stands.
  public var state: EditState
  /// The id of the asset that it is made of.
  public var source: String
  /// How much of it is done, 0 to 1.
  public var progress: Double
  /// When it was asked for.
  public var time: Timestamp
  /// The user who asked for it; nil where that isn't known.
  public var user: String?
  /// What it made; nil until it is finished.
  public var asset: Asset?
  /// Why it failed; nil where it didn't.
  public var message: String?

  /// An edit of these values.
  public init(
    id: String, kind: EditKind, state: EditState = .waiting, source: String, progress: Double = 0,
    time: Timestamp = .now, user: String? = nil, asset: Asset? = nil, message: String? = nil
  ) {
    self.id = id
    self.kind = kind
    self.state = state
    self.source = source
    self.progress = progress
    self.time = time
    self.user = user
    self.asset = asset
    self.message = message
  }
}

/// Whether something can be edited in one way.
public struct EditPossibility: Codable, Sendable, Equatable {
  /// Whether it can.
  public var possible: Bool
  /// Why not; nil where it can.
  public var reason: String?

  /// That it can.
  public static let yes = EditPossibility(possible: true)

  /// That it can't.
  public static func no(_ reason: String) -> EditPossibility { EditPossibility(possible: false, reason: reason) }

  /// An answer of these values.
  public init(possible: Bool, reason: String? = nil) {
    self.possible = possible
    self.reason = reason
  }
}
