"""Writes docs/benchmarks.md from what was measured: targets first, as ratios, then every shape against every program."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from logs import SHAPES

Results = Mapping[str, Any]
FAST = ("wc -l", "rg -F -f", "grep -F -f", "zcat", "zstdcat", "rg -z -F -f")
SLOW = ("lnav -n", "re loop", "gpualert", "NVRx")
HEAD = """\
# Benchmarks

How fast `logsense` is, measured beside other programs on the same files in the same minute. Seconds differ from machine
to machine; ratios between programs differ far less, so they come first. The quickest of several runs counts, and the
programs take turns.

```sh
python benchmarks/all.py                  # all of it; or parts: quiet sparse dense bars files gzip zstd starts …
python benchmarks/all.py quiet --size 0.1 # a quick look
```

"""
FOOT = """\

## How to read it

Every log ends in the same failure. Programs of the second table get 16 MiB of a log, and rates are compared; one that takes
more than half a minute is stopped (>). Those that search look for the same texts (all literals of the catalog) and do
nothing else, while `logsense` joins records, reads values and weighs causes. Hostile inputs, memory and the soak of an
hour are on the page of [limits](limits.md).
"""


def machine() -> dict[str, str]:
    """On what was measured."""
    return {
        "processor": _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "memory": _line("/proc/meminfo", "MemTotal"),
        "system": f"{platform.system()} {platform.release().partition('-')[0]}",
        "python": f"{platform.python_implementation()} {sys.version.split()[0]}",
    }


def page(results: Results) -> str:
    """The whole page."""
    parts = results["parts"]
    if not parts:
        return HEAD + "Nothing was measured yet on a machine without other work.\n"
    text = HEAD + _measured_on(parts, results["machine"])
    busy = {name: part["others"] for name, part in parts.items() if part["others"] > 0.3}
    if busy:
        text += f"\n**Other programs ran meanwhile** ({', '.join(busy)}): these numbers say little.\n"
    text += "\n## Targets\n\n| what | target | measured |\n|---|---|---|\n"
    text += "".join(f"| {what} | {target} | {value} |\n" for what, target, value in targets(parts))
    text += "".join(_floor(parts))
    text += "\n## Every shape, against every program\n\nThe time of `logsense` as a multiple of the other's, on the same bytes:\n"
    text += "below 1, `logsense` is quicker.\n\n" + shapes(parts, FAST)
    text += "\nAnd against programs that understand logs, how many times as long they take for a byte:\n\n" + shapes(
        parts, SLOW, upside_down=True
    )
    text += "\n| program | what it does | version |\n|---|---|---|\n"
    text += "".join(
        f"| `{one['name']}` | {one['what']} | {one['version'] or one['missing']} |\n" for one in results["peers"]
    )
    named = [SHAPES[name] for name, part in parts.items() if name in SHAPES and part["found"].startswith("gpu-memory.")]
    return text + FOOT + (f"That failure was named first in: {', '.join(named)}.\n" if named else "")


def _measured_on(parts: Results, machine: Mapping[str, str]) -> str:
    """When, and on what; where there are several machines, which parts on which. `machine` is of parts that name none."""
    days = sorted({part["date"] for part in parts.values()})
    by_machine: dict[str, list[str]] = {}
    for name, part in parts.items():
        by_machine.setdefault(_told(part.get("machine", machine)), []).append(name)
    told = " and ".join(
        f"{one} ({', '.join(names)})" if len(by_machine) > 1 else one for one, names in by_machine.items()
    )
    return f"Measured on {' and '.join(dict.fromkeys((days[0], days[-1])))}: {told}.\n"


def _told(machine: Mapping[str, str]) -> str:
    kib = machine["memory"].split()[:1]
    memory = f", {int(kib[0]) / 2**20:.0f} GiB" if kib and kib[0].isdecimal() else ""
    return f"{machine['processor']}, {machine['cores']} cores{memory}, {machine['system']}, {machine['python']}"


def targets(parts: Results) -> Iterator[tuple[str, str, str]]:
    """Each target with what was measured, where it was."""
    for shape, peer, most in (("quiet", "rg -F -f", 0.35), ("quiet", "wc -l", 6)):
        if ratio := _ratio(parts, shape, peer):
            yield f"quiet log, against `{peer}`", f"≤ {most:g} ×", _held(ratio, ratio <= most, "×")
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
        yield "pipe: a line comes later than through `cat`, p99", "≤ 2 ms", _held(later_ms, later_ms <= 2, "ms")
        rate = pipe["bytes"] / pipe["flow_s"]["logsense"] / 1e9
        beside = pipe["flow_s"]["logsense"] / pipe["flow_s"]["cat"]
        yield f"pipe: bytes that pass ({beside:.2f} × the time of `cat`)", "≥ 1 GB/s", _held(rate, rate >= 1, "GB/s")
    if "jobs" in parts:
        jobs = parts["jobs"]["seconds"]
        more = 100 * (jobs["logsense run"]["loop"] / jobs["python, then the job"]["loop"] - 1)
        yield "`logsense run`: a busy loop takes longer by", "≤ 0.5 %", _held(more, more <= 0.5, "%")
    if "ranks" in parts and (ratio := _ratio(parts, "ranks", "wc -l")):
        part = parts["ranks"]
        named = "right rank named" if part["right"] else "WRONG RANK"
        yield (
            f"{part['ranks']:,} logs of one job, {part['bytes'] / 1e9:.2g} GB, against `wc -l`; {named}",
            "≤ 8 ×",
            _held(ratio, ratio <= 8, "×"),
        )


def _floor(parts: Results) -> Iterator[str]:
    """What sets the limit for a quiet log, in numbers."""
    if "floor" not in parts or "quiet" not in parts:
        return
    size, took = parts["floor"]["bytes"], parts["floor"]["seconds"]
    whole = sum(took.values())
    yield f"\nOf a quiet log of {size / 1e9:.2g} GB, on one core, "
    yield ", ".join(f"{name} alone takes {seconds:.2f} s" for name, seconds in took.items())
    yield f": {size / whole / 1e9:.2g} GB/s at most, or {2 * size / whole / 1e9:.2g} on two cores that wait for nothing"
    peer = parts["quiet"]["peers"].get("gpualert")
    yield f", which would be {2 * size / whole / _rate(peer):.0f} × `gpualert`" if peer else ""
    yield ". What comes on top is Python's start, and the end of the log, which is read line by line.\n"
    yield "Searching can't be shared out as finely as reading and counting, so that the second core waits now and then.\n"


def shapes(parts: Results, names: tuple[str, ...], *, upside_down: bool = False) -> str:
    """A table with a row a shape and a column for each of the programs `names` that were measured."""
    measured = [shape for shape in SHAPES if shape in parts]
    shown = [name for name in names if any(name in parts[shape]["peers"] for shape in measured)]
    if not shown:
        return "None of them was here.\n"
    text = f"| log | size | `logsense` | memory |{''.join(f' `{name}` |' for name in shown)}\n|---|---|---|---|{'---|' * len(shown)}\n"
    for shape in measured:
        part = parts[shape]
        told = [_cell(parts, shape, name, upside_down) for name in shown]
        if not any(told):
            continue
        text += f"| {SHAPES[shape]} | {part['bytes'] / 1e9:.2g} GB | {_short(_rate(part) / 1e6)} MB/s | {part['peak_bytes'] / 1e6:.0f} MB |"
        text += "".join(f" {cell} |" for cell in told) + "\n"
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
    """The time of logsense for a byte as a multiple of the peer's."""
    there = parts.get(part, {}).get("peers", {}).get(peer)
    return _rate(there) / _rate(parts[part]) if there else None


def _held(value: float, holds: bool, unit: str) -> str:
    return f"{_short(value)} {unit}" + ("" if holds else " (missed)")


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 20 else f"{value:.1f}" if abs(value) >= 2 else f"{value:.2f}"


def _line(path: str, name: str) -> str:
    """What a file of `name: value` lines says of `name`."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith(name)), "")
    except OSError:
        return ""
