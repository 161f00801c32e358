import CameraProtocol
import GStreamer
import PhotoFile

/// Encodes frames to photos with pipelines that stay ready between photos. Blocks on an executor of its own.
actor PhotoEncoder {
  /// What the pipeline is made for.
  private struct Setting: Equatable {
    var source: SourceFormat
    var size: (width: Int, height: Int)?
    var form: PhotoForm

    static func == (left: Self, right: Self) -> Bool {
      left.source == right.source && left.form == right.form && left.size?.width == right.size?.width
        && left.size?.height == right.size?.height
    }
  }

  private struct Line {
    var setting: Setting
    var caps: Caps
    var pipeline: Pipeline
    var input: AppSource
    var output: AppSink
  }

  /// How long one picture may take; a large one takes seconds on a small board.
  private static let deadline: UInt64 = 15_000_000_000

  nonisolated let executor = QueueExecutor("camd.photo")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let camera: String
  let clock: SystemClock
  /// At most two: one for whole pictures, and one for parts, which are made of the same frames.
  private var lines: [Line] = []

  init(camera: String, clock: SystemClock) {
    self.camera = camera
    self.clock = clock
  }

  /// Encodes one frame, cut and scaled by a plan where there is one, and lends the bytes of the picture. A camera's own
  /// JPEG is passed on as it is, where nothing has to be changed.
  func encode<Result: Sendable>(
    _ frame: Frame, plan: MoviePlan?, form: PhotoForm,
    _ body: @Sendable (UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ isOwn: Bool) throws(CameraError) -> Result
  ) throws(CameraError) -> Result {
    let frame = try StillDecoder.picture(of: frame, camera: camera, clock: clock)
    guard let caps = frame.sample.caps, let source = SourceFormat(caps) else {
      throw CameraError(.captureFailed, "camera '\(camera)' delivers frames without a size", camera: camera)
    }
    let planned = plan.map { ($0.width, $0.height) } ?? (source.width, source.height)
    let (width, height) = try form.size(width: planned.0, height: planned.1, camera: camera)
    do {
      if source.mediaType == "image/jpeg", form.format == .jpeg, form.turn == .upright, form.crop == nil,
        planned == (source.width, source.height)
      {
        return try Self.lend(frame.sample, width, height, true, body)
      }
      let setting = Setting(source: source, size: plan.map { ($0.width, $0.height) }, form: form)
      let line = try line(for: setting, plan: plan, caps: caps)
      line.input.push(frame.sample)
      guard let picture = line.output.pull(timeout: Self.deadline) else {
        close()
        throw CameraError(.captureFailed, "the photo could not be encoded", camera: camera)
      }
      return try Self.lend(picture, width, height, false, body)
    } catch let error as CameraError {
      throw error
    } catch let error as GStreamerError {
      close()
      throw CameraError(capture: error, camera: camera, what: "a photo")
    } catch {
      throw CameraError(.internalError, "\(error)", camera: camera)
    }
  }

  /// Lets the pipelines go.
  func close() {
    for line in lines { line.pipeline.stop() }
    lines = []
  }

  private static func lend<Result>(
    _ sample: borrowing Sample, _ width: Int, _ height: Int, _ isOwn: Bool,
    _ body: (UnsafeRawBufferPointer, Int, Int, Bool) throws(CameraError) -> Result
  ) throws -> Result {
    try sample.withBytes { bytes in try body(bytes, width, height, isOwn) }
  }

  private func line(for setting: Setting, plan: MoviePlan?, caps: Caps) throws -> Line {
    if let index = lines.firstIndex(where: { $0.setting == setting }) {
      if !lines[index].caps.isEqual(caps) {
        lines[index].input.setCaps(caps)
        lines[index].caps = caps
      }
      return lines[index]
    }
    if let index = lines.firstIndex(where: { ($0.setting.form.crop == nil) == (setting.form.crop == nil) }) {
      lines.remove(at: index).pipeline.stop()
    }
    var description = "appsrc name=input format=time is-live=false max-bytes=0 ! "
    description += try Decoding.elements(for: setting.source, camera: camera)
    if let plan {
      description += plan.pictureElements(setting.source)
      description += "video/x-raw,width=\(plan.width),height=\(plan.height) ! "
    }
    let size = plan.map { ($0.width, $0.height) } ?? (setting.source.width, setting.source.height)
    description += setting.form.elements(of: setting.source, width: size.0, height: size.1)
    description += " ! appsink name=output sync=false enable-last-sample=false"
    let pipeline = try Pipeline(launch: description, clock: clock)
    let made = Line(
      setting: setting, caps: caps, pipeline: pipeline, input: try AppSource(pipeline, "input"),
      output: try AppSink(pipeline, "output"))
    made.input.setCaps(caps)
    try pipeline.play()
    lines.append(made)
    return made
  }
}
