public import CameraProtocol
import GStreamer
public import MovieFile

/// What is to be done to a file; all that a program that does it has to know.
public enum EditTask: Sendable, Codable {
  /// Cut the beginning and the end off: seconds of the movie's time, `to` nil for its end.
  case trim(from: Double, to: Double?)
  /// Take a part of a photo, as it is shown, and turn that clockwise.
  case crop(Rectangle?, rotation: Int, software: String?)
  /// Make a smaller movie. `known`: what is known of the movie besides its file.
  case transcode(Quality, maxDuration: Double?, known: MovieMetadata)
  /// Find out what can be done.
  case examine

  /// Does it. Blocks, on a thread that is not one of the shared pool. `source` is a readable file, `target` an empty
  /// readable and writable one, which nothing is written to for `examine`. `progress`, from 0 to 1, and `isCancelled`
  /// are called from any thread.
  public func run(
    source: Int32, target: Int32?, progress: @escaping @Sendable (Double) -> Void,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(CameraError) -> EditOutcome {
    if case .examine = self { return EditOutcome(possibilities: Examination.possibilities(of: source)) }
    guard let target else { throw CameraError(.internalError, "there is no file for the result") }
    switch self {
    case .trim(let start, let end):
      let plan = try MovieTrimmer.plan(source: source, from: start, to: end)
      let movie = try MovieTrimmer().run(
        plan, source: source, target: target, progress: progress, isCancelled: isCancelled)
      return EditOutcome(
        width: movie.width, height: movie.height, duration: movie.duration)
    case .crop(let part, let rotation, let software):
      let photo = try PhotoEditor.edit(
        source: source, target: target, crop: part, rotation: rotation, software: software)
      return EditOutcome(
        width: photo.width, height: photo.height, rotation: photo.rotation, isLossless: photo.isLossless)
    case .transcode(let quality, let maxDuration, let known):
      let movie = try MovieTranscoder.run(
        source: source, target: target, quality: quality, maxDuration: maxDuration, known: known, progress: progress,
        isCancelled: isCancelled)
      return EditOutcome(
        width: movie.width, height: movie.height, duration: movie.duration, rotation: movie.rotation)
    case .examine: return EditOutcome(possibilities: Examination.possibilities(of: source))
    }
  }
}

/// What came of a task.
public struct EditOutcome: Sendable, Codable, Equatable {
  /// Pixels; nil for sound.
  public var width: Int?
  /// Pixels; nil for sound.
  public var height: Int?
  /// Seconds; nil for a photo.
  public var duration: Double?
  /// Degrees clockwise by which the file tells viewers to turn it; nil where it is that of the original.
  public var rotation: Int?
  /// Whether nothing of the picture was lost; nil for a movie.
  public var isLossless: Bool?
  /// What can be done to the file, where that was asked.
  public var possibilities: Possibilities?

  /// What can be done to a file.
  public struct Possibilities: Sendable, Codable, Equatable {
    /// Whether beginning and end can be cut off.
    public var trim: EditPossibility
    /// Whether a part can be taken.
    public var crop: EditPossibility
    /// Whether a smaller movie can be made.
    public var transcode: EditPossibility
    /// The presets that are smaller.
    public var qualities: [Quality]
  }

  /// An outcome of these values.
  public init(
    width: Int? = nil, height: Int? = nil, duration: Double? = nil, rotation: Int? = nil, isLossless: Bool? = nil,
    possibilities: Possibilities? = nil
  ) {
    self.width = width
    self.height = height
    self.duration = duration
    self.rotation = rotation
    self.isLossless = isLossless
    self.possibilities = possibilities
  }
}
