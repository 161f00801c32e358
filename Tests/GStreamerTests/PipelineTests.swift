import GStreamer
import Synchronization
import Testing

/// The wrapper, on the real library.
@Suite struct PipelineTests {
  private let clock: SystemClock

  init() throws {
    try GStreamer.initialize()
    clock = SystemClock()
  }

  @Test(arguments: [
    "nosuchelement ! fakesink", "videotestsrc !", "videotestsrc pattern=nosuch ! fakesink", "", "a b c !!",
  ])
  func whatDoesNotParseIsAnError(_ line: String) {
    #expect(throws: GStreamerError.self) { try Pipeline.check(fragment: line) }
  }

  @Test(arguments: [("num-buffers", "abc"), ("num-buffers", "0,5"), ("pattern", "nosuch"), ("nosuch", "1")])
  func propertiesAreChecked(_ property: String, _ value: String) throws {
    let pipeline = try Pipeline(launch: "videotestsrc name=source ! fakesink", clock: clock)
    let source = try pipeline.element("source")
    #expect(throws: GStreamerError.self) { try source.set(property, value) }
    try source.set("num-buffers", "5")
    #expect(source.integer("num-buffers") == 5)
  }

  @Test func aTextPropertyIsTakenAsItIs() throws {
    let pipeline = try Pipeline(launch: "videotestsrc ! filesink name=sink", clock: clock)
    let sink = try pipeline.element("sink")
    let path = "/tmp/with \"quotes\" and 100%d, ünï"
    try sink.set("location", path)
    #expect(sink.text("location") == path)
  }

  @Test(.timeLimit(.minutes(1))) func samplesArriveInOrderAndTheStreamEnds() async throws {
    let pipeline = try Pipeline(
      launch: "videotestsrc num-buffers=10 ! video/x-raw,format=I420,width=64,height=48,framerate=30/1 ! "
        + "appsink name=sink sync=false", clock: clock)
    let sink = try AppSink(pipeline, "sink")
    let times = Mutex<[UInt64]>([])
    sink.onSample { sample in
      let time = sample.runningTime
      times.withLock { $0.append(time) }
    }
    try pipeline.play()
    for await message in pipeline.messages {
      guard case .endOfStream = message else { continue }
      break
    }
    pipeline.stop()
    let seen = times.withLock { $0 }
    #expect(seen.count == 10)
    #expect(seen == seen.sorted())
  }

  @Test(.timeLimit(.minutes(1))) func anErrorNamesItsSituation() async throws {
    let pipeline = try Pipeline(launch: "filesrc location=/nosuch/file ! fakesink", clock: clock)
    #expect(throws: GStreamerError.self) { try pipeline.play() }
    pipeline.stop()
    var situations: [GStreamerError.Situation] = []
    for await message in pipeline.messages {
      if case .error(let error) = message { situations.append(error.situation) }
    }
    #expect(situations.first == .notFound)
  }

  @Test(.timeLimit(.minutes(1))) func timesAreCountedFromTheOriginOfAConsumer() async throws {
    let pipeline = try Pipeline(
      launch: "appsrc name=in format=time ! appsink name=out sync=false", clock: clock)
    let input = try AppSource(pipeline, "in")
    let output = try AppSink(pipeline, "out")
    input.setCaps(try Caps("audio/x-raw,format=S16LE,rate=48000,channels=2,layout=interleaved"))
    input.setOrigin(5_000_000_000)
    try pipeline.play()
    input.pushZeros(400, runningTime: 5_000_000_000, duration: 2_083_333)
    input.pushZeros(400, runningTime: 5_002_083_333, duration: 2_083_333)
    var times: [UInt64] = []
    for _ in 0..<2 {
      guard let sample = output.pull(timeout: 5_000_000_000) else { break }
      times.append(sample.runningTime)
    }
    #expect(times == [0, 2_083_333])
    pipeline.stop()
  }

  @Test func quotingKeepsEverything() throws {
    let value = "a \"b\" \\ ! c"
    let pipeline = try Pipeline(
      launch: "fakesrc name=\(LaunchLine.quote("source")) ! filesink name=sink location=\(LaunchLine.quote(value))",
      clock: clock)
    #expect(try pipeline.element("sink").text("location") == value)
  }
}
