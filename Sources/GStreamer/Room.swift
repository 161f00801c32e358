// room GStreamer
