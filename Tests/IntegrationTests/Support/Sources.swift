/// Launch fragments of cameras and microphones that cost little.
enum Source {
  /// Colour bars, 640x360 at 30 frames a second.
  static let bars = video("pattern=smpte75", 640, 360)
  /// Colour bars, 1280x720 at 30 frames a second.
  static let largeBars = video("pattern=smpte75", 1280, 720)
  /// Inverts its picture at every second second of running time, 25 frames a second. It is not live: its frames are
  /// numbered from its opening on, as the ticks are, so that they can be compared with `ticks`.
  static let flips =
    "videotestsrc pattern=ball flip=true ! video/x-raw,format=I420,width=320,height=180,framerate=25/1"
  /// Ticks at every second of running time.
  static let ticks = "audiotestsrc wave=ticks samplesperbuffer=480 ! audio/x-raw,rate=48000,channels=2"
  /// The same picture as Motion-JPEG.
  static let motionJPEG = "\(bars) ! jpegenc quality=80"
  /// A camera that delivers H.264, with a key frame every so many frames. Its picture is 4:2:0.
  static func h264(
    _ settings: String = "pattern=ball", _ width: Int = 640, _ height: Int = 360, keyInterval: Int = 60,
    form: String = "byte-stream"
  ) -> String {
    "\(video(settings, width, height)) ! x264enc tune=zerolatency speed-preset=ultrafast bitrate=1500 "
      + "key-int-max=\(keyInterval) ! h264parse ! video/x-h264,stream-format=\(form),alignment=au"
  }
  /// 440 Hz.
  static let tone = sound("freq=440 volume=0.5", "rate=48000,channels=2")
  static let silence = sound("wave=silence", "rate=48000,channels=2")

  static func video(
    _ settings: String, _ width: Int, _ height: Int, format: String = "I420", rate: String = "30/1"
  ) -> String {
    "videotestsrc is-live=true \(settings) ! "
      + "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=\(rate)"
  }

  static func sound(_ settings: String, _ caps: String) -> String {
    "audiotestsrc is-live=true samplesperbuffer=480 \(settings) ! audio/x-raw,\(caps)"
  }
}
