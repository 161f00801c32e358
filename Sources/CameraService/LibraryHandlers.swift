import Camera
import CameraProtocol
import MediaLibrary
import Varlink

/// The album.
struct LibraryHandlers: Sendable {
  let system: CameraSystem
  let library: MediaLibrary
  /// What takes long and goes one after the other: on threads that no other call waits for.
  let scans = BackgroundWork(places: 1)
  let removals = BackgroundWork(places: 1)

  func list(_ wanted: ListAssets.Parameters) async throws -> ListAssets.Reply {
    let cameras = wanted.camera.flatMap { ids(of: $0) }
    return try await blocking { () throws(CameraError) in try library.list(wanted, cameras: cameras) }
  }

  func get(_ wanted: GetAsset.Parameters) async throws -> GetAsset.Reply {
    GetAsset.Reply(asset: try await blocking { () throws(CameraError) in try library.asset(wanted.id) })
  }

  func open(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: OpenAsset.Parameters = try call.decode()
    let (asset, descriptor) = try await blocking { () throws(CameraError) in
      let asset = try library.asset(wanted.id)
      return (asset, try library.open(asset))
    }
    try replies.reply(OpenAsset.Reply(asset: asset, descriptor: 0), descriptors: [try descriptor.forClient()])
  }

  func setFavorite(_ wanted: SetFavorite.Parameters) async throws -> AssetList {
    try await assets { () throws(CameraError) in try library.setFavorite(wanted.ids, wanted.favorite) }
  }

  func delete(_ wanted: DeleteAssets.Parameters) async throws -> AssetList {
    try await assets { () throws(CameraError) in
      try library.delete(wanted.ids, permanently: wanted.permanently ?? false)
    }
  }

  func restore(_ wanted: RestoreAssets.Parameters) async throws -> AssetList {
    try await assets { () throws(CameraError) in try library.restore(wanted.ids) }
  }

  func emptyTrash(_: Nothing) async throws -> EmptyTrash.Reply {
    let (files, bytes) = try await removals.run { () throws(CameraError) in try library.emptyTrash() }
    return EmptyTrash.Reply(files: files, bytes: bytes)
  }

  func rescan(_ call: Call, _ replies: ReplyWriter) async throws {
    let isStream = call.more
    let progress = try await scans.run { () throws(CameraError) in
      var told = ContinuousClock.now - .seconds(1)
      return try library.rescan { progress in
        guard isStream, told.duration(to: .now) >= .milliseconds(200) else { return }
        told = .now
        // one who has left doesn't end the scan: the index is everybody's
        try? replies.reply(RescanLibrary.Reply(progress: progress), continues: true)
      }
    }
    try replies.reply(RescanLibrary.Reply(progress: progress))
  }

  func applyRetention(_ wanted: ApplyRetention.Parameters) async throws -> ApplyRetention.Reply {
    let removed = try await removals.run { () throws(CameraError) in
      try library.applyRetention(dryRun: wanted.dryRun ?? false)
    }
    return ApplyRetention.Reply(removed: removed, bytes: removed.reduce(0) { $0 + $1.asset.bytes })
  }

  /// The id of the camera that is meant; nil where it isn't one of today's.
  private func ids(of camera: String) -> [String]? {
    do throws(CameraError) {
      return try system.status(camera).map(\.id)
    } catch {
      return nil
    }
  }

  private func assets(_ body: @escaping @Sendable () throws(CameraError) -> [Asset]) async throws -> AssetList {
    AssetList(assets: try await blocking(body))
  }
}
