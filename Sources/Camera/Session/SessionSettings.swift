public import CameraProtocol
public import GStreamer
public import MediaLibrary

/// What all sessions of the daemon share.
public struct SessionSettings: Sendable {
  /// Where captures go.
  public var library: MediaLibrary
  /// Takes the stills with which recordings begin; nil for none.
  public var thumbnails: Thumbnails?
  /// The clock of all pipelines.
  public var clock: SystemClock
  /// How long a session stays warm without a use.
  public var idleTimeout: Duration
  /// What users have set the controls of their cameras to.
  public var controlStore: ControlStore
  /// Where the machine is.
  public var locations: LocationStore
  /// Makes a camera's light of its configuration.
  public var light: @Sendable (FlashDefinition) -> any Light
  /// Takes what happens. From any thread.
  public var emit: @Sendable (Event) -> Void
  /// Whether somebody asked for events of a kind that are made on demand only. From any thread.
  public var isWanted: @Sendable (EventKind) -> Bool
  /// Takes what is to be logged.
  public var log: Logger
  /// Which encoders work here.
  var encoders: EncoderChoice

  /// Settings of these values.
  public init(
    library: MediaLibrary, clock: SystemClock, idleTimeout: Duration = .seconds(10),
    controlStore: ControlStore? = nil, locations: LocationStore? = nil,
    light: @escaping @Sendable (FlashDefinition) -> any Light = { $0.light },
    emit: @escaping @Sendable (Event) -> Void, isWanted: @escaping @Sendable (EventKind) -> Bool = { _ in false },
    log: @escaping Logger
  ) {
    self.library = library
    self.clock = clock
    self.idleTimeout = idleTimeout
    self.controlStore = controlStore ?? ControlStore(path: nil, log: log)
    self.locations = locations ?? LocationStore(path: nil, log: log)
    self.light = light
    self.emit = emit
    self.isWanted = isWanted
    self.log = log
    encoders = EncoderChoice(clock: clock, log: log)
  }
}
