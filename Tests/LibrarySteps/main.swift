import CameraProtocol
import Foundation
import MediaLibrary

// usage: library-steps ROOT PICTURE MOVIE: does with an album what can be interrupted, and prints each step that is done.
// PICTURE is a JPEG; MOVIE a recording that has not been finished.

/// Prints a line at once: what comes after it may be the end.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

func say(_ step: String, _ asset: Asset) { say("\(step) \(asset.id)") }

let arguments = CommandLine.arguments
guard arguments.count == 4 else { exit(2) }
let library = MediaLibrary(root: arguments[1], reserve: 0, software: "library-steps")
do {
  let picture = [UInt8](try Data(contentsOf: URL(filePath: arguments[2])))
  var photos: [Asset] = []
  for second in 0..<3 {
    let photo = try picture.withUnsafeBytes { bytes in
      try library.savePhoto(
        [bytes],
        PhotoDescription(time: Timestamp(seconds: 1_796_036_775 + second), camera: "cam0", width: 32, height: 24))
    }
    say("saved", photo)
    photos.append(photo)
  }
  let draft = try library.beginMovie(time: Timestamp(seconds: 1_796_036_785), camera: "cam0")
  try Data(contentsOf: URL(filePath: arguments[3])).write(to: URL(filePath: draft.path), options: [])
  try draft.sync()
  say("recorded movie")
  say("saved", try draft.publish().asset)
  for asset in try library.setFavorite([photos[0].id], true) { say("marked", asset) }
  for asset in try library.delete([photos[1].id], permanently: false) { say("deleted", asset) }
  for asset in try library.restore([photos[1].id]) { say("restored", asset) }
  for asset in try library.delete([photos[2].id], permanently: true) { say("erased", asset) }
  let edit = try library.newDraft(of: photos[0], format: "jpg")
  try FileHandle(fileDescriptor: edit.descriptor).write(contentsOf: picture)
  var edited = photos[0]
  (edited.parent, edited.origin) = (photos[0].id, .edited)
  say("edited", try edit.publish(edited))
} catch {
  say("failed \(error)")
  exit(1)
}
