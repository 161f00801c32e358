import Foundation

/// A program that judges or makes files for a test.
public struct Tool: Sendable {
  /// What a run of a program left.
  public struct Result: Sendable {
    /// Its exit status; 128 and the signal's number where a signal ended it.
    public var status: Int32
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
  }

  /// Runs a program found on the PATH and waits for its end. After `deadline` seconds it is killed.
  public static func run(_ arguments: [String], deadline: Double = 60, in folder: String? = nil) throws -> Result {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    process.arguments = ["-s", "KILL", String(deadline)] + arguments
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    process.standardInput = FileHandle.nullDevice
    let errors = FileManager.default.temporaryDirectory.appending(path: "camd-tool-\(UUID().uuidString)")
    try Data().write(to: errors)
    defer { try? FileManager.default.removeItem(at: errors) }
    process.standardError = try FileHandle(forWritingTo: errors)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let status = process.terminationStatus
    return Result(
      status: process.terminationReason == .uncaughtSignal ? 128 + status : status,
      output: String(decoding: data, as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}

/// A folder that is gone when the test is over.
public final class TemporaryFolder: Sendable {
  /// The folder's path.
  public let path: String

  /// Makes the folder; `inMemory` where many small files are written and nothing depends on a real disk.
  public init(inMemory: Bool = false) throws {
    let memory = URL(filePath: "/dev/shm")
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    path = parent.appending(path: "camd-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in it.
  public func file(_ name: String) -> String { "\(path)/\(name)" }
}
