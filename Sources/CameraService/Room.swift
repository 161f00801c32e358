// room CameraService
