import Glibc
import Testing

@testable import camd

@Suite struct SystemdTests {
  /// A datagram socket bound to the name, which begins with '@' for an abstract one.
  private func receiver(_ name: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(bindUnix(descriptor, name) == 0)
    return descriptor
  }

  private func bindUnix(_ descriptor: Int32, _ name: String) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
  }

  private func received(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  private func notification(_ name: String?) throws -> SystemdNotification? {
    try SystemdNotification(
      environment: Environment(variables: name.map { ["NOTIFY_SOCKET": $0] } ?? [:], userID: 1000))
  }

  @Test func messagesArriveAsDatagramsOnBothKindsOfSocket() throws {
    try withTemporaryFolder { folder in
      for name in ["\(folder)/notify", "@\(folder)/notify"] {
        let descriptor = try receiver(name)
        defer { close(descriptor) }
        let notification = try #require(try notification(name))
        try notification.send(.ready, .status("2 cameras\nREADY=0"))
        try notification.send(.stopping)
        #expect(received(descriptor) == "READY=1\nSTATUS=2 cameras\\nREADY=0")
        #expect(received(descriptor) == "STOPPING=1")
        #expect(received(descriptor) == nil)
      }
    }
  }

  @Test func nobodyToTellAndBadAddresses() throws {
    #expect(try notification(nil) == nil)
    #expect(throws: SystemError(code: EAFNOSUPPORT)) { try notification("vsock:2:1234") }
    #expect(throws: SystemError(code: ENAMETOOLONG)) { try notification("/" + String(repeating: "x", count: 108)) }
    let gone = try #require(try notification("/nowhere/notify"))
    #expect(throws: SystemError(code: ENOENT)) { try gone.send(.ready) }
  }

  private func passed(
    _ variables: [String: String], first: Int32, process: Int32 = 77
  ) throws -> ListenDescriptors {
    try ListenDescriptors(
      environment: Environment(variables: variables, userID: 1000), process: process, first: first)
  }

  @Test func aListeningSocketIsTaken() throws {
    try withTemporaryFolder { folder in
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      try #require(bindUnix(descriptor, "\(folder)/s") == 0)
      let variables = ["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "camd.socket"]

      // Bound, but nobody listens: Accept=yes passes such.
      #expect(throws: ListenDescriptors.Unusable.self) {
        try passed(variables, first: descriptor).controlSocket()
      }
      try #require(listen(descriptor, 5) == 0)
      let descriptors = try passed(variables, first: descriptor)
      #expect(descriptors.descriptors.map(\.name) == ["camd.socket"])
      #expect(try descriptors.controlSocket() == descriptor)
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)

      // Those of a parent are none of ours.
      #expect(try passed(variables, first: descriptor, process: 78).controlSocket() == nil)
      #expect(try passed([:], first: descriptor).controlSocket() == nil)
      #expect(try passed(["LISTEN_PID": "77", "LISTEN_FDS": "0"], first: descriptor).controlSocket() == nil)
    }
  }

  /// The kinds of socket that the daemon can't serve on.
  @Test(arguments: [
    (AF_UNIX, Int32(SOCK_DGRAM.rawValue), "is not a stream socket"),
    (AF_INET, Int32(SOCK_STREAM.rawValue), "is not a Unix-domain socket"),
    (AF_UNIX, Int32(SOCK_STREAM.rawValue), "does not listen"),
  ])
  func otherSocketsAreRefused(domain: Int32, type: Int32, reason: String) throws {
    let descriptor = socket(domain, type, 0)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let error = try thrown(ListenDescriptors.Unusable.self) {
      _ = try passed(["LISTEN_PID": "77", "LISTEN_FDS": "1"], first: descriptor).controlSocket()
    }
    #expect(try #require(error).description.contains("(unknown) \(reason)"))
  }

  @Test func nonsenseIsNamed() throws {
    for number in ["x", "-1", "100000"] {
      #expect(throws: ListenDescriptors.Unusable(description: "LISTEN_FDS is '\(number)', not a number of descriptors"))
      {
        try passed(["LISTEN_PID": "77", "LISTEN_FDS": number], first: 3)
      }
    }
    #expect(throws: ListenDescriptors.Unusable(description: "descriptor 1000000 of LISTEN_FDS: Bad file descriptor")) {
      try passed(["LISTEN_PID": "77", "LISTEN_FDS": "1"], first: 1_000_000)
    }
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    #expect(throws: ListenDescriptors.Unusable.self) {
      try passed(["LISTEN_PID": "77", "LISTEN_FDS": "1"], first: ends[0]).controlSocket()
    }
  }
}
