import CGStreamer
import Glibc

/// Threads for pipelines whose work may wait: each has a lower priority than those of captures, and so have the worker
/// threads that decoders start from it. GStreamer's own threads are shared by all pipelines and can't be lowered.
enum BackgroundTaskPool {
  /// The nice value of the threads.
  static let niceness: Int32 = 10

  private static let type: GType = {
    var information = GTypeInfo()
    information.class_size = guint16(MemoryLayout<GstTaskPoolClass>.size)
    information.instance_size = guint16(MemoryLayout<GstTaskPool>.size)
    information.class_init = { kind, _ in
      guard let methods = kind?.assumingMemoryBound(to: GstTaskPoolClass.self) else { return }
      methods.pointee.prepare = { _, _ in }
      methods.pointee.cleanup = { _ in }
      methods.pointee.push = { _, function, data, error in
        guard let function else { return nil }
        let work = Unmanaged.passRetained(Work(function, data))
        let thread = g_thread_try_new("camd-background", { BackgroundTaskPool.run($0) }, work.toOpaque(), error)
        if thread == nil { work.release() } else { g_thread_unref(thread) }
        return nil  // a thread that nobody joins: a task waits for its own end
      }
    }
    return g_type_register_static(gst_task_pool_get_type(), "CamdBackgroundTaskPool", &information, GTypeFlags(0))
  }()

  /// Lets a task that a message announces run at low priority. On the thread that posts the message.
  static func adopt(_ message: UnsafeMutablePointer<GstMessage>) {
    var kind = GST_STREAM_STATUS_TYPE_CREATE
    gst_message_parse_stream_status(message, &kind, nil)
    guard kind == GST_STREAM_STATUS_TYPE_CREATE, let value = gst_message_get_stream_status_object(message),
      g_type_is_a(value.pointee.g_type, gst_task_get_type()) != 0, let task = g_value_get_object(value),
      let pool = shared.pointer
    else { return }
    gst_task_set_pool(task.assumingMemoryBound(to: GstTask.self), pool)
  }

  private static let shared = Pool()

  /// The one pool; it lives as long as the process.
  private final class Pool: @unchecked Sendable {
    let pointer = g_object_new_with_properties(BackgroundTaskPool.type, 0, nil, nil).map { pool in
      gst_object_ref_sink(pool)
      return UnsafeMutableRawPointer(pool).assumingMemoryBound(to: GstTaskPool.self)
    }
  }

  private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)  // on Linux that of the thread
    work.function(work.data)
    return nil
  }

  /// What a thread is to do.
  private final class Work: @unchecked Sendable {
    let function: @convention(c) (UnsafeMutableRawPointer?) -> Void
    let data: UnsafeMutableRawPointer?

    init(_ function: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void, _ data: UnsafeMutableRawPointer?) {
      self.function = function
      self.data = data
    }
  }
}
