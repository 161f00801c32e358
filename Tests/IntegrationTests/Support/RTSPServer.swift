import Foundation
import TestSupport
import Varlink

/// An RTSP camera on the network: GStreamer's own server, by way of Python.
final class RTSPServer: Sendable {
  struct DidNotStart: Error {
    var errors: String
  }

  let port: Int
  private let process: ChildProcess

  /// Serves a picture of 320x240 at 25 frames a second as H.264; on a port that is free, or on that one.
  init(in folder: TestFolder, port: Int = 0) throws {
    let script = """
      import sys, gi
      gi.require_version("Gst", "1.0")
      gi.require_version("GstRtspServer", "1.0")
      from gi.repository import GLib, Gst, GstRtspServer
      Gst.init(None)
      server = GstRtspServer.RTSPServer.new()
      server.set_address("127.0.0.1")
      server.set_service(sys.argv[1])
      factory = GstRtspServer.RTSPMediaFactory.new()
      factory.set_launch("( videotestsrc is-live=true pattern=smpte75 ! video/x-raw,width=320,height=240,framerate=25/1"
        " ! x264enc tune=zerolatency key-int-max=25 ! rtph264pay name=pay0 pt=96 )")
      factory.set_shared(True)
      server.get_mount_points().add_factory("/camera", factory)
      server.attach(None)
      GLib.idle_add(lambda: print(server.get_bound_port(), flush=True))
      GLib.MainLoop().run()
      """
    let errors = folder.file("rtsp\(folder.nextNumber())")
    let output = Pipe()
    // the system's Python has the bindings
    process = try ChildProcess(
      ["/usr/bin/python3", "-c", script, "\(port)"], output: output.fileHandleForWriting.fileDescriptor,
      errors: errors)
    try output.fileHandleForWriting.close()
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(answer.trimmingCharacters(in: .newlines)) else {
      throw DidNotStart(errors: try String(contentsOfFile: errors, encoding: .utf8))
    }
    self.port = port
  }

  deinit { stop() }

  /// The fragment for the configuration.
  static func source(port: Int) -> String {
    "rtspsrc location=rtsp://127.0.0.1:\(port)/camera protocols=tcp latency=100 ! rtph264depay ! h264parse ! avdec_h264"
  }

  /// It falls silent as one whose plug is pulled.
  func stop() { process.send(SIGKILL) }
}
