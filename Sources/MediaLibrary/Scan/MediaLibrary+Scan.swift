public import CameraProtocol
import Dispatch
import Synchronization
import Glibc

extension MediaLibrary {
  /// Looks after the album from now on: reads its files in the background, once, then hears from the kernel what changes.
  /// `observer` is told what happens, from any thread; it must not block.
  public func start(observer: @escaping @Sendable (LibraryChange) -> Void) {
    reporter.observe(observer)
    schedule.request.withLock { $0 = { [weak self] in self?.scheduleScan() } }
    schedule.state.withLock { $0.isStarted = true }
    scheduleScan()
  }

  /// Hears of nothing any more, and closes the index. At the daemon's end.
  public func stop() {
    schedule.request.withLock { $0 = nil }
    schedule.state.withLock { state in
      state.isStarted = false
      state.watch = nil
    }
    index.close()
  }

  /// Whether the album's files are being read, so that the index may not know all of them.
  public var isScanning: Bool { schedule.state.withLock { $0.isScheduled || $0.running > 0 } }

  /// Makes the index true to the files. Blocks while it reads those that are new or have changed; one scan at a time,
  /// others wait. `report` is called with every few hundred files. Throws `libraryUnavailable`.
  public func rescan(report: @escaping (RescanProgress) -> Void = { _ in }) throws(CameraError) -> RescanProgress {
    schedule.state.withLock { $0.running += 1 }
    defer { schedule.state.withLock { $0.running -= 1 } }
    return try schedule.turn.inTurn { () throws(CameraError) in
      var scan = LibraryScan(self, report: report)
      return try scan.run()
    }
  }

  private func scheduleScan() {
    let isNew = schedule.state.withLock { state in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard isNew else { return }
    let number = BackgroundThread.run(niceness: 15) { [weak self] in
      guard let self else { return }
      // a request that comes from now on is for what this scan may not see any more
      self.schedule.state.withLock { state in
        state.isScheduled = false
        state.running += 1
      }
      do throws(CameraError) {
        _ = try self.rescan()
      } catch {
        self.reporter.warn("the album's files can't be read: \(error)")
      }
      self.schedule.state.withLock { $0.running -= 1 }
      self.tidy()
    }
    guard number != 0 else { return }
    schedule.state.withLock { $0.isScheduled = false }
    reporter.warn("the album's files can't be read: \(String(cString: strerror(number)))")
  }

  // MARK: Changes by hand

  /// Hears of what happens in a folder from now on; nothing unless `start` was called.
  func watch(_ folder: String) {
    let refusal: Int32? = schedule.state.withLock { state in
      guard state.isStarted, !state.isWatchMissing else { return nil }
      if state.watch == nil {
        state.watch = FolderWatch(root: root, queue: schedule.queue) { [weak self] events in self?.take(events) }
      }
      if state.watch?.add(folder) == true { return nil }
      state.isWatchMissing = true
      return errno
    }
    guard let refusal else { return }
    let reason = String(cString: strerror(refusal))
    reporter.warn(
      "what is changed in the album by hand is noticed at a rescan and at the next start only: the kernel watches no "
        + "more folders (\(reason)); raise fs.inotify.max_user_watches")
  }

  private func take(_ events: [FolderWatch.Event]) {
    // many at once are told as a whole
    let areMany =
      events.count > LibraryReporter.mostTold || events.contains { if case .folder = $0 { true } else { false } }
    var changes: [LibraryChange] = []
    defer { reporter.report(changes) }
    func tell(_ news: [LibraryChange]) { if areMany { changes += news } else { reporter.report(news) } }
    for event in events {
      do throws(CameraError) {
        switch event {
        case .file(let folder, let name, let isLink): try takeFile(name, folder, isLink: isLink, tell)
        case .folder(let path): try takeFolder(path, depth: 0, tell)
        case .gone(let path): noteGone(path)
        case .lost: scheduleScan()
        case .ended:
          schedule.state.withLock { $0.watch = nil }
          index.loseTouch()
        }
      } catch {
        reporter.warn("a change in the album can't be followed: \(error)")
      }
    }
  }

  private func takeFile(
    _ name: String, _ path: String, isLink: Bool, _ tell: ([LibraryChange]) -> Void
  ) throws(CameraError) {
    guard MediaReader.kind(ofName: name) != nil, let folder = try self.folder.openFolder(at: path) else { return }
    if isLink {
      // one that is being made will be closed; a second name of a file that is there won't
      var status = stat()
      guard fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_nlink > 1 else { return }
    }
    let file = joined(path, name)
    let known = try index.record(at: file, root: root)
    guard case .news(let record, let old) = try examine(name, in: folder, path: file, known: known, settled: true)
    else { return }
    try take([(record, old)], tell: tell)
  }

  /// A folder that was made or moved here, with all that is in it already.
  private func takeFolder(_ path: String, depth: Int, _ tell: ([LibraryChange]) -> Void) throws(CameraError) {
    guard depth < 64 else { return }
    watch(path)
    guard let folder = try self.folder.openFolder(at: path) else { return }
    let contents = try AlbumFolder.contents(of: folder, path: "\(root)/\(path)")
    for name in contents.files { try takeFile(name, path, isLink: false, tell) }
    for name in contents.folders { try takeFolder(joined(path, name), depth: depth + 1, tell) }
  }

  /// Takes what the kernel has told until now. Not on the schedule's queue.
  func catchUp() {
    schedule.queue.sync { schedule.state.withLock { $0.watch }?.deliver() }
  }

  /// Where a file that is gone has gone to says the next event, if it is still in the album: so wait a moment.
  private func noteGone(_ path: String) {
    let isFirst = schedule.state.withLock { state in
      state.gone.append(path)
      return state.gone.count == 1
    }
    guard isFirst else { return }
    schedule.queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in self?.settleGone() }
  }

  private func settleGone() {
    let paths = schedule.state.withLock { state in
      defer { state.gone = [] }
      return state.gone
    }
    do throws(CameraError) {
      let watch = schedule.state.withLock { $0.watch }
      _ = try forget(try index.records(atOrBelow: paths, root: root), deliver: { watch?.deliver() }) {
        reporter.report($0)
      }
    } catch {
      reporter.warn("a change in the album can't be followed: \(error)")
    }
  }
}

extension AssetIndex {
  /// What is known of files, or of all that is in folders.
  func records(atOrBelow paths: [String], root: String) throws(CameraError) -> [AssetRecord] {
    try use { (database) throws(DatabaseError) in
      var records: [AssetRecord] = []
      for path in paths {
        records += try database.rows(
          "SELECT \(AssetRecord.columns) FROM asset WHERE path = ? OR (path > ? AND path < ?)",
          // '0' is the character behind '/'
          [.text(path), .text("\(path)/"), .text("\(path)0")]
        ) { AssetRecord($0, root: root) }
      }
      return records
    } ?? []
  }
}
