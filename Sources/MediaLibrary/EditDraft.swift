public import CameraProtocol
import Synchronization
import Glibc

/// An edit on its way into the album: a hidden file that an editor writes.
///
/// It holds a lock on the file, so that no daemon's recovery takes it up; one that a crash leaves is removed by the next
/// recovery, for nobody was told of it. A draft that goes without being published is discarded. Calls may come from any
/// thread and block for file access.
public final class EditDraft: Sendable {
  /// The file: empty at first, readable and writable. It is valid as long as this object lives.
  public let descriptor: Int32
  /// The hidden file.
  public let path: String

  private let library: MediaLibrary
  private let wanted: CaptureName
  private let name: String
  private let isOpen = Mutex(true)

  init(library: MediaLibrary, wanted: CaptureName, name: String, path: String, descriptor: consuming Descriptor) {
    self.library = library
    self.wanted = wanted
    self.name = name
    self.path = path
    self.descriptor = descriptor.release()
  }

  deinit {
    discard()
    close(descriptor)
  }

  /// Brings the file to the disk, gives it the next free name of the parent's time and takes it into the album. `asset`:
  /// what is known of the edit; its id, path and size are filled in.
  ///
  /// Throws `diskFull` or `libraryUnavailable`, and `captureFailed` where the file is gone; then nothing remains.
  public func publish(_ asset: Asset) throws(CameraError) -> Asset {
    let isMine = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    let folderPath = library.folder.path(for: wanted)
    guard isMine, let day = try library.folder.openFolder(for: wanted, creating: false),
      FilePublisher.isFile(name, in: day, descriptor)
    else {
      throw CameraError(
        .captureFailed, "the edit '\(path)' is no longer there: something removed or replaced it", path: path)
    }
    do throws(CameraError) {
      var status = stat()
      var asset = asset
      asset.id = wanted.name
      AssetAttributes(asset).save(on: descriptor)
      guard fdatasync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
        throw .fileSystem("write the edit to", path: path, number: errno)
      }
      asset.bytes = Int(status.st_size)
      return try library.enter(asset, name, descriptor, from: day, as: wanted, in: day, path: folderPath)
    } catch {
      // Not there any more where only the last sync failed.
      unlinkat(day.rawValue, name, 0)
      throw error
    }
  }

  /// Removes the file; does nothing where it was published or discarded before. What can't be removed now, as on a disk
  /// that is gone, the next recovery removes.
  public func discard() {
    let isMine = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard isMine, let day = (try? library.folder.openFolder(for: wanted, creating: false)) ?? nil,
      FilePublisher.isFile(name, in: day, descriptor)
    else { return }
    unlinkat(day.rawValue, name, 0)
  }
}

extension MediaLibrary {
  /// Makes the hidden file of an edit, in the folder of the parent's day. `format`: the end of the file's name without
  /// the point, `jpg` or `mp4`. Throws `diskFull` or `libraryUnavailable`.
  public func newDraft(of parent: Asset, format: String) throws(CameraError) -> EditDraft {
    let wanted = CaptureName(time: parent.time, format: format)
    let path = folder.path(for: wanted)
    guard let day = try folder.openFolder(for: wanted, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    try checkRoom(in: day, for: 0)
    var temporary = temporaryName(for: wanted)
    do throws(FilePublisher.SystemError) {
      let file = try makeTemporary(&temporary, for: wanted, in: day)
      return EditDraft(
        library: self, wanted: wanted, name: temporary, path: "\(path)/\(temporary)", descriptor: file)
    } catch {
      throw .fileSystem("save an edit in", path: path, number: error.number)
    }
  }
}
