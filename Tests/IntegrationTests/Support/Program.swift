import Foundation

/// The built programs.
enum Program {
  struct NotFound: Error {}

  /// The path of one of them: next to the bundle of tests.
  static func path(_ name: String) throws -> String {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix(".xctest") }),
      let start = line.firstIndex(of: "/"), let end = line.lastIndex(of: "/")
    else { throw NotFound() }
    return line[start..<end] + "/\(name)"
  }
}
