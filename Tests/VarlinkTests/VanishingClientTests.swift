import Glibc
import Synchronization
import Testing

@testable import Varlink

/// Clients that hang up, and more clients than there is room for.
@Suite struct VanishingClientTests {
  @Test func hangingUpCancelsTheCall() async throws {
    try await Fixture.run { fixture in
      let client = try fixture.connect()
      try client.send("org.example.test.Wait")
      try await fixture.sees(.began("Wait"))
      let start = ContinuousClock.now
      client.close()
      try await fixture.sees(.cancelled)
      #expect(.now - start < .seconds(1))
    }
  }

  @Test func hangingUpBehindUnreadCallsCancelsToo() async throws {
    try await Fixture.run { fixture in
      let client = try fixture.connect()
      try client.send("org.example.test.Wait")
      try await fixture.sees(.began("Wait"))
      // These are not read meanwhile. Of those that wait, only the oneway one is carried out.
      for _ in 0..<100 { try client.send("org.example.test.Who") }
      try client.send("org.example.test.Echo", ["text": "x"], oneway: true)
      client.descriptor.close()
      try await fixture.sees(.cancelled)
      try await deadline {
        for await seen in fixture.service.sightings {
          #expect(seen != .began("Who"))
          if seen == .ended("Echo") { return }
        }
      }
    }
  }

  @Test func onewayCallIsNotCancelled() async throws {
    try await Fixture.run { fixture in
      let client = try fixture.connect()
      try client.send("org.example.test.Wait", oneway: true)
      try await fixture.sees(.began("Wait"))
      try client.send("org.example.test.Forget", oneway: true)
      client.descriptor.close()
      // A second client's call goes from end to end, and the first is running still.
      try await blocking { _ = try fixture.connect().call("org.example.test.Who", timeout: .seconds(5)) }
      #expect(fixture.server.connectionCount >= 1)
      try await deadline {
        for await seen in fixture.service.sightings {
          #expect(seen != .cancelled)
          if seen == .ended("Who") { return }
        }
      }
    }
  }

  @Test func callOfAClientThatLeftAtOnceIsBegun() async throws {
    try await Fixture.run { fixture in
      // In batches that don't exceed the bound of connections.
      for _ in 0..<10 {
        for _ in 0..<100 {
          let client = try fixture.connect()
          try client.send("org.example.test.Who")
          client.descriptor.close()
        }
        try await deadline {
          var ended = 0
          for await seen in fixture.service.sightings where seen == .ended("Who") {
            ended += 1
            if ended == 100 { return }
          }
        }
      }
      try await blocking {
        let client = try fixture.connect()
        _ = try client.call("org.example.test.Who", timeout: .seconds(5))
      }
    }
  }

  @Test func oneConnectionTooManyIsClosedAtOnce() async throws {
    var limits = Limits()
    limits.maxConnections = 4
    try await Fixture.run(limits: limits) { fixture in
      try await blocking {
        let clients = try (0..<4).map { _ in try fixture.connect() }
        for client in clients { _ = try client.call("org.example.test.Who", timeout: .seconds(5)) }
        for _ in 0..<100 {
          let refused = try fixture.connect()
          #expect(refused.isClosed(within: .seconds(1)))
        }
        #expect(fixture.server.connectionCount == 4)
        clients[0].descriptor.close()
        // Room comes back as soon as the server has seen the end.
        #expect(try isServedAgain { try fixture.connect() })
      }
    }
  }

  @Test func fiveHundredIdleConnectionsDisturbNobody() async throws {
    let server = try await ServerProcess(descriptorLimit: 1024)
    try await blocking {
      let first = try server.connect()
      _ = try first.call("org.example.test.Who", timeout: .seconds(5))
      var idle = try (0..<500).map { _ in try server.connect() }
      _ = try first.call("org.example.test.Who", timeout: .seconds(5))
      // More than the bound of connections: told so at once.
      #expect(try server.connect().isClosed())
      idle.removeAll()
      #expect(try isServedAgain { try server.connect() })
    }
    #expect(try await server.stop() == 0)
  }

