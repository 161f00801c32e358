import CGStreamer

/// How the C library's allocator behaves, for frames and encoders come and go on many threads.
public enum ProcessMemory {
  /// Makes threads share two arenas. With one for each thread, what recordings leave behind in them adds up to some
  /// tens of megabytes. Call it before there are threads.
  public static func keepCompact() { mallopt(M_ARENA_MAX, 2) }

  /// Gives what is free back to the system: after a session, some tens of megabytes.
  public static func releaseFree() { malloc_trim(0) }
}
