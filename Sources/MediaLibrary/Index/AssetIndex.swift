import CSQLite
import CameraProtocol
import Dispatch
import Synchronization
import Glibc

/// What is in the album, in a database beside the files: `ROOT/.camd/index.sqlite`.
///
/// The files are the truth. Whatever is wrong with the database, it is set aside and made anew from them; where the disk
/// takes none, it is kept in memory. The connection is closed half a second after the last use, so that a disk can be
/// unmounted. Calls block for a moment and may come from any thread.
final class AssetIndex: Sendable {
  /// The folder of what belongs to the album and is no asset.
  static let folderName = ".camd"
  /// The database's name in that folder.
  static let fileName = "index.sqlite"
  /// That of one beside it that a newer program made and that is left alone.
  static var secondFileName: String { "index-\(AssetSchema.version).sqlite" }

  private struct State {
    var database: Database?
    /// Which root it belongs to.
    var root: FolderIdentity?
    var isInMemory = false
    /// The file, where there is one.
    var path: String?
    /// When a database in memory may be replaced by one on the disk.
    var nextTry: ContinuousClock.Instant?
    var lastUse = ContinuousClock.now
    var willClose = false
    var changes = 0
    /// Whether changes by hand were not heard of for a while.
    var isOutOfTouch = false
    /// Databases that were begun empty, or anew in another place.
    var beginnings = 0
    var warned: Set<String> = []
  }

