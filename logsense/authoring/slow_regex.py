"""Texts on which a backtracking regex works as hard as it can, made from the regex itself, and what they show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import regex as limited

from logsense.catalog.decode import Path, Problems
from logsense.model.line import shorten_blanks
from logsense.util import regexes

MOST_PIECES = 14
SIZE = 2000  # characters of a bait: a long line
LIMIT_S = 0.25  # a regex whose time grows with the length of the text needs a thousandth of it
TRIES = 2
LINES = 20
_LETTERS = "a1 .-_,:/[(AxX'\"+=\n"


def too_slow(regex: str, *, ignore_case: bool = False, samples: Iterable[str] = ()) -> str | None:
    """Return a text on which `regex` takes far too long, shortened for reading; None if none was found.

    It is made from the regex itself, or from `samples` that it matches.
    """
    compiled = limited.compile(regex, limited.IGNORECASE if ignore_case else 0)
    for bait in chain(baits(regex, SIZE), _stretched(samples)):
        # The limit is one of real time, in which other programs may have had their turn.
        if all(_is_late(compiled, bait) for _ in range(TRIES)):
            return bait if len(bait) < 60 else f"{bait[:40]} … {bait[-20:]}"
    return None


def _is_late(compiled: Any, bait: str) -> bool:
    try:
        compiled.search(bait, timeout=LIMIT_S)
    except TimeoutError:
        return True
    return False


def check_time(
    regex: str, path: Path, problems: Problems, *, ignore_case: bool = False, samples: Iterable[str] = ()
) -> None:
    """Note at `path` that a regex written by hand is slow; a template can't be."""
    bait = too_slow(regex, ignore_case=ignore_case, samples=samples)
    if bait is not None:
        problems.add(
            path,
            f"takes more than {LIMIT_S:g} s on some {SIZE:,} characters such as {bait!r}: give each repeat an"
            " end ({0,80}) and let no two neighbours match the same characters, or write a template (match)",
        )


def _stretched(samples: Iterable[str]) -> Iterator[str]:
    """Yield each sample with one of its lines many times, and without its end, so that each way over it is in vain."""
    for sample in samples:
        *above, last = sample.split("\n")
        for at, line in enumerate([*above, last]):
            yield "\n".join([*above[:at], *[line] * LINES, *above[at + 1 :], last[: len(last) // 2]])


def baits(regex: str, size: int) -> Iterator[str]:
    """Yield texts of about `size` characters, as the parser leaves them: each run of the regex's pieces, repeated after
    what comes before it, and long runs of single characters."""
    pieces = [piece for piece in _pieces(regexes.tree(regex) or ()) if piece]
    if len(pieces) > MOST_PIECES:  # neighbours together
        step = -(-len(pieces) // MOST_PIECES)
        pieces = ["".join(pieces[at : at + step]) for at in range(0, len(pieces), step)]
    # An engine that misses a regex's last words does not even begin, so they stand behind what can't match.
    ends = ("\0", f"\0{pieces[-1]}") if pieces else ()
    for text in dict.fromkeys(text + end for text in _made(pieces, size) for end in ends):
        yield "\n".join(shorten_blanks(line) for line in text.split("\n"))


def _made(pieces: list[str], size: int) -> Iterator[str]:
    for begin in range(len(pieces)):
        before = "".join(pieces[:begin])
        for end in range(begin + 1, len(pieces) + 1):
            run = "".join(pieces[begin:end])
            yield before + run * (size // len(run))
            yield before + run + run[-1] * size
    for letter in (" ", "a", "1", ".", "a ", "aa:", "\n "):
        yield "".join(pieces[: len(pieces) // 2 + 1]) + letter * (size // len(letter))


def _pieces(tree: Any) -> list[str]:
    """Return an example of each part of a parsed regex, neighbouring characters together."""
    found: list[str] = []
    run = ""
    for kind, argument in tree:
        name = str(kind)
        if name == "LITERAL":
            run += chr(argument)
            continue
        found.append(run)
        run = ""
        if name == "IN":
            found.append(_one_of(argument))
        elif name in ("ANY", "NOT_LITERAL"):
            found.append("a" if argument != ord("a") else "b")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            found += _pieces(argument[2]) if argument[1] else []
        elif name == "SUBPATTERN":
            found += _pieces(argument[3])
        elif name == "BRANCH":
            found += max(map(_pieces, argument[1]), key=lambda one: sum(map(len, one)))
        elif name == "ATOMIC_GROUP":
            found += _pieces(argument)
        elif name == "ASSERT" and argument[0] > 0:
            found += _pieces(argument[1])
    return [*found, run]


def _one_of(items: Any) -> str:
    """Return a character that a set holds, a plain one if it can be."""
    negated = any(str(kind) == "NEGATE" for kind, _ in items)
    for letter in _LETTERS:
        if any(_holds(str(kind), argument, letter) for kind, argument in items) != negated:
            return letter
    first = next((argument for kind, argument in items if str(kind) == "LITERAL"), None)
    return "é" if negated or first is None else chr(first)


def _holds(kind: str, argument: Any, letter: str) -> bool:
    if kind == "LITERAL":
        return chr(argument) == letter
    if kind == "RANGE":
        return bool(argument[0] <= ord(letter) <= argument[1])
    if kind == "CATEGORY":
        known = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(), "WORD": letter.isalnum() or letter == "_"}
        return known.get(str(argument).rsplit("_", 1)[-1], False) != ("NOT" in str(argument))
    return False
