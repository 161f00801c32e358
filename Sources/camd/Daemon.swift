import Camera
import CameraProtocol
import CameraService
import Editing
import GStreamer
import MediaLibrary
import Varlink

/// The daemon, put together from its rooms.
struct Daemon {
  /// Why it can't start; a line for people.
  struct StartFailure: Error, CustomStringConvertible {
    var description: String
  }

  private let log: Log
  private let system: CameraSystem
  private let edits: EditQueue
  private let server: Server
  private let library: MediaLibrary
  private let thumbnails: Thumbnails
  private let monitor: DeviceMonitor?
  private let events: EventHub
  private let settings: SessionSettings
  private let lights: [(camera: String, flash: FlashDefinition)]

  /// Opens the socket; serves once `run` is called.
  init(_ arguments: Arguments, log: Log) throws {
    self.log = log
    let environment = Environment.current
    let configuration = try Configuration.load(option: arguments.config, environment: environment)
    ProcessMemory.keepCompact()
    try GStreamer.initialize()
    for element in ["x264enc", "avenc_aac", "mp4mux", "jpegenc", "matroskamux", "videotestsrc", "pngenc", "webpenc"]
    where !GStreamer.hasElement(element) {
      log.warning(
        "GStreamer has no element '\(element)'; install its plugin packages base, good, bad, ugly and libav")
    }
    lights = configuration.cameras.compactMap { camera in camera.flash.map { (camera.name, $0.definition) } }
    library = MediaLibrary(
      root: try Paths.library(option: arguments.library, configuration: configuration, environment: environment),
      reserve: configuration.album.reserve ?? MediaLibrary.defaultReserve, retention: configuration.album.policy,
      software: "camd \(CameraInterface.version)")
    let thumbnails = Thumbnails(library: library, folders: Paths.thumbnails(environment: environment)) { message in
      log.warning(message)
    }
    self.thumbnails = thumbnails
    let events = EventHub()
    self.events = events
    monitor = try Self.monitor(log)
    let registry = try DeviceRegistry(
      cameras: configuration.cameras.map { $0.device }, microphones: configuration.microphones.map { $0.device },
      monitor: monitor, discovers: configuration.discovers ?? true)
    let logger: Logger = { level, message in log.write(level, message()) }
    var settings = SessionSettings(
      library: library, clock: SystemClock(),
      controlStore: ControlStore(path: Paths.state("controls.json", environment: environment), log: logger),
      locations: LocationStore(
        path: Paths.state("location.json", environment: environment), geotag: configuration.place.geotag,
        maxAge: configuration.place.maxAge ?? LocationStore.defaultMaxAge, log: logger),
      emit: events.emit, isWanted: events.isWanted, log: logger)
    settings.thumbnails = thumbnails
    if let seconds = configuration.idleTimeout {
      // a hundred years for 'infinity'
      settings.idleTimeout = .seconds(min(seconds, 100 * 366 * 86_400))
    }
    self.settings = settings
    system = CameraSystem(registry: registry, settings: settings)
    edits = EditQueue(library: library, emit: events.emit) { message in log.info(message) }
    server = try Server(
      listener: try Self.listener(arguments, environment),
      info: ServiceInfo(
        vendor: "camd", product: "camd", version: CameraInterface.version, url: "https://varlink.org"),
      services: [
        try CameraService(
          system: system, library: library, thumbnails: thumbnails, edits: edits, events: events,
          version: CameraInterface.version)
      ]
    ) { message in log.debug(message) }
  }

  /// Serves until a signal asks for the end; then finishes what is being recorded.
  func run(_ signals: Signals) async throws {
    recoverMovies()
    await putOutLights()
    try server.start()
    library.start(observer: Self.observer(log, events, thumbnails))
    let environment = Environment.current
    let notification = try SystemdNotification(environment: environment)
    try notification?.send(.ready, .status("Serving \(system.cameraNames.count) cameras"))
    log.info("ready, \(system.cameraNames.map { "'\($0)'" }.joined(separator: ", ")); album: \(library.root)")
    let hotPlug = Task { [monitor, system] in
      guard let monitor else { return }
      for await _ in monitor.changes { await system.refresh() }
    }
    for await signal in signals.stream {
      log.info("\(signal.rawValue): stopping")
      break
    }
    do {
      try notification?.send(.stopping)
    } catch {
      log.warning("the service manager can't be told: \(error)")
    }
    hotPlug.cancel()
    // at once: edits have priority over nothing
    await edits.shutDown(within: .seconds(5))
    await system.shutDown()
    await server.stop(grace: .seconds(1))
    library.stop()
  }

