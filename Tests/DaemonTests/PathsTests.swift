import Testing

@testable import camd

@Suite struct PathsTests {
  private func user(_ variables: [String: String]) -> Environment { Environment(variables: variables, userID: 1000) }

  @Test func socket() throws {
    let session = user(["XDG_RUNTIME_DIR": "/run/user/1000"])
    let root = Environment(variables: ["XDG_RUNTIME_DIR": "/run/user/0"], userID: 0)
    #expect(try Paths.socket(option: "/tmp/s", environment: session) == "/tmp/s")
    #expect(try Paths.socket(option: nil, environment: session) == "/run/user/1000/camd/camd.sock")
    #expect(try Paths.socket(option: nil, environment: root) == "/run/camd/camd.sock")
    #expect(try Paths.socket(option: "s", environment: root).hasSuffix("/s"))
    #expect(try Paths.socket(option: "s", environment: root).hasPrefix("/"))
    for variables in [[:], ["XDG_RUNTIME_DIR": ""], ["XDG_RUNTIME_DIR": "run"]] {
      #expect(throws: Paths.Unknown.self) { try Paths.socket(option: nil, environment: user(variables)) }
    }
  }

  @Test func libraryComesFromTheFirstThatNamesOne() throws {
    var configuration = Configuration()
    configuration.library = "/srv/album"
    let service = user(["STATE_DIRECTORY": "/var/lib/camd:/var/lib/other", "HOME": "/home/ada"])
    #expect(try Paths.library(option: "/o", configuration: configuration, environment: service) == "/o")
    #expect(try Paths.library(option: nil, configuration: configuration, environment: service) == "/srv/album")
    #expect(try Paths.library(option: nil, configuration: Configuration(), environment: service) == "/var/lib/camd")
  }

  /// A line of `user-dirs.dirs` and the folder that it means.
  @Test(arguments: [
    ("XDG_PICTURES_DIR=\"$HOME/Bilder\"", "HOME/Bilder/camd"), ("XDG_PICTURES_DIR=\"/srv/p\"", "/srv/p/camd"),
    ("XDG_PICTURES_DIR=\"$HOME/\"", "HOME/Pictures/camd"), ("XDG_PICTURES_DIR=\"relative\"", "HOME/Pictures/camd"),
    ("# XDG_PICTURES_DIR=\"/no\"\nXDG_MUSIC_DIR=\"/m\"", "HOME/Pictures/camd"), ("", "HOME/Pictures/camd"),
  ])
  func libraryIsInTheUsersPictures(line: String, expected: String) throws {
    try withTemporaryFolder { home in
      if !line.isEmpty { try writeFile("# written by xdg-user-dirs\n\(line)\n", to: "\(home)/.config/user-dirs.dirs") }
      let library = try Paths.library(
        option: nil, configuration: Configuration(), environment: user(["HOME": home]))
      #expect(library == expected.replacing("HOME", with: home))
    }
  }

  @Test func keptControlsAreState() {
    let service = user(["STATE_DIRECTORY": "/var/lib/camd:/var/lib/other", "HOME": "/home/ada"])
    #expect(Paths.state("controls.json", environment: service) == "/var/lib/camd/controls.json")
    let ada = user(["HOME": "/home/ada"])
    #expect(Paths.state("controls.json", environment: ada) == "/home/ada/.local/state/camd/controls.json")
    #expect(
      Paths.state("x", environment: user(["HOME": "/home/ada", "XDG_STATE_HOME": "/s"])) == "/s/camd/x")
    #expect(Paths.state("controls.json", environment: Environment(variables: [:], userID: 4_000_000_000)) == nil)
  }

  @Test func aUserWithoutAHomeIsTold() {
    let nobody = Environment(variables: [:], userID: 4_000_000_000)
    #expect(throws: Paths.Unknown.self) {
      try Paths.library(option: nil, configuration: Configuration(), environment: nobody)
    }
  }
}
