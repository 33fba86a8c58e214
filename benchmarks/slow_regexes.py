"""Looks for texts on which a regex takes far too long: those of the catalog, and those of the program itself.

    python benchmarks/slow_regexes.py [ID…] [--limit SECONDS] [--size BYTES] [--all]

Each regex meets lines of 50 KB: its literals with runs of the characters around them, and runs of its own pieces. The
five worst of a regex that keep it busy for a twentieth of the limit are then explained end to end, each as a log with
nothing else in it. One that costs more than the limit is printed, and makes the status 1. With --all every text goes
end to end, which takes hours.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import logsense
from logsense.authoring.slow_regex import baits
from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text
from logsense.util.regexes import Lazy

SIZE, LIMIT_S = 50_000, 0.5
SUSPECT = 20  # a part of the limit
GIVE_UP_S = 0.3  # of one regex on one text
WORST = 5
# Characters that stand around literals in logs, beside those that do in the regex.
AROUND = "0a .-_=:/,'\"[(|x1A"


class Bait(NamedTuple):
    """A text for a regex, and how the regex is called."""

    name: str
    text: str


class TooLongError(Exception):
    """A regex was given up."""


def main() -> int:
    """Prints what is too slow; gives the exit status."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="how signatures or modules to look at begin, such as 'nccl.' or 'logsense.'; by default all",
    )
    options.add_argument("--limit", type=float, default=LIMIT_S, help="seconds that a text may cost")
    options.add_argument("--size", type=int, default=SIZE, help="bytes of a text")
    options.add_argument("--all", action="store_true", help="explain every text end to end")
    chosen = options.parse_args()
    signal.signal(signal.SIGVTALRM, _give_up)
    catalog = load_catalog()
    explain_text(b"step 1\n" * 9, catalog)
    count, suspects = 0, list[Bait]()
    for name, pattern, texts in _all(chosen.ids, chosen.size):
        count += len(texts)
        busy_s = {text: chosen.limit if chosen.all else _time_s(pattern, text) for text in texts}
        worst = sorted((text for text in texts if busy_s[text] * SUSPECT >= chosen.limit), key=busy_s.__getitem__)
        suspects += [Bait(name, text) for text in (worst if chosen.all else worst[-WORST:])]
    print(f"{count:,} texts; {len(suspects):,} of them may be slow", flush=True)
    began = time.process_time()
    explain_text(b"a" * chosen.size, catalog)
    plain_s = time.process_time() - began
    slow, worst_s = 0, 0.0
    for bait in suspects:
        began = time.process_time()
        explain_text(bait.text.encode("utf-8", "replace"), catalog)
        spent_s = time.process_time() - began - plain_s
        worst_s = max(worst_s, spent_s)
        if spent_s > chosen.limit:
            slow += 1
            print(f"{spent_s:6.2f} s  {bait.name}: {_short(bait.text)!r}", flush=True)
    print(f"{plain_s:.2f} s for a text that holds no message; at most {worst_s:.2f} s more for any of the others")
    print(f"{slow:,} texts of {chosen.size:,} bytes cost more than {chosen.limit:g} s")
    return 1 if slow else 0


def _all(ids: list[str], size: int) -> Iterator[tuple[str, re.Pattern[str], list[str]]]:
    """Every regex, its name and its texts."""
    for name, source, flags, literals in (*_of_catalog(), *_of_program()):
        if not name.startswith(tuple(ids) or ""):
            continue
        pattern = re.compile(source, flags)
        texts = [text[:size] for literal in literals for text in _runs(source, literal, size)]
        texts += [text[:size] for text in baits(source, size)]
        yield name, pattern, list(dict.fromkeys(texts))


def _of_catalog() -> Iterator[tuple[str, str, int, list[str]]]:
    catalog = load_catalog()
    for number, name in enumerate(catalog.ids):
        signature = catalog.signature(number)
        patterns: dict[str, list[str]] = {}
        for pattern in (*signature.match, *signature.also):
            patterns.setdefault(pattern.regex, []).append(pattern.literal)
        for regex, literals in patterns.items():
            yield name, regex, re.IGNORECASE if signature.ignore_case else 0, literals


def _of_program() -> Iterator[tuple[str, str, int, list[str]]]:
    for module in pkgutil.walk_packages(logsense.__path__, "logsense."):
        if module.name.endswith("__main__") or ".callbacks" in module.name:
            continue
        try:
            found = vars(importlib.import_module(module.name))
        except ImportError:
            continue
        for name, value in found.items():
            if isinstance(value, Lazy) and isinstance(value._source, str):
                yield f"{module.name}.{name}", value._source, value._flags, []
            elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                yield f"{module.name}.{name}", value.pattern, value.flags & ~re.UNICODE, []


def _runs(source: str, literal: str, size: int) -> Iterator[str]:
    """The literal with a run of one character before it, behind it, and on both sides."""
    near = {char for char in re.sub(r"\\[a-zA-Z]|\(\?[^)]*\)", "", source) if char.isprintable()} & set(AROUND)
    for char in sorted(near | {"0", "a", " ", "."}):
        run = char * (size - len(literal))
        yield literal + run
        yield run + literal
        yield run[: size // 2] + literal + run[: size // 2]


def _time_s(pattern: re.Pattern[str], text: str) -> float:
    """The processor's time that one search takes, up to a limit."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, GIVE_UP_S)
    try:
        pattern.search(text)
    except TooLongError:
        return GIVE_UP_S
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError


def _short(text: str) -> str:
    runs = re.sub(r"(.{1,12}?)\1{8,}", lambda run: f"{run[1]}…×{len(run[0]) // len(run[1])}…", text, flags=re.DOTALL)
    return runs if len(runs) < 160 else f"{runs[:110]} … {runs[-40:]}"


if __name__ == "__main__":
    sys.exit(main())
