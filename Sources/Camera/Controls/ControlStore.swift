import CameraProtocol
import FoundationEssentials
import Glibc
import Synchronization

/// The values that users have set, by camera and control: those of this run of the daemon, and those that outlive it,
/// in a JSON file.
public final class ControlStore: Sendable {
  private typealias Values = [String: [String: Double]]

  private struct State {
    /// What is to be set when a camera is opened.
    var wanted: Values = [:]
    /// What the file has.
    var kept: Values = [:]
  }

  private let path: String?
  private let state: Mutex<State>

  /// Reads the file at a path, which needn't be there; nil for none, so that nothing outlives the daemon. What can't be
  /// read is given to `log`, and counts as nothing.
  public init(path: String?, log: Logger) {
    self.path = path
    var kept: Values = [:]
    if let path, access(path, F_OK) == 0 {
      do {
        kept = try JSONDecoder().decode(Values.self, from: try Data(contentsOf: URL(filePath: path)))
      } catch {
        log(.warning, "the kept values of controls in '\(path)' can't be read, and are not set: \(error)")
      }
    }
    state = Mutex(State(wanted: kept, kept: kept))
  }

  /// What is to be set when the camera is opened.
  func wanted(_ camera: String) -> [String: Double] {
    state.withLock { $0.wanted[camera] ?? [:] }
  }

  /// Takes values that have been set; `persist`: for the file as well. Blocks for as long as the disk takes. Throws
  /// where the file can't be written; it is as it was then.
  func keep(_ values: [String: Double], camera: String, persist: Bool) throws(CameraError) {
    try change { state in
      state.wanted[camera, default: [:]].merge(values) { $1 }
      if persist { state.kept[camera, default: [:]].merge(values) { $1 } }
    }
  }

  /// Forgets the values of these controls, also in the file. Blocks and throws as `keep` does.
  func forget(_ names: [String], camera: String) throws(CameraError) {
    try change { state in
      for name in names {
        state.wanted[camera]?[name] = nil
        state.kept[camera]?[name] = nil
      }
      if state.kept[camera]?.isEmpty == true { state.kept[camera] = nil }
    }
  }

  private func change(_ body: (inout State) -> Void) throws(CameraError) {
    let result = state.withLock { state -> Result<Void, CameraError> in
      let before = state.kept
      body(&state)
      guard state.kept != before else { return .success(()) }
      do throws(CameraError) {
        try write(state.kept)
        return .success(())
      } catch {
        state.kept = before
        return .failure(error)
      }
    }
    try result.get()
  }

  private func write(_ values: Values) throws(CameraError) {
    guard let path else {
      throw CameraError(.libraryUnavailable, "there is no folder to keep the values of controls in: HOME is not set")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    do {
      try StateFile.replace(path, with: Array(try encoder.encode(values)))
    } catch {
      let reason = (error as? StateFile.SystemError).map { String(cString: strerror($0.number)) } ?? "\(error)"
      throw CameraError(
        .libraryUnavailable, "the controls are set, but '\(path)' can't keep them: \(reason)", path: path,
        cause: reason)
    }
  }
}
