// room Camera
