import CameraProtocol
import MediaLibrary
import Varlink

/// Small pictures of what is in the album.
struct ThumbnailHandlers: Sendable {
  let thumbnails: Thumbnails

  func thumbnail(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: GetThumbnail.Parameters = try call.decode()
    let request = ThumbnailRequest(
      try Self.moment(wanted), edge: try Self.edge(wanted.size), format: wanted.format ?? .png)
    let picture = try await thumbnails.thumbnail(of: wanted.id, request)
    try replies.reply(
      GetThumbnail.Reply(
        id: picture.asset.id, width: picture.width, height: picture.height, position: picture.positions.first,
        format: picture.format, descriptor: 0), descriptors: [try picture.descriptor().forClient()])
  }

  func sheet(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: GetThumbnailSheet.Parameters = try call.decode()
    guard (1...ThumbnailSheetRequest.largestCount).contains(wanted.count) else {
      throw ServiceError.invalidParameter("count")
    }
    if let columns = wanted.columns, !(1...wanted.count).contains(columns) {
      throw ServiceError.invalidParameter("columns")
    }
    let request = ThumbnailSheetRequest(
      count: wanted.count, columns: wanted.columns, edge: try Self.edge(wanted.size), format: wanted.format ?? .jpeg)
    let picture = try await thumbnails.sheet(of: wanted.id, request)
    try replies.reply(
      GetThumbnailSheet.Reply(
        id: picture.asset.id, width: picture.width, height: picture.height, positions: picture.positions,
        format: picture.format, descriptor: 0), descriptors: [try picture.descriptor().forClient()])
  }

  private static func edge(_ size: Int?) throws -> Int {
    let size = size ?? 256
    guard (16...ThumbnailRequest.largestEdge).contains(size) else { throw ServiceError.invalidParameter("size") }
    return size
  }

  private static func moment(_ wanted: GetThumbnail.Parameters) throws -> ThumbnailRequest.Moment {
    if let position = wanted.position, !position.isFinite || position < 0 || position > 1e9 {
      throw ServiceError.invalidParameter("position")
    }
    if wanted.first ?? false {
      guard wanted.position == nil, wanted.nearestKeyframe != true else { throw ServiceError.invalidParameter("first") }
      return .first
    }
    if wanted.nearestKeyframe ?? false { return .keyframe(near: wanted.position) }
    return wanted.position.map { .at($0) } ?? .halfWay
  }
}
