"""Takes off what stands in front of all lines alike: a rank, a host, or whatever a viewer or a collector put there."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from operator import itemgetter

from logsense.records import prefixes
from logsense.unwrap import traceback
from logsense.unwrap.text import Line
from logsense.util.regexes import Lazy

_NUMBERED = Lazy(r"\s{0,5}(?P<rank>\d{1,5}):(?!\d\d:) ?")
_HOSTED = Lazy(r"(?P<host>[A-Za-z][\w.-]{0,80}?)(?::(?: |$)| +\| ?)")
_ENOUGH = 3  # lines, before a column that most of them share counts as a prefix
_SURE = 10  # lines that all begin with the same words and go on indented or not
_SAMPLE = 60  # lines that are looked at to find a column nobody has told us of
_LONGEST = 120  # characters of such a column
_SHARED_BY = 0.95
_ENDS = ' \t:|])>+#="'
_DIGITS = Lazy(r"\d+")
_CLOCK = Lazy(
    r"(?<![\d:])(?:\d{4}-\d\d-\d\d[T ]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d )?"
    r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?![\d:])"
)
_BEHIND = Lazy(r"\S{0,8}[\s|:\])-]*")  # a zone, and what parts a time from the message
_MECHANICAL = Lazy(r"[^\s:]*[./][^\s:]*[:-]\d+[:-]|<\d{1,3}>(?:\d )?|msg=\"?")  # of grep -Hn, of syslog, of logfmt
_NAME = Lazy(r"[\w./@-]+(?:\[[\w./-]+\])?(?:: ?|\t| \| )")  # of a program, behind a time
_WORD = Lazy(r"[A-Za-z][A-Za-z_-]*: ?")  # who speaks, as in "NVRM: ", "srun: ": a part of the messages
_SIGNS = ("Traceback (", 'File "', "Warning: ")  # of lines that begin where a column ends
_MIDDLE = Lazy(r"Traceback \(most recent call last|  File \"")
_INDENTED = Lazy(r" {2,}[A-Za-z]")
_WARNED = Lazy(r"[^\s:]*[./][^\s:]*:\d+: \w*Warning: ")
_LEVEL = Lazy(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b")
_RANK = Lazy(r"\b[Rr]ank[ =:_-]{0,2}(\d{1,6})\b")


def take_columns(lines: list[Line]) -> None:
    """Takes off the rank ("3: ") or host ("node7: ") that a launcher puts in front of every line, where it did."""
    filled = [line for line in lines if line.text]
    if len(filled) >= _ENOUGH:
        _take_column(filled, _NUMBERED, "rank")
        _take_column(filled, _HOSTED, "host")


def _take_column(filled: list[Line], rule: Lazy, name: str) -> None:
    """Take the column `name` off the lines that have it.

    Labels that count from 0 are a launcher's: only the lines between its first and its last one must have them.
    Others must stand in front of nearly every line.
    """
    found = [(at, line, match) for at, line in enumerate(filled) if (match := rule.match(line.text))]
    values = {match[name] for _, _, match in found}
    if not found or len(values) * 2 > len(found):
        return
    counted = name == "rank" and len(values) > 1 and {int(value) for value in values} == set(range(len(values)))
    span = found[-1][0] - found[0][0] + 1 if counted else len(filled)
    if len(found) * 5 < span * 4:
        return
    if name == "host" and not all(any(letter.isdigit() for letter in value) for value in values):
        return
    for _, line, match in found:
        value: object = int(match[name]) if name == "rank" else match[name]
        line.text = line.text[match.end() :]
        line.fields = {name: value}
        line.key = (name, value)


def take_shared(lines: list[Line]) -> bool:
    """Takes off a column that no rule knows but all lines share up to its numbers. Whether it did.

    Words that all lines begin with are no column unless what stands behind them begins like a line of its own.
    """
    filled = [line for line in lines if line.text]
    if len(filled) < _ENOUGH:
        return False
    sample = filled[:: len(filled) // _SAMPLE + 1]
    candidates = _candidates([line.text for line in sample])
    if not candidates:
        return False
    telling = (line for line in filled if any(sign in line.text for sign in _SIGNS))
    probe = [*sample, *islice(telling, _SAMPLE)]
    stamped = all(line.fields and "time" in line.fields for line in sample)
    logged = stamped and all("level" in (line.fields or ()) for line in sample)
    for masked in candidates:
        column = re.compile(_pattern(masked))
        seen = [match for line in probe if (match := column.match(line.text))]
        if len(seen) < _SHARED_BY * len(probe) or not _is_column(seen, stamped, logged):
            continue
        found = [(line, match) for line in filled if (match := column.match(line.text))]
        if len(found) >= _SHARED_BY * len(filled):
            _take(found)
            return True
    return False


def _take(found: list[tuple[Line, re.Match[str]]]) -> None:
    names = _names([match[0] for _, match in found])
    for (line, match), name in zip(found, names, strict=True):
        line.text = line.text[match.end() :]
        line.fields = {**(line.fields or {}), **_fields(match[0])}
        if name is not None:
            line.key = (*(line.key or ()), name)


def _candidates(texts: list[str]) -> list[str]:
    """What (nearly) all of `texts` begin with, with each number written as 0: all of it, and up to a time in it.

    None where a known prefix stands there.
    """
    firsts = Counter("0" if text[0].isdigit() else text[0] for text in texts)
    first, count = max(firsts.items(), key=itemgetter(1))
    if count < _SHARED_BY * len(texts) or first in " \t":
        return []
    if sum(1 for text in texts[:8] if prefixes.take(text)) * 2 > len(texts[:8]):
        return []
    counts: Counter[str] = Counter()
    for text in texts:
        masked = _DIGITS.sub("0", text[:_LONGEST])
        begins = {masked[:at] for at in range(1, len(masked) + 1) if masked[at - 1] in _ENDS}
        counts.update({*begins, f"{masked} ", f"{masked}\t"})  # an empty line has lost the blank at its end
    count, _, column = max((count, len(begin), begin) for begin, count in counts.items())
    if count < _SHARED_BY * len(texts):
        return []
    column = column[: len(column.rstrip(" \t")) + 1]
    rule = re.compile(_pattern(column))
    said = next((found[0] for text in texts if (found := rule.match(text))), "")
    known = _known_time(said)
    if known is not None:
        return [_DIGITS.sub("0", said[:known])]
    clock = _CLOCK.search(said)
    behind = _BEHIND.match(said, clock.end()) if clock else None
    return [column, _DIGITS.sub("0", said[: behind.end()])] if behind else [column]


def _known_time(said: str) -> int | None:
    """Where in a column a time begins that a known prefix carries: it is left to those who know what follows it."""
    for at in range(1, len(said)):
        if said[at - 1] in _ENDS and (known := prefixes.take(said[at:])) and "time" in known[1]:
            return at
    return None


def _is_column(found: list[re.Match[str]], stamped: bool, logged: bool) -> bool:
    """Whether what was matched is a column of its own rather than how the lines' messages begin.

    `stamped` says that a time stood in front of it, `logged` that a level did, too, so that a logger's name follows.
    """
    said = found[0][0]
    if _WORD.fullmatch(said) and not logged:
        # No program says so in front of a traceback's header.
        return any(traceback.is_header(match.string[match.end() :]) for match in found)
    if _MECHANICAL.fullmatch(said) or (_CLOCK.search(said) and not _DIGITS.search(_CLOCK.sub("", said))):
        return True
    rests = [match.string[match.end() :] for match in found]
    if all(match[0].rstrip() == said.rstrip() for match in found):
        if stamped and _NAME.fullmatch(said):
            return True
        indented = sum(1 for rest in rests if _INDENTED.match(rest))
        if len(found) >= _SURE and 0 < indented < len(rests):
            return True
    if all(_known_time(f" {rest}") == 1 for rest in rests[:_ENOUGH]):
        return not _DIGITS.search(said) or any(_MIDDLE.search(rest) for rest in rests)
    return any(_begins_line(rest) for rest in rests)


def _pattern(masked: str) -> str:
    """A regex for a column in which each number is written as 0; of an empty line its end may be lost."""
    bare = masked.rstrip(" \t")
    blank = re.escape(masked[len(bare) :])
    return r"\d+".join(map(re.escape, bare.split("0"))) + (f"(?:{blank}|$)" if blank else "")


def _begins_line(text: str) -> bool:
    taken = prefixes.take(text)
    text = taken[0] if taken else text
    return bool(traceback.is_header(text) or traceback.frame(text) or _WARNED.match(text))


def _names(columns: list[str]) -> list[str | None]:
    """What tells the streams apart that `columns` are in front of; None for all where there is but one."""
    for names in (columns, [_CLOCK.sub("", column) for column in columns]):
        if 1 < len(set(names)) <= len(names) // 4:
            return [name.rstrip() for name in names]
    return [None] * len(columns)


def _fields(column: str) -> dict[str, object]:
    """What a column says of time, level and rank."""
    said: dict[str, object] = {}
    if clock := _CLOCK.search(column):
        said["time"] = clock[0]
    if level := _LEVEL.search(column):
        said["level"] = level[0]
    if rank := _RANK.search(column):
        said["rank"] = int(rank[1])
    return said
