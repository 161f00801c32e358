import CameraProtocol

/// Going cold.
extension CameraSession {
  /// Lets the session go cold when nothing has used it for a while.
  func armIdleTimer() {
    idleTimer?.cancel()
    guard source != nil else { return }
    let timeout = settings.idleTimeout
    idleTimer = Task { [weak self] in
      do { try await Task.sleep(for: timeout) } catch { return }
      await self?.becomeIdle()
    }
  }

  private func becomeIdle() async {
    guard pendingPhotos == 0 else { return armIdleTimer() }
    do {
      _ = try await perform(.idle)
    } catch {
      settings.log(.error, "\(error)")
    }
  }
}
