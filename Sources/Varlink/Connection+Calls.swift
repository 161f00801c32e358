internal import Glibc

extension Connection {
  private static let chunkSize = 1 << 16

  /// Reads once; a client with more to say gets its next turn after the others.
  func read(_ state: inout State) {
    withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 1) { buffer in
      switch Transport.receive(socket.rawValue, into: buffer) {
      case .bytes(let count, let descriptors):
        state.input.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]), descriptors: descriptors)
      case .nothingYet: if state.phase == .hungUp { state.inputEnded = true }
      case .end: state.inputEnded = true
      case .failed:
        state.inputEnded = true
        hangUp(&state)
      case .descriptorsLost: refuse(&state, "more descriptors than can be taken")
      }
    }
  }

  /// Begins calls while there are any and the state allows it.
  func advance(_ state: inout State) {
    while state.phase != .closed && state.running == nil && !isBackedUp(state) {
      if state.isDraining {
        if state.output.isEmpty { close(&state) }
        break
      }
      if let message = state.input.next() {
        if message.bytes.count > limits.maxMessageBytes {
          refuse(&state, "\(VarlinkError.messageTooLarge(limit: limits.maxMessageBytes))")
        } else if message.descriptors.count > limits.maxDescriptors {
          refuse(&state, "more descriptors than can be taken")
        } else {
          begin(message, &state)
        }
      } else if state.input.count > limits.maxMessageBytes {
        refuse(&state, "\(VarlinkError.messageTooLarge(limit: limits.maxMessageBytes))")
      } else if state.input.descriptorCount > limits.maxDescriptors {
        refuse(&state, "more descriptors than can be taken")
      } else if state.inputEnded {
        if state.output.isEmpty { close(&state) }
        break
      } else if state.phase == .hungUp {
        read(&state)
      } else {
        break
      }
    }
    updateInterest(&state)
  }

  /// Begins a call, or answers at once what needs no handler.
  private func begin(_ message: MessageBuffer.Message, _ state: inout State) {
    let call: CallMessage
    do {
      call = try CallMessage(message.bytes)
    } catch {
      return refuse(&state, "\(error)")
    }
    if state.phase == .hungUp && !call.oneway { return }
    let answer: ReplyMessage
    do {
      switch try router.route(call) {
      case .answer(let reply): answer = reply
      case .service(let service):
        let id = state.nextCallID
        state.nextCallID += 1
        let descriptors = CallDescriptors(message.descriptors)
        let task = Task {
          await self.run(
            Call(call, descriptors: descriptors, peer: self.peer, connectionID: self.id),
            ReplyWriter(connection: self, callID: id, call: call), service)
          descriptors.closeAll()
          self.finish(id)
        }
        state.running = Running(id: id, task: task, oneway: call.oneway)
        return
      }
    } catch {
      guard let error = error as? ServiceError, let reply = try? ReplyMessage(error) else {
        return refuse(&state, "\(error)")
      }
      answer = reply
    }
    guard !call.oneway else { return }
    do {
      state.output.append(try answer.encoded(), descriptors: [])
      flush(&state)
    } catch {
      refuse(&state, "\(error)")
    }
  }

  /// Lets the service handle a call and answers where it failed to.
  private func run(_ call: Call, _ replies: ReplyWriter, _ service: any Service) async {
    do {
      try await service.handle(call, replies)
      if call.oneway || isAnswered { return }
      throw VarlinkError.noReply
    } catch {
      let answer = error as? ServiceError ?? service.serviceError(for: error, in: call)
      do {
        try replies.reply(answer)
      } catch VarlinkError.disconnected, VarlinkError.tooSlow, VarlinkError.alreadyReplied {
        // Nobody is there to be told.
      } catch {
        change { refuse(&$0, "an error that can't be sent: \(error)") }
      }
    }
  }

  private var isAnswered: Bool { change { $0.running?.isAnswered ?? true } }

  private func finish(_ callID: UInt64) {
    change { state in
      guard state.running?.id == callID else { return }
      state.running = nil
      advance(&state)
    }
  }

  /// Sends a reply, or keeps it until the client reads.
  func send(_ bytes: [UInt8], descriptors: [FileDescriptor], isLast: Bool, ofCall callID: UInt64) throws {
    let failure: VarlinkError? = change { state in
      guard state.phase == .open else { return .disconnected }
      guard let running = state.running, running.id == callID, !running.isAnswered else { return .alreadyReplied }
      if !isLast && isBackedUp(state) {
        state.effects.append(.report("disconnected: \(VarlinkError.tooSlow)"))
        hangUp(&state)
        return .tooSlow
      }
      state.running?.isAnswered = isLast
      if !isLast {
        state.running?.isStream = true
        if state.isDraining { state.effects.append(.cancel(running.task)) }
      }
      state.output.append(bytes, descriptors: descriptors)
      flush(&state)
      updateInterest(&state)
      return state.phase == .open ? nil : .disconnected
    }
    if let failure { throw failure }
  }

  /// Writes what the client has room for.
  func flush(_ state: inout State) {
    do throws(SystemError) {
      let wrote = try state.output.flush(to: socket.rawValue)
      if wrote || state.outputDeadline == nil { state.outputDeadline = .now + limits.writeTimeout }
    } catch {
      hangUp(&state)
    }
  }
}
