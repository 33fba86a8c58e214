"""Write docs/benchmarks.md from the results: targets first, as ratios, then all logs against all programs."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from logs import SHAPES

Results = Mapping[str, Any]
FAST = ("wc -l", "rg -F -f", "rg, 600 texts", "grep -F -f", "zcat", "zstdcat", "rg -z -F -f")
SLOW = ("lnav -n", "re loop", "gpualert", "NVRx")
HEAD = """\
# Benchmarks

The speed of `logsense`, measured together with other programs on the same files. Times depend on the machine; ratios
between programs vary much less, so they come first. Each value is the fastest of several alternating runs.

```sh
python benchmarks/all.py                  # everything, or parts: quiet sparse dense bars files gzip zstd starts …
python benchmarks/all.py quiet --size 0.1 # a quick look
```

"""
FOOT = """\

## How to read it

The first row is what to expect of a log of one's own. In the quiet log nothing is found, so it is an upper bound. The time
grows with the number of known messages in a log more than with its size. Every log ends with the same failure. Programs in the second table get 16 MiB of a log, and rates are compared; a program
that takes more than half a minute is stopped (>). The search programs only search for the same literals (all literals of the
catalog), while `logsense` also joins records, reads values and ranks causes. [Limits](limits.md) covers malicious inputs,
memory and long runs.
"""


def machine() -> dict[str, str]:
    """Return the machine of the measurement."""
    return {
        "processor": _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": _line("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": f"{platform.python_implementation()} {sys.version.split()[0]}",
    }


def page(results: Results) -> str:
    """Return the whole page."""
    parts = results["parts"]
    if not parts:
        return HEAD + "Nothing has been measured yet on an idle machine.\n"
    text = HEAD + _measured_on(parts, results["machine"])
    busy = {name: part["others"] for name, part in parts.items() if part["others"] > 0.3}
    if busy:
        text += f"\n**Other programs were running** ({', '.join(busy)}): these numbers are unreliable.\n"
    text += "\n## Targets\n\n| what | target | measured |\n|---|---|---|\n"
    text += "".join(f"| {what} | {target} | {value} |\n" for what, target, value in targets(parts))
    text += "".join(_floor(parts))
    text += "\n## All logs, against all programs\n\nThe time of `logsense` as a multiple of the other program's, on the same bytes:\n"
    text += "below 1, `logsense` is faster.\n\n" + shapes(parts, FAST)
    text += "\nThe time per byte of programs that analyze logs, as a multiple of `logsense`:\n\n" + shapes(
        parts, SLOW, upside_down=True
    )
    text += "\n| program | what it does | version |\n|---|---|---|\n"
    text += "".join(
        f"| `{one['name']}` | {one['what']} | {one['version'] or one['missing']} |\n" for one in results["peers"]
    )
    named = [SHAPES[name] for name, part in parts.items() if name in SHAPES and part["found"].startswith("gpu-memory.")]
    return text + FOOT + (f"`logsense` ranked that failure first in: {', '.join(named)}.\n" if named else "")


def _measured_on(parts: Results, machine: Mapping[str, str]) -> str:
    """Describe when and where the parts were measured. `machine` is the default for parts without one."""
    days = sorted({part["date"] for part in parts.values()})
    by_machine: dict[str, list[str]] = {}
    for name, part in parts.items():
        by_machine.setdefault(_machine_in_words(part.get("machine", machine)), []).append(name)
    machines = " and ".join(
        f"{one} ({', '.join(names)})" if len(by_machine) > 1 else one for one, names in by_machine.items()
    )
    return f"Measured on {' and '.join(dict.fromkeys((days[0], days[-1])))}: {machines}.\n"


def _machine_in_words(machine: Mapping[str, str]) -> str:
    kib = machine["memory"].split()[:1]
    memory = f", {int(kib[0]) / 2**20:.0f} GiB" if kib and kib[0].isdecimal() else ""
    return f"{machine['processor']}, {machine['cores']} cores{memory}, {machine['system']}, {machine['python']}"


def targets(parts: Results) -> Iterator[tuple[str, str, str]]:
    """Yield each target with the measured value, if any."""
    for shape, peer, most in (
        ("real", "rg -F -f", 1), ("real", "rg, 600 texts", 1), ("quiet", "rg -F -f", 0.35), ("quiet", "wc -l", 6),
    ):  # fmt: skip
        if ratio := _ratio(parts, shape, peer):
            yield (
                f"{'real logs' if shape == 'real' else 'quiet log'}, against `{peer}`",
                f"≤ {most:g} ×",
                _held(ratio, ratio <= most, "×"),
            )
    for peer in ("gpualert", "NVRx"):
        if ratio := _ratio(parts, "quiet", peer):
            yield f"quiet log, `{peer}` against `logsense`", "≥ 100 ×", _held(1 / ratio, 1 / ratio >= 100, "×")
    if ratio := _ratio(parts, "quiet", "one core"):
        yield "quiet log, all cores against one", "≥ 1.8 × with two", _held(1 / ratio, 1 / ratio >= 1.8, "×")
    for shape, least in (("sparse", 60), ("dense", 25)):
        if shape in parts:
            rate = _rate(parts[shape]) / 1e6
            yield SHAPES[shape], f"≥ {least} MB/s", _held(rate, rate >= least, "MB/s")
    peaks = [part["peak_bytes"] / 1e6 for name, part in parts.items() if name in SHAPES and name != "files"]
    if peaks:
        yield "memory for any single log", "≤ 120 MB", _held(max(peaks), max(peaks) <= 120, "MB")
    yield from _starts(parts)


def _starts(parts: Results) -> Iterator[tuple[str, str, str]]:
    if "starts" in parts:
        took = parts["starts"]["seconds"]
        least = took["python -c pass"]
        for what, most in (("paste of 20 lines", 6), ("--version", 3)):
            yield (
                f"{what}, against `python -c pass`",
                f"≤ {most} ×",
                _held(took[what] / least, took[what] <= most * least, "×"),
            )
        more_ms = (took["import logsense"] - least) * 1000
        yield "`import logsense`, over Python's own start", "≤ 30 ms", _held(more_ms, more_ms <= 30, "ms")
    if "pipes" in parts:
        pipe = parts["pipes"]
        later_ms = (pipe["delay_p99_s"]["logsense"] - pipe["delay_p99_s"]["cat"]) * 1000
        yield "pipe: delay of a line compared with `cat`, p99", "≤ 2 ms", _held(later_ms, later_ms <= 2, "ms")
        rate = pipe["bytes"] / pipe["flow_s"]["logsense"] / 1e9
        beside = pipe["flow_s"]["logsense"] / pipe["flow_s"]["cat"]
        yield f"pipe: throughput ({beside:.2f} × the time of `cat`)", "≥ 1 GB/s", _held(rate, rate >= 1, "GB/s")
    if "jobs" in parts:
        jobs = parts["jobs"]["seconds"]
        more = 100 * (jobs["logsense run"]["loop"] / jobs["python, then the job"]["loop"] - 1)
        yield "`logsense run`: overhead of a busy loop", "≤ 0.5 %", _held(more, more <= 0.5, "%")
    if "ranks" in parts and (ratio := _ratio(parts, "ranks", "wc -l")):
        part = parts["ranks"]
        named = "right rank named" if part["right"] else "WRONG RANK"
        yield (
            f"{part['ranks']:,} logs of one job, {part['bytes'] / 1e9:.2g} GB, against `wc -l`; {named}",
            "≤ 8 ×",
            _held(ratio, ratio <= 8, "×"),
        )


def _floor(parts: Results) -> Iterator[str]:
    """Describe what limits the speed for a quiet log."""
    if "floor" not in parts or "quiet" not in parts:
        return
    size, took = parts["floor"]["bytes"], parts["floor"]["seconds"]
    whole = sum(took.values())
    yield f"\nOf a quiet log of {size / 1e9:.2g} GB, on one core, "
    yield ", ".join(f"{name} alone takes {seconds:.2f} s" for name, seconds in took.items())
    yield f": {size / whole / 1e9:.2g} GB/s at most, or {2 * size / whole / 1e9:.2g} on two ideal cores"
    peer = parts["quiet"]["peers"].get("gpualert")
    yield f", which would be {2 * size / whole / _rate(peer):.0f} × `gpualert`" if peer else ""
    yield ". The rest is Python's start-up, and the end of the log, which is analyzed line by line.\n"
    yield "Searching can't be split as finely as reading and counting, so the second core sometimes waits.\n"


def shapes(parts: Results, names: tuple[str, ...], *, upside_down: bool = False) -> str:
    """Return a table with a row per log and a column for each measured program in `names`."""
    measured = [shape for shape in SHAPES if shape in parts]
    shown = [name for name in names if any(name in parts[shape]["peers"] for shape in measured)]
    if not shown:
        return "None of them was installed.\n"
    text = f"| log | size | `logsense` | memory |{''.join(f' `{name}` |' for name in shown)}\n|---|---|---|---|{'---|' * len(shown)}\n"
    for shape in measured:
        part = parts[shape]
        cells = [_cell(parts, shape, name, upside_down) for name in shown]
        if not any(cells):
            continue
        text += f"| {SHAPES[shape]} | {part['bytes'] / 1e9:.2g} GB | {_short(_rate(part) / 1e6)} MB/s | {part['peak_bytes'] / 1e6:.0f} MB |"
        text += "".join(f" {cell} |" for cell in cells) + "\n"
    return text


def _cell(parts: Results, shape: str, peer: str, upside_down: bool) -> str:
    ratio = _ratio(parts, shape, peer)
    if ratio is None:
        return ""
    stopped = parts[shape]["peers"][peer].get("stopped", False)
    return f"{('> ' if upside_down else '< ') * stopped}{_short(1 / ratio if upside_down else ratio)} ×"


def _rate(took: Results) -> float:
    return float(took["bytes"] / took["seconds"])


def _ratio(parts: Results, part: str, peer: str) -> float | None:
    """Return the time of logsense per byte as a multiple of the peer's."""
    there = parts.get(part, {}).get("peers", {}).get(peer)
    return _rate(there) / _rate(parts[part]) if there else None


def _held(value: float, holds: bool, unit: str) -> str:
    return f"{_short(value)} {unit}" + ("" if holds else " (missed)")


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 20 else f"{value:.1f}" if abs(value) >= 2 else f"{value:.2f}"


def _line(path: str, name: str) -> str:
    """Return the value of `name` in a file of `name: value` lines."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith(name)), "")
    except OSError:
        return ""
