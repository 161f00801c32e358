import CVideo4Linux
import CameraProtocol
import Glibc

/// Asks the kernel whether a device that this daemon has not open is to be had. Blocks as long as the driver does.
struct DeviceQuery: Sendable {
  /// Whether it is free, busy, absent, or not for this user.
  var state: DeviceState
  /// The program that has it, where it can be seen; only root sees those of other users.
  var holder: String?

  /// A camera by its node. Opens it for the query only; a stream that runs goes on.
  init(node: String) {
    let device = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard device >= 0 else {
      switch errno {
      case EACCES, EPERM: state = .noPermission
      case EBUSY: (state, holder) = (.busy, Self.holder(of: node))
      default: state = .absent
      }
      return
    }
    let answer = cv4l_ask_owner(device)
    close(device)
    switch answer {
    case EBUSY: (state, holder) = (.busy, Self.holder(of: node))
    case ENODEV: state = .absent
    default: state = .free
    }
  }

  /// A microphone by ALSA's name for it, `hw:CARD,DEVICE`; nothing is opened. nil for one of another kind, which can be
  /// shared.
  init?(alsa name: String) {
    let parts = name.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0] == "hw" || parts[0] == "plughw" else { return nil }
    let numbers = parts[1].split(separator: ",")
    guard let card = numbers.first else { return nil }
    // a card has a folder of its number, and a link of its name to that
    let cards = Int(card) == nil ? "/proc/asound/\(card)" : "/proc/asound/card\(card)"
    let folder = "\(cards)/pcm\(numbers.count > 1 ? numbers[1] : "0")c"
    let streams = SystemFile.names(in: folder).filter { $0.hasPrefix("sub") }
    guard !streams.isEmpty else {
      state = .absent
      return
    }
    let texts = streams.compactMap { SystemFile.read("\(folder)/\($0)/status") }
    state = texts.contains { $0.hasPrefix("closed") } || texts.isEmpty ? .free : .busy
    if state == .busy {
      let owner = texts.lazy.compactMap { text in
        text.split(separator: "\n").first { $0.hasPrefix("owner_pid") }?.split(separator: " ").last.flatMap { Int($0) }
      }.first
      holder = owner.flatMap(Self.program)
    }
  }

  private static func holder(of node: String) -> String? {
    let path = SystemFile.realPath(node)
    let own = Int(getpid())
    for process in SystemFile.names(in: "/proc").compactMap({ Int($0) }) where process != own {
      let folder = "/proc/\(process)/fd"
      let isHolder = SystemFile.names(in: folder).contains { SystemFile.target(of: "\(folder)/\($0)") == path }
      if isHolder { return program(process) }
    }
    return nil
  }

  private static func program(_ process: Int) -> String? {
    SystemFile.firstLine("/proc/\(process)/comm").map { "\($0) (process \(process))" }
  }
}
