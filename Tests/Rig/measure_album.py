"""What the album and the editing room cost; measurements of 'bench'."""
import os
import shutil
import statistics
import subprocess
import sys
import time

from measure import Daemon, milliseconds, row, wall

ASSETS = int(os.environ.get("BENCH_ASSETS", "100000"))
MOVIE_SECONDS = int(os.environ.get("BENCH_MOVIE_SECONDS", "3600"))


def measure_save(folder):
    """A photo into the album, index and all, against one for the client alone and a file that is written and synced."""
    with Daemon(folder) as daemon:
        size = daemon.json("photo")["asset"]["bytes"]
        here = os.path.join(daemon.folder, "album", "plain.tmp")
        saved, unsaved, plain = [], [], []
        for _ in range(100):
            saved.append(wall(daemon.command("photo")))
            unsaved.append(wall(daemon.command("photo", "--no-album", "-o", "/dev/null")))
            start = time.perf_counter()
            file = os.open(here, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.write(file, bytes(size))
            os.fdatasync(file)
            os.close(file)
            plain.append(time.perf_counter() - start)
            os.unlink(here)
        saved, unsaved, plain = (statistics.median(times) for times in (saved, unsaved, plain))
        more = saved - unsaved - plain
        row("a photo's way into the album", milliseconds(saved - unsaved), f"a file written and synced {milliseconds(plain)}",
            f"{milliseconds(more)} more", "3 ms", more <= 0.003)


def fill(album, count):
    """Photos as the daemon names them, each of its own second."""
    os.makedirs(album)
    open(os.path.join(album, ".camd-album"), "w").close()
    picture = os.path.join(album, "..", "small.jpg")
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1", picture],
                   check=True)
    data = open(picture, "rb").read()
    first = time.time() - count * 60
    for number in range(count):
        moment = time.localtime(first + number * 60)
        day = os.path.join(album, time.strftime("%Y/%Y-%m-%d", moment))
        os.makedirs(day, exist_ok=True)
        with open(os.path.join(day, time.strftime("%Y%m%d-%H%M%S.000.jpg", moment)), "wb") as file:
            file.write(data)


def measure_list(folder):
    album = os.path.join(folder, "many", "album")
    os.makedirs(os.path.dirname(album))
    fill(album, ASSETS)
    with Daemon(folder, album=album) as daemon:
        start = time.perf_counter()
        daemon.run("library", "rescan")
        first = time.perf_counter() - start
        again = wall(daemon.command("library", "rescan"))
        row(f"{ASSETS} photos read into a new index", f"{first:.1f} s", f"again, nothing new {again:.1f} s",
            f"{ASSETS / first:.0f} a second", "-", True)
        ours, filtered, status = [], [], []
        for _ in range(50):
            ours.append(wall(daemon.command("library", "list")))
            filtered.append(wall(daemon.command("library", "list", "--type", "image", "--until", "10d")))
            status.append(wall(daemon.command("status")))
        ours, filtered = statistics.median(ours), statistics.median(filtered)
        row(f"first page of {ASSETS}, whole process", milliseconds(ours),
            f"camctl status {milliseconds(statistics.median(status))}, filtered {milliseconds(filtered)}",
            milliseconds(max(ours, filtered)), "20 ms", max(ours, filtered) <= 0.020)
    shutil.rmtree(os.path.dirname(album))


def film(path, seconds):
    """1080p30 with sound and pictures that depend on later ones, a piece of ten seconds again and again."""
    piece = path + ".piece.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=1920x1080:rate=30", "-f", "lavfi", "-i",
         "sine=frequency=440:sample_rate=48000", "-t", "10", "-c:v", "libx264", "-preset", "veryfast", "-g", "60", "-bf", "2",
         "-b:v", "4M", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", piece], check=True)
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-stream_loop", str(seconds // 10 - 1), "-i", piece, "-c", "copy", path],
                   check=True)
    os.unlink(piece)


def measure_trim(folder):
    source = os.path.join(folder, "film.mp4")
    film(source, MOVIE_SECONDS)
    # behind a key frame, and before one
    start, end = MOVIE_SECONDS / 6 + 0.5, MOVIE_SECONDS * 5 / 6 - 0.7
    target = os.path.join(folder, "cut.mp4")
    with Daemon(folder) as daemon:
        daemon.run("library", "import", source)
        # in turn, and what is slow once for reasons of its own doesn't count
        ours, theirs = [], []
        for _ in range(3):
            theirs.append(wall(["sh", "-c", f"ffmpeg -v error -y -ss {start} -to {end} -i {source} -c copy {target} && sync {target}"]))
            os.unlink(target)
            began = time.perf_counter()
            edited = daemon.json("edit", "trim", str(start), str(end))
            ours.append(time.perf_counter() - began)
            asset = edited["edited"]
            frames = (end - start) * 30
            if abs(asset["duration"] - (end - start)) > 1 / 30:
                sys.exit(f"bench: the trimmed movie lasts {asset['duration']} s, {frames:.0f} frames were asked for")
            daemon.run("library", "rm", "--now", asset["id"])
        ours, theirs = min(ours), min(theirs)
        row(f"trim of {MOVIE_SECONDS} s of 1080p, exact to the frame", f"{ours:.2f} s",
            f"ffmpeg -c copy, not exact, and sync {theirs:.2f} s", f"{ours / theirs:.2f}", "1.50", ours <= 1.5 * theirs)
    os.unlink(source)


def measure_thumbnail(folder):
    """Pictures that aren't kept yet, all over a movie, in turn with those of ffmpeg; then one that is."""
    seconds = min(MOVIE_SECONDS, 600)
    source, target = os.path.join(folder, "film.mp4"), os.path.join(folder, "thumbnail.png")
    film(source, seconds)
    with Daemon(folder) as daemon:
        movie = daemon.json("library", "import", source)["files"][0]["asset"]["id"]
        daemon.run("thumbnail", movie, "--at", "0.1", "-o", target)
        ours, theirs, keys = [], [], []
        for number in range(30):
            moment = f"{seconds * (number + 0.5) / 30 + number % 7 * 0.3:.3f}"
            ours.append(wall(daemon.command("thumbnail", movie, "--at", moment, "-o", target)))
            theirs.append(wall(["ffmpeg", "-v", "error", "-y", "-ss", moment, "-i", source, "-frames:v", "1", "-vf",
                                "scale=256:-2", target]))
            keys.append(wall(daemon.command("thumbnail", movie, "--keyframe", "--at", moment, "-o", target)))
        ours, theirs, keys = (statistics.median(values) for values in (ours, theirs, keys))
        row(f"thumbnail of {seconds} s of 1080p, exact to the frame", milliseconds(ours),
            f"ffmpeg -ss ... -frames:v 1 {milliseconds(theirs)}; nearest key frame {milliseconds(keys)}",
            f"{ours / theirs:.2f}", "1.00", ours <= theirs)
        daemon.run("thumbnail", movie, "-o", target)
        kept = statistics.median(wall(daemon.command("thumbnail", movie, "-o", target)) for _ in range(30))
        row("thumbnail that is kept", milliseconds(kept), f"ffmpeg {milliseconds(theirs)}", f"{kept / theirs:.2f}", "0.50",
            kept <= 0.5 * theirs)
    os.unlink(source)


MEASUREMENTS = {"save": measure_save, "list": measure_list, "trim": measure_trim, "thumbnail": measure_thumbnail}
