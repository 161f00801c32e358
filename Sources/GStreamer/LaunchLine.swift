/// Writing values into launch lines.
public enum LaunchLine {
  /// A value in quotes, so that nothing in it is read as syntax.
  public static func quote(_ value: String) -> String {
    var quoted = "\""
    for character in value {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "\""
  }
}
