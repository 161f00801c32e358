internal import CSocket
internal import Glibc

/// Reads and writes on a stream socket, with descriptors.
enum Transport {
  /// More descriptors than any message may carry; what does not fit the bound is seen and closed.
  static let descriptorCapacity = 64

  /// What one read brought.
  enum Input {
    /// So many bytes of the buffer, and descriptors.
    case bytes(Int, [FileDescriptor])
    case nothingYet
    case end
    case failed(SystemError)
    /// More descriptors came than there was room for, or than this process may have open.
    case descriptorsLost
  }

  static func receive(_ socket: CInt, into buffer: UnsafeMutableRawBufferPointer) -> Input {
    withUnsafeTemporaryAllocation(
      byteCount: csocket_control_space(descriptorCapacity), alignment: MemoryLayout<cmsghdr>.alignment
    ) { control in
      var vector = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
      return withUnsafeMutablePointer(to: &vector) { vector in
        var header = msghdr()
        header.msg_iov = vector
        header.msg_iovlen = 1
        header.msg_control = control.baseAddress
        header.msg_controllen = control.count
        var count: Int
        repeat {
          count = recvmsg(socket, &header, CInt(MSG_CMSG_CLOEXEC) | CInt(MSG_DONTWAIT))
        } while count < 0 && errno == EINTR
        guard count >= 0 else {
          return errno == EAGAIN ? .nothingYet : .failed(SystemError("receive"))
        }
        var numbers = [CInt](repeating: -1, count: descriptorCapacity)
        let received = csocket_get_descriptors(&header, &numbers, descriptorCapacity)
        let descriptors = numbers.prefix(received).map { FileDescriptor(owning: $0) }
        if header.msg_flags & CInt(MSG_CTRUNC) != 0 { return .descriptorsLost }
        return count == 0 ? .end : .bytes(count, descriptors)
      }
    }
  }

  /// What became of a write.
  enum Output {
    case sent(Int)
    case full
    case failed(SystemError)
  }

  /// Writes as much as there is room for. Descriptors go with the first byte.
  static func send(_ socket: CInt, _ bytes: ArraySlice<UInt8>, descriptors: [FileDescriptor]) -> Output {
    bytes.withUnsafeBytes { bytes in
      withUnsafeTemporaryAllocation(
        byteCount: csocket_control_space(descriptors.count), alignment: MemoryLayout<cmsghdr>.alignment
      ) { control in
        var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
        return withUnsafeMutablePointer(to: &vector) { vector in
          var header = msghdr()
          header.msg_iov = vector
          header.msg_iovlen = 1
          if !descriptors.isEmpty {
            control.initializeMemory(as: UInt8.self, repeating: 0)
            header.msg_control = control.baseAddress
            header.msg_controllen = control.count
            csocket_put_descriptors(&header, descriptors.map(\.rawValue), descriptors.count)
          }
          var count: Int
          repeat {
            count = sendmsg(socket, &header, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
          } while count < 0 && errno == EINTR
          if count >= 0 { return .sent(count) }
          return errno == EAGAIN ? .full : .failed(SystemError("send"))
        }
      }
    }
  }
}
