public import CameraProtocol
import MovieFile

/// What a trim made.
public struct TrimmedMovie: Sendable, Equatable {
  /// Seconds from the start to the end of the longest track.
  public var duration: Double
  /// Pictures that are shown.
  public var frames: Int
  /// Pixels as shown, after rotation; nil without picture.
  public var width: Int?
  /// Pixels as shown, after rotation; nil without picture.
  public var height: Int?
  /// Size of the file.
  public var bytes: Int
  /// Seconds of the source's time line at which the cut begins.
  public var start: Double
  /// Pictures that were encoded anew.
  public var reencodedFrames: Int
}

/// Cuts a part out of a movie, exact to the frame, without encoding again what lies between its key frames.
///
/// Times are seconds of the source's time line as it is presented, that is, after its edit lists. The first frame of the
/// result is the one that is shown at `start`; the last is the last one that begins before `end`. Such a frame is kept
/// whole, so that a steady frame rate stays steady; the sound is cut, to the sample, where these frames begin and end.
/// Only of a frame that is shown for more than a tenth of a second, as in a film of stills, no more is kept than the
/// range holds. A time that lies within a millisecond of a frame's own time means that frame.
///
/// Calls block; they may come from any thread.
public struct MovieTrimmer: Sendable {
  private let encoders: [String]

  /// A trimmer.
  public init() { self.init(encoders: H264Edge.encoders) }

  /// A trimmer that encodes H.264 with the first of these elements that is there.
  init(encoders: [String]) { self.encoders = encoders }

  /// Says how a movie can be cut, without writing. `end` nil: to the end. The source's position is neither used nor
  /// moved. Throws `valueOutOfRange` for a range that isn't one or doesn't lie within the movie, `notCompatible` with
  /// the reason for a file that can't be cut, `libraryUnavailable` where it can't be read.
  public static func plan(source: Int32, from start: Double, to end: Double?) throws(CameraError) -> TrimPlan {
    let file = SourceFile(descriptor: source)
    let range = CutRange(start: start, end: end)
    let isMatroska: Bool
    do throws(MovieFileError) {
      isMatroska = try MatroskaIndex.isMatroska(descriptor: source)
    } catch {
      throw CameraError(error)
    }
    if isMatroska {
      let trim = try MatroskaTrim(file, range)
      return TrimPlan(
        start: trim.start, duration: trim.duration, frames: trim.frames, reencodedFrames: trim.reencodedFrames,
        format: trim.format, content: .matroska(trim))
    }
    let trim = try BoxTrim(file, range)
    return TrimPlan(
      start: trim.start, duration: trim.duration, frames: trim.frames, reencodedFrames: trim.reencodedFrames,
      format: trim.format, content: .boxes(trim))
  }

  /// Cuts. `target`: an empty file, readable and writable; what is in it after an error is of no use. `progress`: from 0
  /// to 1, on the calling thread. `isCancelled` is asked several times a second; when it says so, `cancelled` is thrown.
  /// Throws `notCompatible` where the movie turns out to be damaged, `diskFull` and `libraryUnavailable`.
  public func run(
    _ plan: TrimPlan, source: Int32, target: Int32, progress: (Double) -> Void, isCancelled: () -> Bool
  ) throws(CameraError) -> TrimmedMovie {
    let file = SourceFile(descriptor: source)
    let bytes: Int
    let size: (width: Int, height: Int)?
    switch plan.content {
    case .boxes(let trim):
      bytes = try trim.write(
        from: file, to: target, encoders: encoders, progress: progress, isCancelled: isCancelled)
      size = trim.size
    case .matroska(let trim):
      bytes = try trim.write(
        from: file, to: target, encoders: encoders, progress: progress, isCancelled: isCancelled)
      size = trim.size
    }
    return TrimmedMovie(
      duration: plan.duration, frames: plan.frames, width: size?.width, height: size?.height, bytes: bytes,
      start: plan.start, reencodedFrames: plan.reencodedFrames)
  }
}
