import CameraProtocol
import GStreamer
import Glibc
import Synchronization

/// Measures how loud the microphone is, ten times a second, while somebody wants to know.
final class SoundLevelMeter: Sendable {
  private struct Sums {
    var peak = [Int](repeating: 0, count: 2)
    var squares = [Double](repeating: 0, count: 2)
    var count = 0
  }

  /// Samples to a measure.
  private static let length = SoundFormat.rate / 10
  /// What silence is given as, in dBFS.
  private static let floor = -120.0

  private let sums = Mutex(Sums())

  /// Takes a buffer in `SoundFormat`; the level where a measure is complete. On the microphone's streaming thread.
  func consume(_ sound: borrowing Sample) -> SoundLevel? {
    sums.withLock { sums in
      do {
        try sound.withBytes { bytes in
          let samples = bytes.bindMemory(to: Int16.self)
          for index in 0..<samples.count {
            let value = Int(samples[index])
            sums.peak[index & 1] = max(sums.peak[index & 1], abs(value))
            sums.squares[index & 1] += Double(value * value)
          }
          sums.count += samples.count / 2
        }
      } catch {
        return nil
      }
      guard sums.count >= Self.length else { return nil }
      defer { sums = Sums() }
      return SoundLevel(
        peak: sums.peak.map { Self.decibels(Double($0)) },
        rms: sums.squares.map { Self.decibels(($0 / Double(sums.count)).squareRoot()) })
    }
  }

  private static func decibels(_ value: Double) -> Double {
    value > 0 ? max(floor, (200 * log10(value / 32_768)).rounded() / 10) : floor
  }
}
