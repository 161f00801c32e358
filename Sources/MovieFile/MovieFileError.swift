#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Why a movie file could not be read or finished.
public struct MovieFileError: Error, Sendable, Equatable {
  /// The situation.
  public enum Kind: String, Sendable {
    /// The file is not an MP4.
    case notAMovie
    /// It is one, but its boxes contradict themselves or its end is missing.
    case damaged
    /// It uses something that this code doesn't know.
    case unsupported
    /// It holds no whole picture and no whole piece of sound.
    case noSamples
    /// It claims more samples or boxes than any recording has.
    case tooLarge
    /// The file system refused; `errno` says why.
    case fileSystem
  }

  /// The situation.
  public var kind: Kind
  /// What is wrong, for people.
  public var message: String
  /// The system's error number where the file system refused.
  public var errno: Int32?

  /// An error of these values.
  public init(_ kind: Kind, _ message: String, errno: Int32? = nil) {
    self.kind = kind
    self.message = message
    self.errno = errno
  }

  static func system(_ action: String, _ number: Int32) -> MovieFileError {
    MovieFileError(.fileSystem, "\(action): \(String(cString: strerror(number)))", errno: number)
  }
}

extension MovieFileError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
