public import CameraProtocol
import Dispatch
import Synchronization
import Glibc

extension MediaLibrary {
  /// Removes for good what the policy doesn't keep, the oldest first; with `dryRun` only tells. Throws
  /// `libraryUnavailable`.
  public func applyRetention(dryRun: Bool) throws(CameraError) -> [RetiredAsset] {
    if !dryRun { try tidyTrash() }
    let retired = try retirable()
    if !dryRun {
      for item in retired { try retire(item.record, item.reason) }
    }
    return retired.map { RetiredAsset(asset: $0.record.asset, reason: $0.reason) }
  }

  /// Makes room on the disk so that `bytes` more leave the reserve free: from the trash first, then, where the policy
  /// lets it, the oldest. Does what it can. Throws `libraryUnavailable`.
  func makeRoom(for bytes: Int) throws(CameraError) {
    while let free = freeBytes, free - bytes < reserve {
      if let oldest = try index.oldest("state = 2", order: "trashed", root: root) {
        try erase(oldest)
      } else if retention.removesOldest,
        let oldest = try index.oldest("state IN (0, 1) AND favorite = 0", order: "time, id", root: root)
      {
        try retire(oldest, .space)
      } else {
        return
      }
    }
  }

  /// The same soon, for who can't wait.
  public func wantRoom(for bytes: Int) {
    schedule.roomQueue.async { [weak self] in
      guard let self else { return }
      do throws(CameraError) {
        try self.makeRoom(for: bytes)
      } catch {
        self.reporter.warn("no room can be made for captures: \(error)")
      }
    }
  }

  // MARK: In time

  /// Looks soon after what is to be removed.
  func scheduleTidying() {
    let isFirst = schedule.state.withLock { state in
      guard state.isStarted, !state.willTidy else { return false }
      state.willTidy = true
      return true
    }
    guard isFirst else { return }
    schedule.queue.asyncAfter(deadline: .now() + .seconds(2)) { [weak self] in
      self?.schedule.state.withLock { $0.willTidy = false }
      self?.tidy()
    }
  }

  /// Removes what is due, and sets the alarm for what comes next.
  func tidy() {
    do throws(CameraError) {
      _ = try applyRetention(dryRun: false)
      guard let seconds = try secondsToNext() else { return }
      let number = schedule.state.withLock { state in
        state.alarm += 1
        return state.alarm
      }
      schedule.queue.asyncAfter(wallDeadline: .now() + max(60, seconds)) { [weak self] in
        guard let self, self.schedule.state.withLock({ $0.alarm == number }) else { return }
        self.tidy()
      }
    } catch {
      reporter.warn("what the album doesn't keep can't be removed: \(error)")
    }
  }

  /// Removes what has been in the trash too long, and the oldest of it where it or the album is too large.
  private func tidyTrash() throws(CameraError) {
    var space = statvfs()
    let disk = statvfs(root, &space) == 0 ? Double(space.f_blocks) * Double(space.f_frsize) : .infinity
    let due = Timestamp.now - Trash.longest
    while let oldest = try index.oldest("state = 2", order: "trashed", root: root) {
      let isOld = oldest.asset.trashed.map { $0.sinceEpoch < due.sinceEpoch } ?? false
      let isLarge = try Double(index.bytes("state = 2")) > disk * Trash.largestShare
      var isTooMuch = false
      if let limit = retention.maxSize { isTooMuch = try index.bytes("1") > limit }
      guard isOld || isLarge || isTooMuch else { return }
      try erase(oldest)
    }
  }

  private func secondsToNext() throws(CameraError) -> Double? {
    var times: [Double] = []
    let now = Timestamp.now
    if let time = try index.oldest("state = 2", order: "trashed", root: root)?.asset.trashed {
      times.append(Trash.longest - now.timeInterval(since: time))
    }
    if let age = retention.maxAge,
      let oldest = try index.oldest("state IN (0, 1) AND favorite = 0", order: "time, id", root: root)
    {
      times.append(age - now.timeInterval(since: oldest.asset.time))
    }
    return times.min()
  }

  private func retirable() throws(CameraError) -> [(record: AssetRecord, reason: RetentionReason)] {
    var retired: [(record: AssetRecord, reason: RetentionReason)] = []
    guard retention.maxAge != nil || retention.maxSize != nil else { return retired }
    let due = retention.maxAge.flatMap { $0.isFinite ? Timestamp.now - $0 : nil }
    var excess = 0
    if let limit = retention.maxSize { excess = try index.bytes("1") - limit }
    // the trash goes before
    if excess > 0 { excess -= try index.bytes("state = 2") }
    let newest = try index.newestRemovable(root: root)?.asset.id
    var last = AssetPosition(time: .min, id: "")
    while true {
      let page = try index.removable(behind: last, root: root)
      guard let end = page.last?.position else { return retired }
      last = end
      for record in page {
        if let due, record.asset.time.sinceEpoch < due.sinceEpoch {
          guard hasBeenHere(record, since: due) else { continue }
          retired.append((record, .age))
        } else if excess > 0, record.asset.id != newest {
          retired.append((record, .size))
        } else {
          return retired
        }
        excess -= record.stamp.size
      }
    }
  }

  /// Whether something that camd didn't take has been in the album for long enough: an old photo that is brought in today
  /// doesn't go tomorrow.
  private func hasBeenHere(_ record: AssetRecord, since due: Timestamp) -> Bool {
    guard record.asset.origin != .captured else { return true }
    do throws(CameraError) {
      let file = try openFile(record.path, id: record.asset.id)
      guard let status = file.status else { return false }
      return status.st_ctim.tv_sec < due.seconds
    } catch {
      return false
    }
  }

  private func retire(_ record: AssetRecord, _ reason: RetentionReason) throws(CameraError) {
    try erase(record)
    reporter.report(.retired(RetiredAsset(asset: record.asset, reason: reason)))
  }
}

extension AssetIndex {
  fileprivate func oldest(_ condition: String, order: String, root: String) throws(CameraError) -> AssetRecord? {
    let found = try use { (database) throws(DatabaseError) in
      try database.first("SELECT \(AssetRecord.columns) FROM asset WHERE \(condition) ORDER BY \(order) LIMIT 1") {
        AssetRecord($0, root: root)
      }
    }
    return found ?? nil
  }

  fileprivate func bytes(_ condition: String) throws(CameraError) -> Int {
    let found = try use { (database) throws(DatabaseError) in
      try database.first("SELECT sum(bytes) FROM tally WHERE \(condition)") { $0.integer(0) }
    }
    return (found ?? nil) ?? 0
  }

  /// The next five hundred that retention may remove, the oldest first.
  fileprivate func removable(behind last: AssetPosition, root: String) throws(CameraError) -> [AssetRecord] {
    try use { (database) throws(DatabaseError) in
      try database.rows(
        """
        SELECT \(AssetRecord.columns) FROM asset WHERE state IN (0, 1) AND favorite = 0 AND (time, id) > (?, ?)
        ORDER BY time, id LIMIT 500
        """, [.integer(last.time), .text(last.id)]
      ) { AssetRecord($0, root: root) }
    } ?? []
  }

  fileprivate func newestRemovable(root: String) throws(CameraError) -> AssetRecord? {
    try oldest("state = 0", order: "time DESC, id DESC", root: root)
  }
}
