import CSQLite
import Glibc

/// A connection to an SQLite database. Not for several threads at a time.
///
/// Statements are kept prepared by their text, so texts have no values in them.
final class Database {
  /// A value that a statement is given.
  enum Value: Sendable, Equatable {
    case null
    case integer(Int)
    case real(Double)
    case text(String)

    init(_ value: Int?) { self = value.map { .integer($0) } ?? .null }
    init(_ value: Double?) { self = value.map { .real($0) } ?? .null }
    init(_ value: String?) { self = value.map { .text($0) } ?? .null }
    init(_ value: Bool) { self = .integer(value ? 1 : 0) }
  }

  /// The row that a statement stands at; valid while it is read.
  struct Row {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int) -> Int { Int(sqlite3_column_int64(statement, Int32(column))) }
    func integerOrNil(_ column: Int) -> Int? { isNull(column) ? nil : integer(column) }
    func realOrNil(_ column: Int) -> Double? { isNull(column) ? nil : sqlite3_column_double(statement, Int32(column)) }
    func text(_ column: Int) -> String { textOrNil(column) ?? "" }
    func textOrNil(_ column: Int) -> String? {
      sqlite3_column_text(statement, Int32(column)).map { String(cString: $0) }
    }

    private func isNull(_ column: Int) -> Bool { sqlite3_column_type(statement, Int32(column)) == SQLITE_NULL }
  }

  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Opens a file, which is made where it is missing, or `:memory:`. A statement waits up to two seconds for others.
  init(path: String) throws(DatabaseError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else {
      throw DatabaseError(code: SQLITE_NOMEM, description: "there is no memory for a database")
    }
    guard code == SQLITE_OK else {
      let error = Self.error(opened)
      sqlite3_close_v2(opened)
      throw error
    }
    handle = opened
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, 2000)
    Distance.register(with: opened)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// Runs statements that have no values.
  func execute(_ text: String) throws(DatabaseError) {
    guard sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw Self.error(handle) }
  }

  /// Runs a statement. Returns how many rows it changed.
  @discardableResult
  func run(_ text: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
    _ = try rows(text, values) { _ in () }
    return Int(sqlite3_changes(handle))
  }

  /// The rows that a statement gives, each as `read` makes it.
  func rows<Element>(
    _ text: String, _ values: [Value] = [], _ read: (Row) -> Element
  ) throws(DatabaseError) -> [Element] {
    let statement = try prepared(text)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1), of: statement) }
    var elements: [Element] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: elements.append(read(Row(statement: statement)))
      case SQLITE_DONE: return elements
      default: throw Self.error(handle)
      }
    }
  }

  /// The first row, or nil.
  func first<Element>(
    _ text: String, _ values: [Value] = [], _ read: (Row) -> Element
  ) throws(DatabaseError) -> Element? {
    try rows(text, values, read).first
  }

  /// Does all of it, or, where it throws, nothing.
  func transaction<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // some errors have rolled back already; what went wrong first is what counts
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  private func prepared(_ text: String) throws(DatabaseError) -> OpaquePointer {
    if let statement = statements[text] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw Self.error(handle) }
    statements[text] = statement
    return statement
  }

  private func bind(_ value: Value, at index: Int32, of statement: OpaquePointer) throws(DatabaseError) {
    let code =
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, Int64(number))
      case .real(let number): sqlite3_bind_double(statement, index, number)
      case .text(let text): sqlite3_bind_text(statement, index, strdup(text), -1) { free($0) }
      }
    guard code == SQLITE_OK else { throw Self.error(handle) }
  }

  private static func error(_ handle: OpaquePointer) -> DatabaseError {
    let text = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "no reason given"
    return DatabaseError(code: sqlite3_extended_errcode(handle), description: text)
  }
}
