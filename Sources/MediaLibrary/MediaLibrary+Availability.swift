public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// Whether the album holds anything, and what.
  public var availability: Availability {
    do throws(CameraError) {
      let found = try contents()
      guard !found.isEmpty else { return Availability(missing: .empty, message: "the album '\(root)' is empty") }
      return Availability(mediaTypes: MediaType.allCases.filter(found.contains), modes: [])
    } catch {
      let isForbidden = error.detail.cause == String(cString: strerror(EACCES))
      return Availability(missing: isForbidden ? .noPermission : .absent, message: error.detail.message)
    }
  }

  private func contents() throws(CameraError) -> Set<MediaType> {
    guard let album = try folder.openRoot(creating: false) else { return [] }
    let kinds = try index.kinds()
    var found: Set<MediaType> = kinds.contains(.image) ? [.image] : []
    if !kinds.isDisjoint(with: [.movie, .audio]) { found.insert(.movie) }
    // until the files have been read once, an index without anything says nothing
    guard found.isEmpty, try index.fact("scanned") == nil else { return found }
    return try captures(in: album)
  }

  private func captures(in album: borrowing Descriptor) throws(CameraError) -> Set<MediaType> {
    var found: Set<MediaType> = []
    for year in try Self.names(in: album, path: root).filter(CaptureName.isNumber).sorted().reversed() {
      guard let yearFolder = Self.openFolder(year, in: album) else { continue }
      let path = "\(root)/\(year)"
      for day in try Self.names(in: yearFolder, path: path).sorted().reversed() {
        guard let dayFolder = Self.openFolder(day, in: yearFolder) else { continue }
        for name in try Self.names(in: dayFolder, path: "\(path)/\(day)") {
          guard let capture = CaptureName(name) else { continue }
          found.insert(["jpg", "png", "webp"].contains(capture.format) ? .image : .movie)
          if found.count == MediaType.allCases.count { return found }
        }
      }
    }
    return found
  }
}
