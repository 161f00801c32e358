import CameraProtocol
import Glibc

/// One reading of all of the album's files.
struct LibraryScan {
  /// Files that are looked at before the index is asked and told.
  private static let batch = 200
  private static let deepest = 64

  private let library: MediaLibrary
  private let report: (RescanProgress) -> Void
  private var progress = RescanProgress()
  private var changes = 0

  /// `report` is called every few hundred files.
  init(_ library: MediaLibrary, report: @escaping (RescanProgress) -> Void) {
    self.library = library
    self.report = report
  }

  /// Reads them. Throws `libraryUnavailable`.
  mutating func run() throws(CameraError) -> RescanProgress {
    guard try library.folder.openRoot(creating: false) != nil else { return progress }
    for _ in 0..<3 {
      _ = try library.index.fact("scanned")
      let beginnings = library.index.beginnings
      progress = RescanProgress()
      changes = 0
      try readAll()
      if library.index.beginnings == beginnings { break }
    }
    return progress
  }

  private mutating func readAll() throws(CameraError) {
    let folders = try walk()
    report(progress)
    for folder in folders { try read(folder) }
    try sweep()
    try library.index.setFact("scanned", 1)
    tell()
  }

  /// All folders with files, and how many files there are. Folders are watched before they are read.
  private mutating func walk() throws(CameraError) -> [String] {
    var folders: [String] = []
    var open = [("", 0), (Trash.path, 0)]
    while let (path, depth) = open.popLast() {
      do throws(CameraError) {
        let isTrash = path.hasPrefix(AssetIndex.folderName)
        if !isTrash { library.watch(path) }
        guard let folder = try library.folder.openFolder(at: path) else { continue }
        let contents = try AlbumFolder.contents(of: folder, path: "\(library.root)/\(path)", hidden: isTrash)
        let count = contents.files.count { MediaReader.kind(ofName: $0) != nil }
        if count > 0 { folders.append(path) }
        progress.total += count
        if depth < Self.deepest { open += contents.folders.map { (joined(path, $0), depth + 1) } }
      } catch {
        if path.isEmpty { throw error }
        library.reporter.warn("a folder of the album is left out: \(error)")
      }
    }
    return folders
  }

  private mutating func read(_ path: String) throws(CameraError) {
    guard let folder = try library.folder.openFolder(at: path) else { return }
    let contents = try AlbumFolder.contents(of: folder, path: "\(library.root)/\(path)")
    var names = contents.files.filter { MediaReader.kind(ofName: $0) != nil }[...]
    while !names.isEmpty {
      let batch = Array(names.prefix(Self.batch))
      names = names.dropFirst(Self.batch)
      let paths = batch.map { joined(path, $0) }
      let known = try library.index.records(at: paths, root: library.root)
      var news: [(record: AssetRecord, known: AssetRecord?)] = []
      for (name, path) in zip(batch, paths) {
        let finding = try library.examine(name, in: folder, path: path, known: known[path], settled: false)
        guard case .news(let record, let old) = finding else { continue }
        news.append((record, old))
        if old == nil { progress.added += 1 } else { progress.changed += 1 }
        if record.state == .damaged { progress.damaged += 1 }
      }
      try library.take(news) { note($0) }
      progress.files += batch.count
      report(progress)
    }
  }

  /// Forgets what is gone.
  private mutating func sweep() throws(CameraError) {
    var last = ""
    while true {
      let page = try library.index.page(behind: last, root: library.root)
      guard let end = page.last?.path else { return }
      last = end
      progress.removed += try library.forget(page, deliver: library.catchUp) { note($0) }
    }
  }

  /// Tells of changes in the order in which they become true, of too many as a whole at the end.
  private mutating func note(_ news: [LibraryChange]) {
    for change in news {
      if case .warning = change {
        library.reporter.report(change)
      } else {
        changes += 1
        if changes <= LibraryReporter.mostTold { library.reporter.report(change) }
      }
    }
  }

  private func tell() {
    if changes > LibraryReporter.mostTold { library.reporter.report(.rescanned(progress)) }
  }
}

extension AssetIndex {
  /// What is known of some paths.
  func records(at paths: [String], root: String) throws(CameraError) -> [String: AssetRecord] {
    try use { (database) throws(DatabaseError) in
      var known: [String: AssetRecord] = [:]
      for path in paths { known[path] = try database.record(at: path, root: root) }
      return known
    } ?? [:]
  }

  /// The next thousand by their paths.
  func page(behind path: String, root: String) throws(CameraError) -> [AssetRecord] {
    try use { (database) throws(DatabaseError) in
      try database.rows(
        "SELECT \(AssetRecord.columns) FROM asset WHERE path > ? ORDER BY path LIMIT 1000", [.text(path)]
      ) { AssetRecord($0, root: root) }
    } ?? []
  }
}
