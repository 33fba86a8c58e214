"""Let the pipe, `logsense run` and `logsense watch` stand beside a job that prints without end, and look after them.

    python benchmarks/soak.py [pipe|run|watch …] [--minutes N] [--rate MB_A_SECOND] [--rotate MIB] [--series FOLDER]

Each gets the same output at the same rate (half of it on a slow machine is told as such). Told are the rate that was
reached, the processor's time for each gigabyte and as a share of one core, the memory (resident set) after a minute and
its most from then on, and whether every byte came through; of `watch`, over a log that is rotated all the time, how long
after it the failure at the end was told.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, NamedTuple

import psutil

sys.path.insert(0, str(Path(__file__).parent))
from logs import FAILURE, lines

BLOCK_BYTES = 1 << 20
MODES = ("pipe", "run", "watch")
SETTLED_S = 60.0
ENDING_S = 5.0
LAST_S = 90.0


class Seen(NamedTuple):
    """What was looked at, once a second: when, memory, and the processor's time so far."""

    at_s: float
    rss_bytes: int
    cpu_s: float


def blocks() -> Iterator[bytes]:
    """Yield healthy output in blocks of whole lines, each of which begins with its number."""
    text = "".join(islice(lines(random.Random(7)), 40_000)).encode()
    pieces = [
        text[at : text.rindex(b"\n", at, at + BLOCK_BYTES) + 1] for at in range(0, len(text) - BLOCK_BYTES, BLOCK_BYTES)
    ]
    number = 0
    while True:
        yield b"block %d\n" % number + pieces[number % len(pieces)]
        number += 1


def paced(minutes: float, rate: float) -> Iterator[bytes]:
    """Yield the blocks at `rate` megabytes a second for so long, then a failure."""
    began, sent = time.monotonic(), 0
    for block in blocks():
        ahead_s = sent / (rate * 1e6) - (time.monotonic() - began)
        if ahead_s > 0:
            time.sleep(ahead_s)
        if time.monotonic() - began > minutes * 60:
            break
        yield block
        sent += len(block)
    yield FAILURE.encode()


def job(minutes: float, rate: float, told: str) -> None:
    """Print the blocks; the number of bytes and their digest go to the file `told`."""
    digest, size = hashlib.sha256(), 0
    for block in paced(minutes, rate):
        sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        digest.update(block)
        size += len(block)
    Path(told).write_text(f"{size} {digest.hexdigest()}", encoding="ascii")
    raise SystemExit(1)


def look(process: psutil.Process, began: float) -> Seen:
    """Return the memory and time of logsense, without the job that it may run."""
    family = [process, *process.children(recursive=True)]
    own = [one for one in family if "logsense" in (line := one.cmdline()) or "--job" not in line]
    times = [one.cpu_times() for one in own]
    return Seen(
        time.monotonic() - began, sum(one.memory_info().rss for one in own), sum(t.user + t.system for t in times)
    )


def watch_over(process: subprocess.Popen[bytes], seen: list[Seen], series: Path) -> threading.Thread:
    """Look once a second for as long as the process runs, and write what it sees into `series`."""
    began, own = time.monotonic(), psutil.Process(process.pid)

    def turn() -> None:
        with series.open("w", encoding="ascii", buffering=1) as file:
            file.write("at_s,rss_bytes,cpu_s\n")
            while process.poll() is None:
                with suppress(psutil.Error):  # a child has just ended
                    one = look(own, began)
                    seen.append(one)
                    file.write(f"{one.at_s:.1f},{one.rss_bytes},{one.cpu_s:.2f}\n")
                time.sleep(1)

    thread = threading.Thread(target=turn, daemon=True)
    thread.start()
    return thread


def digest_of(stream: IO[bytes]) -> tuple[int, str]:
    """Return how many bytes come from `stream`, and their digest."""
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(1 << 18):
        digest.update(chunk)
        size += len(chunk)
    return size, digest.hexdigest()


