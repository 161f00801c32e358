"""What the measurements of 'bench' share: a daemon of their own, clocks, and the table."""
import datetime
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAMD = os.path.join(ROOT, ".build/release/camd")
CAMCTL = os.path.join(ROOT, ".build/release/camctl")
SECONDS = float(os.environ.get("BENCH_SECONDS", "60"))
PHOTOS = int(os.environ.get("BENCH_PHOTOS", "1000"))
CYCLES = int(os.environ.get("BENCH_CYCLES", "200"))
RATE = 30
FRAME = 1 / RATE
TICKS = os.sysconf("SC_CLK_TCK")
IDLE_SECONDS = 10
SETTLING = 2  # the configured idle timeout of the daemon that is measured


def video_source(width, height):
    return (f"videotestsrc is-live=true ! video/x-raw,format=I420,width={width},height={height},"
            f"framerate={RATE}/1")


# in the form that the daemon takes sound in, so that neither side has to convert it
AUDIO_SOURCE = ("audiotestsrc is-live=true ! audio/x-raw,format=S16LE,layout=interleaved,rate=48000,"
                "channels=2")


class Daemon:
    """The daemon under test, with a socket, a configuration and an album of its own."""

    def __init__(self, folder, width=1920, height=1080, album=None):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.socket = os.path.join(self.folder, "camd.sock")
        config = os.path.join(self.folder, "camd.conf")
        with open(config, "w") as file:
            file.write(f"[Daemon]\nIdleTimeout={SETTLING}\n"
                       f"[Camera bench]\nPosition=rear\nSource={video_source(width, height)}\n"
                       f"[Microphone bench]\nSource={AUDIO_SOURCE}\n")
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [CAMD, "--socket", self.socket, "--config", config, "--library", album or os.path.join(self.folder, "album"),
                 "--log-level", "debug"], stderr=log)
        deadline = time.monotonic() + 20
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"bench: the daemon does not start:\n{open(self.log).read()}")
            time.sleep(0.02)
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        status = self.process.wait(timeout=60)
        if status != 0:
            sys.exit(f"bench: the daemon ended with status {status}:\n{open(self.log).read()[-4000:]}")
        shutil.rmtree(self.folder)

    def command(self, *words):
        return [CAMCTL, "--socket", self.socket, *words]

    def run(self, *words):
        done = subprocess.run(self.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"bench: camctl {' '.join(words)} failed ({done.returncode}): {done.stderr.strip()}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.run("--json", *words))

    def pipeline(self):
        """The description of the newest recording's pipeline, from the daemon's own log."""
        found = re.findall(r"recording pipeline: (.*)", open(self.log).read())
        if not found:
            sys.exit("bench: the daemon's log has no 'recording pipeline: '")
        return found[-1]

    def cpu(self):
        return cpu(self.pid)

    def status_field(self, name):
        for line in open(f"/proc/{self.pid}/status"):
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def wake_ups(self):
        """How often each thread was woken, by thread id, with its name."""
        result = {}
        for task in os.listdir(f"/proc/{self.pid}/task"):
            try:
                text = open(f"/proc/{self.pid}/task/{task}/status").read()
            except FileNotFoundError:
                continue
            name = re.search(r"^Name:\s*(.*)$", text, re.M).group(1)
            result[task] = (int(re.search(r"^voluntary_ctxt_switches:\s*(\d+)", text, re.M).group(1)), name)
        return result

    def idle_wake_ups(self):
        """Wake-ups while nobody asks for anything: those with a name, and those without, by thread."""
        before = self.wake_ups()
        time.sleep(IDLE_SECONDS)
        named, unnamed = {}, {}
        for task, (count, thread) in self.wake_ups().items():
            count -= before.get(task, (0, ""))[0]
            if not count:
                continue
            # On Linux libdispatch looks once a second, from its manager's thread, whether its pool needs more threads.
            if thread.endswith("overcommit") and count <= IDLE_SECONDS + 1 and not named:
                named["libdispatch's look at its pool"] = count
            else:
                unnamed[f"{thread} ({task})"] = count
        return named, unnamed

    def until_cold(self):
        """Waits for the sessions to be closed, and for what follows from that to be done."""
        deadline = time.monotonic() + SETTLING + 20
        while any(camera["state"] != "cold" for camera in self.json("status")["status"]["cameras"]):
            if time.monotonic() > deadline:
                sys.exit("bench: the session does not close when it is not used")
            time.sleep(0.5)
        time.sleep(12)  # whatever had a deadline has passed it


def cpu(pid):
    """Seconds of processor time that all threads of the process have used."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def wall(command):
    """Seconds from start to exit of the command, which must succeed."""
    start = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"bench: {shlex.join(command)} failed: {done.stderr.decode().strip()}")
    return seconds


ROWS = []


def row(figure, measured, compared, value, limit, met):
    ROWS.append((figure, measured, compared, value, limit, "yes" if met else "MISSED"))
    print(f"  {figure}: {measured}; {compared}; {value} (limit {limit}){'' if met else '  MISSED'}", file=sys.stderr)


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms"


def packets(path, stream):
    """Presentation time and duration of each packet, in order of time."""
    text = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,duration_time", "-of",
         "csv=p=0", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    result = []
    for line in text.split():
        time_, duration = (line.split(",") + ["0"])[:2]
        result.append((float(time_), 0.0 if duration in ("", "N/A") else float(duration)))
    return sorted(result)


def moment(asset):
    return datetime.datetime.fromisoformat(asset["time"]).timestamp()
