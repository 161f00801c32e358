import Synchronization
import Glibc

/// The files that this process is just giving their names, so that nobody here takes them for somebody else's.
final class OwnFiles: Sendable {
  private let inodes = Mutex<[Int: Int]>([:])

  func contains(_ inode: Int) -> Bool { inodes.withLock { $0[inode] != nil } }

  /// Claims an open file for as long as `body` runs.
  func claim<Result, Failure: Error>(
    _ descriptor: Int32, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var status = stat()
    let inode = fstat(descriptor, &status) == 0 ? FileStamp(status).inode : 0
    inodes.withLock { $0[inode, default: 0] += 1 }
    defer {
      inodes.withLock { inodes in
        let count = (inodes[inode] ?? 1) - 1
        inodes[inode] = count > 0 ? count : nil
      }
    }
    return try body()
  }
}
