public import CameraProtocol
import MovieFile
import Glibc

/// What was found of captures that an unclean end interrupted.
public struct Recovery: Sendable, Equatable {
  /// A file that stays in the album's folders but could not be made an asset.
  public struct KeptFile: Sendable, Equatable {
    /// Where it is now.
    public var path: String
    /// Why it could not be finished.
    public var reason: String
  }

  /// Movies that were finished and are in the album now.
  public var assets: [Asset] = []
  /// Files that were removed: unfinished photos, and recordings without a single picture or piece of sound.
  public var removed: [String] = []
  /// Files that stay: damaged ones under a name that ends in `.damaged`, and those that the disk didn't let us touch.
  public var kept: [KeptFile] = []

  /// Nothing was found.
  public init() {}
}

extension MediaLibrary {
  /// Takes up what an unclean end left, except for what another process is still writing. Once at the daemon's start.
  /// Blocks while it reads the album's folders and finishes movies. Throws `libraryUnavailable`; a file that can't be
  /// finished is not an error but reported.
  public func recover() throws(CameraError) -> Recovery {
    var recovery = Recovery()
    guard let root = try folder.openRoot(creating: false) else { return recovery }
    for year in try Self.names(in: root, path: self.root) where year.count == 4 && CaptureName.isNumber(year) {
      let yearPath = "\(self.root)/\(year)"
      guard let yearFolder = Self.openFolder(year, in: root) else { continue }
      for day in try Self.names(in: yearFolder, path: yearPath) where day.count == 10 && day.hasPrefix("\(year)-") {
        let path = "\(yearPath)/\(day)"
        guard let dayFolder = Self.openFolder(day, in: yearFolder) else { continue }
        let names = try Self.names(in: dayFolder, path: path)
        for name in names.sorted() where name.hasPrefix(".") && name.hasSuffix(DraftName.suffix) {
          recover(name, in: dayFolder, path: path, into: &recovery)
        }
      }
    }
    return recovery
  }

  private func recover(_ name: String, in day: borrowing Descriptor, path: String, into recovery: inout Recovery) {
    let raw = openat(day.rawValue, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard raw >= 0 else {
      let reason = String(cString: strerror(errno))
      recovery.kept.append(Recovery.KeptFile(path: "\(path)/\(name)", reason: reason))
      return
    }
    let file = Descriptor(owning: raw)
    guard file.status?.isRegularFile == true, flock(file.rawValue, LOCK_EX | LOCK_NB) == 0,
      FilePublisher.isFile(name, in: day, file.rawValue)
    else { return }  // somebody is still at it, or has just completed it
    guard let draft = DraftName(name), folder.path(for: CaptureName(time: draft.time, format: draft.format)) == path
    else {
      // An unfinished photo: nobody was told that it exists.
      guard Self.isPhoto(name) else { return }
      remove(name, in: day, path: path, from: &recovery)
      return
    }
    let stored = DraftMetadata.load(from: file.rawValue) ?? MovieMetadata()
    do throws(CameraError) {
      let metadata = completed(stored, time: draft.time, camera: stored.camera ?? draft.camera)
      let movie = try publishMovie(
        file.rawValue, name: draft, time: draft.time, metadata: metadata, isRecovered: true)
      if let movie {
        recovery.assets.append(movie.asset)
      } else {
        recovery.removed.append("\(path)/\(name)")
      }
    } catch {
      keep(name, draft, error, in: day, path: path, into: &recovery)
    }
  }

  /// Gives a movie that can't be finished a name under which people find it. One that the disk refused to change
  /// keeps its hidden name, so that the next start tries again.
  private func keep(
    _ name: String, _ draft: DraftName, _ error: CameraError, in day: borrowing Descriptor, path: String,
    into recovery: inout Recovery
  ) {
    let reason = error.detail.cause ?? error.detail.message
    var kept = "\(path)/\(name)"
    if error.kind == .captureFailed {
      var visible = CaptureName(time: draft.time, format: draft.format)
      while visible.number < CaptureName.largestNumber {
        let damaged = "\(visible.name).damaged"
        guard let number = FilePublisher.rename(name, in: day.rawValue, to: damaged, in: day.rawValue) else {
          kept = "\(path)/\(damaged)"
          break
        }
        guard number == EEXIST else { break }
        visible.number += 1
      }
    }
    recovery.kept.append(Recovery.KeptFile(path: kept, reason: reason))
  }

  private func remove(_ name: String, in day: borrowing Descriptor, path: String, from recovery: inout Recovery) {
    if unlinkat(day.rawValue, name, 0) == 0 {
      recovery.removed.append("\(path)/\(name)")
    } else {
      let reason = String(cString: strerror(errno))
      recovery.kept.append(Recovery.KeptFile(path: "\(path)/\(name)", reason: reason))
    }
  }

  /// `.20261130-110615.123.PID-N.jpg.partial`; other hidden files are not ours to remove.
  private static func isPhoto(_ name: String) -> Bool {
    let parts = name.dropFirst().dropLast(DraftName.suffix.count).split(separator: ".")
    guard parts.count == 4, CaptureName("\(parts[0]).\(parts[1]).\(parts[3])") != nil else { return false }
    let owner = parts[2].split(separator: "-")
    return owner.count == 2 && owner.allSatisfy(CaptureName.isNumber)
  }

  /// A folder that is one and not a link; others are passed over.
  static func openFolder(_ name: String, in folder: borrowing Descriptor) -> Descriptor? {
    let raw = openat(folder.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    return raw >= 0 ? Descriptor(owning: raw) : nil
  }

  static func names(in folder: borrowing Descriptor, path: String) throws(CameraError) -> [String] {
    let raw = openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0, let stream = fdopendir(raw) else { throw .fileSystem("list", path: path, number: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      if let name, name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .fileSystem("list", path: path, number: errno) }
    return names
  }
}
