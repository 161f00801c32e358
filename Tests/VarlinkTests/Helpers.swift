import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Varlink

struct TimedOut: Error {}

/// Runs what may block on a thread of its own.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "blocking").async { continuation.resume(with: Result(catching: body)) }
  }
}

/// Fails where the work takes longer.
func deadline<T: Sendable>(_ limit: Duration = .seconds(10), _ body: @escaping @Sendable () async throws -> T)
  async throws
  -> T
{
  try await withThrowingTaskGroup(of: T.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimedOut()
    }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw TimedOut() }
    return first
  }
}

func makeFolder() throws -> String {
  var template = Array("/tmp/varlink.XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Removes a folder and the plain files in it.
func removeFolder(_ path: String) {
  if let folder = opendir(path) {
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      unlink("\(path)/\(name)")
    }
    closedir(folder)
  }
  rmdir(path)
}

func makePipe() -> (reading: FileDescriptor, writing: FileDescriptor) {
  var ends: [CInt] = [-1, -1]
  pipe(&ends)
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
}

/// Writes all and closes.
func writeAll(_ descriptor: FileDescriptor, _ bytes: [UInt8]) {
  _ = write(descriptor.rawValue, bytes, bytes.count)
  descriptor.close()
}

/// Reads to the end.
func readAll(_ descriptor: FileDescriptor) -> String {
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = read(descriptor.rawValue, &buffer, buffer.count)
    if count <= 0 { return String(decoding: result, as: UTF8.self) }
    result += buffer[..<count]
  }
}

extension ClientConnection {
  /// The message that a reply failed with.
  func error(_ body: (ClientConnection) throws -> Void) -> VarlinkError? {
    do {
      try body(self)
      return nil
    } catch { return error as? VarlinkError }
  }

  /// True once the service has closed the connection, within the limit.
  func isClosed(within limit: Duration = .seconds(10)) -> Bool {
    error { _ = try $0.receive(timeout: limit) } == .disconnected
  }

  func send(text: String) throws { try send(rawMessage: Array(text.utf8)) }
}

extension VarlinkError {
  /// An error reply of that name.
  static func remote(_ name: String, _ parameters: String = "{}") -> VarlinkError {
    .remote(name: name, parameters: Array(parameters.utf8))
  }

  static func invalidParameter(_ parameter: String) -> VarlinkError {
    .remote("org.varlink.service.InvalidParameter", #"{"parameter":"\#(parameter)"}"#)
  }
}
