public import Camera
import CameraProtocol
public import Editing
public import MediaLibrary
public import Varlink

/// The interface `org.camd.Camera`, served: one table of methods, each with its handler.
public struct CameraService: Service {
  /// Answers one call.
  typealias Handler = @Sendable (Call, ReplyWriter) async throws -> Void

  /// The interface file.
  public let interface: InterfaceDescription
  private let methods: [String: Handler]

  /// Serves these cameras. `version` is the daemon's, for the status.
  public init(
    system: CameraSystem, library: MediaLibrary, thumbnails: Thumbnails, edits: EditQueue, events: EventHub,
    version: String
  ) throws {
    interface = try InterfaceDescription(CameraInterface.description)
    let status = StatusHandlers(system: system, library: library, version: version)
    let photo = PhotoHandlers(system: system, library: library)
    let recording = RecordingHandlers(system: system)
    let preview = PreviewHandlers(system: system)
    let burst = BurstHandlers(system: system, library: library)
    let timelapse = TimelapseHandlers(system: system)
    let selection = SelectionHandlers(system: system)
    let pause = PauseHandlers(system: system)
    let control = ControlHandlers(system: system)
    let location = LocationHandlers(system.locations)
    let edit = EditHandlers(queue: edits)
    let album = LibraryHandlers(system: system, library: library)
    let thumbnail = ThumbnailHandlers(thumbnails: thumbnails)
    let transfer = TransferHandlers(library: library)
    let events = EventHandlers(events: events)
    methods = [
      GetStatus.name: Self.answer(GetStatus.self, status.status),
      ListCameras.name: Self.answer(ListCameras.self, status.cameras),
      ListMicrophones.name: Self.answer(ListMicrophones.self, status.microphones),
      TakePhoto.name: photo.take,
      TakeBurst.name: burst.take,
      CancelPhoto.name: Self.answer(CancelPhoto.self, burst.cancel),
      Shutter.name: Self.answer(Shutter.self, ShutterHandlers(system: system).press),
      StartTimelapse.name: Self.answer(StartTimelapse.self, timelapse.start),
      StopTimelapse.name: Self.answer(StopTimelapse.self, timelapse.stop),
      GetAvailability.name: Self.answer(GetAvailability.self, status.availability),
      SelectCamera.name: Self.answer(SelectCamera.self, selection.camera),
      SelectMicrophone.name: Self.answer(SelectMicrophone.self, selection.microphone),
      StartRecording.name: Self.answer(StartRecording.self, recording.start),
      StopRecording.name: Self.answer(StopRecording.self, recording.stop),
      PauseRecording.name: Self.answer(PauseRecording.self, pause.pause),
      ResumeRecording.name: Self.answer(ResumeRecording.self, pause.resume),
      SetPreRoll.name: Self.answer(SetPreRoll.self, PreRollHandlers(system: system).set),
      SetMute.name: Self.answer(SetMute.self, pause.mute),
      CancelRecording.name: Self.answer(CancelRecording.self, recording.cancel),
      SetMode.name: Self.answer(SetMode.self, recording.setMode),
      SetFlash.name: Self.answer(SetFlash.self, FlashHandlers(system: system).set),
      Preview.name: preview.stream,
      StopPreview.name: Self.answer(StopPreview.self, preview.stop),
      ListControls.name: Self.answer(ListControls.self, control.list),
      SetControls.name: Self.answer(SetControls.self, control.set),
      ResetControls.name: Self.answer(ResetControls.self, control.reset),
      SetPointOfInterest.name: Self.answer(SetPointOfInterest.self, control.setPointOfInterest),
      SetLocation.name: Self.answer(SetLocation.self, location.set),
      ClearLocation.name: Self.answer(ClearLocation.self, location.clear),
      GetLocation.name: Self.answer(GetLocation.self, location.get),
      TrimMovie.name: edit.trim,
      CropPhoto.name: edit.crop,
      TranscodeMovie.name: edit.transcode,
      CancelEdit.name: Self.answer(CancelEdit.self, edit.cancel),
      ListEdits.name: Self.answer(ListEdits.self, edit.list),
      CanEdit.name: edit.examine,
      ListAssets.name: Self.answer(ListAssets.self, album.list),
      GetAsset.name: Self.answer(GetAsset.self, album.get),
      OpenAsset.name: album.open,
      SetFavorite.name: Self.answer(SetFavorite.self, album.setFavorite),
      DeleteAssets.name: Self.answer(DeleteAssets.self, album.delete),
      RestoreAssets.name: Self.answer(RestoreAssets.self, album.restore),
      EmptyTrash.name: Self.answer(EmptyTrash.self, album.emptyTrash),
      RescanLibrary.name: album.rescan,
      ApplyRetention.name: Self.answer(ApplyRetention.self, album.applyRetention),
      ImportAsset.name: transfer.importFile,
      ExportAsset.name: transfer.export,
      GetThumbnail.name: thumbnail.thumbnail,
      GetThumbnailSheet.name: thumbnail.sheet,
      Subscribe.name: events.subscribe,
    ]
  }

  /// Carries out a call and answers it.
  public func handle(_ call: Call, _ replies: ReplyWriter) async throws {
    guard let handler = methods[call.methodName] else { throw ServiceError.methodNotImplemented(call.method) }
    try await handler(call, replies)
  }

  /// What an error is on the wire; the only place that knows.
  public func serviceError(for error: any Error, in call: Call) -> ServiceError {
    switch error {
    case let error as CameraError:
      return ServiceError(error.kind.qualifiedName, error.detail)
    case is CancellationError:
      return serviceError(for: CameraError(.shuttingDown, "the call was cancelled"), in: call)
    default:
      return serviceError(for: CameraError(.internalError, "\(call.methodName) failed: \(error)"), in: call)
    }
  }

  /// The handler of a method with one answer that depends on who asks.
  private static func answer<Method: CameraMethod>(
    _ method: Method.Type, _ body: @escaping @Sendable (Method.Parameters, Requester) async throws -> Method.Reply
  ) -> Handler {
    { call, replies in
      let parameters: Method.Parameters = try call.decode()
      let peer = call.peer
      try replies.reply(try await Task { try await body(parameters, await .asking(peer)) }.value)
    }
  }

  /// The handler of a method with one answer.
  private static func answer<Method: CameraMethod>(
    _ method: Method.Type, _ body: @escaping @Sendable (Method.Parameters) async throws -> Method.Reply
  ) -> Handler {
    { call, replies in
      let parameters: Method.Parameters = try call.decode()
      // what a client asked for is done though it leaves before the answer
      try replies.reply(try await Task { try await body(parameters) }.value)
    }
  }
}
