import CameraProtocol
import GStreamer
import PhotoFile

/// Finds out what can be done to a file.
enum Examination {
  /// Looks into the file behind a descriptor. Blocks while the beginning of a movie, or a whole photo, is decoded.
  static func possibilities(of source: Int32) -> EditOutcome.Possibilities {
    let head: [UInt8]
    do throws(CameraError) {
      try EditFile.check(source)
      head = try EditFile.read(source, count: 16)
    } catch {
      return none(error.detail.message)
    }
    guard head.withUnsafeBytes({ PhotoFormat(signature: $0) }) == nil else { return photo(source) }
    return movie(source)
  }

  private static func photo(_ source: Int32) -> EditOutcome.Possibilities {
    var found = none("it is a photo")
    found.crop = answer { () throws(CameraError) in try PhotoEditor.check(source) }
    return found
  }

  private static func movie(_ source: Int32) -> EditOutcome.Possibilities {
    let movie: SourceMovie
    do throws(CameraError) {
      movie = try SourceMovie(source)
    } catch {
      return none(error.detail.message)
    }
    var found = none("")
    found.crop = .no(movie.info.video == nil ? "it is no photo" : "it is a movie")
    found.trim = answer { () throws(CameraError) in _ = try MovieTrimmer.plan(source: source, from: 0, to: nil) }
    found.transcode = answer { () throws(CameraError) in
      let planned = try movie.planned()
      found.qualities = TranscodePlan.possible(planned)
      guard found.qualities.isEmpty else { return }
      throw CameraError(.notCompatible, "it is not above the smallest preset already")
    }
    return found
  }

  private static func none(_ reason: String) -> EditOutcome.Possibilities {
    EditOutcome.Possibilities(trim: .no(reason), crop: .no(reason), transcode: .no(reason), qualities: [])
  }

  private static func answer(_ attempt: () throws(CameraError) -> Void) -> EditPossibility {
    do throws(CameraError) {
      try attempt()
      return .yes
    } catch {
      return .no(error.detail.message)
    }
  }
}
