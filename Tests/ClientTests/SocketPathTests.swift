import Testing

@testable import CameraClient

@Suite struct SocketPathTests {
  private func path(_ environment: [String: String], root: Bool = false, existing: [String] = []) -> String {
    SocketPath.preferred(environment: { environment[$0] }, isRoot: root, exists: existing.contains)
  }

  @Test func followsTheRule() {
    let own = "/run/user/1/camd/camd.sock"
    let user = ["XDG_RUNTIME_DIR": "/run/user/1"]
    #expect(path(["CAMD_SOCKET": "/x", "XDG_RUNTIME_DIR": "/run/user/1"], root: true) == "/x")
    #expect(path(["CAMD_SOCKET": ""], root: true) == SocketPath.system)
    #expect(path(user, root: true, existing: [own]) == SocketPath.system)
    #expect(path(user, existing: [own, SocketPath.system]) == own)
    #expect(path(user, existing: [SocketPath.system]) == SocketPath.system)
    #expect(path(user) == own)
    #expect(path([:]) == SocketPath.system)
    #expect(path(["XDG_RUNTIME_DIR": "relative"]) == SocketPath.system)
  }
}