  @Test(arguments: [16, 64])
  func runningOutOfDescriptorsTurnsClientsAway(limit: Int) async throws {
    let server = try await ServerProcess(descriptorLimit: limit)
    try await blocking {
      let first = try server.connect()
      _ = try first.call("org.example.test.Who", timeout: .seconds(5))
      var clients: [ClientConnection] = []
      for _ in 0..<100 {
        let client = try server.connect()
        try? client.send("org.example.test.Who")
        clients.append(client)
      }
      // Everybody is served or turned away; nobody waits.
      var refused = 0
      for client in clients {
        let error = client.error { _ = try $0.receive(timeout: .seconds(5)) }
        #expect(error == nil || error == .disconnected)
        if error != nil { refused += 1 }
      }
      #expect(refused >= 100 - limit && refused < 100)
      _ = try first.call("org.example.test.Who", timeout: .seconds(5))
      // Some are left to the rest of the process.
      #expect(try server.descriptorCount() < limit)
      let busy = try server.processorTime()
      #expect(busy < 2)
      clients.removeAll()
      #expect(try isServedAgain { try server.connect() })
    }
    #expect(try await server.stop() == 0)
  }

  @Test func hostileClientsLeaveNoMemoryBehind() async throws {
    let server = try await ServerProcess(descriptorLimit: 1024)
    try await blocking {
      func attack() throws {
        let chunk = [UInt8](repeating: UInt8(ascii: "["), count: 1 << 16)
        for _ in 0..<20 {
          let client = try server.connect()
          while client.error({ try $0.send(rawMessage: chunk) }) == nil {}
        }
        let deep = Array(#"{"method":"org.example.test.Who","parameters":{"a":"#.utf8)
        for _ in 0..<20 {
          let client = try server.connect()
          try client.send(rawMessage: deep + [UInt8](repeating: UInt8(ascii: "0"), count: 900_000) + [0])
          #expect(client.isClosed())
        }
        let half = try (0..<100).map { _ in try server.connect() }
        for client in half { try client.send(text: "{\"method\":") }
        _ = try server.connect().call("org.example.test.Who", timeout: .seconds(5))
      }
      try attack()
      let before = try server.memory()
      for _ in 0..<3 { try attack() }
      _ = try server.connect().call("org.example.test.Who", timeout: .seconds(5))
      #expect(try server.memory() < before + 10 << 20)
    }
    #expect(try await server.stop() == 0)
  }

  @Test func idleServerSleeps() async throws {
    let server = try await ServerProcess(descriptorLimit: 1024)
    try await blocking {
      let idle = try (0..<50).map { _ in try server.connect() }
      try idle[0].send(text: "{")
      shutdown(idle[1].descriptor.rawValue, CInt(SHUT_WR))
      try idle[2].send("org.example.test.Wait")
      shutdown(idle[2].descriptor.rawValue, CInt(SHUT_WR))
      try idle[3].send("org.example.test.Wait")
      try idle[3].send("org.example.test.Who")
      _ = try idle[4].call("org.example.test.Who", timeout: .seconds(5))
      #expect(idle[1].isClosed())
      let before = try server.contextSwitches()
      _ = try? idle[4].receive(timeout: .seconds(1))
      #expect(try server.contextSwitches() - before <= 5)
    }
    #expect(try await server.stop() == 0)
  }
}

/// True where a new client is served within five seconds: the server sees the others' end at its own pace.
private func isServedAgain(_ connect: () throws -> ClientConnection) throws -> Bool {
  let end = ContinuousClock.now + .seconds(5)
  while .now < end {
    let client = try connect()
    if client.error({ _ = try $0.call("org.example.test.Who", timeout: .seconds(5)) }) == nil { return true }
  }
  return false
}
