import CameraProtocol

/// Going cold.
extension CameraSession {
  /// Lets the session go cold when nothing has used it for a while.
  func armIdleTimer() {
    lastUse = .now
    guard source != nil, idleTimer == nil else { return }
    idleTimer = Task { [weak self] in
      // one timer, however often the session is used meanwhile
      while let rest = await self?.restUntilIdle, rest > .zero {
        do { try await Task.sleep(for: rest) } catch { return }
      }
      await self?.becomeIdle()
    }
  }

  private var restUntilIdle: Duration { settings.idleTimeout - lastUse.duration(to: .now) }

  private func becomeIdle() async {
    idleTimer = nil
    guard pendingPhotos == 0, !cancellations.contains(where: \.holdsCamera),
      !(timelapse?.holdsCamera ?? false)
    else { return armIdleTimer() }
    do {
      _ = try await perform(.idle)
      if source == nil { strain = Strain() }
    } catch {
      settings.log(.error, "\(error)")
    }
  }
}
