public import CameraProtocol
import Glibc
public import MediaLibrary

/// Edits on their way: as many at a time as there are processors, the others wait for their turn. Each makes a new asset
/// whose parent is the one that it is made of, which is never touched; one that fails or is cancelled leaves nothing.
public actor EditQueue {
  /// How many may wait.
  public static let mostWaiting = 100
  /// How many that are over are remembered.
  static let remembered = 20
  /// How many files may be looked into at a time.
  private static let mostExaminations = 8
  /// How long looking into a file may take.
  private static let examinationTime = Duration.seconds(120)

  /// One that is not over yet.
  struct Job {
    var edit: Edit
    let request: EditRequest
    let original: Asset
    let work: EditTask
    let updates: AsyncStream<EditTicket.Update>.Continuation
    var task: Task<Void, Never>?
  }

  /// What came of a job.
  struct Made: Sendable {
    var asset: Asset
    var isLossless: Bool?
    var file: AssetDescriptor?
  }

  let library: MediaLibrary
  let runner: any EditRunner
  private let places: Int
  private let emit: @Sendable (Event) -> Void
  private let log: @Sendable (String) -> Void
  private var jobs: [String: Job] = [:]
  /// The ids of all, in the order in which they were asked for.
  private var order: [String] = []
  private var over: [String: Edit] = [:]
  private var lastNumber = 0
  private var isClosing = false
  private var examinations = 0

  /// A queue into that album. `places`: how many run at a time, nil for one a processor. `emit` takes events, `log` who asked for what and what
  /// came of it; both from any thread.
  public init(
    library: MediaLibrary, runner: any EditRunner = WorkerProcess(), places: Int? = nil,
    emit: @escaping @Sendable (Event) -> Void = { _ in },
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.library = library
    self.runner = runner
    self.places = places ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    self.emit = emit
    self.log = log
  }

  /// Those that wait or run, and the last ones that are over, in the order in which they were asked for.
  public var edits: [Edit] { order.compactMap { jobs[$0]?.edit ?? over[$0] } }

  /// Takes an edit on. Throws `noSuchAsset`, `notCompatible` where the kind of asset can't be edited so,
  /// `valueOutOfRange`, `queueFull`, `shuttingDown`, `libraryUnavailable`. What its file is found to be like is told by
  /// the ticket.
  public func submit(_ request: EditRequest) async throws(CameraError) -> EditTicket {
    let (library, subject) = (library, request.change.subject)
    let original = try await offPool { () throws(CameraError) -> Asset in
      if let id = request.asset { return try library.asset(id) }
      guard let newest = try library.newest(subject) else {
        throw CameraError(.noSuchAsset, "the album has no \(subject == .image ? "photo" : "movie") to edit")
      }
      return newest
    }
    try request.change.check(original)
    let work = try request.change.task(for: original, software: library.software)
    guard !isClosing else { throw CameraError(.shuttingDown, "the daemon is about to exit") }
    guard jobs.values.count(where: { $0.edit.state == .waiting }) < Self.mostWaiting else {
      throw CameraError(.queueFull, "\(Self.mostWaiting) edits wait already; try again when some are done")
    }
    lastNumber += 1
    let edit = Edit(id: "\(lastNumber)", kind: request.change.kind, source: original.id, user: request.user)
    let (updates, continuation) = AsyncStream.makeStream(
      of: EditTicket.Update.self, bufferingPolicy: .bufferingNewest(1))
    jobs[edit.id] = Job(edit: edit, request: request, original: original, work: work, updates: continuation)
    order.append(edit.id)
    log("edit \(edit.id), \(edit.kind.rawValue) of \(original.id), asked for by \(request.requester)")
    continuation.yield(EditTicket.Update(edit: edit))
    startNext()
    return EditTicket(id: edit.id, original: original, updates: updates)
  }

  /// Ends an edit; returns when nothing of it is left. Throws `noSuchEdit` where there is none of that id or it is over.
  public func cancel(_ id: String) async throws(CameraError) -> Edit {
    if let job = jobs[id] {
      if let task = job.task {
        task.cancel()
        await task.value
      } else {
        end(id, .failure(CameraError(.cancelled, "the edit was cancelled")))
      }
    } else if over[id] == nil {
      throw CameraError(.noSuchEdit, "there is no edit '\(id)'")
    } else {
      throw CameraError(.noSuchEdit, "edit '\(id)' is over")
    }
    guard let edit = over[id], edit.state == .cancelled else {
      throw CameraError(.noSuchEdit, "edit '\(id)' was just over")
    }
    return edit
  }

  /// Says what can be done to an asset. Throws `noSuchAsset`, `libraryUnavailable`, `queueFull`, `timedOut`.
  public func examine(_ id: String) async throws(CameraError) -> EditOutcome.Possibilities {
    let library = library
    let file = try await offPool { () throws(CameraError) in try library.open(try library.asset(id)) }
    return try await examine(descriptor: file.rawValue)
  }

  /// Says what can be done to the file behind a readable descriptor, which stays the caller's. Throws `queueFull`,
  /// `timedOut`.
  public func examine(descriptor: Int32) async throws(CameraError) -> EditOutcome.Possibilities {
    guard examinations < Self.mostExaminations else {
      throw CameraError(.queueFull, "\(examinations) files are being looked into already; try again in a moment")
    }
    examinations += 1
    defer { examinations -= 1 }
    let runner = runner
    let task = Task { () -> Result<EditOutcome, CameraError> in
      do throws(CameraError) {
        return .success(try await runner.run(.examine, source: descriptor, target: nil) { _ in })
      } catch {
        return .failure(error)
      }
    }
    let alarm = Task {
      try await Task.sleep(for: Self.examinationTime)
      task.cancel()
    }
    defer { alarm.cancel() }
    do throws(CameraError) {
      guard let found = try await task.value.get().possibilities else {
        throw CameraError(.internalError, "nothing was found out")
      }
      return found
    } catch {
      guard error.kind == .cancelled else { throw error }
      throw CameraError(.timedOut, "the file could not be looked into in time")
    }
  }

  /// Takes no more edits on and ends those that there are; returns when nothing of them is left, or the time is over.
  public func shutDown(within limit: Duration) async {
    isClosing = true
    let running = jobs.values.compactMap(\.task)
    for (id, job) in jobs where job.task == nil {
      end(id, .failure(CameraError(.shuttingDown, "the daemon stops")))
    }
    for task in running { task.cancel() }
    await firstOf(limit) { for task in running { await task.value } }
  }

  // MARK: Turns

  private func startNext() {
    guard !isClosing else { return }
    var running = jobs.values.count { $0.task != nil }
    for id in order where running < places {
      guard jobs[id]?.task == nil, let job = jobs[id] else { continue }
      running += 1
      jobs[id]?.edit.state = .running
      if let edit = jobs[id]?.edit {
        job.updates.yield(EditTicket.Update(edit: edit))
        emit(Event(.editStarted, edit: edit))
      }
      jobs[id]?.task = Task {
        let result = await carryOut(job)
        end(id, result)
      }
    }
  }

  /// Notes how far an edit is.
  func note(_ id: String, _ progress: Double) {
    guard var edit = jobs[id]?.edit, progress > edit.progress else { return }
    edit.progress = progress
    jobs[id]?.edit = edit
    jobs[id]?.updates.yield(EditTicket.Update(edit: edit))
    emit(Event(.editProgress, edit: edit))
  }

  private func end(_ id: String, _ result: Result<Made, CameraError>) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    var edit = job.edit
    var update = EditTicket.Update(edit: edit)
    switch result {
    case .success(let made):
      (edit.state, edit.progress, edit.asset) = (.finished, 1, made.asset)
      (update.isLossless, update.file) = (made.isLossless, made.file)
      log("edit \(id) made \(made.asset.path ?? made.asset.id)")
    case .failure(var error):
      if isClosing, error.kind == .cancelled { error = CameraError(.shuttingDown, "the daemon stops") }
      edit.state = error.kind == .cancelled || error.kind == .shuttingDown ? .cancelled : .failed
      edit.message = error.description
      update.error = error
      log("edit \(id) came to nothing: \(error)")
    }
    update.edit = edit
    remember(edit)
    job.updates.yield(update)
    job.updates.finish()
    emit(Event(edit.state == .finished ? .editFinished : .editFailed, edit: edit, message: edit.message))
    startNext()
  }

  private func remember(_ edit: Edit) {
    over[edit.id] = edit
    guard over.count > Self.remembered, let oldest = order.first(where: { over[$0] != nil }) else { return }
    over[oldest] = nil
    order.removeAll { $0 == oldest }
  }
}
