import Glibc

/// A LED class device: the kernel shows it as a folder of small files, usually below `/sys/class/leds`. One with a
/// flash controller (`flash_strobe`) flashes with its larger current; any other one shines at its full brightness.
struct LEDLight: Light {
  let folder: String

  func set(_ lighting: Lighting) throws(LightError) {
    switch lighting {
    case .off:
      if has("flash_strobe") { try write("0", to: "flash_strobe") }
      try write("0", to: "brightness")
    case .torch:
      try write(try read("max_brightness"), to: "brightness")
    case .flash:
      guard has("flash_strobe") else { return try set(.torch) }
      for setting in ["brightness", "timeout"] where has("flash_\(setting)") && has("max_flash_\(setting)") {
        try write(try read("max_flash_\(setting)"), to: "flash_\(setting)")
      }
      try write("1", to: "flash_strobe")
    }
  }

  private func has(_ file: String) -> Bool { access("\(folder)/\(file)", F_OK) == 0 }

  private func read(_ file: String) throws(LightError) -> String {
    let descriptor = try open(file, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw failure("read", file, errno) }
    let digits = bytes[..<count].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let value = Int(String(decoding: digits, as: UTF8.self)), value > 0 else {
      throw LightError("\(folder)/\(file) holds no number above 0")
    }
    return "\(value)"
  }

  /// The kernel takes the whole text with one write, or none of it.
  private func write(_ text: String, to file: String) throws(LightError) {
    let descriptor = try open(file, O_WRONLY | O_TRUNC)
    defer { close(descriptor) }
    let bytes = Array("\(text)\n".utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw failure("write", file, errno) }
  }

  private func open(_ file: String, _ flags: CInt) throws(LightError) -> CInt {
    let descriptor = Glibc.open("\(folder)/\(file)", flags | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("open", file, errno) }
    return descriptor
  }

  private func failure(_ action: String, _ file: String, _ code: CInt) -> LightError {
    LightError("can't \(action) \(folder)/\(file): \(String(cString: strerror(code)))")
  }
}
