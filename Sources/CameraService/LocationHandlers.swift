import Camera
import CameraProtocol
import Dispatch

/// Where the machine is.
struct LocationHandlers: Sendable {
  let locations: LocationStore
  /// What is kept goes to the disk: not on the shared pool.
  private let queue = DispatchQueue(label: "camd.location")

  init(_ locations: LocationStore) { self.locations = locations }

  func set(_ wanted: SetLocation.Parameters) async throws -> SetLocation.Reply {
    let location = GeoLocation(
      latitude: wanted.latitude, longitude: wanted.longitude, altitude: wanted.altitude, accuracy: wanted.accuracy,
      time: wanted.time ?? .now, source: wanted.source ?? .manual)
    try await blocking { () throws(CameraError) in try locations.set(location) }
    return reply
  }

  func clear(_: Nothing) async throws -> Nothing {
    try await blocking { () throws(CameraError) in try locations.clear() }
    return Nothing()
  }

  func get(_: Nothing) async throws -> GetLocation.Reply { reply }

  private var reply: GetLocation.Reply { .init(location: locations.current, geotag: locations.geotag) }

  private func blocking(_ body: @escaping @Sendable () throws(CameraError) -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      queue.async {
        do throws(CameraError) {
          continuation.resume(returning: try body())
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }
}
