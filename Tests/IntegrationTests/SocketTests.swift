import CameraProtocol
import Foundation
import TestSupport
import Testing
import Varlink

/// Clients that send rubbish, don't read, or leave.
@Suite struct SocketTests {
  private func error(_ client: Client, _ method: String, _ json: String) throws -> VarlinkError? {
    do {
      try client.connection.send(rawMessage: Array(#"{"method":"\#(method)","parameters":\#(json)}"#.utf8) + [0])
      _ = try client.connection.receive(timeout: Client.patience)
      return nil
    } catch let error as VarlinkError {
      return error
    }
  }

  private func remote(_ name: String, _ parameters: String) -> VarlinkError {
    .remote(name: "org.varlink.service.\(name)", parameters: Array(parameters.utf8))
  }

  @Test func answersMistakesWithTheStandardErrors() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      let camera = "org.camd.Camera"
      #expect(
        try error(client, "\(camera).Nonsense", "{}") == remote("MethodNotFound", #"{"method":"\#(camera).Nonsense"}"#))
      #expect(
        try error(client, "org.example.Take", "{}") == remote("InterfaceNotFound", #"{"interface":"org.example"}"#))
      for (method, json, parameter) in [
        ("TakePhoto", #"{"quality":"high"}"#, "quality"),
        ("TakePhoto", #"{"quality":0}"#, "quality"),
        ("TakePhoto", #"{"quality":101}"#, "quality"),
        ("TakePhoto", #"{"nonsense":1}"#, "nonsense"),
        ("TakePhoto", #"{"camera":5}"#, "camera"),
        ("SetMode", "{}", "mode"),
        ("SetMode", #"{"mode":"film"}"#, "mode"),
        ("SetFlash", #"{"mode":"bright"}"#, "mode"),
        ("StartRecording", #"{"quality":"huge"}"#, "quality"),
        ("StartRecording", #"{"maxDuration":-1}"#, "maxDuration"),
        ("StartRecording", #"{"maxDuration":1e300}"#, "maxDuration"),
        ("StartRecording", #"{"maxBytes":-1}"#, "maxBytes"),
        ("StartRecording", #"{"maxBytes":1.5}"#, "maxBytes"),
        ("StopPreview", "{}", "viewer"),
      ] {
        let wanted = remote("InvalidParameter", #"{"parameter":"\#(parameter)"}"#)
        #expect(try error(client, "\(camera).\(method)", json) == wanted, "\(method) \(json)")
      }
      #expect(try error(client, "\(camera).Subscribe", "{}") == remote("ExpectedMore", "{}"))
      #expect(try client.camera().state == .cold, "none of it opened the camera")
    }
  }

  /// A message without an end, half of one, and binary: closed, at bounded cost, and nobody else sees anything of it.
  @Test func survivesHostileClients() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.photo()
      let memory = try daemon.process.statusNumber("RssAnon")

      let endless = try daemon.client()
      let chunk = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
      var sent = 0
      do {
        for _ in 0..<1024 {
          try endless.connection.send(rawMessage: chunk)
          sent += 1
        }
      } catch {}
      #expect(sent < 64, "closed after \(sent) MiB")

      let half = try daemon.client()
      try half.connection.send(rawMessage: Array(#"{"method":"org.camd.Camera.Get"#.utf8))
      let binary = try daemon.client()
      try binary.connection.send(rawMessage: [0xFF, 0xFE, 0, 1, 2, 0])
      #expect(throws: VarlinkError.self) { try binary.connection.receive(timeout: .seconds(10)) }

      let before = ContinuousClock.now
      _ = try client.status()
      #expect(ContinuousClock.now - before < .milliseconds(500))
      #expect(try daemon.process.statusNumber("RssAnon") < memory + 32 * 1024)
      withExtendedLifetime(half) {}
    }
  }

  @Test func survivesManyConnections() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.photo()
      let descriptors = try daemon.process.descriptorCount()
      var many = (0..<500).compactMap { _ in try? daemon.client() }
      #expect(many.count > 200)
      let before = ContinuousClock.now
      _ = try client.status()
      #expect(ContinuousClock.now - before < .seconds(1))
      for connection in many { connection.connection.close() }
      many = []
      // served as soon as the closed ones are gone
      let deadline = ContinuousClock.now + .seconds(5)
      var served = false
      while !served, ContinuousClock.now < deadline { served = (try? daemon.client().status()) != nil }
      #expect(served)
      try client.photo()
      pass(0.3)
      #expect(try daemon.process.descriptorCount() <= descriptors + 2)
    }
  }

  /// From the first answer on a subscriber misses nothing.
  @Test func hearsWhatComesRightBehindTheSubscription() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      for round in 0..<100 {
        let events = try daemon.events([.modeChanged])
        let mode: CaptureMode = round % 2 == 0 ? .video : .photo
        try client.setMode(mode)
        #expect(try events.next(.modeChanged, within: .seconds(10)).mode == mode)
      }
    }
  }

  /// Neither a subscriber nor a caller that never reads costs the movie a frame.
  @Test func recordsWhileAClientDoesNotRead() async throws {
    try await withDaemon(share: .half) { daemon in
      let client = try daemon.client()
      let subscriber = try daemon.client()
      try subscriber.send(Subscribe.self, .init(), more: true)
      let caller = try daemon.client()
      try client.start()
      let start = ContinuousClock.now
      do {
        while ContinuousClock.now - start < .seconds(2) {
          try caller.connection.send(
            "org.camd.Camera.GetStatus", ClientConnection.NoParameters(), timeout: .milliseconds(200))
        }
      } catch VarlinkError.timedOut {
        // its calls wait, as it doesn't read the answers
      }
      pass(0.5)
      let result = try client.stop()
      #expect(result.droppedFrames == 0)
      try expectPlayable(result)
      #expect(try result.judge().largestGap() < 2.0 / 30)
      withExtendedLifetime((subscriber, caller)) {}
    }
  }

  /// What a client asked for is done once though it leaves before the answer.
  @Test func finishesWhatAClientThatLeftHadAskedFor() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.photo()
      let events = try daemon.events([.photoSaved, .photoFailed, .recordingStarted, .recordingFinished])
      let count = 100
      for _ in 0..<count {
        let leaving = try daemon.client()
        try leaving.send(TakePhoto.self, .init())
        leaving.connection.close()
        // as many as may wait in the queue, and a few more, are under way at any moment
        if events.history.count < count { try events.nextOfAny(within: .seconds(20)) }
      }
      let saved = events.history.filter { $0.kind == .photoSaved }.compactMap { $0.asset?.path }
      #expect(events.history.count == count)
      #expect(Set(saved).count == saved.count)
      #expect(try Set(daemon.files(".jpg")).isSuperset(of: saved))
      #expect(try daemon.files(".jpg").count == saved.count + 1)

      let starter = try daemon.client()
      try starter.send(StartRecording.self, .init())
      starter.connection.close()
      try events.next(.recordingStarted)
      pass(0.5)
      #expect(try client.camera().recording != nil)
      try expectPlayable(try client.stop())
      try events.next(.recordingFinished)
    }
  }

  /// Photos of clients that leave all at once: each is saved or refused, none twice.
  @Test func accountsForPhotosOfClientsThatLeftTogether() async throws {
    try await withDaemon { daemon in
      let client = try daemon.client()
      try client.photo()
      let events = try daemon.events([.photoSaved, .photoFailed])
      for _ in 0..<60 {
        let leaving = try daemon.client()
        try leaving.send(TakePhoto.self, .init())
        leaving.connection.close()
      }
      for _ in 0..<60 { try events.nextOfAny(within: .seconds(20)) }
      let saved = events.history.filter { $0.kind == .photoSaved }
      #expect(saved.count >= 16)
      #expect(try daemon.files(".jpg").count == saved.count + 1)
      try client.photo()
    }
  }

  /// Python's `varlink`, over introspection.
  @Test func servesAForeignClient() async throws {
    try await withDaemon { daemon in
      let script = """
        import sys, varlink
        with varlink.Client(sys.argv[1]) as client:
          names = sorted(client.get_interfaces())
          assert names == ['org.camd.Camera', 'org.varlink.service'], names
          interface = client.get_interface('org.camd.Camera')
          methods = sorted(n for n, m in interface.members.items() if isinstance(m, varlink.scanner._Method))
          assert methods == sorted(sys.argv[2].split(',')), methods
          with client.open('org.varlink.service') as standard:
            assert standard.GetInfo()['product'] == 'camd'
          with client.open('org.camd.Camera') as camera:
            assert camera.GetStatus()['status']['cameras'][0]['state'] == 'cold'
            assert [c['id'] for c in camera.ListCameras()['cameras']] == ['main']
            assert [m['id'] for m in camera.ListMicrophones()['microphones']] == ['mic']
            photo = camera.TakePhoto()
            assert photo['asset']['width'] == 640 and photo['frameAge'] >= 0
            assert camera.SetMode(mode='video')['mode'] == 'video'
            assert camera.StartRecording(maxDuration=60)['recording']['audio']
            with client.open('org.camd.Camera') as other:
              first = next(iter(other.Subscribe(_more=True)))
              assert first['event']['kind'] == 'subscribed', first
            result = camera.StopRecording()
            assert result['reason'] == 'stopped' and result['frames'] > 0, result
            camera.StartRecording(audio=False)
            assert camera.CancelRecording()['frames'] >= 0
            for method, name, parameters in [
              (camera.StopRecording, 'NotRecording', {}),
              (camera.Preview, 'DescriptorRequired', {}),
              (camera.TakePhoto, 'DescriptorRequired', {'album': False}),
              (camera.StopPreview, 'NoSuchViewer', {'viewer': 'x'}),
              (camera.TakePhoto, 'NoSuchCamera', {'camera': 'x'}),
            ]:
              try:
                method(**parameters)
                assert False, name
              except varlink.VarlinkError as error:
                assert error.error() == 'org.camd.Camera.' + name, error
                assert error.parameters()['message'], error
        print('done')
        """
      let methods = CameraInterface.description.split(separator: "\n").filter { $0.hasPrefix("method ") }
        .compactMap { $0.dropFirst(7).split(separator: "(").first.map(String.init) }
      let result = try Tool.run(["python3", "-c", script, "unix:\(daemon.socket)", methods.joined(separator: ",")])
      #expect(result.output == "done\n", "\(result.errors)")
    }
  }
}
