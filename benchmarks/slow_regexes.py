"""Look for texts on which a regex takes far too long: those of the catalog, and those of the program itself.

    python benchmarks/slow_regexes.py [ID…] [--limit SECONDS] [--size BYTES] [--jobs N]

Lines of 50 KB are explained, with nothing else in the log:

- for each literal, a line that repeats it, and the run of one character before, behind or around it that keeps the
  regex busiest;
- for each regex, up to five texts made of its own pieces that keep it busy for a fifth of the limit. Of regexes that
  differ in their words only, one is tried. A first look takes texts of a tenth of the size.

Ten are explained at a time; those that cost more than the limit together, one by one. A text that costs more than the
limit is printed, and makes the status 1. All times are those of the processor.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import logsense
from logsense.authoring.slow_regex import baits
from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text
from logsense.util import regexes

SIZE, LIMIT_S = 50_000, 0.5
SMALLER = 10  # times, for the first look; a quadratic regex takes a hundredth of the time there
SUSPECT = 5  # a part of the limit
GIVE_UP_S = 0.15  # of one regex on one text
ENOUGH = 5  # slow texts of a regex
TOGETHER = 10
# Characters that stand around literals in logs, beside those that do in the regex.
AROUND = "0a .-_=:/,'\"[(|x1A"


class Regex(NamedTuple):
    """A regex, the name of what it belongs to, and the literals that a text must contain to meet it."""

    name: str
    source: str | bytes
    flags: int
    literals: tuple[str, ...]


class Bait(NamedTuple):
    """A text for a regex, by the function and its arguments that make it, since thousands of whole texts are long."""

    name: str
    source: str
    literal: str | None
    number: int

    def text(self, size: int) -> str:
        """Return the text of about `size` characters."""
        made = baits(self.source, size) if self.literal is None else _runs(self.source, self.literal, size)
        return next(text for number, text in enumerate(made) if number == self.number)[:size]


class TooLongError(Exception):
    """A regex was given up."""


def main() -> int:
    """Print what is too slow; return the exit status."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="how signatures or modules to look at begin, such as 'nccl.' or 'logsense.'; by default all",
    )
    options.add_argument("--limit", type=float, default=LIMIT_S, help="seconds that a text may cost")
    options.add_argument("--size", type=int, default=SIZE, help="bytes of a text")
    options.add_argument("--jobs", type=int, default=1, help="processes to use")
    chosen = options.parse_args()
    all_regexes = [one for one in _all() if one.name.startswith(tuple(chosen.ids) or "")]
    catalog = load_catalog()
    explain_text(b"step 1\n" * 9, catalog)
    plain_s = min(_explained_s("a" * chosen.size) for _ in range(3))
    tasks = [(one, chosen.size, chosen.limit) for one in all_regexes]
    shapes = {_shape(regexes.tree(_text(one.source))): (one, chosen.size, chosen.limit) for one in all_regexes}
    with multiprocessing.get_context("fork").Pool(chosen.jobs) as pool:
        runs = [bait for found in pool.imap(_runs_to_explain, tasks, 16) for bait in found]
        print(f"{len(all_regexes):,} regexes; {len(runs):,} runs of their literals", flush=True)
        pieces = [bait for found in pool.imap(_pieces_to_explain, shapes.values(), 4) for bait in found]
        print(f"{len(shapes):,} shapes of regexes; {len(pieces):,} texts of their pieces are slow", flush=True)
        together = [*runs, *pieces]
        batches = [(together[at : at + TOGETHER], chosen.size, plain_s) for at in range(0, len(together), TOGETHER)]
        costs = list(pool.imap(_cost, batches))
        most_s = max(costs, default=0.0)
        print(f"{len(together):,} texts, {TOGETHER} at a time: at most {most_s:.2f} s", flush=True)
        pairs = zip(batches, costs, strict=True)
        alone = [bait for (batch, _, _), spent_s in pairs if spent_s > chosen.limit for bait in batch]
        slow, worst_s = 0, 0.0
        singles = [([bait], chosen.size, plain_s) for bait in alone]
        for bait, spent_s in zip(alone, pool.imap(_cost, singles), strict=True):
            worst_s = max(worst_s, spent_s)
            if spent_s > chosen.limit:
                slow += 1
                print(f"{spent_s:6.2f} s  {bait.name}: {_short(bait.text(chosen.size))!r}", flush=True)
    print(f"{plain_s:.2f} s for a text that holds no message, which is not counted")
    print(f"{len(alone):,} texts one by one: at most {worst_s:.2f} s")
    print(f"{slow:,} texts of {chosen.size:,} bytes cost more than {chosen.limit:g} s")
    return 1 if slow else 0