def through(mode: str, minutes: float, rate: float, folder: str, series: Path) -> None:
    """Soak the pipe, or `run`."""
    told, reported = os.path.join(folder, "told"), os.path.join(folder, "reported")
    program = [sys.executable, __file__, "--job", told, "--minutes", str(minutes), "--rate", str(rate)]
    logsense = [sys.executable, "-m", "logsense"]
    seen: list[Seen] = []
    with open(reported, "wb") as errors:
        if mode == "run":
            command = [*logsense, "run", "--", *program]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, cwd=folder)
        else:
            source = subprocess.Popen(program, stdout=subprocess.PIPE)
            process = subprocess.Popen(logsense, stdin=source.stdout, stdout=subprocess.PIPE, stderr=errors, cwd=folder)
        thread = watch_over(process, seen, series)
        assert process.stdout is not None
        size, digest = digest_of(process.stdout)
        process.wait()
    thread.join()
    sent, expected = Path(told).read_text(encoding="ascii").split()
    same = (str(size), digest) == (sent, expected)
    found = "out of memory" in Path(reported).read_text(encoding="utf-8", errors="replace").lower()
    tell(
        mode,
        int(sent),
        seen,
        f"{'all bytes through, unchanged' if same else f'{int(sent) - size:,} BYTES LOST'}, "
        f"failure {'explained' if found else 'NOT explained'}",
    )


def rotated(minutes: float, rate: float, rotate: int, folder: str, series: Path) -> None:
    """Soak `watch` over a log that is renamed and begins again whenever it has `rotate` MiB."""
    path, reported = os.path.join(folder, "train.log"), os.path.join(folder, "reported")
    Path(path).touch()
    seen: list[Seen] = []
    sent = turns = 0
    with open(reported, "wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "logsense", "watch", path], stdout=output, stderr=output, cwd=folder
        )
        thread = watch_over(process, seen, series)
        file = open(path, "ab", buffering=0)  # noqa: SIM115 - it is opened again and again
        for block in paced(minutes, rate):
            file.write(block)
            sent += len(block)
            if file.tell() > rotate << 20 and block[:5] == b"block":
                file.close()
                os.replace(path, f"{path}.1")
                file = open(path, "ab", buffering=0)  # noqa: SIM115
                turns += 1
        file.close()
        written = time.monotonic()
        try:
            process.wait(LAST_S)
        except subprocess.TimeoutExpired:
            process.terminate()
        delay_s = time.monotonic() - written
    thread.join()
    found = "out of memory" in Path(reported).read_text(encoding="utf-8", errors="replace").lower()
    tell(
        "watch",
        sent,
        seen,
        f"{turns} rotations, failure {f'explained {delay_s:.1f} s after it' if found else 'NOT explained'}",
    )


def tell(mode: str, sent: int, seen: list[Seen], how: str) -> None:
    """Print what was seen of one mode."""
    seconds, cpu_s = seen[-1].at_s, seen[-1].cpu_s
    settled = [one for one in seen if one.at_s >= min(SETTLED_S, seconds / 2)]
    most = max(one.rss_bytes for one in settled if one.at_s < seconds - ENDING_S)
    ends = max(one.rss_bytes for one in seen if one.at_s >= seconds - ENDING_S)  # while it explains
    print(
        f"{mode:6} {seconds / 60:5.1f} min  {sent / 1e9:7.2f} GB  {sent / 1e6 / seconds:6.1f} MB/s  "
        f"{cpu_s / (sent / 1e9):5.2f} s/GB = {100 * cpu_s / seconds:4.1f} % of a core  "
        f"memory {settled[0].rss_bytes / 1e6:.0f} → at most {most / 1e6:.0f} MB, {ends / 1e6:.0f} at the end  {how}",
        flush=True,
    )


def main() -> None:
    """Soak what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modes", nargs="*", metavar="MODE", help=", ".join(MODES))
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=50.0)
    parser.add_argument("--rotate", type=int, default=256)
    parser.add_argument("--series", type=Path, metavar="FOLDER", help="keep memory and time, a row a second, as CSV")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        job(given.minutes, given.rate, given.job)
        return
    for mode in given.modes or MODES:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["XDG_STATE_HOME"] = os.path.join(folder, "state")
            series = (given.series or Path(folder)) / f"soak-{mode}.csv"
            if mode == "watch":
                rotated(given.minutes, given.rate, given.rotate, folder, series)
            else:
                through(mode, given.minutes, given.rate, folder, series)


if __name__ == "__main__":
    main()
