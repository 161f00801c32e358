public import CameraProtocol
import Glibc

extension MediaLibrary {
  /// Whether the album holds anything, and what. Looks at the newest days first and only as far as it must.
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
    var found: Set<MediaType> = []
    guard let album = try folder.openRoot(creating: false) else { return found }
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
