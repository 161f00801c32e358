import CameraProtocol
import Foundation
import MediaLibrary
import TestSupport
import Testing

@Suite struct EditDraftTests {
  let parent: TemporaryFolder
  let root: String
  let library: MediaLibrary

  init() throws {
    parent = try TemporaryFolder()
    root = parent.file("album")
    library = MediaLibrary(root: root)
  }

  private func edit(of asset: Asset) -> Asset {
    Asset(
      id: "", kind: .image, path: nil, width: 2, height: 1, bytes: 0, time: asset.time, camera: asset.camera,
      format: .jpeg, parent: asset.id, origin: .edited)
  }

  @Test func anEditStandsBesideItsParentAndOnlyWhenItIsWhole() throws {
    let photo = try library.save(picture(500))
    let draft = try library.newDraft(of: photo, format: "jpg")
    #expect(write(draft.descriptor, picture(300), 300) == 300)
    let hidden = tree(root).filter { $0.hasSuffix(".partial") }
    #expect(hidden.count == 1 && hidden[0].contains("/.") && draft.path == "\(root)/\(hidden[0])")
    let asset = try draft.publish(edit(of: photo))
    #expect(asset.id == "20261130-165115.123_002.jpg" && asset.bytes == 300 && asset.parent == photo.id)
    #expect(try Data(contentsOf: URL(filePath: try #require(asset.path))) == Data(picture(300)))
    #expect(try Data(contentsOf: URL(filePath: try #require(photo.path))) == Data(picture(500)))
    #expect(!tree(root).contains { $0.hasSuffix(".partial") })
    // what was published is out of reach
    draft.discard()
    #expect(try library.open(asset).rawValue >= 0)
    let error = try refusal(CameraError.self) { _ = try draft.publish(edit(of: photo)) }
    #expect(error.kind == .captureFailed)
  }

  @Test func whatIsGivenUpLeavesNothing() throws {
    let photo = try library.save(picture(500))
    let before = tree(root)
    let draft = try library.newDraft(of: photo, format: "mp4")
    #expect(write(draft.descriptor, picture(300), 300) == 300)
    draft.discard()
    #expect(tree(root) == before)
    do { _ = try library.newDraft(of: photo, format: "mp4") }
    #expect(tree(root) == before)
  }

  @Test func whatACrashLeftIsRemovedAndWhatIsBeingWrittenIsNot() throws {
    let photo = try library.save(picture(500))
    let before = tree(root)
    let folder = try #require(photo.path.map { URL(filePath: $0).deletingLastPathComponent().path })
    try Data(picture(100)).write(to: URL(filePath: "\(folder)/.20261130-165115.123.4711-3.mp4.partial"))
    let draft = try library.newDraft(of: photo, format: "mp4")
    let recovery = try MediaLibrary(root: root).recover()
    #expect(recovery.removed.count == 1 && recovery.assets.isEmpty && recovery.kept.isEmpty)
    #expect(FileManager.default.fileExists(atPath: draft.path))
    draft.discard()
    #expect(tree(root) == before)
  }

  @Test func aFileThatSomebodyTookAwayIsNoEdit() throws {
    let photo = try library.save(picture(500))
    let draft = try library.newDraft(of: photo, format: "jpg")
    try FileManager.default.removeItem(atPath: draft.path)
    let error = try refusal(CameraError.self) { _ = try draft.publish(edit(of: photo)) }
    #expect(error.kind == .captureFailed)
  }
}
