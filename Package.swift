// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource]? = nil) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "camd",
  products: [
    .executable(name: "camd", targets: ["camd"]),
    .executable(name: "camctl", targets: ["camctl"]),
    .executable(name: "camd-gpsd", targets: ["camd-gpsd"]),
  ],
  targets: [
    .systemLibrary(name: "CGStreamer", pkgConfig: "gstreamer-pbutils-1.0"),
    .systemLibrary(name: "CGExiv2", pkgConfig: "gexiv2"),
    .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CVideo4Linux"),
    .target(name: "CSocket"),
    .target(name: "CFileSystem"),
    .target(name: "CProcess"),

    room("GStreamer", ["CGStreamer"]),
    room("CameraProtocol", resources: [.embedInCode("org.camd.Camera.varlink")]),
    room("Varlink", ["CSocket"]),
    room("MovieFile"),
    room("PhotoFile", ["CGExiv2", "CameraProtocol"]),
    room("MediaLibrary", ["GStreamer", "MovieFile", "PhotoFile", "CameraProtocol", "CFileSystem", "CSQLite"]),
    room("Camera", ["GStreamer", "MediaLibrary", "MovieFile", "PhotoFile", "CameraProtocol", "CVideo4Linux"]),
    room(
      "Editing",
      [
        "MediaLibrary", "MovieFile", "PhotoFile", "GStreamer", "CameraProtocol", "CFileSystem", "CProcess",
        "CTurboJPEG",
      ]),
    room("CameraService", ["Camera", "Editing", "MediaLibrary", "CameraProtocol", "Varlink"]),
    room("CameraClient", ["CameraProtocol", "Varlink"]),
    program("camd", ["CameraService", "Camera", "Editing", "MediaLibrary", "GStreamer", "CameraProtocol", "Varlink"]),
    program("camctl", ["CameraClient", "CameraProtocol", "Varlink"]),
    program("camd-gpsd", ["CameraClient", "CameraProtocol", "Varlink"]),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    tests("CameraProtocolTests", ["CameraProtocol", "Varlink"]),
    .executableTarget(
      name: "varlink-test-server", dependencies: ["Varlink"], path: "Tests/VarlinkTestServer", swiftSettings: settings),
    tests("VarlinkTests", ["Varlink", "TestSupport", "varlink-test-server"]),
    tests("ClientTests", ["camctl", "CameraClient", "CameraProtocol", "Varlink", "TestSupport"]),
    tests("MovieFileTests", ["MovieFile", "TestSupport"]),
    tests("PhotoFileTests", ["PhotoFile", "CameraProtocol", "TestSupport"]),
    tests(
      "MediaLibraryTests",
      ["MediaLibrary", "GStreamer", "MovieFile", "PhotoFile", "CameraProtocol", "TestSupport", "library-steps"]),
    .executableTarget(
      name: "library-steps", dependencies: ["MediaLibrary", "CameraProtocol"], path: "Tests/LibrarySteps",
      swiftSettings: settings),
    tests(
      "EditingTests",
      ["Editing", "CameraProtocol", "GStreamer", "MediaLibrary", "MovieFile", "PhotoFile", "TestSupport"]),
    tests("GStreamerTests", ["GStreamer", "TestSupport"]),
    tests("CameraTests", ["Camera", "CVideo4Linux", "GStreamer", "MediaLibrary", "MovieFile", "TestSupport"]),
    tests("DaemonTests", ["camd", "Camera", "CameraProtocol", "Varlink", "TestSupport"]),
    tests(
      "IntegrationTests", ["CameraClient", "CameraProtocol", "Varlink", "TestSupport", "camd", "camctl", "camd-gpsd"]),
  ]
)
