import CameraProtocol
import MovieFile

/// Where a movie is cut, in seconds of its presented time line.
struct CutRange: Equatable {
  var start: Double
  /// nil: each track ends with itself.
  var end: Double?
}

extension TrackCut {
  /// The number of the first picture in the source.
  var firstFrame: Int? {
    switch origins.first {
    case .copied(let number): number
    case .encoded(let edge, let frame): edges[edge].frames[frame]
    case nil: nil
    }
  }
}

extension CameraError {
  /// Nobody here encodes what an edge needs; says where a cut needs no edge.
  static func onlyAtKeyFrames(
    _ codec: String, _ edge: Edge, _ cut: TrackCut, _ video: VideoCut, _ range: CutRange
  ) throws(CameraError) -> CameraError {
    let isStart = edge.frames.first == cut.firstFrame
    let time = isStart ? range.start : range.end ?? range.start
    let places = try isStart ? video.starts(near: time) : video.ends(near: time)
    let list = places.map { "\($0.rounded(toPlaces: 3)) s" }.joined(separator: " or ")
    return .uncut(
      "its pictures are '\(codec)', which can't be encoded here; near \(time.rounded(toPlaces: 3)) s it can "
        + "\(isStart ? "begin" : "end") at \(list.isEmpty ? "no other time" : list)")
  }
}

extension CutRange {
  /// Throws where it isn't one of a movie that lasts so many seconds.
  func check(duration: Double) throws(CameraError) {
    let slack = 0.01
    func refusal(_ reason: String) -> CameraError {
      CameraError(.valueOutOfRange, "\(reason); the movie lasts \(duration.rounded(toPlaces: 3)) s")
    }
    guard start.isFinite, start >= 0 else { throw refusal("the start can't be \(start)") }
    guard start < duration else { throw refusal("the start at \(start) s is behind the end of the movie") }
    guard let end else { return }
    guard end.isFinite, end > start else { throw refusal("the end at \(end) s is not behind the start at \(start) s") }
    guard end <= duration + slack else { throw refusal("the end at \(end) s is behind the end of the movie") }
  }
}