  private let folder: AlbumFolder
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "camd.index", qos: .utility)
  /// Called where the index has to be made true to the files, and with what is not as it should be.
  private let needsScan: @Sendable () -> Void
  private let warn: @Sendable (String) -> Void

  /// The index of an album; it is opened at the first use. The closures may be called from any thread, and must neither
  /// block nor use the index.
  init(
    folder: AlbumFolder, needsScan: @escaping @Sendable () -> Void, warn: @escaping @Sendable (String) -> Void
  ) {
    self.folder = folder
    self.needsScan = needsScan
    self.warn = warn
  }

  /// Runs a body with the database. Nil where there is no album yet, unless it is to be made (`creating`). Throws
  /// `libraryUnavailable` where the album is not there, or where neither disk nor memory holds an index.
  func use<Result: Sendable>(
    creating: Bool = false, changes: Int = 0,
    _ body: @escaping @Sendable (Database) throws(DatabaseError) -> Result
  ) throws(CameraError) -> Result? {
    guard let root = try folder.openRoot(creating: creating), let identity = FolderIdentity(root.rawValue) else {
      return nil
    }
    let rootDescriptor = root.rawValue
    let outcome = state.withLock { state -> Swift.Result<Result, DatabaseError> in
      for attempt in 0..<2 {
        do throws(DatabaseError) {
          let database = try connection(&state, identity, rootDescriptor)
          let result = try body(database)
          state.changes += changes
          return .success(result)
        } catch {
          if error.isDamage, attempt == 0, !state.isInMemory {
            setAside(&state, error, rootDescriptor)
            continue
          }
          if error.isRefusal, attempt == 0, !state.isInMemory {
            state.database = nil
            state.nextTry = .now + .seconds(60)
            continue
          }
          // the next use opens it anew
          if !state.isInMemory { state.database = nil }
          return .failure(error)
        }
      }
      return .failure(DatabaseError(code: SQLITE_CORRUPT, description: "the index can't be made anew"))
    }
    scheduleClosing()
    switch outcome {
    case .success(let result): return result
    case .failure(let error):
      throw CameraError(
        .libraryUnavailable, "the index of the album '\(folder.root)' can't be used: \(error); the files are all right",
        path: folder.root, cause: "SQLite \(error.code): \(error)")
    }
  }

  /// How often another database took the place of the one before: what was put into that is not in this.
  var beginnings: Int { state.withLock { $0.beginnings } }

  /// Has the files read at the next use: their folders are no longer watched.
  func loseTouch() { state.withLock { $0.isOutOfTouch = true } }

  /// Closes the connection, so that nothing of the disk is in use.
  func close() {
    state.withLock { state in
      guard !state.isInMemory else { return }
      state.database = nil
    }
  }

  // MARK: Opening

  private func connection(_ state: inout State, _ identity: FolderIdentity, _ root: Int32) throws(DatabaseError)
    -> Database
  {
    state.lastUse = .now
    if state.isOutOfTouch || state.root != nil && state.root != identity {
      // the disk is back, or another one
      state.isOutOfTouch = false
      needsScan()
    }
    if state.root != identity {
      // what is known is not about it
      state.database = nil
      state.isInMemory = false
      state.nextTry = nil
      state.root = identity
    }
    if let database = state.database, !state.isInMemory || state.nextTry.map({ $0 > .now }) ?? false {
      return database
    }
    if let nextTry = state.nextTry, nextTry > .now, state.database == nil {
      return try openMemory(&state, "it refuses to read or write it")
    }
    do throws(DatabaseError) {
      let database = try openFile(&state, root)
      // what came meanwhile is in the other one
      if state.isInMemory {
        state.beginnings += 1
        needsScan()
      }
      state.isInMemory = false
      state.nextTry = nil
      state.database = database
      return database
    } catch {
      if error.isDamage { throw error }
      state.nextTry = .now + .seconds(60)
      if let database = state.database { return database }
      return try openMemory(&state, "\(error)")
    }
  }

  private func openMemory(_ state: inout State, _ reason: String) throws(DatabaseError) -> Database {
    warnOnce(
      &state, "the index of the album '\(folder.root)' is kept in memory only, since its disk takes none: \(reason)")
    let database = try Database(path: ":memory:")
    _ = try AssetSchema.prepare(database)
    state.database = database
    state.isInMemory = true
    state.beginnings += 1
    needsScan()
    return database
  }

  private func openFile(_ state: inout State, _ root: Int32) throws(DatabaseError) -> Database {
    guard mkdirat(root, Self.folderName, 0o755) == 0 || errno == EEXIST else { throw Self.systemError() }
    var status = stat()
    guard fstatat(root, Self.folderName, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw Self.systemError() }
    guard status.isFolder else {
      throw DatabaseError(code: SQLITE_CANTOPEN, description: "'\(Self.folderName)' is not a folder")
    }
    // the root may lie behind links; SQLite is told to follow none
    guard let real = realpath("\(folder.root)/\(Self.folderName)", nil) else { throw Self.systemError() }
    defer { free(real) }
    for name in [Self.fileName, Self.secondFileName] {
      let path = "\(String(cString: real))/\(name)"
      let database = try Database(path: path)
      switch try AssetSchema.prepare(database) {
      case .newer(let version):
        warnOnce(
          &state,
          "'\(path)' is of version \(version), made by a newer camd; it is left alone, and this one, which knows "
            + "version \(AssetSchema.version), keeps an index of its own")
        continue
      case .made:
        state.beginnings += 1
        needsScan()
      case .ready: break
      }
      state.path = path
      return database
    }
    throw DatabaseError(code: SQLITE_CANTOPEN, description: "there is only an index of a newer version")
  }

  private func setAside(_ state: inout State, _ error: DatabaseError, _ root: Int32) {
    state.database = nil
    // a first opening that fails has not said yet which of the two it was
    let name = state.path?.hasSuffix(Self.secondFileName) == true ? Self.secondFileName : Self.fileName
    let old = "\(Self.folderName)/\(name)"
    warn("the index '\(folder.root)/\(old)' is damaged (\(error)); it is set aside and made anew from the files")
    if renameat(root, old, root, "\(old).damaged") != 0 { unlinkat(root, old, 0) }
    for suffix in ["-wal", "-shm"] { unlinkat(root, old + suffix, 0) }
    needsScan()
  }

  private func warnOnce(_ state: inout State, _ message: String) {
    if state.warned.insert(message).inserted { warn(message) }
  }

  private static func systemError() -> DatabaseError {
    DatabaseError(code: SQLITE_CANTOPEN, description: String(cString: strerror(errno)))
  }

  // MARK: Closing

  /// Writes to the database itself what stands in its log when so many changes do.
  private static let checkpoint = 2000
  private static let idle = Duration.milliseconds(500)

  private func scheduleClosing() {
    let isDue = state.withLock { state in
      guard !state.willClose, !state.isInMemory, state.database != nil else { return false }
      state.willClose = true
      return true
    }
    if isDue { closeLater(after: .milliseconds(500)) }
  }

  private func closeLater(after delay: DispatchTimeInterval) {
    queue.asyncAfter(deadline: .now() + delay) { [weak self] in self?.closeIfIdle() }
  }

  private func closeIfIdle() {
    let log: String? = state.withLock { state in
      if state.lastUse.duration(to: .now) >= Self.idle || state.database == nil {
        if !state.isInMemory { state.database = nil }  // which writes the log to the database
        state.willClose = false
        return nil
      }
      guard state.changes >= Self.checkpoint else { return "" }
      state.changes = 0
      return state.path ?? ""
    }
    guard let log else { return }
    if !log.isEmpty {
      do throws(DatabaseError) {
        // by a connection of its own, so that no capture waits for it
        try Database(path: log).execute("PRAGMA wal_checkpoint(PASSIVE)")
      } catch {
        warn("the index '\(log)' can't be tidied up: \(error)")
      }
    }
    closeLater(after: .milliseconds(500))
  }
}
