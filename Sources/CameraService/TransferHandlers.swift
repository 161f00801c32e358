import CameraProtocol
import Dispatch
import MediaLibrary
import Varlink

/// Files that come into the album from elsewhere, and go elsewhere.
struct TransferHandlers: Sendable {
  /// More don't run at once: a copy keeps a disk busy, and a file of a client may be one that takes its time.
  private static let mostAtOnce = 4

  private let library: MediaLibrary
  private let work: BackgroundWork

  init(library: MediaLibrary) {
    self.library = library
    work = BackgroundWork(places: Self.mostAtOnce)
  }

  func importFile(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: ImportAsset.Parameters = try call.decode()
    guard let file = call.takeDescriptor(at: wanted.descriptor) else {
      throw CameraError(.descriptorRequired, "an import needs the descriptor of a file that is open for reading")
    }
    let (library, isStream) = (library, call.more)
    let imported = try await work.run { () throws(CameraError) in
      var told = ContinuousClock.now - .seconds(1)
      return try library.importFile(file.rawValue, name: wanted.name ?? "the file") { copied, bytes in
        guard isStream, told.duration(to: .now) >= .milliseconds(200) else { return }
        told = .now
        // one who has left doesn't end it: what is asked for is done
        try? replies.reply(ImportAsset.Reply(copied: copied, bytes: bytes), continues: true)
      }
    }
    let bytes = imported.asset.bytes
    try replies.reply(
      ImportAsset.Reply(copied: bytes, bytes: bytes, asset: imported.asset, duplicate: imported.isDuplicate))
  }

  func export(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: ExportAsset.Parameters = try call.decode()
    guard let file = call.takeDescriptor(at: wanted.descriptor) else {
      throw CameraError(.descriptorRequired, "an export needs the descriptor of a file that is open for writing")
    }
    let library = library
    let asset = try await work.run { () throws(CameraError) in
      let asset = try library.asset(wanted.id)
      try library.export(asset, to: file.rawValue)
      return asset
    }
    try replies.reply(ExportAsset.Reply(asset: asset))
  }
}
