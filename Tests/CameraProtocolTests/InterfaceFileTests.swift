import CameraProtocol
import Testing
import Varlink

/// The interface file is the contract: every Swift type is held against it.
@Suite struct InterfaceFileTests {
  private static let methods: [any CameraMethod.Type] = [
    TakeBurst.self, CancelPhoto.self, Shutter.self, StartTimelapse.self, StopTimelapse.self,
    PauseRecording.self, ResumeRecording.self, SetMute.self, SetPreRoll.self, GetAvailability.self, SelectCamera.self,
    SelectMicrophone.self, GetStatus.self, ListCameras.self,
    ListMicrophones.self, TakePhoto.self, StartRecording.self, StopRecording.self,
    CancelRecording.self, SetMode.self, SetFlash.self, Preview.self, StopPreview.self, Subscribe.self,
    ListControls.self, SetControls.self, ResetControls.self, SetPointOfInterest.self,
    SetLocation.self, ClearLocation.self, GetLocation.self,
    TrimMovie.self, CropPhoto.self, TranscodeMovie.self, CancelEdit.self, ListEdits.self, CanEdit.self,
    ListAssets.self, GetAsset.self, OpenAsset.self, SetFavorite.self, DeleteAssets.self, RestoreAssets.self,
    GetThumbnail.self,
    GetThumbnailSheet.self, ImportAsset.self, ExportAsset.self,
    EmptyTrash.self, RescanLibrary.self, ApplyRetention.self,
  ]

  private let interface: InterfaceDescription

  init() throws {
    interface = try InterfaceDescription(CameraInterface.description)
  }

  private func parameters<M: CameraMethod>(_ method: M.Type) throws -> Schema { try Schema(of: M.Parameters.self) }
  private func reply<M: CameraMethod>(_ method: M.Type) throws -> Schema { try Schema(of: M.Reply.self) }

  @Test func methodsAreThoseOfTheFile() throws {
    #expect(interface.name == CameraInterface.name)
    #expect(Self.methods.map { $0.name }.sorted() == interface.methods.map(\.name).sorted())
    for method in Self.methods {
      let name = method.name
      let described = try #require(interface.method(named: name))
      #expect(method.qualifiedName == "org.camd.Camera.\(name)")
      let taken = try parameters(method).differences(
        from: .structure(described.parameters), in: interface, at: "\(name)()")
      let given = try reply(method).differences(from: .structure(described.reply), in: interface, at: "\(name)->")
      #expect(taken + given == [], "\(taken + given)")
    }
  }

  @Test func errorsAreThoseOfTheFile() throws {
    let detail = try Schema(of: CameraError.Detail.self)
    #expect(
      CameraError.Kind.allCases.map(\.qualifiedName).sorted()
        == interface.errors.map { "org.camd.Camera.\($0.name)" }.sorted())
    for error in interface.errors {
      #expect(detail.differences(from: .structure(error.parameters), in: interface, at: error.name) == [])
      #expect(CameraError.Kind(qualifiedName: "org.camd.Camera.\(error.name)") != nil)
    }
    #expect(CameraError.Kind(qualifiedName: "org.camd.Camera.Nothing") == nil)
    #expect(CameraError.Kind(qualifiedName: "NotRecording") == nil)
  }

  @Test func everyNamedTypeIsUsed() throws {
    let names = try Self.methods.reduce(into: Set<String>()) {
      $0.formUnion(try parameters($1).names)
      $0.formUnion(try reply($1).names)
    }
    #expect(Set(interface.types.map(\.name)).subtracting(names) == [])
  }

  @Test func qualitiesAreListedInTheComment() throws {
    let status = try #require(interface.types.first { $0.name == "RecordingStatus" })
    let listed = status.documentation.replacing("\n", with: " ")
    #expect(listed.contains("quality is one of: \(Quality.allCases.map(\.rawValue).joined(separator: ", "))."))
  }

  @Test func differencesAreSeen() throws {
    struct Wrong: Decodable { var camera: String, quality: Int?, album: String?, more: Bool }
    let method = try #require(interface.method(named: "TakePhoto"))
    let differences = try Schema(of: Wrong.self).differences(
      from: .structure(method.parameters), in: interface, at: "TakePhoto")
    #expect(
      differences == [
        "TakePhoto.crop is on one side only", "TakePhoto.descriptor is on one side only",
        "TakePhoto.format is on one side only", "TakePhoto.more is on one side only",
        "TakePhoto.rotation is on one side only", "TakePhoto.timer is on one side only",
        "TakePhoto.upright is on one side only",
        "TakePhoto.camera: string is not optional(Varlink.InterfaceDescription.FieldType.string)",
        "TakePhoto.album: string is not bool",
      ])
  }
}
