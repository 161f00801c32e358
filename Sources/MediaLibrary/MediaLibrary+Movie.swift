public import CameraProtocol
public import MovieFile
import Glibc

extension MediaLibrary {
  /// Makes the hidden file of a recording. `metadata`: what is known already; it survives a crash with the file. Time,
  /// camera and software are filled in. `format`: the end of the file's name, `mp4`, `m4a`, `mkv`, `mka`, `webm` or
  /// `ogg`. Throws `diskFull` or `libraryUnavailable`.
  public func beginMovie(
    time: Timestamp, camera: String, metadata: MovieMetadata = MovieMetadata(), format: String = "mp4"
  ) throws(CameraError) -> MovieDraft {
    var name = DraftName(time: time, camera: camera, format: format)
    let capture = CaptureName(time: time, format: name.format)
    let path = folder.path(for: capture)
    guard let day = try folder.openFolder(for: capture, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    try prepareSpace(in: day, for: 0)
    do throws(FilePublisher.SystemError) {
      while name.number < CaptureName.largestNumber {
        if let file = try FilePublisher.make(name.name, in: day) {
          return MovieDraft(
            library: self, name: name, path: "\(path)/\(name.name)", descriptor: file,
            metadata: completed(metadata, time: time, camera: camera))
        }
        name.number += 1
      }
      throw FilePublisher.SystemError(number: EEXIST)
    } catch {
      throw .fileSystem("record into", path: path, number: error.number)
    }
  }

  /// Metadata with what the album knows.
  func completed(_ metadata: MovieMetadata, time: Timestamp, camera: String) -> MovieMetadata {
    var complete = metadata
    complete.creationTime = time.seconds
    complete.localDate = time.description
    complete.camera = camera
    complete.software = metadata.software ?? software
    return complete
  }

  /// Finishes a hidden file and gives it its name. Nil where it held nothing and was removed.
  func publishMovie(
    _ descriptor: Int32, name: DraftName, time: Timestamp, metadata: MovieMetadata, isRecovered: Bool = false
  ) throws(CameraError) -> PublishedMovie? {
    let draft = CaptureName(time: name.time, format: name.format)
    let source = "\(folder.path(for: draft))/\(name.name)"
    guard let day = try folder.openFolder(for: draft, creating: false),
      FilePublisher.isFile(name.name, in: day, descriptor)
    else {
      throw CameraError(
        .captureFailed, "the recording '\(source)' is no longer there: something removed or replaced it", path: source)
    }
    let movie: FinishedMovie
    var warning: String?
    do throws(MovieFileError) {
      do throws(MovieFileError) {
        movie = try MovieFinisher.finish(at: descriptor, metadata: metadata)
      } catch {
        guard let number = error.errno, [ENOSPC, EDQUOT, EFBIG].contains(number) else { throw error }
        movie = try MovieFinisher.describe(at: descriptor)
        warning = "there was no room for the movie's index (\(error.message)); it plays, but seeking may be slow"
      }
    } catch {
      guard error.kind == .noSamples, Self.isSmall(descriptor) else { throw CameraError(error, path: source) }
      guard unlinkat(day.rawValue, name.name, 0) == 0 else {
        throw .fileSystem("remove the empty recording", path: source, number: errno)
      }
      return nil
    }
    let wanted = CaptureName(time: time, format: name.format)
    let path = folder.path(for: wanted)
    guard let target = try folder.openFolder(for: wanted, creating: true) else {
      throw .fileSystem("open the folder", path: path, number: ENOENT)
    }
    let asset = Asset(
      id: wanted.name, kind: movie.frames > 0 ? .movie : .audio, path: nil, width: movie.width, height: movie.height,
      bytes: movie.bytes, time: time, camera: metadata.camera, duration: movie.duration,
      recovered: isRecovered ? true : nil,
      rotation: metadata.rotation == .none ? nil : metadata.rotation.rawValue,
      location: metadata.location.map {
        Coordinates(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude)
      })
    AssetAttributes(asset).save(on: descriptor)
    let entered: Asset
    do throws(CameraError) {
      entered = try enter(asset, name.name, descriptor, from: day, as: wanted, in: target, path: path)
    } catch {
      // The movie is whole and still hidden; the error says where.
      var error = error
      if FilePublisher.isFile(name.name, in: day, descriptor) { error.detail.path = source }
      throw error
    }
    DraftMetadata.remove(from: descriptor)
    return PublishedMovie(asset: entered, frames: movie.frames, hasAudio: movie.hasAudio, warning: warning)
  }

  /// A file without samples that is larger than a movie's header and first fragment was more once: it is not removed.
  private static func isSmall(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size <= 1 << 20
  }
}
