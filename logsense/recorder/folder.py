"""The folder of one run: where it lies, what its files are called, and how it is begun and closed.

    run.json            the command, when and where it began
    output/OFFSET-LINE  what it printed, from this byte and line on, in pieces; the first and the last are kept
    machine.json        versions, sizes and limits of the machine and of what is installed
    samples-N.jsonl     the machine once a second, and thinner farther back
    own.json            which processes, control groups and GPUs are the job's
    kernel.log          what the kernel said meanwhile
    end.json            how it ended

Every file can be read when it is cut off at any byte.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from logsense.recorder.ranks import read_rank
from logsense.util.files import working_folder

STARTED, ENDED, OUTPUT, KERNEL, MACHINE = "run.json", "end.json", "output", "kernel.log", "machine.json"
OWN = "own.json"


def state_folder() -> str | None:
    """Where runs are kept; None where there is no home."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home in ("~", "/", ""):
            return None
        base = os.path.join(home, ".local", "state")
    return os.path.join(base, "logsense", "runs")


def begin(command: Sequence[str], root: str) -> str:
    """Makes the folder of a new run below `root`, which only its owner can read. Raises OSError."""
    at_s = time.time()
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(at_s))
    words = [os.path.basename(word) for word in command if not word.startswith("-") and "=" not in word]
    script = next((word for word in words if "." in word), words[0] if words else "run")
    word = "".join(char for char in script if char.isalnum() or char in "._-").lstrip(".")[:40] or "run"
    os.makedirs(root, mode=0o700, exist_ok=True)
    path = _new_folder(os.path.join(root, f"{stamp}-{os.getpid()}-{word}"))
    os.mkdir(os.path.join(path, OUTPUT), 0o700)
    write_json(
        os.path.join(path, STARTED),
        {
            "format": 1,
            "command": list(command),
            "folder": working_folder(),
            "host": os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", ""),
            "boot": boot_id(),
            "at_s": at_s,
            "pid": os.getpid(),
            "rank": read_rank(),
        },
    )
    return path


def _new_folder(wanted: str) -> str:
    """Makes the folder `wanted`, or one beside it where a process begins twice within a second. Raises OSError."""
    path, number = wanted, 1
    while os.path.lexists(path):
        number += 1
        path = f"{wanted}~{number}"
    os.mkdir(path, 0o700)
    return path


def close(path: str, status: int | None, signal: int | None, by_user: bool, after_s: float) -> None:
    """Writes down how the run in `path` ended. Raises OSError."""
    ended = {"status": status, "signal": signal, "by_user": by_user, "at_s": time.time(), "after_s": after_s}
    write_json(os.path.join(path, ENDED), ended)


def write_json(path: str, data: object) -> None:
    """Writes `data` in one step: the file is either whole or not there. Raises OSError."""
    import json

    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w", encoding="ascii") as file:
        file.write(json.dumps(data))
    os.replace(temporary, path)


def boot_id() -> str:
    """What changes when the machine is started anew; "" where the system does not tell.

    https://docs.kernel.org/admin-guide/sysctl/kernel.html#random
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
