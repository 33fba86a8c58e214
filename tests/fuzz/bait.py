"""Texts that make a backtracking regex work as hard as it can, made from the regex itself."""

from __future__ import annotations

import re
import signal
import time
import warnings
from collections.abc import Iterator
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_parse

MOST_PIECES = 14


def baits(regex: str, size: int) -> Iterator[str]:
    """Texts of about `size` characters: each run of the regex's pieces, repeated behind what comes before it."""
    pieces = [piece for piece in _pieces(sre_parse.parse(regex)) if piece]
    if len(pieces) > MOST_PIECES:  # neighbours together
        step = -(-len(pieces) // MOST_PIECES)
        pieces = ["".join(pieces[at : at + step]) for at in range(0, len(pieces), step)]
    seen = set()
    for begin in range(len(pieces)):
        before = "".join(pieces[:begin])
        for end in range(begin + 1, len(pieces) + 1):
            run = "".join(pieces[begin:end])
            for text in (before + run * (size // len(run)), before + run + run[-1] * size):
                text = text[: len(before) + size] + "\x00"
                if text not in seen:
                    seen.add(text)
                    yield text
    for blank in (" ", "a", "1", ".", "a "):
        yield "".join(pieces[: len(pieces) // 2 + 1]) + blank * (size // len(blank)) + "\x00"


def _pieces(tree: Any) -> list[str]:
    """An example of each part of a parsed regex, literals joined."""
    found: list[str] = []
    run = ""
    for kind, argument in tree:
        name = str(kind)
        if name == "LITERAL":
            run += chr(argument)
            continue
        if run:
            found.append(run)
            run = ""
        if name == "IN":
            found.append(_one_of(argument))
        elif name in ("ANY", "NOT_LITERAL"):
            found.append("a" if argument != ord("a") else "b")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            parts = _pieces(inner)
            found += parts if most and (least or len(found) % 2) else []
            found += [] if most and (least or len(found) % 2) else parts
        elif name == "SUBPATTERN":
            found += _pieces(argument[3])
        elif name == "BRANCH":
            found += max((_pieces(branch) for branch in argument[1]), key=lambda one: sum(map(len, one)))
        elif name == "ATOMIC_GROUP":
            found += _pieces(argument)
    return [*found, run]


def _one_of(items: Any) -> str:
    """A character that a set holds, a plain one if it can be."""
    regex = re.compile("", re.NOFLAG) if hasattr(re, "NOFLAG") else None
    del regex
    negated = any(str(kind) == "NEGATE" for kind, _ in items)
    for letter in "a1 .-_,:/[(AxX'\"+=\n":
        held = any(_holds(str(kind), argument, letter) for kind, argument in items)
        if held != negated:
            return letter
    return "a"


def _holds(kind: str, argument: Any, letter: str) -> bool:
    if kind == "LITERAL":
        return chr(argument) == letter
    if kind == "RANGE":
        return bool(argument[0] <= ord(letter) <= argument[1])
    if kind == "CATEGORY":
        name = str(argument)
        yes = {"DIGIT": letter.isdigit(), "SPACE": letter.isspace(), "WORD": letter.isalnum() or letter == "_"}
        word = name.rsplit("_", 1)[-1]
        return yes.get(word, False) != ("NOT" in name)
    return False


class TooSlow(BaseException):
    """The regex took more than its time."""


def seconds(search: Any, text: str, limit_s: float) -> float:
    """How long `search(text)` takes; `limit_s` where it takes longer. Only in the main thread."""

    def stop(_signal: int, _frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    began = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, limit_s)
        search(text)
        took = time.perf_counter() - began
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TooSlow:
        took = limit_s
    finally:
        signal.signal(signal.SIGALRM, before)
    return took
