import Testing

@testable import Camera

/// Those who wait for a value get it, or get away in time.
@Suite(.timeLimit(.minutes(1))) struct PromiseTests {
  /// A deadline that passes before the wait has begun is over all the same.
  @Test func theShortestDeadlinesPass() async {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<2000 {
        group.addTask {
          let promise = Promise<Int>()
          #expect(await promise.value(within: .nanoseconds(number % 3)) == nil)
        }
      }
    }
  }

  @Test func aCancelledWaitEnds() async {
    let promise = Promise<Int>()
    let waits = (0..<100).map { _ in Task { await promise.value(within: nil) } }
    for wait in waits { wait.cancel() }
    for wait in waits { #expect(await wait.value == nil) }
  }

  @Test func theFirstValueCountsForAll() async {
    let promise = Promise<Int>()
    let waits = (0..<100).map { _ in Task { await promise.value(within: .seconds(30)) } }
    #expect(promise.fulfil(1))
    #expect(!promise.fulfil(2))
    for wait in waits { #expect(await wait.value == 1) }
    #expect(await promise.value(within: .zero) == 1)
  }
}
