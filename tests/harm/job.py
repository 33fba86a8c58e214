"""The job: prints for about a second, survives every signal and counts them. Arguments: a folder, what to print.

What it printed is in FOLDER/printed, how it ended in FOLDER/ended: the signals that it got, by their numbers. It does
not end before FOLDER/harmed names a signal, 0 for none, and that signal came, or is overdue.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter

STATUS = 7
PIECES, AT_THE_END = 40, 8
LIMIT_S = 60.0
AGAIN_S = 0.4  # within which a signal that came once comes a second time
LAST = b"Traceback (most recent call last):\n  File \"train.py\", line 4, in <module>\n    import flash_attn\nModuleNotFoundError: No module named 'flash_attn'\n"


def main(folder: str, kind: str) -> int:
    """Prints pieces of all sizes; gives the status to end with."""
    seen: Counter[int] = Counter()
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGCONT}:
        signal.signal(number, lambda number, _: seen.update([int(number)]))
    with open(os.path.join(folder, "pid"), "w") as file:
        file.write(str(os.getpid()))
    chance = random.Random(folder)
    with open(os.path.join(folder, "printed"), "wb") as printed:
        for step in range(PIECES):
            if step == PIECES - AT_THE_END:
                _wait(os.path.join(folder, "harmed"), seen)
            data = chance.randbytes(chance.choice([1, 80, 80, 3000, 70_000])) if kind == "bytes" else b""
            data += b"step %d loss %.3f\n" % (step, chance.random())
            _write(data + (LAST if step == PIECES - 1 else b""), printed.fileno())
            time.sleep(0.025)
    with open(os.path.join(folder, "ended"), "w") as file:
        json.dump(seen, file)
    return STATUS


def _wait(harmed: str, seen: Counter[int]) -> None:
    until_s = time.monotonic() + LIMIT_S
    while not os.path.exists(harmed) and time.monotonic() < until_s:
        time.sleep(0.005)
    with open(harmed) as file:
        awaited = int(file.read())
    while awaited and not seen[awaited] and time.monotonic() < until_s:
        time.sleep(0.005)
    time.sleep(AGAIN_S if awaited else 0)


def _write(data: bytes, printed: int) -> None:
    os.write(printed, data)
    while data:
        data = data[os.write(1, data) :]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
