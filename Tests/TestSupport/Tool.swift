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
    let scratch = try TemporaryFolder()
    let output = Pipe()
    // `timeout` looks after the deadline, `env` after the folder
    let change = folder.map { ["env", "-C", $0] } ?? []
    let process = try ChildProcess(
      ["timeout", "-s", "KILL", String(deadline)] + change + arguments,
      output: output.fileHandleForWriting.fileDescriptor, errors: scratch.file("errors"))
    try output.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    let status: Int32
    switch process.waitForExit(within: deadline + 5) {
    case .exited(let value): status = value
    case .signalled(let signal): status = 128 + signal
    case nil: status = 128 + SIGKILL
    }
    return Result(
      status: status, output: String(decoding: data, as: UTF8.self),
      errors: try String(decoding: Data(contentsOf: URL(filePath: scratch.file("errors"))), as: UTF8.self))
  }
}

extension Tool {
  /// Has players turn an MP4 or QuickTime movie clockwise by so many degrees. Versions of ffmpeg differ in how they are
  /// told to.
  public static func turn(_ path: String, by degrees: Int) throws {
    let result = try run(["exiftool", "-q", "-overwrite_original", "-Rotation=\(degrees)", path])
    guard result.status == 0 else { throw MovieJudge.Misfit(description: "\(path): \(result.errors)") }
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
