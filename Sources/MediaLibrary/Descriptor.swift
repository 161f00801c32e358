import Glibc

/// An open file or folder; closed when it goes.
struct Descriptor: ~Copyable {
  let rawValue: Int32

  init(owning rawValue: Int32) { self.rawValue = rawValue }

  deinit { close(rawValue) }

  /// Hands the descriptor over to who closes it from now on.
  consuming func release() -> Int32 {
    let value = rawValue
    discard self
    return value
  }

  var status: stat? {
    var status = stat()
    return fstat(rawValue, &status) == 0 ? status : nil
  }
}

/// Which file or folder it is, whatever its path.
struct FileIdentity: Sendable, Equatable {
  var device: UInt64
  var inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Which folder it is, told from one that stands in its place on another disk: the next disk that is mounted may get the
/// device number of the one before, and root folders have the same inode.
struct FolderIdentity: Sendable, Equatable {
  private let folder: FileIdentity
  private let fileSystem: UInt

  /// Nil where it can't be looked at.
  init?(_ folder: Int32) {
    var (status, system) = (stat(), statvfs())
    guard fstat(folder, &status) == 0, fstatvfs(folder, &system) == 0 else { return nil }
    (self.folder, fileSystem) = (FileIdentity(status), system.f_fsid)
  }
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// A readable descriptor of an asset, to be handed to a client; closed when it goes.
public final class AssetDescriptor: Sendable {
  /// The descriptor; it is valid as long as this object lives.
  public let rawValue: Int32

  init(_ descriptor: consuming Descriptor) { rawValue = descriptor.release() }

  deinit { close(rawValue) }
}