def _runs_to_explain(task: tuple[Regex, int, float]) -> list[Bait]:
    """Return for each literal of a regex its repetition, and the run of one character that keeps the regex busiest."""
    one, size, _ = task
    signal.signal(signal.SIGVTALRM, _give_up)
    pattern, source = re.compile(one.source, one.flags), _text(one.source)
    found = []
    for literal in one.literals:
        made = enumerate(_runs(source, literal, size // SMALLER))
        spent = {Bait(one.name, source, literal, number): _time_s(pattern, text) for number, text in made}
        repeated = next(iter(spent))
        found += [repeated, max((bait for bait in spent if bait != repeated), key=spent.__getitem__)]
    return found


def _pieces_to_explain(task: tuple[Regex, int, float]) -> list[Bait]:
    """Return the texts of a regex's pieces that keep it busy for a part of the limit; of a regex without literals, one."""
    one, size, limit_s = task
    signal.signal(signal.SIGVTALRM, _give_up)
    pattern, source = re.compile(one.source, one.flags), _text(one.source)
    spent: dict[Bait, float] = {}
    late: list[Bait] = []
    for number, text in enumerate(baits(source, size // SMALLER)):
        bait = Bait(one.name, source, None, number)
        spent[bait] = _time_s(pattern, text)
        if spent[bait] * SUSPECT * SMALLER**2 >= limit_s and _time_s(pattern, bait.text(size)) * SUSPECT >= limit_s:
            late.append(bait)
            if len(late) >= ENOUGH:
                break
    first = [max(spent, key=spent.__getitem__)] if spent and not one.literals else []
    return list(dict.fromkeys((*first, *late)))


def _text(source: str | bytes) -> str:
    return source if isinstance(source, str) else source.decode("latin-1")


def _shape(tree: Any) -> str:
    """Return a parsed regex without its words: the time that it takes does not depend on them."""
    found: list[str] = []
    for kind, argument in tree:
        name = str(kind)
        if name == "LITERAL":
            found += ["w"] if found[-1:] != ["w"] else []
        elif "REPEAT" in name:
            found.append(f"{name}{argument[0]},{argument[1]}({_shape(argument[2])})")
        elif name == "BRANCH":
            found.append(f"({'|'.join(map(_shape, argument[1]))})")
        elif name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"):
            inner = argument if name == "ATOMIC_GROUP" else argument[-1]
            found.append(f"{name}({_shape(inner)})")
        else:
            found.append(f"{name}{argument}")
    return "".join(found)


def _cost(task: tuple[list[Bait], int, float]) -> float:
    """Return what the explanation of these texts costs more than that of a text without a message."""
    baits_, size, plain_s = task
    return _explained_s("\n".join(bait.text(size) for bait in baits_)) - plain_s


def _explained_s(text: str) -> float:
    """Return the processor's time that the explanation of a log takes that holds nothing but `text`."""
    began = time.process_time()
    explain_text(text.encode("utf-8", "replace"), load_catalog())
    return time.process_time() - began


def _all() -> list[Regex]:
    """Return every regex of the catalog and of the program, once."""
    by_source: dict[tuple[str | bytes, int], Regex] = {}
    for one in (*_of_program(), *_of_catalog()):
        known = by_source.get((one.source, one.flags), one)
        literals = tuple(dict.fromkeys((*known.literals, *one.literals)))
        by_source[one.source, one.flags] = known._replace(literals=literals)
    return list(by_source.values())


def _of_catalog() -> Iterator[Regex]:
    catalog = load_catalog()
    for number, name in enumerate(catalog.ids):
        signature = catalog.signature(number)
        for pattern in (*signature.match, *signature.also):
            flags = re.IGNORECASE if signature.ignore_case else 0
            yield Regex(name, pattern.regex, flags, (pattern.literal,))


def _of_program() -> list[Regex]:
    """Return every regex that a module compiles when it is imported, wherever the module keeps it."""
    found: list[Regex] = []
    module = ""

    def note(source: str | bytes, flags: int) -> None:
        found.append(Regex(module, source, int(flags) & ~re.UNICODE, ()))

    lazy, compiled = regexes.Lazy.__init__, re.compile

    def later(self: regexes.Lazy, source: str | bytes, flags: int = 0) -> None:
        note(source, flags)
        lazy(self, source, flags)

    def now(source: str | bytes | re.Pattern[str], flags: int = 0) -> re.Pattern[str]:
        if isinstance(source, (str, bytes)) and sys._getframe(1).f_globals["__name__"].startswith("logsense."):
            note(source, flags)
        return compiled(source, flags)  # type: ignore[arg-type]

    regexes.Lazy.__init__, re.compile = later, now  # type: ignore[method-assign,assignment]
    names = [one.name for one in pkgutil.walk_packages(logsense.__path__, "logsense.")]
    try:
        for module in names:
            if module == "logsense.util.regexes" or module.endswith("__main__") or ".callbacks" in module:
                continue
            # What was imported above has compiled its own already.
            before = sys.modules.pop(module, None)
            try:
                importlib.import_module(module)
            except ImportError:
                pass
            if before:
                sys.modules[module] = before
    finally:
        regexes.Lazy.__init__, re.compile = lazy, compiled  # type: ignore[method-assign]
    return found


def _runs(source: str, literal: str, size: int) -> Iterator[str]:
    """Yield the literal over and over, and with a run of one character before it, behind it, and on both sides."""
    yield (literal + " ") * (size // (len(literal) + 1))
    near = {char for char in re.sub(r"\\[a-zA-Z]|\(\?[^)]*\)", "", source) if char.isprintable()} & set(AROUND)
    for char in sorted(near | {"0", "a", " ", "."}):
        run = char * (size - len(literal))
        yield literal + run
        yield run + literal
        yield run[: size // 2] + literal + run[: size // 2]


def _time_s(pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> float:
    """Return the processor's time that one search takes, up to a limit."""
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, GIVE_UP_S)
        pattern.search(text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text)  # type: ignore[arg-type]
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return time.process_time() - began
    except TooLongError:  # the signal may also come after the search
        return GIVE_UP_S


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise TooLongError


def _short(text: str) -> str:
    runs = re.sub(r"(.{1,12}?)\1{8,}", lambda run: f"{run[1]}…×{len(run[0]) // len(run[1])}…", text, flags=re.DOTALL)
    return runs if len(runs) < 160 else f"{runs[:110]} … {runs[-40:]}"


if __name__ == "__main__":
    sys.exit(main())
