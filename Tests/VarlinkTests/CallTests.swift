import Glibc
import Testing

@testable import Varlink

@Suite struct CallTests {
  private func run(_ body: @escaping @Sendable (Fixture, ClientConnection) throws -> Void) async throws {
    try await Fixture.run { fixture in
      try await blocking { try body(fixture, try fixture.connect()) }
    }
  }

  @Test func echoes() async throws {
    try await run { _, client in
      let fields = TestService.EchoFields(text: "grün \u{1F4F7} \"/\\", number: .min, ratio: 0.1)
      let reply = try client.call("org.example.test.Echo", fields, timeout: .seconds(5))
      let echoed = try reply.decode(TestService.EchoFields.self)
      #expect(echoed.text == fields.text && echoed.number == .min && echoed.ratio == 0.1 && !reply.continues)
    }
  }

  @Test func standardErrors() async throws {
    try await run { _, client in
      func answer(_ method: String, _ parameters: [String: String] = [:]) -> VarlinkError? {
        client.error { _ = try $0.call(method, parameters, timeout: .seconds(5)) }
      }
      let standard = "org.varlink.service"
      #expect(
        answer("org.example.none.X") == .remote("\(standard).InterfaceNotFound", #"{"interface":"org.example.none"}"#))
      #expect(answer("nothing") == .remote("\(standard).InterfaceNotFound", #"{"interface":"nothing"}"#))
      #expect(
        answer("org.example.test.X") == .remote("\(standard).MethodNotFound", #"{"method":"org.example.test.X"}"#))
      #expect(answer("\(standard).X") == .remote("\(standard).MethodNotFound", #"{"method":"org.varlink.service.X"}"#))
      #expect(answer("org.example.test.Fail", ["kind": "permission"]) == .remote("\(standard).PermissionDenied"))
      #expect(
        answer("org.example.test.Fail", ["kind": "missing"])
          == .remote("\(standard).MethodNotImplemented", #"{"method":"org.example.test.Fail"}"#))
      #expect(
        answer("org.example.test.Fail", ["kind": "named"]) == .remote("org.example.test.Sad", #"{"why":"it rains"}"#))
      #expect(
        answer("org.example.test.Fail", ["kind": "x"]) == .remote("org.example.test.Sad", #"{"why":"Unknown()"}"#))
      #expect(
        answer("org.example.test.Forget")
          == .remote("org.example.test.Sad", #"{"why":"the call was left without an answer"}"#))
      #expect(answer("org.example.test.Echo") == .invalidParameter("text"))
      #expect(answer("org.example.test.Echo", ["text": "", "more": ""]) == .invalidParameter("more"))
      #expect(answer("\(standard).GetInterfaceDescription") == .invalidParameter("interface"))
      #expect(
        answer("\(standard).GetInterfaceDescription", ["interface": "a.b"])
          == .remote("\(standard).InterfaceNotFound", #"{"interface":"a.b"}"#))
      // All on one connection, which is none the worse for it.
      #expect(answer("org.example.test.Echo", ["text": "x"]) == nil)
    }
  }

  @Test func upgradeIsNotImplemented() async throws {
    try await run { _, client in
      try client.send(text: #"{"method":"org.example.test.Who","upgrade":true}"# + "\0")
      #expect(
        client.error { _ = try $0.receive(timeout: .seconds(5)) }
          == .remote("org.varlink.service.MethodNotImplemented", #"{"method":"org.example.test.Who"}"#))
    }
  }

  @Test func streamsWithMoreOnly() async throws {
    try await run { _, client in
      try client.send("org.example.test.Count", ["to": 3], more: true)
      for value in 1...3 {
        let reply = try client.receive(timeout: .seconds(5))
        #expect(try reply.decode([String: Int].self) == ["value": value])
        #expect(reply.continues == (value < 3))
      }
      #expect(
        client.error { _ = try $0.call("org.example.test.Count", ["to": 3], timeout: .seconds(5)) }
          == .remote("org.varlink.service.ExpectedMore"))
      // The handler itself does not ask, the writer does.
      #expect(
        client.error { _ = try $0.call("org.example.test.Fill", ["bytes": 1, "replies": 2], timeout: .seconds(5)) }
          == .remote("org.varlink.service.ExpectedMore"))
    }
  }

  @Test func callsInOneWriteAreAnsweredInOrder() async throws {
    try await run { _, client in
      var bytes: [UInt8] = []
      for number in 0..<500 {
        let method = number % 3 == 0 ? "org.example.test.None" : "org.example.test.Echo"
        bytes += Array(#"{"method":"\#(method)","parameters":{"text":"","number":\#(number)}}"#.utf8) + [0]
      }
      try client.send(rawMessage: bytes)
      for number in 0..<500 {
        let error = client.error {
          let echoed = try $0.receive(timeout: .seconds(10)).decode(TestService.EchoFields.self)
          #expect(echoed.number == number)
        }
        #expect((error != nil) == (number % 3 == 0))
      }
    }
  }

  @Test func onewayHasNoAnswer() async throws {
    try await run { _, client in
      try client.send("org.example.test.Echo", ["text": "a"], oneway: true)
      try client.send("org.example.test.Fail", ["kind": "x"], oneway: true)
      try client.send("org.example.test.None", oneway: true)
      try client.send("org.example.test.Echo", oneway: true)
      try client.send("org.varlink.service.GetInfo", oneway: true)
      let reply = try client.call("org.example.test.Echo", ["text": "b"], timeout: .seconds(5))
      #expect(try reply.decode(TestService.EchoFields.self).text == "b")
    }
  }

  @Test func tellsWhoCalls() async throws {
    try await run { _, client in
      let who = try client.call("org.example.test.Who", timeout: .seconds(5)).decode([String: Int].self)
      #expect(who == ["pid": Int(getpid()), "uid": Int(getuid())])
    }
  }

  @Test func halfClosedClientGetsItsAnswers() async throws {
    try await run { _, client in
      for text in ["a", "b"] { try client.send("org.example.test.Echo", ["text": text]) }
      try client.send("org.example.test.Count", ["to": 2], more: true)
      shutdown(client.descriptor.rawValue, CInt(SHUT_WR))
      for text in ["a", "b"] {
        #expect(try client.receive(timeout: .seconds(5)).decode(TestService.EchoFields.self).text == text)
      }
      #expect(try client.receive(timeout: .seconds(5)).continues)
      #expect(try !client.receive(timeout: .seconds(5)).continues)
      #expect(client.isClosed())
    }
  }

  @Test func repliesOfAllSizesArrive() async throws {
    try await run { _, client in
      for size in [0, 1, 1000, 65_535, 65_536, 65_537, 300_000, 5_000_000] {
        let reply = try client.call("org.example.test.Fill", ["bytes": size, "replies": 1], timeout: .seconds(10))
        #expect(try reply.decode([String: String].self)["text"]?.utf8.count == size)
      }
    }
  }

  @Test func roundTripIsShort() async throws {
    try await run { _, client in
      var best = Duration.seconds(1)
      for _ in 0..<200 {
        let start = ContinuousClock.now
        _ = try client.call("org.example.test.Echo", ["text": "x"], timeout: .seconds(5))
        best = min(best, .now - start)
      }
      #expect(best < .milliseconds(1))
    }
  }

  @Test func stopLetsRunningCallsEnd() async throws {
    let fixture = try Fixture()
    let client = try fixture.connect()
    try client.send("org.example.test.Wait")
    try await fixture.sees(.began("Wait"))
    let idle = try fixture.connect()
    async let stopped: Void = fixture.server.stop(grace: .milliseconds(100))
    #expect(try await blocking { idle.isClosed() })
    try await fixture.sees(.cancelled)
    await stopped
    #expect(fixture.server.connectionCount == 0)
    #expect(throws: VarlinkError.self) { try fixture.connect() }
    removeFolder(fixture.folder)
  }
  @Test func stopEndsStreamsAtOnce() async throws {
    let fixture = try Fixture()
    let client = try fixture.connect()
    let first = try await blocking { try client.call("org.example.test.Watch", more: true, timeout: .seconds(5)) }
    #expect(first.continues)
    let start = ContinuousClock.now
    await fixture.server.stop(grace: .seconds(60))
    #expect(.now - start < .seconds(10))
    // The client is told, by the service's own error.
    let last = try await blocking { client.error { _ = try $0.receive(timeout: .seconds(5)) } }
    #expect(last == .remote("org.example.test.Sad", #"{"why":"CancellationError()"}"#))
    #expect(try await blocking { client.isClosed() })
    removeFolder(fixture.folder)
  }
}
