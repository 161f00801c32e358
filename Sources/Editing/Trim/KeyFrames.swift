import CameraProtocol
import MovieFile

/// Finds the pictures of a track at which a decoder can begin as if nothing had been before.
///
/// Of H.264 these are the IDR pictures only: behind another intra picture there may be some that go back to what was
/// before it, and a decoder takes up new parameters at an IDR picture alone.
struct KeyFrames {
  /// What tells a key frame; for some, the number of bytes of a NAL unit's length, for each sample description.
  enum Kind {
    case h264(lengthSizes: [Int])
    case hevc(lengthSizes: [Int])
    case asMarked
  }

  private let file: SourceFile
  private let samples: [MovieSample]
  private let kind: Kind

  init(_ file: SourceFile, _ samples: [MovieSample], _ kind: Kind) {
    self.file = file
    self.samples = samples
    self.kind = kind
  }

  /// Whether the sample of that number is one.
  func contains(_ index: Int) throws(CameraError) -> Bool {
    let sample = samples[index]
    guard sample.isSync else { return false }
    func headers(_ lengthSizes: [Int]) throws(CameraError) -> [UInt8] {
      let entry = Int(sample.description) - 1
      guard lengthSizes.indices.contains(entry) else { return [] }
      return try file.unitHeaders(of: sample, lengthSize: lengthSizes[entry])
    }
    switch kind {
    case .asMarked: return true
    case .h264(let sizes):
      let pictures = try headers(sizes).map { $0 & 31 }.filter { (1...5).contains($0) }
      return !pictures.isEmpty && pictures.allSatisfy { $0 == 5 }
    case .hevc(let sizes):
      return try headers(sizes).contains { (16...21).contains($0 >> 1 & 63) }
    }
  }

  /// The last one at or before a sample; the track's first sample where there is none.
  func last(upTo index: Int) throws(CameraError) -> Int {
    for candidate in stride(from: index, to: 0, by: -1) where samples[candidate].isSync {
      if try contains(candidate) { return candidate }
    }
    return 0
  }
}

extension KeyFrames.Kind {
  /// How they are told in a track of an MP4.
  init(_ track: MovieIndex.Track) {
    let h264 = track.entries.map { entry in
      entry.payload(of: "avcC", in: .video).flatMap { AVCConfiguration($0)?.lengthSize }
    }
    let hevc = track.entries.map { entry in
      entry.payload(of: "hvcC", in: .video).flatMap { $0.count > 21 ? Int($0[21] & 3) + 1 : nil }
    }
    if h264.allSatisfy({ $0 != nil }) {
      self = .h264(lengthSizes: h264.compactMap { $0 })
    } else if hevc.allSatisfy({ $0 != nil }) {
      self = .hevc(lengthSizes: hevc.compactMap { $0 })
    } else {
      self = .asMarked
    }
  }
}
