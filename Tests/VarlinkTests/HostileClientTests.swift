import Glibc
import Testing

@testable import Varlink

/// Parts of messages, rubbish, and clients that don't read.
@Suite struct HostileClientTests {
  /// Runs against a server and then sees that it still serves others at once.
  private func run(
    limits: Limits = Limits(), _ body: @escaping @Sendable (Fixture, ClientConnection) throws -> Void
  ) async throws {
    try await Fixture.run(limits: limits) { fixture in
      try await blocking {
        let hostile = try fixture.connect()
        try body(fixture, hostile)
        let other = try fixture.connect()
        _ = try other.call("org.example.test.Who", timeout: .seconds(5))
      }
    }
  }

  @Test(arguments: [
    "rubbish", "\u{1}\u{2}", "[]", "null", "{}", "{\"method\":\"a\"", "{\"method\":\"org.example.test.Who\"}}",
    #"{"method":"org.example.test.Who","method":"org.example.test.Who"}"#,
    #"{"method":"org.example.test.Who","parameters":"x"}"#, #"{"method":"\ud800"}"#, "GET / HTTP/1.1\r\n\r\n", "",
  ])
  func rubbishClosesTheConnection(text: String) async throws {
    try await Fixture.run { fixture in
      try await blocking {
        let client = try fixture.connect()
        try client.send(text: text + "\0")
        #expect(client.isClosed())
      }
      let report = try await deadline { await fixture.reports.first { _ in true } }
      #expect(report?.contains("not a Varlink message") == true)
    }
  }

  @Test func badBytesCloseTheConnection() async throws {
    let start = Array(#"{"method":"org.example.test.Echo","parameters":{"text":"#.utf8)
    for bytes in [
      [0xFF, 0xFE], start + [0x22, 0xC3, 0x28, 0x22, 0x7D, 0x7D], start + [0x22, 0xED, 0xA0, 0x80, 0x22, 0x7D, 0x7D],
      [UInt8](repeating: UInt8(ascii: "["), count: 100_000),
      start + [UInt8](repeating: UInt8(ascii: "["), count: 100_000),
      [UInt8](repeating: 0, count: 1000),
    ] {
      try await run { _, client in
        try client.send(rawMessage: bytes + [0])
        #expect(client.isClosed())
      }
    }
  }

  @Test func badNumbersAndDuplicatesAreNamed() async throws {
    try await run { _, client in
      for (parameters, wrong) in [
        (#"{"text":"a","ratio":1e999}"#, "ratio"), (#"{"text":"a","number":1e999}"#, "number"),
        (#"{"text":"a","text":"b"}"#, "text"), (#"{"text":"a","pair":{"left":1,"left":1}}"#, "pair.left"),
      ] {
        try client.send(text: #"{"method":"org.example.test.Echo","parameters":\#(parameters)}"# + "\0")
        #expect(client.error { _ = try $0.receive(timeout: .seconds(5)) } == .invalidParameter(wrong))
      }
    }
  }

  @Test func aMessageCutAtEveryByteIsWhole() async throws {
    let message = Array(#"{"method":"org.example.test.Echo","parameters":{"text":"é"}}"#.utf8) + [0]
    try await run { fixture, _ in
      for cut in 1..<message.count {
        let client = try fixture.connect()
        try client.send(rawMessage: Array(message[..<cut]))
        // Another client's answer means that the first part was read.
        _ = try fixture.connect().call("org.example.test.Who", timeout: .seconds(5))
        try client.send(rawMessage: Array(message[cut...]))
        #expect(try client.receive(timeout: .seconds(5)).decode(TestService.EchoFields.self).text == "é")
      }
      let slow = try fixture.connect()
      for byte in message { try slow.send(rawMessage: [byte]) }
      #expect(try slow.receive(timeout: .seconds(5)).decode(TestService.EchoFields.self).text == "é")
    }
  }

  @Test func endlessMessageIsCutOff() async throws {
    try await run { _, client in
      let chunk = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 16)
      var sent = 0
      while sent < 100 << 20, client.error({ try $0.send(rawMessage: chunk) }) == nil { sent += chunk.count }
      // The bound, and what the system's buffer holds.
      #expect(sent < 4 << 20)
      #expect(client.isClosed())
    }
  }

  @Test func messageOfTheLargestSizeIsTaken() async throws {
    var limits = Limits()
    limits.maxMessageBytes = 100_000
    let size = limits.maxMessageBytes
    try await run(limits: limits) { fixture, client in
      let message = Array(#"{"method":"org.example.test.Who"}"#.utf8)
      let padding = [UInt8](repeating: UInt8(ascii: " "), count: size - message.count)
      try client.send(rawMessage: message + padding + [0])
      _ = try client.receive(timeout: .seconds(5))
      try client.send(rawMessage: message + padding + [UInt8(ascii: " "), 0])
      #expect(client.isClosed())
    }
  }

  @Test func halfAMessageHasADeadline() async throws {
    var limits = Limits()
    limits.messageTimeout = .milliseconds(200)
    try await run(limits: limits) { fixture, client in
      let idle = try fixture.connect()
      let start = ContinuousClock.now
      try client.send(text: #"{"method":"#)
      #expect(client.isClosed())
      #expect(.now - start >= .milliseconds(200))
      // A connection without a message has none.
      _ = try idle.call("org.example.test.Who", timeout: .seconds(5))
    }
  }

  @Test func clientThatNeverReadsIsNotReadEither() async throws {
    var limits = Limits()
    limits.maxQueuedReplies = 8
    limits.writeTimeout = .seconds(60)
    try await run(limits: limits) { fixture, client in
      // Far more answers than fit: the server stops reading, so that sending stops, too.
      let call = Array(#"{"method":"org.example.test.Fill","parameters":{"bytes":50000,"replies":1}}"#.utf8) + [0]
      let calls = [UInt8]((0..<100).map { _ in call }.joined())
      var sent = 0
      while sent < 20_000,
        client.error({ try $0.send(rawMessage: calls, timeout: .milliseconds(500)) }) == nil
      { sent += 100 }
      #expect(sent < 20_000)
      _ = try fixture.connect().call("org.example.test.Who", timeout: .seconds(5))
      // What was answered is there, in order, and the rest follows as it is read.
      for _ in 0..<100 { _ = try client.receive(timeout: .seconds(5)) }
    }
  }

  @Test func streamBeyondTheBoundIsDisconnected() async throws {
    try await Fixture.run { fixture in
      let client = try fixture.connect()
      try client.send("org.example.test.Fill", ["bytes": 100_000, "replies": 1000], more: true)
      try await fixture.sees(.sendFailed(.tooSlow))
      try await blocking {
        while client.error({ _ = try $0.receive(timeout: .seconds(5)) }) == nil {}
        #expect(client.isClosed())
      }
    }
  }

  @Test func waitingRepliesHaveADeadline() async throws {
    var limits = Limits()
    limits.writeTimeout = .milliseconds(200)
    try await Fixture.run(limits: limits) { fixture in
      let client = try fixture.connect()
      try client.send("org.example.test.Fill", ["bytes": 5_000_000, "replies": 1])
      try await fixture.sees(.ended("Fill"))
      try await blocking {
        // The part that the system took is there, then the end.
        var polled = [pollfd(fd: client.descriptor.rawValue, events: 0, revents: 0)]
        #expect(poll(&polled, 1, 5000) == 1)
        #expect(client.isClosed())
      }
    }
  }
}
