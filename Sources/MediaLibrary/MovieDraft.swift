public import CameraProtocol
public import MovieFile
import Synchronization
import Glibc

/// A movie that came into the album.
public struct PublishedMovie: Sendable {
  /// The movie.
  public let asset: Asset
  /// Pictures in it.
  public let frames: Int
  /// Whether there is sound.
  public let hasAudio: Bool
  /// What is not as it should be, if something isn't.
  public let warning: String?
}

/// A recording on its way into the album: a hidden file that somebody writes a fragmented MP4 into.
///
/// It holds a lock on the file, so that no daemon's recovery takes it up. A draft that goes without being published
/// or discarded leaves its file to the next recovery. Calls may come from any thread.
public final class MovieDraft: Sendable {
  /// The hidden file. It exists, is empty, and may be opened anew for writing and truncated.
  public let path: String
  /// The moment of the first frame as it was known at the beginning.
  public let time: Timestamp
  /// The id of the camera.
  public let camera: String

  private let library: MediaLibrary
  private let name: DraftName
  private let descriptor: Int32
  private let metadata: Mutex<MovieMetadata>

  init(
    library: MediaLibrary, name: DraftName, path: String, descriptor: consuming Descriptor, metadata: MovieMetadata
  ) {
    self.library = library
    self.name = name
    self.path = path
    time = name.time
    camera = name.camera
    self.descriptor = descriptor.release()
    self.metadata = Mutex(metadata)
    DraftMetadata.save(metadata, on: self.descriptor)
  }

  deinit { close(descriptor) }

  /// Size of the file now.
  public var bytes: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Brings what was written so far to the disk. Throws `diskFull` or `libraryUnavailable`.
  public func sync() throws(CameraError) {
    guard fdatasync(descriptor) == 0 else { throw .fileSystem("write the recording to", path: path, number: errno) }
  }

  /// Keeps what became known after the beginning, such as where the sound begins, for `publish` and for recovery.
  public func update(_ metadata: MovieMetadata) {
    let complete = library.completed(metadata, time: time, camera: camera)
    self.metadata.withLock { $0 = complete }
    DraftMetadata.save(complete, on: descriptor)
  }

  /// Makes an ordinary MP4 of the file and gives it its name; nobody may write to it any more. `metadata`: in place of
  /// what is kept; `time`: the true moment of the first frame where the clock was wrong at the beginning.
  ///
  /// Throws `captureFailed`, `diskFull` or `libraryUnavailable`. The file then stays where the error's path says, and
  /// the next recovery takes it up; only a file without a single picture or piece of sound is removed.
  public func publish(metadata: MovieMetadata? = nil, time: Timestamp? = nil) throws(CameraError) -> PublishedMovie {
    let moment = time ?? self.time
    let complete = library.completed(metadata ?? self.metadata.withLock { $0 }, time: moment, camera: camera)
    guard let movie = try library.publishMovie(descriptor, name: name, time: moment, metadata: complete) else {
      throw CameraError(.captureFailed, "the recording ended before its first picture was written", camera: camera)
    }
    return movie
  }

  /// Removes the file. Throws `libraryUnavailable`.
  public func discard() throws(CameraError) {
    let capture = CaptureName(time: self.time, format: name.format)
    guard let day = try library.folder.openFolder(for: capture, creating: false) else { return }
    guard unlinkat(day.rawValue, name.name, 0) == 0 || errno == ENOENT else {
      throw .fileSystem("remove the recording", path: path, number: errno)
    }
  }
}
