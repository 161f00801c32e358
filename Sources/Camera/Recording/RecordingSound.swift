import GStreamer

/// The sound of a recording on its way to the encoder: one unbroken track beside the picture, silence where there is none.
/// Not thread-safe: the feed calls it under its lock.
struct RecordingSound {
  private var track = SoundTrack()
  private let output: AppSource
  private let microphone: MicrophoneSwitch

  init(output: AppSource, microphone: MicrophoneSwitch) {
    self.output = output
    self.microphone = microphone
  }

  /// Whether all is there up to the end.
  var isComplete: Bool { track.isComplete }

  /// The movie begins at a running time.
  func begin(at origin: UInt64) { output.setOrigin(origin) }

  /// The track ends so many nanoseconds into the movie.
  mutating func end(at position: UInt64) { track.end = SoundFormat.samples(in: Int64(position)) }

  /// The sound goes on so many nanoseconds into the movie after a pause.
  mutating func resume(at position: UInt64) { track.resume(at: SoundFormat.samples(in: Int64(position))) }

  /// Takes what is wanted of a buffer.
  mutating func take(_ sound: borrowing Sample, _ timeline: MovieTimeline) {
    guard let origin = timeline.origin else { return }
    for piece in timeline.pieces(of: sound.byteCount / SoundFormat.frameBytes, at: sound.runningTime) {
      var length = track.length
      for part in track.place(piece.range.count, at: piece.position) {
        switch part {
        case .sound(let range) where !microphone.isMuted:
          let start = piece.range.lowerBound + range.lowerBound
          output.push(
            sound, bytes: start * SoundFormat.frameBytes..<(start + range.count) * SoundFormat.frameBytes,
            runningTime: origin + SoundFormat.nanoseconds(in: length),
            duration: SoundFormat.nanoseconds(in: range.count))
          length += range.count
        case .sound(let range):
          pushSilence(range.count, after: length, origin)
          length += range.count
        case .silence(let count):
          pushSilence(count, after: length, origin)
          length += count
        }
      }
    }
  }

  /// The picture is so many nanoseconds into the movie: silence where the sound lags too far behind.
  mutating func pictureReached(_ position: UInt64, origin: UInt64) {
    let length = track.length
    for case .silence(let count) in track.pictureReached(SoundFormat.samples(in: Int64(position))) {
      pushSilence(count, after: length, origin)
    }
  }

  /// Silence up to the end, and the end of the stream.
  mutating func close(origin: UInt64?) {
    let length = track.length
    if let origin, let end = track.end {
      for case .silence(let count) in track.fill(to: end) { pushSilence(count, after: length, origin) }
    }
    output.endOfStream()
  }

  private func pushSilence(_ count: Int, after length: Int, _ origin: UInt64) {
    output.pushZeros(
      count * SoundFormat.frameBytes, runningTime: origin + SoundFormat.nanoseconds(in: length),
      duration: SoundFormat.nanoseconds(in: count))
  }
}
