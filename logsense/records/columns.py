"""Removes a column that all lines share: a rank, a host, or what a viewer or collector put in front."""

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
_ENOUGH = 3  # lines that share a column
_SURE = 10  # lines with the same first words, followed by text indented or not
_SAMPLE = 60  # lines sampled to find an unknown column
_LONGEST = 120  # characters of such a column
_SHARED_BY = 0.95
_ENDS = ' \t:|])>+#="'
_DIGITS = Lazy(r"\d+")
_CLOCK = Lazy(
    r"(?<![\d:])(?:\d{4}-\d\d-\d\d[T ]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d )?"
    r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?![\d:])"
)
_AFTER_CLOCK = Lazy(r"\S{0,8}[\s|:\])-]*")  # a zone, and what separates a time from the message
_MECHANICAL = Lazy(r"[^\s:]*[./][^\s:]*[:-]\d+[:-]|<\d{1,3}>(?:\d )?|msg=\"?")  # of grep -Hn, of syslog, of logfmt
_NAME = Lazy(r"[\w./@-]+(?:\[[\w./-]+\])?(?:: ?|\t| \| )")  # of a program, after a time
_WORD = Lazy(r"[A-Za-z][A-Za-z_-]*: ?")  # a speaker such as "NVRM: " or "srun: ", part of the message
_SIGNS = ("Traceback (", 'File "', "Warning: ")  # in lines whose beginning is known
_MIDDLE = Lazy(r"Traceback \(most recent call last|  File \"")
_INDENTED = Lazy(r" {2,}[A-Za-z]")
_WARNED = Lazy(r"[^\s:]*[./][^\s:]*:\d+: \w*Warning: ")
_LEVEL = Lazy(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b")
_RANK = Lazy(r"\b[Rr]ank[ =:_-]{0,2}(\d{1,6})\b")


def take_columns(lines: list[Line]) -> None:
    """Remove the rank ("3: ") or host ("node7: ") that a launcher put in front of every line."""
    filled = [line for line in lines if line.text]
    if len(filled) >= _ENOUGH:
        _take_column(filled, _NUMBERED, "rank")
        _take_column(filled, _HOSTED, "host")


def _take_column(filled: list[Line], rule: Lazy, name: str) -> None:
    """Move the column `name` from the text of the lines to their fields.

    Ranks that count from 0 come from a launcher: only the lines between its first and last must have them. Other
    columns must be on nearly every line.
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
    """Remove a column that all lines share up to its numbers, although no rule knows it; return whether there was one.

    Words that all lines begin with are a column only if what follows begins like a line of its own.
    """
    filled = [line for line in lines if line.text]
    if len(filled) < _ENOUGH:
        return False
    sample = filled[:: len(filled) // _SAMPLE + 1]
    candidates = _candidates([line.text for line in sample])
    if not candidates:
        return False
    signed = (line for line in filled if any(sign in line.text for sign in _SIGNS))
    probe = [*sample, *islice(signed, _SAMPLE)]
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
    """Return what (nearly) all of `texts` begin with, numbers written as 0: all of it, and its part up to a time.

    The list is empty if a known prefix precedes it.
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
        counts.update({*begins, f"{masked} ", f"{masked}\t"})  # an empty line lost its trailing blank
    count, _, column = max((count, len(begin), begin) for begin, count in counts.items())
    if count < _SHARED_BY * len(texts):
        return []
    column = column[: len(column.rstrip(" \t")) + 1]
    rule = re.compile(_pattern(column))
    shown = next((found[0] for text in texts if (found := rule.match(text))), "")
    known = _known_time(shown)
    if known is not None:
        return [_DIGITS.sub("0", shown[:known])]
    clock = _CLOCK.search(shown)
    after = _AFTER_CLOCK.match(shown, clock.end()) if clock else None
    return [column, _DIGITS.sub("0", shown[: after.end()])] if after else [column]


def _known_time(shown: str) -> int | None:
    """Return where a time with a known prefix begins in a column, as the prefix parser knows what follows it."""
    for at in range(1, len(shown)):
        if shown[at - 1] in _ENDS and (known := prefixes.take(shown[at:])) and "time" in known[1]:
            return at
    return None


def _is_column(found: list[re.Match[str]], stamped: bool, logged: bool) -> bool:
    """Return whether the matches are a column rather than the beginnings of messages.

    `stamped` says that a time preceded it, `logged` that a level did too, so that a logger's name follows.
    """
    shown = found[0][0]
    if _WORD.fullmatch(shown) and not logged:
        # No program prints words in front of a traceback's header.
        return any(traceback.is_header(match.string[match.end() :]) for match in found)
    if _MECHANICAL.fullmatch(shown) or (_CLOCK.search(shown) and not _DIGITS.search(_CLOCK.sub("", shown))):
        return True
    rests = [match.string[match.end() :] for match in found]
    if all(match[0].rstrip() == shown.rstrip() for match in found):
        if stamped and _NAME.fullmatch(shown):
            return True
        indented = sum(1 for rest in rests if _INDENTED.match(rest))
        if len(found) >= _SURE and 0 < indented < len(rests):
            return True
    if all(_known_time(f" {rest}") == 1 for rest in rests[:_ENOUGH]):
        return not _DIGITS.search(shown) or any(_MIDDLE.search(rest) for rest in rests)
    return any(_begins_line(rest) for rest in rests)


def _pattern(masked: str) -> str:
    """Return a regex for a column with numbers written as 0; an empty line may lack its trailing blanks."""
    bare = masked.rstrip(" \t")
    blank = re.escape(masked[len(bare) :])
    return r"\d+".join(map(re.escape, bare.split("0"))) + (f"(?:{blank}|$)" if blank else "")


def _begins_line(text: str) -> bool:
    taken = prefixes.take(text)
    text = taken[0] if taken else text
    return bool(traceback.is_header(text) or traceback.frame(text) or _WARNED.match(text))


def _names(columns: list[str]) -> list[str | None]:
    """Return the names that distinguish the streams after `columns`; None for all if there is a single stream."""
    for names in (columns, [_CLOCK.sub("", column) for column in columns]):
        if 1 < len(set(names)) <= len(names) // 4:
            return [name.rstrip() for name in names]
    return [None] * len(columns)


def _fields(column: str) -> dict[str, object]:
    """Return the time, level and rank that a column states."""
    shown: dict[str, object] = {}
    if clock := _CLOCK.search(column):
        shown["time"] = clock[0]
    if level := _LEVEL.search(column):
        shown["level"] = level[0]
    if rank := _RANK.search(column):
        shown["rank"] = int(rank[1])
    return shown
