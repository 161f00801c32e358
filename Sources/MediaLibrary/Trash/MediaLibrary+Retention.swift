public import CameraProtocol
import Dispatch
import Synchronization
import Glibc

extension MediaLibrary {
  /// Removes for good what the policy doesn't keep, the oldest first; with `dryRun` only tells. Throws
  /// `libraryUnavailable`.
  public func applyRetention(dryRun: Bool) throws(CameraError) -> [RetiredAsset] {
    if dryRun { return try outlived().retired.map { RetiredAsset(asset: $0.record.asset, reason: $0.reason) } }
    return try schedule.retiring.inTurn { () throws(CameraError) in try retireAll() }.retired
  }

  /// Makes room on the disk so that `bytes` more leave the reserve free: from the trash first, then, where the policy
  /// lets it, the oldest. Removes nothing where all of that would not be enough, and no more than is missing: what a
  /// file took may come free only later. Throws `libraryUnavailable`.
  func makeRoom(for bytes: Int) throws(CameraError) {
    try schedule.retiring.inTurn { () throws(CameraError) in
      guard let free = freeBytes, free - bytes < reserve else { return }
      let (wanted, isTooMuch) = reserve.addingReportingOverflow(bytes)
      var missing = isTooMuch ? Int.max : wanted - free
      let old = "state < 2 AND favorite = 0"
      let possible = try index.bytes("state = 2") + (retention.removesOldest ? index.size(old) : 0)
      guard possible >= missing else { return }
      for (condition, order) in [("state = 2", "trashed")] + (retention.removesOldest ? [(old, "time, id")] : []) {
        var kept = 0
        while missing > 0,
          let oldest = try index.oldest(condition, order: order, skipping: kept, root: root)
        {
          if remove(oldest, oldest.state == .trashed ? nil : .space) {
            missing -= oldest.stamp.size
          } else {
            kept += 1
          }
        }
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
      let result = try schedule.retiring.inTurn { () throws(CameraError) in try retireAll() }
      guard let seconds = result.next else { return }
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

  /// Removes what is due; says what that was, and after how many seconds something will be.
  private func retireAll() throws(CameraError) -> (retired: [RetiredAsset], next: Double?) {
    let trash = try tidyTrash()
    let due = try outlived()
    let gone = due.retired.filter { remove($0.record, $0.reason) }
    return (
      gone.map { RetiredAsset(asset: $0.record.asset, reason: $0.reason) },
      [trash, due.next].compactMap { $0 }.min()
    )
  }

  /// Removes what has been in the trash too long, and the oldest of it where it or the album is too large. Returns the
  /// seconds until the next of it has been there too long.
  private func tidyTrash() throws(CameraError) -> Double? {
    var space = statvfs()
    let disk = statvfs(root, &space) == 0 ? Double(space.f_blocks) * Double(space.f_frsize) : .infinity
    let now = Timestamp.now
    var kept = 0
    while let oldest = try index.oldest("state = 2", order: "trashed", skipping: kept, root: root) {
      let left = oldest.asset.trashed.map { Trash.longest - now.timeInterval(since: $0) } ?? Trash.longest
      let isLarge = try Double(index.bytes("state = 2")) > disk * Trash.largestShare
      var isTooMuch = false
      if let limit = retention.maxSize { isTooMuch = try index.bytes("1") > limit }
      guard left < 0 || isLarge || isTooMuch else { return max(0, left) }
      if !remove(oldest, nil) { kept += 1 }
    }
    return nil
  }

  /// What the policy doesn't keep, the oldest first, and the seconds until there is more by age.
  private func outlived() throws(CameraError) -> (
    retired: [(record: AssetRecord, reason: RetentionReason)], next: Double?
  ) {
    var retired: [(record: AssetRecord, reason: RetentionReason)] = []
    guard retention.maxAge != nil || retention.maxSize != nil else { return ([], nil) }
    let now = Timestamp.now
    var next: Double?
    var excess = 0
    if let limit = retention.maxSize { excess = try index.bytes("1") - limit }
    // the trash goes before
    if excess > 0 { excess -= try index.bytes("state = 2") }
    let newest = excess > 0 ? try index.oldest("state = 0", order: "time DESC, id DESC", root: root)?.asset.id : nil
    var last = AssetPosition(time: .min, id: "")
    while true {
      let page = try index.removable(behind: last, root: root)
      guard let end = page.last?.position else { return (retired, next) }
      last = end
      for record in page {
        let own = retention.maxAge.map { $0 - now.timeInterval(since: record.asset.time) } ?? .infinity
        let left = own < 0 ? secondsHere(record, of: retention.maxAge ?? .infinity, until: now) : own
        if left < 0 {
          retired.append((record, .age))
        } else if excess > 0, record.asset.id != newest {
          retired.append((record, .size))
        } else {
          if left.isFinite { next = min(next ?? left, left) }
          // all behind one that is not old enough are younger
          if own >= 0, excess <= 0 { return (retired, next) }
          continue
        }
        excess -= record.stamp.size
      }
    }
  }

  /// Seconds of an age that are left to something by how long it has been in the album, below 0 where none are: an old
  /// photo that is brought in today doesn't go tomorrow.
  private func secondsHere(_ record: AssetRecord, of age: Double, until now: Timestamp) -> Double {
    guard record.asset.origin != .captured else { return -1 }
    do throws(CameraError) {
      let file = try openFile(record.path, id: record.asset.id)
      guard let status = file.status else { return .infinity }
      return age - now.timeInterval(since: Timestamp(seconds: status.st_ctim.tv_sec))
    } catch {
      return .infinity
    }
  }

  /// Removes an old file, if it still is what the index has and nobody has marked it meanwhile. False where it stays.
  private func remove(_ record: AssetRecord, _ reason: RetentionReason?) -> Bool {
    do throws(CameraError) {
      guard let now = try index.record(at: record.path, root: root), now.state == record.state,
        now.stamp == record.stamp, reason == nil || !now.asset.favorite, try erase(now, onlyUnchanged: true)
      else { return false }
      if let reason { reporter.report(.retired(RetiredAsset(asset: record.asset, reason: reason))) }
      return true
    } catch {
      reporter.warn("'\(record.asset.path ?? record.asset.id)' should go and can't be removed: \(error)")
      return false
    }
  }
}

extension AssetIndex {
  fileprivate func oldest(
    _ condition: String, order: String, skipping count: Int = 0, root: String
  ) throws(CameraError) -> AssetRecord? {
    let found = try use { (database) throws(DatabaseError) in
      try database.first(
        "SELECT \(AssetRecord.columns) FROM asset WHERE \(condition) ORDER BY \(order) LIMIT 1 OFFSET ?",
        [.integer(count)]
      ) { AssetRecord($0, root: root) }
    }
    return found ?? nil
  }

  /// Bytes of the files that a condition on them names, counted.
  fileprivate func size(_ condition: String) throws(CameraError) -> Int {
    let found = try use { (database) throws(DatabaseError) in
      try database.first("SELECT sum(size) FROM asset WHERE \(condition)") { $0.integer(0) }
    }
    return (found ?? nil) ?? 0
  }

  /// Bytes of the kinds of files that a condition on state and kind names, without counting.
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
        SELECT \(AssetRecord.columns) FROM asset WHERE state < 2 AND favorite = 0 AND (time, id) > (?, ?)
        ORDER BY time, id LIMIT 500
        """, [.integer(last.time), .text(last.id)]
      ) { AssetRecord($0, root: root) }
    } ?? []
  }
}
