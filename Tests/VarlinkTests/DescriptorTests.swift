import Glibc
import Testing

@testable import Varlink

@Suite struct DescriptorTests {
  private func filledPipe(_ text: String) -> FileDescriptor {
    let (reading, writing) = makePipe()
    writeAll(writing, Array(text.utf8))
    return reading
  }

  @Test func passBothWays() async throws {
    try await Fixture.run { fixture in
      try await blocking {
        let client = try fixture.connect()
        let sent = ["one", "two", "three"].map(filledPipe)
        struct Texts: Decodable, Equatable { var texts: [String], count: Int }
        let read = try client.call("org.example.test.Read", ["descriptors": 4], descriptors: sent, timeout: .seconds(5))
        #expect(try read.decode(Texts.self) == Texts(texts: ["one", "two", "three", "-"], count: 3))
        let opened = try client.call("org.example.test.Open", ["text": "inside"], timeout: .seconds(5))
        #expect(opened.descriptorCount == 1)
        let descriptor = try #require(opened.takeDescriptor(at: 0))
        #expect(opened.takeDescriptor(at: 0) == nil)
        #expect(fcntl(descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
        #expect(readAll(descriptor) == "inside")
      }
    }
  }

  @Test func belongToTheirCall() async throws {
    try await Fixture.run { fixture in
      try await blocking {
        let client = try fixture.connect()
        // The first occupies the connection, so that the others are read together.
        try client.send("org.example.test.Fill", ["bytes": 1_000_000, "replies": 1])
        for text in ["a", "b"] {
          try client.send("org.example.test.Echo", ["text": text])
          try client.send("org.example.test.Read", ["descriptors": 1], descriptors: [filledPipe(text)])
        }
        _ = try client.receive(timeout: .seconds(5))
        for text in ["a", "b"] {
          _ = try client.receive(timeout: .seconds(5))
          struct Texts: Decodable { var texts: [String] }
          #expect(try client.receive(timeout: .seconds(5)).decode(Texts.self).texts == [text])
        }
      }
    }
  }

  @Test func belongToALongCall() async throws {
    try await Fixture.run { fixture in
      try await blocking {
        let client = try fixture.connect()
        let padding = String(repeating: " ", count: 500_000)
        try client.send(
          rawMessage: Array(
            (#"{"method":"org.example.test.Read",\#(padding)"parameters":{"descriptors":1}}"# + "\0").utf8),
          descriptors: [filledPipe("long")])
        struct Texts: Decodable { var texts: [String] }
        #expect(try client.receive(timeout: .seconds(5)).decode(Texts.self).texts == ["long"])
      }
    }
  }

  @Test func unclaimedOnesAreClosed() async throws {
    try await Fixture.run { fixture in
      try await blocking {
        let client = try fixture.connect()
        let (reading, writing) = makePipe()
        // Unknown method, refused parameters, a handler that takes none, oneway, rubbish.
        for (method, oneway) in [
          ("org.example.test.None", false), ("org.example.test.Echo", false), ("org.example.test.Who", false),
          ("org.example.test.Who", true),
        ] {
          try client.send(method, descriptors: [writing], oneway: oneway)
          if !oneway { _ = client.error { _ = try $0.receive(timeout: .seconds(5)) } }
        }
        try client.send(rawMessage: Array("rubbish\0".utf8), descriptors: [writing])
        #expect(client.isClosed())
        writing.close()
        // The end of the pipe comes when no copy of its other end is left.
        #expect(readAll(reading) == "")
      }
    }
  }

  @Test func tooManyCloseTheConnection() async throws {
    try await Fixture.run { fixture in
      try await blocking {
        for count in [9, 100] {
          let client = try fixture.connect()
          let (reading, writing) = makePipe()
          try client.send(
            "org.example.test.Read", ["descriptors": 1],
            descriptors: (0..<count).map { _ in try writing.duplicate() })
          #expect(client.isClosed())
          writing.close()
          #expect(readAll(reading) == "")
        }
        let slow = try fixture.connect()
        let (reading, writing) = makePipe()
        for _ in 0..<9 { _ = slow.error { try $0.send(rawMessage: [UInt8(ascii: " ")], descriptors: [writing]) } }
        #expect(slow.isClosed())
        writing.close()
        #expect(readAll(reading) == "")
      }
    }
  }

  @Test func ownerClosesOnce() throws {
    let (reading, writing) = makePipe()
    let number = writing.rawValue
    let copy = try writing.duplicate()
    writing.close()
    writing.close()
    #expect(writing.rawValue == -1)
    #expect(writing.release() == -1)
    #expect(fcntl(copy.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    #expect(copy.rawValue != number)
    let given = copy.release()
    #expect(write(given, "x", 1) == 1)
    close(given)
    #expect(readAll(reading) == "x")
  }
}
