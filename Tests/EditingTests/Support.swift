import CameraProtocol
import Editing
import Foundation
import GStreamer
import TestSupport

/// Cuts a file by its path.
func trim(
  _ source: String, to target: String, from start: Double, to end: Double?,
  progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
) throws -> TrimmedMovie {
  try GStreamer.initialize()
  let input = open(source, O_RDONLY | O_CLOEXEC)
  defer { close(input) }
  let plan = try MovieTrimmer.plan(source: input, from: start, to: end)
  let output = open(target, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  defer { close(output) }
  return try MovieTrimmer().run(
    plan, source: input, target: output, progress: progress, isCancelled: isCancelled)
}

/// Plans the cut of a file.
func plan(_ source: String, from start: Double, to end: Double?) throws -> TrimPlan {
  let input = open(source, O_RDONLY | O_CLOEXEC)
  defer { close(input) }
  return try MovieTrimmer.plan(source: input, from: start, to: end)
}
