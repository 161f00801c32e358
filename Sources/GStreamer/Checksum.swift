import CGStreamer

/// Checksums of GLib.
public enum Checksum {
  /// MD5 in lower-case hexadecimal, which names files in the thumbnail cache. Not for secrets.
  public static func md5(_ text: String) -> String {
    guard let sum = g_compute_checksum_for_string(G_CHECKSUM_MD5, text, -1) else { return "" }
    defer { g_free(sum) }
    return String(cString: sum)
  }
}
