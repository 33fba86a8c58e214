"""Profile CPU time by stage of the program, and write docs/profile.md.

    python benchmarks/stages.py [--size MIB] [--page FILE]

It samples the running code of `logsense` in all threads, about a hundred times per second of CPU time. Only shares are
compared, so other programs on the machine hardly matter. Everything runs on one core, in one process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from logs import PASTE, write_shape
from measure import MIB, environment
from page import machine
from ranks import write_job

ROOT = Path(__file__).parents[1]
TOP = 6
LEAST_SHARE = 0.01
PASTES = 40
RANKS, RANK_LINES = 1024, 400
# What each package or stage does.
STAGES = {
    "imports": "Python imports modules",
    "sources": "reads and decompresses the logs",
    "unwrap": "extracts the log from other formats",
    "records": "parses prefixes, tracebacks and records",
    "match": "searches for literals and verifies messages",
    "runs": "selects the run to explain",
    "incident": "finds what ended the run",
    "facts": "collects facts",
    "diagnose": "ranks causes",
    "advise": "writes explanations and selects fixes",
    "render": "writes the report",
    "catalog": "loads rules and signatures",
    "model": "creates and compares values",
    "util": "restores regexes, parses times",
    "cli": "parses the command line and prints",
    "pipeline": "calls the stages",
}
# Runs in the profiled process. Imports count as imports, whichever module triggers them.
LOOKING = """
import atexit, json, os, signal, sys
seen, own = {}, os.sep + "logsense" + os.sep
def look(number, frame):
    for thread, frame in sys._current_frames().items():
        if thread == main:
            frame = frame.f_back  # this function itself
        if frame is None or frame.f_code.co_name in ("wait", "join", "_wait_for_tstate_lock"):
            continue
        place, inner = None, frame
        while inner is not None:
            name = inner.f_code.co_filename
            if name.startswith("<frozen importlib"):
                place = ("imports", "")
                break
            if own in name:
                path = name.rpartition(own)[2].replace(os.sep, "/")
                place = (path.partition("/")[0].removesuffix(".py"), f"{path} {inner.f_code.co_name}")
                break
            inner = inner.f_back
        key = json.dumps(place or ("Python", ""))
        seen[key] = seen.get(key, 0) + 1
import threading
main = threading.get_ident()
signal.signal(signal.SIGPROF, look)
signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
def told():
    signal.setitimer(signal.ITIMER_PROF, 0)
    with open(sys.argv[1], "w") as file:
        json.dump(seen, file)
from logsense.cli.main import main as run
kept, os._exit = os._exit, lambda status: (told(), kept(status))
try:
    run(sys.argv[2:])
finally:
    told()
"""


class Profile(NamedTuple):
    """A profiled run, with the number of samples per stage and per function."""

    title: str
    stages: Counter[str]
    functions: Counter[str]


def looked_at(title: str, arguments: Sequence[str], *, times: int = 1) -> Profile:
    """Profile `logsense ARGUMENTS`, `times` times, after a first run that fills the caches."""
    stages: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        told = os.path.join(folder, "told")
        command = [sys.executable, "-c", LOOKING, told, *arguments]
        if hasattr(os, "sched_setaffinity"):
            command = [sys.executable, "-c", ON_ONE_CORE, *command]
        for number in range(times + 1):
            subprocess.run(
                command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            if number:
                for place, count in json.loads(Path(told).read_text(encoding="utf-8")).items():
                    stage, function = json.loads(place)
                    stages[stage] += count
                    functions[function or stage] += count
    return Profile(title, stages, functions)


ON_ONE_CORE = (
    "import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); os.execv(sys.argv[1], sys.argv[1:])"
)


def section(profile: Profile) -> str:
    """Return one run as Markdown."""
    total = profile.stages.total()
    text = f"## {profile.title}\n\n| share | stage | what it does |\n|---|---|---|\n"
    for stage, count in profile.stages.most_common():
        if count >= LEAST_SHARE * total:
            text += f"| {100 * count / total:.0f} % | `{stage}` | {STAGES.get(stage, '')} |\n"
    text += "\nMost expensive functions: "
    told = [(name, count) for name, count in profile.functions.most_common() if name not in ("imports", "Python")]
    text += ", ".join(f"`{name}` {100 * count / total:.0f} %" for name, count in told[:TOP])
    return text + f". {total:,} samples.\n\n"


def main() -> None:
    """Profile four runs and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1024, metavar="MIB", help="of the quiet log (default: 1024)")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/profile.md", metavar="FILE")
    given = parser.parse_args()
    here = machine()
    text = "# Where the time goes\n\nShares of CPU time on one core, by [stage](design.md). Written by `python benchmarks/stages.py`\n"
    text += f"({here['processor']}, {here['python']}).\n\n"
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as folder:
        log, job = Path(folder, "train.log"), Path(folder, "job")
        for shape, title, mib in (
            ("quiet", "A quiet log", given.size),
            ("dense", "A log in which every line matches", max(1, given.size // 16)),
        ):
            write_shape(shape, log, mib * MIB)
            text += section(looked_at(f"{title}, {mib:,} MiB", ["explain", str(log)]))
            log.unlink()
        text += section(looked_at("A paste of 20 lines", ["explain", PASTE], times=PASTES))
        job.mkdir()
        write_job(job, RANKS, RANK_LINES, RANKS * 3 // 5)
        text += section(looked_at(f"A job of {RANKS:,} logs, {RANK_LINES} lines each", ["explain", str(job)]))
    given.page.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    print(f"written: {given.page}")


if __name__ == "__main__":
    main()
