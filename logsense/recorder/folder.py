"""The folder of a run: its location, its files, and how it is created and closed.

    run.json            the command, when and where it began
    output/OFFSET-LINE  its output from this byte and line on, in pieces; the first and the last are kept
    machine.json        versions, sizes and limits of the machine and of installed software
    samples-N.jsonl     the state of the machine once a second, and sparser further back
    own.json            processes, control groups and GPUs of the job
    kernel.log          the kernel's log during the run
    end.json            how it ended

Every file is readable even if it is truncated.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence

from logsense.model.run import Rank
from logsense.model.values import to_count
from logsense.util.files import text_of, working_folder, write_json

STARTED, ENDED, OUTPUT, KERNEL, MACHINE = "run.json", "end.json", "output", "kernel.log", "machine.json"
OWN = "own.json"


def state_folder() -> str | None:
    """Return the folder of all runs; None without a home folder."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home in ("~", "/", ""):
            return None
        base = os.path.join(home, ".local", "state")
    return os.path.join(base, "logsense", "runs")


def begin(command: Sequence[str], root: str) -> str:
    """Create the folder of a new run in `root`, readable only by its owner, and return its path. Raise OSError."""
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
    """Create the folder `wanted`, or one with a number if a process begins twice within a second. Raise OSError."""
    path, number = wanted, 1
    while os.path.lexists(path):
        number += 1
        path = f"{wanted}~{number}"
    os.mkdir(path, 0o700)
    return path


def close(path: str, status: int | None, signal: int | None, by_user: bool, after_s: float) -> None:
    """Write how the run in `path` ended. Raise OSError."""
    ended = {"status": status, "signal": signal, "by_user": by_user, "at_s": time.time(), "after_s": after_s}
    write_json(os.path.join(path, ENDED), ended)


def boot_id() -> str:
    """Return an id that changes when the machine restarts; "" if the system has none.

    https://docs.kernel.org/admin-guide/sysctl/kernel.html#random
    """
    return text_of("/proc/sys/kernel/random/boot_id")


def read_rank(environ: Mapping[str, str] = os.environ) -> Rank | None:
    """Return the rank of this process if srun started it as one of several.

    https://slurm.schedmd.com/srun.html#SECTION_OUTPUT-ENVIRONMENT-VARIABLES
    """
    number = to_count(environ.get("SLURM_PROCID", ""))
    ranks = to_count(environ.get("SLURM_STEP_NUM_TASKS", "")) or to_count(environ.get("SLURM_NTASKS", "")) or 0
    step = environ.get("SLURM_STEP_ID")  # a batch script has none, but a rank and a number of ranks
    if number is None or not number < ranks > 1 or not step:
        return None
    return Rank(f"{environ.get('SLURM_JOB_ID', '')}.{step}", number, ranks)
