public import CameraProtocol
import GStreamer
public import MovieFile

/// What a transcode made.
public struct TranscodedMovie: Sendable, Equatable, Codable {
  /// Seconds.
  public var duration: Double
  /// Pictures.
  public var frames: Int
  /// Pixels as shown, after rotation.
  public var width: Int
  /// Pixels as shown, after rotation.
  public var height: Int
  /// Degrees clockwise by which the file tells viewers to turn it.
  public var rotation: Int
}

/// Makes a smaller movie of a movie: H.264 and AAC in MP4. Calls block; they may come from any thread that is not one of
/// the shared pool.
public enum MovieTranscoder {
  /// Seconds without any progress after which it is given up.
  private static let patience = 300

  /// Writes the smaller movie. `maxDuration`: seconds after which it ends; nil for all of it. `source` is a readable
  /// file, `target` an empty readable and writable one; it is of no use after an error. `known`: what is known of the
  /// movie besides, where its own file doesn't say it. `progress`, from 0 to 1, and `isCancelled` are called from other
  /// threads for each picture.
  ///
  /// Throws `notCompatible` where it can't be decoded or would not become less, `cancelled`, `diskFull`,
  /// `captureFailed` and `libraryUnavailable`.
  public static func run(
    source: Int32, target: Int32, quality: Quality, maxDuration: Double? = nil, known: MovieMetadata = MovieMetadata(),
    progress: @escaping @Sendable (Double) -> Void, isCancelled: @escaping @Sendable () -> Bool
  ) throws(CameraError) -> TranscodedMovie {
    if let maxDuration, !(maxDuration > 0 && maxDuration <= 1e8) {
      throw CameraError(.valueOutOfRange, "a movie of \(maxDuration) s can't be made")
    }
    let movie = try SourceMovie(source)
    let plan = try TranscodePlan(try movie.planned(), quality: quality)
    var metadata = movie.metadata(known)
    let feed = try transcode(plan, movie, source, target, maxDuration, progress, isCancelled)
    metadata.audioOffset = feed.soundOffset
    metadata.audioPriming = priming(plan, movie, feed)
    return try finish(target, metadata)
  }

  private static func transcode(
    _ plan: TranscodePlan, _ movie: SourceMovie, _ source: Int32, _ target: Int32, _ maxDuration: Double?,
    _ progress: @escaping @Sendable (Double) -> Void, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(CameraError) -> TranscodeFeed {
    let lines = (try plan.reader(movie, path: EditFile.path(source)), try plan.writer(movie))
    let limit = maxDuration.map { Int64($0 * 1e9) }
    let feed: TranscodeFeed
    let run: TranscodeRun
    do throws(GStreamerError) {
      let clock = SystemClock()
      let reader = try Pipeline(launch: lines.0, clock: clock)
      let writer = try Pipeline(launch: lines.1, clock: clock)
      try writer.element("file").set("location", EditFile.path(target))
      let sound = plan.sound == nil ? nil : try AppSource(writer, "audio")
      feed = TranscodeFeed(plan, video: try AppSource(writer, "video"), audio: sound, limit: limit)
      run = TranscodeRun(reader: reader, writer: writer, feed: feed)
      let length = max(1, min(limit ?? .max, Int64(min(movie.duration, 1e9) * 1e9)))
      // the reader holds what it calls
      try AppSink(reader, "video").onSample { [weak run] sample in
        if isCancelled() { run?.end(.cancelled) }
        if !feed.take(picture: sample) { run?.end(.complete) }
        progress(min(1, Double(feed.position) / Double(length)))
      }
      if sound != nil { try AppSink(reader, "audio").onSample { feed.take(sound: $0) } }
    } catch {
      throw failure(error)
    }
    try run.go(patience: patience)
    return feed
  }

  /// Samples that players skip at the beginning of the sound.
  private static func priming(_ plan: TranscodePlan, _ movie: SourceMovie, _ feed: TranscodeFeed) -> Int {
    switch plan.sound {
    case .encoded?: 1024  // avenc_aac's
    case .kept?: Int((Double(feed.soundLead) * Double(movie.info.audio?.sampleRate ?? 0) / 1e9).rounded())
    case nil: 0
    }
  }

  private static func finish(_ target: Int32, _ metadata: MovieMetadata) throws(CameraError) -> TranscodedMovie {
    do throws(MovieFileError) {
      let finished = try MovieFinisher.finish(at: target, metadata: metadata)
      return TranscodedMovie(
        duration: finished.duration, frames: finished.frames, width: finished.width ?? 0,
        height: finished.height ?? 0, rotation: metadata.rotation.rawValue)
    } catch {
      throw CameraError(.captureFailed, "the smaller movie can't be completed: \(error.message)")
    }
  }

  static func failure(_ error: GStreamerError) -> CameraError {
    if error.situation == .noSpace {
      return CameraError(.diskFull, "the disk is full: \(error.message)", cause: error.description)
    }
    return CameraError(.captureFailed, "transcoding failed: \(error.message)", cause: error.description)
  }
}

extension SourceMovie {
  /// What the new file is to say: what the old one says, or else what is known of it.
  fileprivate func metadata(_ known: MovieMetadata) -> MovieMetadata {
    guard let own = description?.metadata else { return known }
    var metadata = own
    metadata.creationTime = own.creationTime ?? known.creationTime
    metadata.localDate = own.localDate ?? known.localDate
    metadata.location = own.location ?? known.location
    metadata.camera = own.camera ?? known.camera
    metadata.software = known.software ?? own.software
    return metadata
  }
}
