import CameraProtocol
import Dispatch
import MediaLibrary
import Synchronization

extension EditQueue {
  /// Makes the new asset.
  nonisolated func carryOut(_ job: Job) async -> Result<Made, CameraError> {
    let (library, original, change) = (library, job.original, job.request.change)
    do throws(CameraError) {
      let (file, draft) = try await offPool { () throws(CameraError) in
        // an edit must not fill the disk that a recording needs
        try library.checkSpace(for: change.size(for: original))
        return (try library.open(original), try library.newDraft(of: original, format: change.format(for: original)))
      }
      do throws(CameraError) {
        let outcome = try await run(job, source: file.rawValue, target: draft.descriptor)
        guard !Task.isCancelled else { throw CameraError(.cancelled, "the edit was cancelled") }
        let request = job.request
        return .success(
          try await offPool { () throws(CameraError) in
            var made = Made(asset: Self.asset(of: original, outcome), isLossless: outcome.isLossless)
            if request.isKept {
              made.asset = try draft.publish(made.asset)
              if request.isHandedOver { made.file = try library.open(made.asset) }
            } else {
              (made.asset.id, made.asset.bytes) = (original.id, draft.bytes)
              made.file = try draft.handOver()
            }
            return made
          })
      } catch {
        await offPool { draft.discard() }
        throw error
      }
    } catch {
      return .failure(error)
    }
  }

  /// Runs the task and passes its progress on, in order.
  private nonisolated func run(_ job: Job, source: Int32, target: Int32) async throws(CameraError) -> EditOutcome {
    let (steps, continuation) = AsyncStream.makeStream(of: Double.self, bufferingPolicy: .bufferingNewest(1))
    let id = job.edit.id
    let teller = Task { for await progress in steps { await self.note(id, progress) } }
    do throws(CameraError) {
      let outcome = try await runner.run(job.work, source: source, target: target) { continuation.yield($0) }
      continuation.finish()
      await teller.value
      return outcome
    } catch {
      continuation.finish()
      await teller.value
      throw error
    }
  }

  /// What is known of the new asset.
  private static func asset(of original: Asset, _ outcome: EditOutcome) -> Asset {
    let rotation = outcome.rotation ?? original.rotation ?? 0
    return Asset(
      id: "", kind: original.kind, path: nil, width: outcome.width, height: outcome.height, bytes: 0,
      time: original.time, camera: original.camera, duration: outcome.duration, format: original.format,
      rotation: rotation == 0 ? nil : rotation, location: original.location, parent: original.id, origin: .edited)
  }
}

/// Runs what blocks for a moment on a thread that is not one of the shared pool.
func offPool<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: body()) }
  }
}

/// The same for what can fail.
func offPool<Value: Sendable>(
  _ body: @escaping @Sendable () throws(CameraError) -> Value
) async throws(CameraError) -> Value {
  let result = await offPool { () -> Result<Value, CameraError> in
    do throws(CameraError) {
      return .success(try body())
    } catch {
      return .failure(error)
    }
  }
  return try result.get()
}

/// Waits for an operation, at most so long; past that it goes on alone.
func firstOf(_ limit: Duration, _ operation: @escaping @Sendable () async -> Void) async {
  let (ends, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))
  Task {
    await operation()
    continuation.yield()
  }
  let alarm = Task {
    try await Task.sleep(for: limit)
    continuation.yield()
  }
  for await _ in ends { break }
  alarm.cancel()
}
