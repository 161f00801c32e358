import TestSupport
import Testing

@testable import Varlink

@Suite struct InterfaceDescriptionTests {
  @Test func readsEverything() throws {
    let interface = try InterfaceDescription(
      """
      # About
      #  all.
      interface org.example.more-1.x2

      # Not documentation, since a line is free.

      # A shape.
      type Shape (
        size: (width: int, height: int), # inline
        tags: [][]string,
        names: [string]?float,
        colour: ?(red, green),
        next: ?Shape,
        raw: object, any_thing: any
      )
      type Empty ()
      method Do(shape: Shape) -> (ok: bool)
      error Bad()
      """)
    #expect(interface.name == "org.example.more-1.x2")
    #expect(interface.documentation == "About\nall.")
    #expect(interface.types.map(\.name) == ["Shape", "Empty"])
    #expect(interface.types[0].documentation == "A shape.")
    guard case .structure(let fields) = interface.types[0].type else { throw TimedOut() }
    let size: [InterfaceDescription.Field] = [.init(name: "width", type: .int), .init(name: "height", type: .int)]
    #expect(
      fields == [
        .init(name: "size", type: .structure(size)),
        .init(name: "tags", type: .array(.array(.string))),
        .init(name: "names", type: .map(.optional(.float))),
        .init(name: "colour", type: .optional(.enumeration(["red", "green"]))),
        .init(name: "next", type: .optional(.named("Shape"))),
        .init(name: "raw", type: .object), .init(name: "any_thing", type: .any),
      ])
    #expect(interface.method(named: "Do")?.reply == [.init(name: "ok", type: .bool)])
    #expect(interface.errors.map(\.name) == ["Bad"])
  }

  @Test(arguments: [
    ("", 1), ("interface x", 1), ("interface 1.x", 1), ("interface a.b\ntype lower ()", 2),
    ("interface a.b\n\ntype A (x: Missing)", 3), ("interface a.b\ntype A (x: ??int)", 2),
    ("interface a.b\ntype A (x: int, x: int)", 2), ("interface a.b\ntype A ()\ntype A ()", 3),
    ("interface a.b\ntype A (x: int, y)", 2), ("interface a.b\nmethod A() (x: int)", 2),
    ("interface a.b\ntype A (x: [int]string)", 2), ("interface a.b\ntype A (x: int", 2),
    ("interface a.b\nmethod A(x, y) -> ()", 2), ("interface a.b\nthing A ()", 2),
  ])
  func refuses(text: String, line: Int) throws {
    let error = try refusal(InterfaceDescription.ParseError.self) { _ = try InterfaceDescription(text) }
    #expect(error.line == line)
  }

  @Test func deepNestingIsRefused() {
    let text = "interface a.b\ntype A (x: " + String(repeating: "[]", count: 100_000) + "int)"
    #expect(throws: InterfaceDescription.ParseError.self) { try InterfaceDescription(text) }
  }

  @Test(
    arguments: [
      (#"{"text":"a"}"#, nil), (#"{"text":"a","number":null}"#, nil), (#" { "text" : "a" , "number" : -3 } "#, nil),
      (#"{"text":"a","ratio":1}"#, nil), (#"{"text":"a","ratio":1.5e3}"#, nil), (#"{"te\u0078t":"\ud83d\ude00"}"#, nil),
      (#"{"text":"a","kinds":["red"],"counts":{"x":1},"pair":{"left":1,"right":{"left":2}}}"#, nil),
      (#"{"text":"a","anything":[[{}]],"extra":{"a":[]}}"#, nil),
      ("{}", "text"), (#"{"text":null}"#, "text"), (#"{"text":1}"#, "text"), (#"{"text":"a","other":1}"#, "other"),
      (#"{"text":"a","text":"b"}"#, "text"), (#"{"text":"a","number":"1"}"#, "number"),
      (#"{"text":"a","number":1.5}"#, "number"), (#"{"text":"a","number":1e3}"#, "number"),
      (#"{"text":"a","number":9223372036854775808}"#, "number"), (#"{"text":"a","ratio":1e999}"#, "ratio"),
      (#"{"text":"a","ratio":"1"}"#, "ratio"), (#"{"text":"a","flag":0}"#, "flag"),
      (#"{"text":"a","kinds":["red","blue"]}"#, "kinds[1]"), (#"{"text":"a","kinds":"red"}"#, "kinds"),
      (#"{"text":"a","counts":{"x":1,"y":true}}"#, "counts.y"), (#"{"text":"a","counts":{"x":1,"x":2}}"#, "counts.x"),
      (#"{"text":"a","pair":{"left":1,"right":{}}}"#, "pair.right.left"), (#"{"text":"a","extra":[]}"#, "extra"),
    ] as [(String, String?)])
  func checksParameters(json: String, wrong: String?) throws {
    let interface = try InterfaceDescription(TestService.text)
    let method = try #require(interface.method(named: "Echo"))
    do {
      try interface.check(parameters: Array(json.utf8), of: method)
      #expect(wrong == nil)
    } catch let error as ServiceError {
      #expect((error.parameters as? [String: String]) == ["parameter": wrong ?? "none"])
    }
  }
}
