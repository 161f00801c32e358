import CGStreamer

/// The one clock and base time that all pipelines share, so that running time means the same in each.
public final class SystemClock: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<GstClock>
  /// Clock time, in nanoseconds, that is running time 0.
  public let baseTime: UInt64

  /// The monotonic system clock; running time starts now.
  public init() {
    pointer = gst_system_clock_obtain()
    baseTime = UInt64(gst_clock_get_time(pointer))
  }

  deinit { gst_object_unref(pointer) }

  /// Nanoseconds since a running time; negative for what is still to come, as the frames of a source with latency are.
  public func age(of runningTime: UInt64) -> Int64 { Int64(clamping: self.runningTime) - Int64(clamping: runningTime) }

  /// Nanoseconds since running time 0.
  public var runningTime: UInt64 { UInt64(gst_clock_get_time(pointer)) - baseTime }
}
