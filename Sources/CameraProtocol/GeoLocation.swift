/// Where a position comes from.
public enum LocationSource: String, Codable, Sendable, CaseIterable {
  /// Somebody set it; it holds until it is set anew or cleared.
  case manual
  /// A receiver found it; it holds for a while.
  case live
}

/// A place on earth, by WGS 84.
public struct Coordinates: Codable, Sendable, Equatable {
  /// Degrees, north is positive, -90 ... 90.
  public var latitude: Double
  /// Degrees, east is positive, -180 ... 180.
  public var longitude: Double
  /// Metres above sea level.
  public var altitude: Double?

  /// A place of these values.
  public init(latitude: Double, longitude: Double, altitude: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// Where the machine is, by WGS 84.
public struct GeoLocation: Codable, Sendable, Equatable {
  /// Degrees, north is positive, -90 ... 90.
  public var latitude: Double
  /// Degrees, east is positive, -180 ... 180.
  public var longitude: Double
  /// Metres above sea level.
  public var altitude: Double?
  /// Metres around it within which the true place lies.
  public var accuracy: Double?
  /// When it was found or set.
  public var time: Timestamp
  /// Where it comes from.
  public var source: LocationSource

  /// The place alone.
  public var coordinates: Coordinates { Coordinates(latitude: latitude, longitude: longitude, altitude: altitude) }

  /// A position of these values.
  public init(
    latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil, time: Timestamp,
    source: LocationSource
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.accuracy = accuracy
    self.time = time
    self.source = source
  }
}

/// Says where the machine is.
public enum SetLocation: CameraMethod {
  /// The method's name on the wire.
  public static let name = "SetLocation"
  /// Which place; see the interface file.
  public struct Parameters: Codable, Sendable {
    /// Degrees, -90 to 90.
    public var latitude: Double
    /// Degrees, -180 to 180.
    public var longitude: Double
    /// Metres above sea level.
    public var altitude: Double?
    /// Metres.
    public var accuracy: Double?
    /// When it was found; nil means now.
    public var time: Timestamp?
    /// Where it comes from; nil means by hand.
    public var source: LocationSource?
    /// Parameters of these values.
    public init(
      latitude: Double, longitude: Double, altitude: Double? = nil, accuracy: Double? = nil, time: Timestamp? = nil,
      source: LocationSource? = nil
    ) {
      self.latitude = latitude
      self.longitude = longitude
      self.altitude = altitude
      self.accuracy = accuracy
      self.time = time
      self.source = source
    }
  }
  /// The position as it is then.
  public typealias Reply = GetLocation.Reply
}

/// Forgets where the machine is.
public enum ClearLocation: CameraMethod {
  /// The method's name on the wire.
  public static let name = "ClearLocation"
  /// There are none.
  public typealias Parameters = Nothing
  /// There is nothing to say.
  public typealias Reply = Nothing
}

/// Where the machine is.
public enum GetLocation: CameraMethod {
  /// The method's name on the wire.
  public static let name = "GetLocation"
  /// There are none.
  public typealias Parameters = Nothing
  /// The answer.
  public struct Reply: Codable, Sendable {
    /// The position that captures get now; nil where there is none, or only one that is too old.
    public var location: GeoLocation?
    /// Whether positions are written into captures at all.
    public var geotag: Bool
    /// An answer of these values.
    public init(location: GeoLocation?, geotag: Bool) {
      self.location = location
      self.geotag = geotag
    }
  }
}
