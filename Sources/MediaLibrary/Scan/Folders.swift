import CameraProtocol
import Glibc

extension AlbumFolder {
  /// What is in a folder: files and folders apart; links and devices are left out.
  struct Contents: Sendable {
    var files: [String] = []
    var folders: [String] = []
  }

  /// Opens a folder by its path from the root on, empty for the root itself, following no link; nil where there is none.
  func openFolder(at path: String) throws(CameraError) -> Descriptor? {
    guard var folder = try openRoot(creating: false) else { return nil }
    for part in path.split(separator: "/") {
      guard let next = try Self.step(String(part), in: folder, path: "\(root)/\(path)") else { return nil }
      folder = next
    }
    return folder
  }

  static func step(_ name: String, in folder: borrowing Descriptor, path: String) throws(CameraError) -> Descriptor? {
    let raw = openat(folder.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if raw >= 0 { return Descriptor(owning: raw) }
    if [ENOENT, ELOOP, ENOTDIR, ENAMETOOLONG].contains(errno) { return nil }
    throw .fileSystem("open the folder", path: path, number: errno)
  }

  /// Lists an open folder; hidden entries are left out unless `hidden`.
  static func contents(
    of folder: borrowing Descriptor, path: String, hidden: Bool = false
  ) throws(CameraError) -> Contents {
    var contents = Contents()
    for name in try MediaLibrary.names(in: folder, path: path) where hidden || !name.hasPrefix(".") {
      var status = stat()
      guard fstatat(folder.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      if status.isFolder {
        contents.folders.append(name)
      } else if status.isRegularFile {
        contents.files.append(name)
      }
    }
    contents.files.sort()
    contents.folders.sort()
    return contents
  }

  /// Whether the file at a path from the root on is certainly gone. False where the disk doesn't let us look.
  func isGone(_ path: String) -> Bool {
    do throws(CameraError) {
      guard let parent = try openFolder(at: path.parentPath) else { return try openRoot(creating: false) != nil }
      var status = stat()
      if fstatat(parent.rawValue, path.lastPart, &status, AT_SYMLINK_NOFOLLOW) == 0 {
        return !status.isRegularFile
      }
      return errno == ENOENT
    } catch {
      return false
    }
  }
}

func joined(_ folder: String, _ name: String) -> String { folder.isEmpty ? name : "\(folder)/\(name)" }
