import CSQLite

/// What SQLite refused.
struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Its extended result code.
  var code: Int32
  /// What it says of it.
  var description: String

  /// The file is damaged, or no database at all.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }

  /// The disk is full or read-only, or fails.
  var isRefusal: Bool {
    [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM].contains(code & 0xFF)
  }
}
