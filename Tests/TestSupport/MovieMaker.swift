/// Makes recordings as the daemon does: fragments of half a second, written by GStreamer without buffering.
public struct MovieMaker: Sendable {
  /// What is heard.
  public enum Sound: String, Sendable, CaseIterable {
    case tone, silence, none
  }

  /// Frames; 30 a second.
  public var frames = 90
  /// Frames from key frame to key frame.
  public var keyInterval = 30
  /// Frames between two that don't depend on what follows.
  public var betweenFrames = 0
  /// What is heard.
  public var sound = Sound.tone
  /// Whether there is a picture.
  public var hasPicture = true
  /// Whether it takes as long as it lasts.
  public var isLive = false

  /// A recording of 3 seconds with sound.
  public init() {}

  /// The launch line; it writes to the file.
  public func pipeline(to path: String) -> [String] {
    var parts = ["gst-launch-1.0", "-q", "-e"]
    let live = isLive ? "is-live=true" : "is-live=false"
    if hasPicture {
      parts += ["videotestsrc", "num-buffers=\(frames)", "pattern=ball", live, "!"]
      parts += ["video/x-raw,format=I420,width=160,height=120,framerate=30/1", "!"]
      parts += ["x264enc", "speed-preset=ultrafast", "key-int-max=\(keyInterval)", "bframes=\(betweenFrames)"]
      parts += betweenFrames > 0 ? ["b-adapt=false"] : ["tune=zerolatency"]
      parts += ["!", "h264parse", "!", "queue", "max-size-time=0", "!", "mux."]
    }
    if sound != .none {
      // 1,024 samples of sound at 44.1 kHz last 23.2 ms.
      let buffers = Int((Double(frames) / 30 * 44100 / 1024).rounded(.up))
      parts += ["audiotestsrc", "num-buffers=\(buffers)", live, "wave=\(sound == .tone ? "sine" : "silence")", "!"]
      parts += ["audio/x-raw,rate=44100,channels=1", "!", "avenc_aac", "!", "aacparse", "!"]
      parts += ["queue", "max-size-time=0", "!", "mux."]
    }
    return parts + [
      "mp4mux", "name=mux", "fragment-duration=500", "!", "filesink", "buffer-mode=unbuffered", "location=\(path)",
    ]
  }

  /// Records to the end.
  public func record(to path: String) throws {
    let result = try Tool.run(pipeline(to: path))
    guard result.status == 0 else { throw MakerError(description: result.errors) }
  }

  /// Records and is killed with SIGKILL after some seconds.
  public func recordKilled(after seconds: Double, to path: String) throws {
    var live = self
    live.isLive = true
    live.frames = 3000
    let result = try Tool.run(live.pipeline(to: path), deadline: seconds)
    guard result.status == 137 else { throw MakerError(description: "\(result.status): \(result.errors)") }
  }
}

/// What a test needs could not be made.
public struct MakerError: Error, CustomStringConvertible {
  /// What the program said.
  public var description: String

  /// An error with these words.
  public init(description: String) { self.description = description }
}
