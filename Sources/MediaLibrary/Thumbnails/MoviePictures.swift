import CameraProtocol
import GStreamer
import MovieFile

/// Finds pictures of a movie by the time at which they are shown. Blocks.
final class MoviePictures {
  /// A picture, and when it is shown, in nanoseconds from the movie's start.
  struct Picture {
    var frame: Frame
    var time: UInt64
  }

  /// Times in files are rounded to their clocks; two frames are farther apart.
  private static let tolerance: UInt64 = 10_000
  /// A first time above this is no delay behind the sound but a clock that began elsewhere.
  private static let longestDelay: UInt64 = 1_000_000_000
  /// How far before the wanted time to begin where the file's own table of key frames leads behind it.
  private static let leads: [UInt64] = [0, 1_000_000_000, 10_000_000_000, .max]

  private let path: String
  private let decoder: PictureReader.Decoder
  private let patience: UInt64
  private var reader: PictureReader
  /// The picture that the movie begins with.
  let opening: Picture
  /// The time in the file at which the movie begins.
  private let origin: UInt64
  /// Nanoseconds; nil where the file doesn't tell.
  let duration: UInt64?

  /// Opens a movie. `description`: what an MP4's tables say.
  init(
    path: String, description: MovieDescription?, isMatroska: Bool, patience: UInt64
  ) throws(GStreamerError) {
    switch description?.video?.codec {
    case "avc1", "avc3": decoder = .plainMP4
    case nil: decoder = isMatroska ? .matroska : .automatic
    default: decoder = .mp4
    }
    self.path = path
    self.patience = patience
    reader = try PictureReader(path: path, decoder: decoder, patience: patience)
    let first = Frame(try reader.first())
    let time = first.sample.runningTime
    origin = Self.origin(first: time, description)
    opening = Picture(frame: first, time: time - min(time, origin))
    let end = description.map { $0.duration > 0 ? UInt64($0.duration * 1e9) : 0 } ?? reader.duration ?? 0
    // some writers count the time from the clock's start on, some from the first picture on
    let length = end > time ? end - origin : end
    duration = length > 0 ? length : nil
  }

  var orientation: String? { reader.orientation }

  private static func origin(first: UInt64, _ description: MovieDescription?) -> UInt64 {
    if let video = description?.video, abs(video.startOffset * 1e9 - Double(first)) < 2e8 {
      let earliest = description?.tracks.filter { $0.kind != .other }.map(\.startOffset).min() ?? 0
      return UInt64(max(0, earliest) * 1e9)
    }
    return first > longestDelay ? first : 0
  }

  /// The picture that is shown at a time; the last one behind the end, the first one before the beginning.
  func picture(at time: UInt64) throws(GStreamerError) -> Picture {
    guard time > opening.time else { return opening }
    var failure: GStreamerError?
    for lead in Self.leads {
      do throws(GStreamerError) {
        if failure != nil { try reopen() }
        if let picture = try picture(at: time, from: time - min(time, lead)) { return picture }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return opening
  }

  private func picture(at time: UInt64, from start: UInt64) throws(GStreamerError) -> Picture? {
    guard reader.seek(to: origin + start) || !hasMoved else { return nil }
    hasMoved = true
    var best: Picture?
    var isFirst = true
    var following: UInt64?
    do throws(GStreamerError) {
      while let picture = try next() {
        guard picture.time <= time + Self.tolerance else {
          following = picture.time
          break
        }
        isFirst = best == nil
        best = picture
      }
    } catch {
      // what can't be read behind a picture takes nothing from it
      guard best != nil else { throw error }
    }
    guard let best, isFirst, start > 0, best.time == start else { return best }
    // Where a seek can't begin at a key frame, the decoder lets the first picture begin at the time that was sought.
    let interval = best.frame.sample.frameInterval ?? .max
    return following.map { $0 - best.time >= interval - interval / 50 } ?? false ? best : nil
  }

  /// The key frame that is nearest to a time.
  func keyframe(near time: UInt64) throws(GStreamerError) -> Picture {
    guard time > opening.time, reader.seek(to: origin + time, .before) else { return opening }
    hasMoved = true
    let before = try next() ?? opening
    guard before.time < time, reader.seek(to: origin + time, .after), let after = try next(), after.time >= time,
      after.time - time < time - before.time
    else { return before }
    // behind the last key frame there is none, and some demuxers then deliver what is there
    guard reader.seek(to: origin + after.time + Self.tolerance, .before), let again = try next() else { return before }
    return again.time == after.time ? after : before
  }

  /// Goes to the key frame before a time; `next` goes on from there. Where that can't be, from the beginning.
  func begin(at time: UInt64) throws(GStreamerError) {
    if !reader.seek(to: origin + time) { try reopen() }
    hasMoved = true
  }

  /// The next picture; nil at the end.
  func next() throws(GStreamerError) -> Picture? {
    guard let sample = try reader.next() else { return nil }
    let time = sample.runningTime
    return Picture(frame: Frame(sample), time: time - min(time, origin))
  }

  private var hasMoved = false

  private func reopen() throws(GStreamerError) {
    reader = try PictureReader(path: path, decoder: decoder, patience: patience)
    hasMoved = false
  }
}