  /// Tells everyone what happens to the album.
  private static func observer(
    _ log: Log, _ events: EventHub, _ thumbnails: Thumbnails
  ) -> @Sendable (LibraryChange) -> Void {
    { change in
      func tell(_ asset: Asset, _ message: String) {
        log.info("\(message) \(asset.path ?? asset.id)")
        events.emit(Event(.libraryChanged, camera: asset.camera, asset: asset, message: message))
      }
      switch change {
      case .added(let asset): tell(asset, "added")
      case .removed(let asset):
        thumbnails.remove(asset)
        tell(asset, "removed")
      case .changed(let asset): tell(asset, "changed")
      case .retired(let retired):
        log.info("\(retired.asset.id) is not kept any longer: \(retired.reason.rawValue)")
        thumbnails.remove(retired.asset)
        tell(retired.asset, "removed")
      case .rescanned(let progress):
        log.info(
          "the album has \(progress.added) new files, \(progress.changed) others than before, and misses "
            + "\(progress.removed)")
        events.emit(Event(.libraryChanged, message: "rescanned"))
      case .warning(let message):
        log.warning(message)
        events.emit(Event(.warning, message: message))
      }
    }
  }

  /// Finishes what an unclean end has left.
  private func recoverMovies() {
    do {
      let recovery = try library.recover()
      for asset in recovery.assets {
        log.warning("finished a movie that an unclean end had left: \(asset.path ?? asset.id)")
        events.emit(Event(.libraryChanged, camera: asset.camera, asset: asset, message: "added"))
      }
      for file in recovery.kept { log.warning("\(file.path) can't be finished: \(file.reason)") }
    } catch {
      // captures will say so again; the daemon stays up for previews and for the day the folder is back
      log.warning("\(error)")
    }
  }

  /// Puts out what an unclean end has left on.
  private func putOutLights() async {
    for (camera, flash) in lights {
      do throws(CameraError) {
        try await flash.putOut(camera: camera, settings: settings)
      } catch {
        log.warning("\(flash.origin.map { "\($0): " } ?? "")\(error)")
      }
    }
  }

  private static func listener(_ arguments: Arguments, _ environment: Environment) throws -> Listener {
    if arguments.socket == nil, let passed = try ListenDescriptors.take().controlSocket() {
      return try Listener(adopting: FileDescriptor(owning: passed))
    }
    let path = try Paths.socket(option: arguments.socket, environment: environment)
    do {
      return try Listener(path: path, mode: environment.isRoot ? 0o660 : 0o600, parentMode: 0o755)
    } catch .addressInUse(let path) {
      throw StartFailure(
        description: "another daemon serves on \(path) already; stop that one, or give another path with --socket")
    } catch {
      throw StartFailure(description: "can't listen on \(path): \(error)")
    }
  }

  private static func monitor(_ log: Log) throws -> DeviceMonitor? {
    do {
      return try DeviceMonitor()
    } catch {
      log.warning("devices can't be found: \(error)")
      return nil
    }
  }
}

extension Configuration.Source {
  fileprivate var device: ConfiguredDevice.Source {
    switch self {
    case .device(let name): .device(name)
    case .fragment(let fragment): .fragment(fragment)
    }
  }
}

extension Configuration.Album {
  fileprivate var policy: RetentionPolicy {
    RetentionPolicy(
      maxAge: maxAge.flatMap { $0.isFinite ? $0 : nil }, maxSize: maxSize, removesOldest: removesOldest)
  }
}

extension Configuration.Flash {
  fileprivate var definition: FlashDefinition {
    FlashDefinition(path: path, threshold: threshold ?? FlashDefinition.defaultThreshold, origin: "\(location)")
  }
}

extension Configuration.Camera {
  fileprivate var device: ConfiguredDevice {
    ConfiguredDevice(
      name: name, source: source.device, position: position, flash: flash?.definition, maker: maker, model: model,
      rotation: rotation, origin: "\(location)")
  }
}

extension Configuration.Microphone {
  fileprivate var device: ConfiguredDevice {
    ConfiguredDevice(name: name, source: source.device, origin: "\(location)")
  }
}
