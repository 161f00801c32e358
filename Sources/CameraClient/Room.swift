// room CameraClient
