import Glibc
import Testing

@testable import Varlink

@Suite struct ListenerTests {
  private func mode(_ path: String) -> UInt32 {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  private func inFolder(_ body: (String) throws -> Void) throws {
    let folder = try makeFolder()
    defer { removeFolder(folder) }
    try body(folder)
  }

  @Test func removesItsOwnSocketOnly() throws {
    try inFolder { folder in
      let path = "\(folder)/socket"
      try Listener(path: path, mode: 0o600).close()
      #expect(access(path, F_OK) != 0)
      let first = try Listener(path: path, mode: 0o600)
      unlink(path)
      let second = try Listener(path: path, mode: 0o600)
      first.close()
      #expect(access(path, F_OK) == 0)
      second.close()
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test func socketOfTheDeadIsReplaced() async throws {
    let server = try await ServerProcess(descriptorLimit: 64)
    try await server.killAtOnce()
    #expect(access(server.path, F_OK) == 0)
    #expect(throws: VarlinkError.system(SystemError("connect to \(server.path)", code: ECONNREFUSED))) {
      try server.connect()
    }
    let listener = try Listener(path: server.path, mode: 0o600)
    _ = try server.connect()
    listener.close()
  }

  @Test func socketOfTheLivingIsNot() async throws {
    let server = try await ServerProcess(descriptorLimit: 64)
    #expect(throws: Listener.Failure.addressInUse(path: server.path)) { try Listener(path: server.path, mode: 0o600) }
    try await blocking { _ = try server.connect().call("org.example.test.Who", timeout: .seconds(5)) }
    #expect(try await server.stop() == 0)
    #expect(access(server.path, F_OK) != 0)
  }

  @Test func fullBacklogIsAlive() throws {
    try inFolder { folder in
      let path = "\(folder)/socket"
      let listener = try Listener(path: path, mode: 0o600)
      var waiting: [FileDescriptor] = []
      let address = try #require(UnixAddress(path: path))
      while true {
        let socket = try UnixAddress.makeSocket()
        if address.connect(socket.rawValue) != 0 { break }
        waiting.append(socket)
      }
      #expect(throws: Listener.Failure.addressInUse(path: path)) { try Listener(path: path, mode: 0o600) }
      #expect(throws: VarlinkError.timedOut) { try ClientConnection(path: path, timeout: .milliseconds(50)) }
      listener.close()
    }
  }

  @Test func whatIsNoSocketIsLeftAlone() throws {
    try inFolder { folder in
      let path = "\(folder)/socket"
      writeAll(FileDescriptor(owning: open(path, O_WRONLY | O_CREAT, 0o600)), Array("precious".utf8))
      #expect(throws: Listener.Failure.notASocket(path: path)) { try Listener(path: path, mode: 0o600) }
      #expect(readAll(FileDescriptor(owning: open(path, O_RDONLY))) == "precious")
      symlink("elsewhere", "\(folder)/link")
      #expect(throws: Listener.Failure.notASocket(path: "\(folder)/link")) {
        try Listener(path: "\(folder)/link", mode: 0o600)
      }
      #expect(throws: Listener.Failure.system(SystemError("open \(folder)/none", code: ENOENT))) {
        try Listener(path: "\(folder)/none/socket", mode: 0o600)
      }
      let long = folder + "/" + String(repeating: "x", count: 108)
      #expect(throws: Listener.Failure.invalidPath(path: long)) { try Listener(path: long, mode: 0o600) }
      #expect(throws: Listener.Failure.invalidPath(path: "")) { try Listener(path: "", mode: 0o600) }
    }
  }

  @Test(arguments: ["000", "022", "077", "777"], ["0600", "0660", "0666"])
  func modeIsTheDocumentedOne(umask: String, mode: String) async throws {
    let server = try await ServerProcess(descriptorLimit: 64, umask: umask, mode: mode)
    #expect(self.mode(server.path) == UInt32(mode, radix: 8))
    #expect(self.mode(UnixAddress.folder(of: server.path)) & 0o077 == 0)
    #expect(try await server.stop() == 0)
  }

  @Test func modeIsNeverWider() async throws {
    // The file's mode at each moment of its life, seen by a second thread that looks as fast as it can.
    let folder = try makeFolder()
    let path = "\(folder)/socket"
    async let seen = blocking {
      var modes: Set<UInt32> = []
      while access("\(folder)/end", F_OK) != 0 { modes.insert(self.mode(path)) }
      return modes
    }
    for _ in 0..<500 { try Listener(path: path, mode: 0o660).close() }
    writeAll(FileDescriptor(owning: open("\(folder)/end", O_WRONLY | O_CREAT, 0o600)), [])
    for mode in try await seen { #expect(mode & ~0o660 == 0) }
    removeFolder(folder)
  }

  @Test func onlyOneOfManyGetsThePath() async throws {
    let folder = try makeFolder()
    let path = "\(folder)/socket"
    // A dead one's socket lies there.
    let dead = try Listener(path: path, mode: 0o600)
    dead.descriptor.close()
    let listeners = try await withThrowingTaskGroup(of: Listener?.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await blocking {
            do { return try Listener(path: path, mode: 0o600) } catch Listener.Failure.addressInUse { return nil }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(listeners.count { $0 != nil } == 1)
    _ = try ClientConnection(path: path)
    for listener in listeners { listener?.close() }
    removeFolder(folder)
  }

  @Test func adoptsListeningUnixSocketsOnly() throws {
    try inFolder { folder in
      let path = "\(folder)/socket"
      let original = try Listener(path: path, mode: 0o600)
      let adopted = try Listener(adopting: original.descriptor.duplicate())
      adopted.close()
      #expect(access(path, F_OK) == 0)
      let pipe = makePipe().reading
      #expect(throws: Listener.Failure.notListening(descriptor: pipe.rawValue)) { try Listener(adopting: pipe) }
      let idle = try UnixAddress.makeSocket()
      #expect(throws: Listener.Failure.notListening(descriptor: idle.rawValue)) { try Listener(adopting: idle) }
      let internet = FileDescriptor(owning: socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0))
      listen(internet.rawValue, 1)
      #expect(throws: Listener.Failure.notListening(descriptor: internet.rawValue)) { try Listener(adopting: internet) }
    }
  }
}
