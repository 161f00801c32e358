import Camera
import CameraProtocol

/// Where the machine is.
struct LocationHandlers: Sendable {
  let locations: LocationStore

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
}
