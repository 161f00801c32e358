import CGStreamer
import Synchronization

/// The end of a pipeline that hands its samples to Swift.
public final class AppSink: Sendable {
  private let element: Element
  private let origin = Origin()

  /// The `appsink` of that name in a pipeline.
  public init(_ pipeline: Pipeline, _ name: String) throws(GStreamerError) {
    element = try pipeline.element(name)
  }

  /// Calls the handler for each sample, on the streaming thread. It must not block.
  public func onSample(_ handler: @escaping @Sendable (borrowing Sample) -> Void) {
    var callbacks = GstAppSinkCallbacks()
    callbacks.new_sample = { sink, context in
      guard let sink, let context, let pulled = gst_app_sink_pull_sample(sink) else { return GST_FLOW_OK }
      let handler = Unmanaged<SampleHandler>.fromOpaque(context).takeUnretainedValue()
      if let sample = Sample.adopting(pulled, origin: handler.origin.value.load(ordering: .relaxed)) {
        handler.handle(sample)
      }
      return GST_FLOW_OK
    }
    let box = Unmanaged.passRetained(SampleHandler(handler, origin))
    gst_app_sink_set_callbacks(
      sink, &callbacks, box.toOpaque(), { context in context.map { Unmanaged<SampleHandler>.fromOpaque($0).release() } }
    )
  }

  /// Waits for the next sample, at most so many nanoseconds. Blocks the thread.
  public func pull(timeout: UInt64) -> Sample? {
    gst_app_sink_try_pull_sample(sink, GstClockTime(timeout)).flatMap { Sample.adopting($0) }
  }

  /// Whether all samples have been pulled and none will come any more.
  public var isEndOfStream: Bool { gst_app_sink_is_eos(sink) != 0 }

  /// Adds so many nanoseconds to the running time of each sample; see `Pipeline.begin(at:)`.
  public func setOrigin(_ runningTime: UInt64) { origin.value.store(runningTime, ordering: .relaxed) }

  /// Whether samples wait for their time: for a source that isn't live.
  public func setSynchronous(_ synchronous: Bool) throws(GStreamerError) {
    try element.set("sync", synchronous ? "true" : "false")
  }

  private var sink: UnsafeMutablePointer<GstAppSink> {
    UnsafeMutableRawPointer(element.pointer).assumingMemoryBound(to: GstAppSink.self)
  }
}

/// Keeps the handler alive for the sink.
private final class SampleHandler: Sendable {
  let handle: @Sendable (borrowing Sample) -> Void
  let origin: Origin

  init(_ handle: @escaping @Sendable (borrowing Sample) -> Void, _ origin: Origin) {
    self.handle = handle
    self.origin = origin
  }
}

/// The running time at which the pipeline's own begins.
private final class Origin: Sendable {
  let value = Atomic<UInt64>(0)
}
