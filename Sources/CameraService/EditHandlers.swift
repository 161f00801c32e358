import Camera
import CameraProtocol
import Editing
import Glibc
import Varlink

/// New assets of old ones.
struct EditHandlers: Sendable {
  let queue: EditQueue

  func trim(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: TrimMovie.Parameters = try call.decode()
    let request = try Self.request(
      wanted.id, .trim(start: wanted.start, end: wanted.end), wanted.album, wanted.descriptor)
    try await edit(request, isTied: wanted.cancelOnDisconnect ?? false, call, replies)
  }

  func crop(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: CropPhoto.Parameters = try call.decode()
    let request = try Self.request(
      wanted.id, .crop(wanted.crop, rotation: wanted.rotation ?? 0), wanted.album, wanted.descriptor)
    try await edit(request, isTied: wanted.cancelOnDisconnect ?? false, call, replies)
  }

  func transcode(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: TranscodeMovie.Parameters = try call.decode()
    let request = try Self.request(
      wanted.id, .transcode(wanted.quality, maxDuration: wanted.maxDuration), wanted.album, wanted.descriptor)
    try await edit(request, isTied: wanted.cancelOnDisconnect ?? false, call, replies)
  }

  func cancel(_ wanted: CancelEdit.Parameters) async throws -> CancelEdit.Reply {
    CancelEdit.Reply(edit: try await queue.cancel(wanted.id))
  }

  func list(_: Nothing) async throws -> ListEdits.Reply { ListEdits.Reply(edits: await queue.edits) }

  func examine(_ call: Call, _ replies: ReplyWriter) async throws {
    let wanted: CanEdit.Parameters = try call.decode()
    let found: EditOutcome.Possibilities
    switch (wanted.id, wanted.descriptor) {
    case (let id?, nil): found = try await queue.examine(id)
    case (nil, let index?):
      guard let file = call.takeDescriptor(at: index) else {
        throw CameraError(.descriptorRequired, "the file's descriptor did not come with the call")
      }
      // one that merely names a file must not be read by the daemon's rights
      var byte: UInt8 = 0
      guard pread(file.rawValue, &byte, 1, 0) >= 0 || errno != EBADF else {
        throw CameraError(.descriptorRequired, "the file's descriptor is not open for reading")
      }
      found = try await queue.examine(descriptor: file.rawValue)
      file.close()
    default: throw ServiceError.invalidParameter(wanted.id == nil ? "id" : "descriptor")
    }
    try replies.reply(
      CanEdit.Reply(
        trim: found.trim, crop: found.crop, transcode: found.transcode, qualities: found.qualities))
  }

  private static func request(
    _ id: String?, _ change: EditRequest.Change, _ album: Bool?, _ descriptor: Bool?
  ) throws -> EditRequest {
    let (isKept, isHandedOver) = (album ?? true, descriptor ?? false)
    guard isKept || isHandedOver else {
      throw CameraError(
        .descriptorRequired, "what is not kept in the album needs 'descriptor', or nobody would get it")
    }
    return EditRequest(asset: id, change: change, isKept: isKept, isHandedOver: isHandedOver)
  }

  /// Hands an edit to the queue and tells of it. It goes on when the client leaves, unless `isTied`.
  private func edit(_ request: EditRequest, isTied: Bool, _ call: Call, _ replies: ReplyWriter) async throws {
    let requester = await Requester.asking(call.peer)
    var request = request
    (request.user, request.requester) = (requester.user, "\(requester)")
    let ticket = try await queue.submit(request)
    let crop: Rectangle? = if case .crop(let part, _) = request.change { part } else { nil }
    for await update in ticket.updates {
      if let error = update.error { throw error }
      let isLast = update.edit.state.isOver
      guard isLast || call.more else { continue }
      let descriptors = try update.file.map { [try $0.forClient()] } ?? []
      let reply = EditReply(
        edit: update.edit, original: ticket.original, edited: update.edit.asset, crop: crop,
        lossless: update.isLossless, descriptor: descriptors.isEmpty ? nil : 0)
      do {
        try replies.reply(reply, descriptors: descriptors, continues: !isLast)
      } catch  where !isTied && !isLast {
        // gone; the edit isn't
        return
      }
      if isLast { return }
    }
    // the client has left, which ends this loop
    if isTied {
      let queue = queue
      await Task { _ = try? await queue.cancel(ticket.id) }.value
    }
    throw CancellationError()
  }
}
