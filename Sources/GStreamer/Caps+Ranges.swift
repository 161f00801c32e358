import CGStreamer

/// Whole numbers from a lower to an upper one, each so much more than the last.
public struct IntegerRange: Sendable, Hashable {
  /// The least.
  public var lower: Int
  /// The greatest.
  public var upper: Int
  /// The distance between two, at least 1.
  public var step: Int

  /// Numbers from `lower` to `upper`.
  public init(_ lower: Int, _ upper: Int, step: Int = 1) {
    self.lower = lower
    self.upper = max(lower, upper)
    self.step = max(1, step)
  }

  /// Whether it is one number only.
  public var isFixed: Bool { lower == upper }

  /// The greatest number that isn't above a limit; nil where all are.
  public func greatest(upTo limit: Int) -> Int? {
    guard limit >= lower else { return nil }
    return lower + (min(limit, upper) - lower) / step * step
  }
}

/// Ratios from a lower to an upper one.
public struct FractionRange: Sendable, Hashable {
  /// The least.
  public var lower: Fraction
  /// The greatest.
  public var upper: Fraction

  /// Ratios from `lower` to `upper`.
  public init(_ lower: Fraction, _ upper: Fraction) {
    self.lower = lower
    self.upper = upper
  }

  /// Whether it is one ratio only.
  public var isFixed: Bool { lower.value == upper.value }

  /// The ratio in it that is nearest to one.
  public func nearest(to wanted: Fraction) -> Fraction {
    wanted.value < lower.value ? lower : wanted.value > upper.value ? upper : wanted
  }
}

extension Caps.Structure {
  /// An integer field's values: one range for the fixed one, for each listed one, and for a range. Empty where there is
  /// no such field.
  public func integers(_ field: String) -> [IntegerRange] {
    values(field).compactMap { value in
      if value.pointee.g_type == gst_int_range_get_type() {
        return IntegerRange(
          Int(gst_value_get_int_range_min(value)), Int(gst_value_get_int_range_max(value)),
          step: Int(gst_value_get_int_range_step(value)))
      }
      guard value.pointee.g_type == GType(6 << 2) else { return nil }  // G_TYPE_INT
      return IntegerRange(Int(g_value_get_int(value)), Int(g_value_get_int(value)))
    }
  }

  /// A fraction field's values: one range for the fixed one, for each listed one, and for a range. Empty where there is
  /// no such field.
  public func fractions(_ field: String) -> [FractionRange] {
    func ratio(_ value: UnsafePointer<GValue>?) -> Fraction? {
      guard let value, value.pointee.g_type == gst_fraction_get_type() else { return nil }
      let denominator = gst_value_get_fraction_denominator(value)
      guard denominator > 0 else { return nil }
      return Fraction(Int(gst_value_get_fraction_numerator(value)), Int(denominator))
    }
    return values(field).compactMap { value in
      let isRange = value.pointee.g_type == gst_fraction_range_get_type()
      guard let lower = ratio(isRange ? gst_value_get_fraction_range_min(value) : value),
        let upper = ratio(isRange ? gst_value_get_fraction_range_max(value) : value)
      else { return nil }
      return FractionRange(lower, upper)
    }
  }
}
