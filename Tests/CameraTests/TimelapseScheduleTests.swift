import Testing

@testable import Camera

/// Pictures are due by the start, whatever became of those before.
@Suite struct TimelapseScheduleTests {
  @Test func aLatePictureShiftsNoOther() {
    var schedule = TimelapseSchedule(start: 1000, interval: 100)
    #expect(schedule.due == 1000)
    schedule.advance()
    #expect(schedule.due == 1100)
    // 99 late is late, and nothing is passed over
    #expect(schedule.passOver(at: 1199) == 0)
    schedule.advance()
    #expect(schedule.due == 1200)
  }

  @Test func picturesWhoseSuccessorsAreDueArePassedOver() {
    var schedule = TimelapseSchedule(start: 1000, interval: 100)
    #expect(schedule.passOver(at: 1350) == 3)
    #expect(schedule.due == 1300)
    #expect(schedule.passOver(at: 1350) == 0)
    #expect(schedule.passOver(at: 900) == 0)
  }

  @Test func itEndsAfterTheLastOne() {
    var schedule = TimelapseSchedule(start: 0, interval: 100, count: 3)
    for due: UInt64 in [0, 100, 200] {
      #expect(schedule.due == due)
      schedule.advance()
    }
    #expect(schedule.due == nil)
    #expect(schedule.passOver(at: 10_000) == 0)

    var late = TimelapseSchedule(start: 0, interval: 100, count: 3)
    #expect(late.passOver(at: 10_000) == 3)
    #expect(late.due == nil)
  }

  @Test func manyIntervalsDoNotDrift() {
    var schedule = TimelapseSchedule(start: 7, interval: 333_333_333)
    for _ in 0..<1000 { schedule.advance() }
    let due: UInt64? = 333_333_333_007
    #expect(schedule.due == due)
  }
}
