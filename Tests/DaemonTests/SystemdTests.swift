import Glibc
import Testing
import Varlink

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
    let long = "/" + String(repeating: "x", count: 108)
    #expect(throws: SystemError("notify vsock:2:1234", code: EAFNOSUPPORT)) { try notification("vsock:2:1234") }
    #expect(throws: SystemError("notify \(long)", code: ENAMETOOLONG)) { try notification(long) }
    let gone = try #require(try notification("/nowhere/notify"))
    #expect(throws: SystemError("notify /nowhere/notify", code: ENOENT)) { try gone.send(.ready) }
  }

  private func passed(
    _ variables: [String: String], first: Int32, process: Int32 = 77
  ) throws -> ListenDescriptors {
    try ListenDescriptors(
      environment: Environment(variables: variables, userID: 1000), process: process, first: first)
  }

  @Test func theSocketThatWasPassedIsTaken() throws {
    try withTemporaryFolder { folder in
      let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      try #require(bindUnix(number, "\(folder)/s") == 0)
      try #require(listen(number, 5) == 0)
      let variables = ["LISTEN_PID": "77", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "control"]
      let descriptors = try passed(variables, first: number)
      #expect(descriptors.names == ["control"])
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
      #expect(try descriptors.controlSocket() == number)
      let control = FileDescriptor(owning: number)
      defer { control.close() }
      #expect(try Listener(adopting: control).path == nil)

      // Those of a parent are none of ours.
      #expect(try passed(variables, first: number, process: 78).controlSocket() == nil)
      #expect(try passed([:], first: number).controlSocket() == nil)
      #expect(try passed(["LISTEN_PID": "77", "LISTEN_FDS": "0"], first: number).controlSocket() == nil)
    }
  }

  @Test func nonsenseIsNamed() throws {
    for number in ["x", "-1", "100000"] {
      let reason = "LISTEN_FDS is '\(number)', not a number of descriptors"
      #expect(throws: ListenDescriptors.Unusable(description: reason)) {
        try passed(["LISTEN_PID": "77", "LISTEN_FDS": number], first: 3)
      }
    }
    let closed = "take descriptor 1000000 of LISTEN_FDS: Bad file descriptor"
    #expect(throws: ListenDescriptors.Unusable(description: closed)) {
      try passed(["LISTEN_PID": "77", "LISTEN_FDS": "1"], first: 1_000_000)
    }
  }

  @Test func severalSocketsAreRefusedByName() throws {
    // Two descriptors with numbers in a row, as the protocol passes them.
    var numbers: [Int32] = []
    while numbers.count < 2 || numbers[numbers.count - 1] != numbers[numbers.count - 2] + 1 {
      numbers.append(dup(STDERR_FILENO))
      try #require(numbers.count < 100)
    }
    defer { for number in numbers { close(number) } }
    let variables = ["LISTEN_PID": "77", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "control"]
    let reason = "2 sockets were passed (control, unknown); the daemon serves on one"
    #expect(throws: ListenDescriptors.Unusable(description: reason)) {
      try passed(variables, first: numbers[numbers.count - 2]).controlSocket()
    }
  }
}
