public import CameraProtocol
import Synchronization
import Glibc

/// A photo of which the album keeps no copy.
public struct UnsavedPhoto: Sendable {
  /// The photo; it has no path.
  public let asset: Asset
  /// Its bytes, at their beginning, sealed against every change.
  public let descriptor: AssetDescriptor
}

/// What is known of a photo beside its bytes.
public struct PhotoDescription: Sendable {
  /// When it was captured.
  public var time: Timestamp
  /// The camera's id.
  public var camera: String
  /// Pixels, as they are stored.
  public var width: Int
  /// Pixels, as they are stored.
  public var height: Int
  /// How it is encoded.
  public var format: PhotoFormat
  /// Degrees clockwise by which its file tells viewers to turn it.
  public var rotation: Int
  /// The position that stands in its file.
  public var location: Coordinates?
  /// The id of the photo that it was cut from.
  public var parent: String?

  /// A description of these values.
  public init(
    time: Timestamp, camera: String, width: Int, height: Int, format: PhotoFormat = .jpeg, rotation: Int = 0,
    location: Coordinates? = nil, parent: String? = nil
  ) {
    self.time = time
    self.camera = camera
    self.width = width
    self.height = height
    self.format = format
    self.rotation = rotation
    self.location = location
    self.parent = parent
  }

  var captureName: CaptureName { CaptureName(time: time, format: format.fileExtension) }

  func asset(id: String, path: String?, bytes: Int) -> Asset {
    Asset(
      id: id, kind: .image, path: path, width: width, height: height, bytes: bytes, time: time, camera: camera,
      format: format, rotation: rotation == 0 ? nil : rotation, location: location, parent: parent,
      origin: parent == nil ? .captured : .edited)
  }
}

extension MediaLibrary {
  /// Saves a photo, given as buffers that follow each other in the file; when this returns, the file is complete and on
  /// the disk. Throws `diskFull` or `libraryUnavailable`, and then leaves nothing behind.
  public func savePhoto(_ data: [UnsafeRawBufferPointer], _ photo: PhotoDescription) throws(CameraError) -> Asset {
    let wanted = photo.captureName
    let size = data.reduce(0) { $0 + $1.count }
    let path = folder.path(for: wanted)
    guard let day = try folder.openFolder(for: wanted, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    try prepareSpace(in: day, for: size)
    var temporary = temporaryName(for: wanted)
    let file: Descriptor
    do throws(FilePublisher.SystemError) {
      file = try makeTemporary(&temporary, for: wanted, in: day)
    } catch {
      throw .fileSystem("save a photo in", path: path, number: error.number)
    }
    do throws(CameraError) {
      let asset = photo.asset(id: wanted.name, path: nil, bytes: size)
      AssetAttributes(asset).save(on: file.rawValue)
      guard Self.write(data, to: file.rawValue), fdatasync(file.rawValue) == 0 else {
        throw .fileSystem("save the photo", path: "\(path)/\(wanted.name)", number: errno)
      }
      return try enter(asset, temporary, file.rawValue, from: day, as: wanted, in: day, path: path)
    } catch {
      // Not there any more where only the last sync failed.
      unlinkat(day.rawValue, temporary, 0)
      throw error
    }
  }

  /// Holds a photo in memory only, for a client that wants no copy in the album. Throws `captureFailed`.
  public static func unsavedPhoto(
    _ data: [UnsafeRawBufferPointer], _ photo: PhotoDescription
  ) throws(CameraError) -> UnsavedPhoto {
    let name = photo.captureName.name
    return UnsavedPhoto(
      asset: photo.asset(id: name, path: nil, bytes: data.reduce(0) { $0 + $1.count }),
      descriptor: try SealedMemory.descriptor(of: data, name: name))
  }

  func temporaryName(for wanted: CaptureName) -> String {
    let number = temporaryNumber.add(1, ordering: .relaxed).newValue
    return ".\(wanted.stem).\(getpid())-\(number).\(wanted.format)\(DraftName.suffix)"
  }

  /// A hidden file of this process; the names of a process of the same number that crashed are passed over.
  func makeTemporary(
    _ name: inout String, for wanted: CaptureName, in day: borrowing Descriptor
  ) throws(FilePublisher.SystemError) -> Descriptor {
    for _ in 0..<1000 {
      if let file = try FilePublisher.make(name, in: day) { return file }
      name = temporaryName(for: wanted)
    }
    throw FilePublisher.SystemError(number: EEXIST)
  }

  /// Writes everything; false with `errno` set where that fails.
  static func write(_ data: [UnsafeRawBufferPointer], to descriptor: Int32) -> Bool {
    var rest = data.filter { !$0.isEmpty }.map {
      // `writev` reads only
      iovec(iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress), iov_len: $0.count)
    }[...]
    while !rest.isEmpty {
      let count = rest.prefix(64).withUnsafeBufferPointer {
        writev(descriptor, $0.baseAddress, Int32($0.count))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      var written = count
      while let first = rest.first, written >= first.iov_len {
        written -= first.iov_len
        rest.removeFirst()
      }
      if written > 0 {
        rest[rest.startIndex].iov_base += written
        rest[rest.startIndex].iov_len -= written
      }
    }
    return true
  }
}
