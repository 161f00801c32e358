import CFileSystem
public import CameraProtocol
import Synchronization
import Glibc

/// A photo of which the album keeps no copy.
public struct UnsavedPhoto: Sendable {
  /// The photo; it has no path.
  public let asset: Asset
  /// Its bytes, at their beginning, sealed against every change.
  public let descriptor: PhotoDescriptor
}

extension MediaLibrary {
  /// Saves a photo; when this returns, the file is complete and on the disk. `format`: the file name's ending, such as
  /// `jpg`. Throws `diskFull` or `libraryUnavailable`, and then leaves nothing behind.
  public func savePhoto(
    _ data: UnsafeRawBufferPointer, time: Timestamp, camera: String, width: Int, height: Int, format: String = "jpg"
  ) throws(CameraError) -> Asset {
    let wanted = try Self.captureName(time: time, format: format)
    let path = folder.path(for: wanted)
    guard let day = try folder.openFolder(for: wanted, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    try checkSpace(in: day, for: data.count)
    var temporary = temporaryName(for: wanted)
    let file: Descriptor
    do throws(FilePublisher.SystemError) {
      file = try makeTemporary(&temporary, for: wanted, in: day)
    } catch {
      throw .fileSystem("save a photo in", path: path, number: error.number)
    }
    do throws(CameraError) {
      guard Self.write(data, to: file), fdatasync(file.rawValue) == 0 else {
        throw .fileSystem("save the photo", path: "\(path)/\(wanted.name)", number: errno)
      }
      let name = try FilePublisher.publish(temporary, in: day, as: wanted, in: day, path: path)
      return Asset(
        id: name.name, kind: .image, path: "\(path)/\(name.name)", width: width, height: height, bytes: data.count,
        time: time, camera: camera)
    } catch {
      // Not there any more where only the last sync failed.
      unlinkat(day.rawValue, temporary, 0)
      throw error
    }
  }

  /// Holds a photo in memory only, for a client that wants no copy in the album. Throws `captureFailed`.
  public static func unsavedPhoto(
    _ data: UnsafeRawBufferPointer, time: Timestamp, camera: String, width: Int, height: Int, format: String = "jpg"
  ) throws(CameraError) -> UnsavedPhoto {
    let name = try captureName(time: time, format: format)
    let raw = memfd_create(name.name, UInt32(CFS_MEMFD_CLOEXEC | CFS_MEMFD_ALLOW_SEALING))
    guard raw >= 0 else { throw memoryError(errno) }
    let file = Descriptor(owning: raw)
    guard write(data, to: file), fcntl(file.rawValue, Int32(CFS_ADD_SEALS), Int32(CFS_SEAL_ALL)) == 0,
      lseek(file.rawValue, 0, SEEK_SET) == 0
    else { throw memoryError(errno) }
    let asset = Asset(
      id: name.name, kind: .image, path: nil, width: width, height: height, bytes: data.count, time: time,
      camera: camera)
    return UnsavedPhoto(asset: asset, descriptor: PhotoDescriptor(file))
  }

  private func temporaryName(for wanted: CaptureName) -> String {
    let number = temporaryNumber.add(1, ordering: .relaxed).newValue
    return ".\(wanted.stem).\(getpid())-\(number).\(wanted.format)\(DraftName.suffix)"
  }

  /// A hidden file of this process; the names of a process of the same number that crashed are passed over.
  private func makeTemporary(
    _ name: inout String, for wanted: CaptureName, in day: borrowing Descriptor
  ) throws(FilePublisher.SystemError) -> Descriptor {
    for _ in 0..<1000 {
      if let file = try FilePublisher.make(name, in: day) { return file }
      name = temporaryName(for: wanted)
    }
    throw FilePublisher.SystemError(number: EEXIST)
  }

  private static func memoryError(_ number: Int32) -> CameraError {
    let reason = String(cString: strerror(number))
    return CameraError(.captureFailed, "the photo can't be held in memory: \(reason)", cause: reason)
  }

  static func captureName(time: Timestamp, format: String) throws(CameraError) -> CaptureName {
    guard CaptureName.isFormat(format) else {
      throw CameraError(.internalError, "'\(format)' is no ending for a file's name")
    }
    return CaptureName(time: time, format: format)
  }

  /// Writes everything; false with `errno` set where that fails.
  private static func write(_ data: UnsafeRawBufferPointer, to file: borrowing Descriptor) -> Bool {
    var written = 0
    while written < data.count {
      let count = Glibc.write(file.rawValue, data.baseAddress.map { $0 + written }, data.count - written)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }
}
