"""The programs that `logsense` is compared with: how each is called, what it can read, and whether it is here."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from measure import MIB, environment

# Programs of a few megabytes a second get no more than this of a log; rates are compared.
SLOW_BYTES = 16 * MIB
PLAIN = ("real", "quiet", "sparse", "dense", "bars", "files")
PACKED = ("gzip", "zstd")

# The parser of the package gpualert.
GPUALERT = """\
import sys
from gpualert.parse_errors import parse_errors
for path in sys.argv[1:]:
    print(parse_errors(open(path, errors="replace").read(), ""))
"""
# What NVIDIA's Resiliency Extension does with a log before it asks a model: evidence by patterns and rules alone.
# https://github.com/NVIDIA/nvidia-resiliency-ext/blob/main/docs/design/attribution/restart_agent/L0A.md
NVRX = """\
import sys
from nvidia_resiliency_ext.attribution.restart_agent.infrastructure.log_source import LocalLogSource
from nvidia_resiliency_ext.attribution.restart_agent.l0 import finalize_log_snapshot
for path in sys.argv[1:]:
    print(finalize_log_snapshot(LocalLogSource(path).snapshot()).decision_evidence)
"""
# What one writes by hand: a dozen usual patterns, each looked for in each line.
LOOP = r"""
import re, sys
PATTERNS = [re.compile(one) for one in (
    r"CUDA out of memory", r"NCCL (?:error|WARN)", r"Traceback \(most recent call last\)", r"^\w*(?:Error|Exception):",
    r"Killed", r"Segmentation fault", r"No space left on device", r"No module named '([\w.]+)'", r"NVRM: Xid .*: (\d+)",
    r"Watchdog caught collective operation timeout", r"loss[:=] ?nan", r"exitcode\s*: (-?\d+)")]
for path in sys.argv[1:]:
    for number, line in enumerate(open(path, errors="replace"), 1):
        for pattern in PATTERNS:
            if pattern.search(line):
                print(number, line)
"""


class Peer(NamedTuple):
    """A program to compare with."""

    name: str
    what: str
    command: Callable[[Sequence[str]], Sequence[str]]  # for the files that are to be read
    shapes: tuple[str, ...]
    version: str = ""
    missing: str = ""  # why it can't be run here
    most_bytes: int | None = None


def _tool(name: str, what: str, arguments: Sequence[str], shapes: tuple[str, ...], version: str = "--version") -> Peer:
    program, *options = arguments
    path = shutil.which(program)
    said = _said([program, version]) if path else ""
    missing = "" if path else f"{program} is not installed"
    return Peer(name, what, lambda files: [program, *options, *files], shapes, said, missing)


def _script(name: str, what: str, python: str | None, code: str, module: str) -> Peer:
    given = python or sys.executable
    version = _said([given, "-c", f"import {module}{_VERSION.format(module.partition('.')[0])}"]) if python else ""
    missing = "" if version else f"no Python with {module.partition('.')[0]} was named by --peer-python"
    return Peer(name, what, lambda files: [given, "-c", code, *files], PLAIN, version, missing, SLOW_BYTES)


# A copy of a repository has no version of its own, but a date.
_VERSION = """
import importlib.metadata, os, time
root = __import__('{0}')
try:
    print(importlib.metadata.version('{0}'))
except importlib.metadata.PackageNotFoundError:
    print(time.strftime('as of %Y-%m-%d', time.gmtime(os.stat(root.__file__).st_mtime)))
"""


def _said(command: Sequence[str]) -> str:
    """Return the first line that `command` prints; nothing where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment(), errors="replace")
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if lines and done.returncode == 0 else ""


def peers(literals: Path, few: Path, python: str | None = None) -> list[Peer]:
    """Return all programs, also those that are missing here.

    `literals` and `few` are files of texts to look for; `python` has the peers that are written in it.
    """
    texts = ["-c", "-a", "-F", "-f", str(literals)]
    return [
        _tool("wc -l", "reads and counts lines: the minimum for any program", ["wc", "-l"], PLAIN),
        _tool("rg -F -f", "only searches for the same literals", ["rg", *texts], PLAIN),
        _tool("rg, 600 texts", "searches for 600 of the literals", ["rg", "-c", "-a", "-F", "-f", str(few)], ("real",)),
        _tool("rg -z -F -f", "the same in compressed files", ["rg", "-z", *texts], PACKED),
        _tool("grep -F -f", "only searches for the same literals", ["grep", *texts], PLAIN),
        _tool("zcat", "decompresses", ["zcat"], ("gzip",)),
        _tool("zstdcat", "decompresses", ["zstdcat"], ("zstd",)),
        _tool(
            "lnav -n",
            "knows log formats; here it filters by one word",
            ["lnav", "-n", "-c", ":filter-in Traceback"],
            (*PLAIN, "gzip"),
            "-V",
        )._replace(most_bytes=SLOW_BYTES),
        _script("gpualert", "error patterns for training logs", python, GPUALERT, "gpualert.parse_errors"),
        _script(
            "NVRx",
            "the evidence of NVIDIA's Resiliency Extension, without its language model",
            python,
            NVRX,
            "nvidia_resiliency_ext.attribution.restart_agent.l0",
        ),
        Peer(
            "re loop",
            "a Python loop that searches each line for a dozen patterns",
            lambda files: [sys.executable, "-c", LOOP, *files],
            PLAIN,
            f"Python {sys.version.split()[0]}",
            most_bytes=SLOW_BYTES,
        ),
    ]
