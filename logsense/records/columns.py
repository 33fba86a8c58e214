"""Remove a column that all lines share: a rank, a host, or what a viewer or collector put in front."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from operator import itemgetter

from logsense.records import prefixes
from logsense.unwrap import traceback
from logsense.unwrap.text import Line
from logsense.util.regexes import Lazy

# The number of a line among the filled ones, the line, and the match of a column's rule.
_Matches = list[tuple[int, Line, re.Match[str]]]

_NUMBERED = Lazy(r"\s{0,5}(?P<rank>\d{1,5}):(?!\d\d:) ?")
_NUMBER_BEGINS = " \t[0123456789"  # either of the two rules
_BRACKETED = Lazy(r"\[(?P<rank>\d{1,5})\] ?")  # mpiexec -l of MPICH
_HOSTED = Lazy(r"(?P<host>[A-Za-z][\w.-]{0,80}?)(?::(?: |$)| +\| ?)")
_ENOUGH = 3  # lines that share a column
_MOST_BETWEEN = 2  # lines of other programs between two of a launcher's
_SURE = 10  # lines with the same first words, followed by text indented or not
_SAMPLE = 60  # lines sampled to find an unknown column
_LONGEST = 120  # characters of such a column
_SHARED_BY = 0.95
_ENDS = ' \t:|])>+#="'
_DIGITS = Lazy(r"\d+")
_FIRST_WORD, _UP_TO_END = Lazy(rf"[^{re.escape(_ENDS)}]*."), Lazy(rf".*[{re.escape(_ENDS)}]")
_FEW = 8
_CLOCK = Lazy(
    r"(?<![\d:])(?:\d{4}-\d\d-\d\d[T ]|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d )?"
    r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?![\d:])"
)
_BARE_CLOCK = Lazy(r"\d\d:\d\d:\d\d \S")
_AFTER_CLOCK = Lazy(r"\S{0,8}[\s|:\])-]*")  # a zone, and what separates a time from the message
_MECHANICAL = Lazy(r"[^\s:]*[./][^\s:]*[:-]\d+[:-]|<\d{1,3}>(?:\d )?|msg=\"?")  # of grep -Hn, of syslog, of logfmt
_NAME = Lazy(r"[\w./@-]+(?:\[[\w./-]+\])?(?:: ?|\t| \| )")  # of a program, after a time
_WORD = Lazy(r"[A-Za-z][A-Za-z_-]*: ?")  # a speaker such as "NVRM: " or "srun: ", part of the message
_MARK = Lazy(r"\[(?:Hardware Error|Firmware (?:Bug|Warn|Info))\]")  # the kernel's; the lines below it are indented
_SIGNS = ("Traceback (", 'File "')  # in lines whose beginning is known
_INDENTED = Lazy(r" {2,}[A-Za-z]")
_LEVEL = Lazy(r"\b(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b")
_RANK = Lazy(r"\b[Rr]ank[ =:_-]{0,2}(\d{1,6})\b")


def remove_columns(lines: list[Line]) -> None:
    """Remove the rank ("3: ") or host ("node7: ") that a launcher put in front of its lines."""
    filled = [line for line in lines if line.text]
    if len(filled) >= _ENOUGH:
        _move_ranks(filled)
        _move_hosts(filled)


def _move_ranks(filled: list[Line]) -> None:
    """Move ranks from the text of the lines to their fields if they are on nearly all lines, or on a launcher's.

    Of a launcher are lines close to each other if their numbers count from 0, or if a traceback follows a number,
    however many lines of a batch script surround them.
    """
    for rule in (_NUMBERED, _BRACKETED):
        found = _matches(filled, rule)
        if len(found) >= _ENOUGH and (rule is _NUMBERED or _is_said_by_several(found)):
            _move_ranks_of(found, filled)


def _is_said_by_several(found: _Matches) -> bool:
    """Return whether the same texts follow several numbers, as ranks print the same lines; numbered items differ."""
    numbers: dict[str, set[str]] = {}
    for _, line, match in found:
        numbers.setdefault(line.text[match.end() :].strip(), set()).add(match["rank"])
    return sum(1 for text, ranks in numbers.items() if text and len(ranks) > 1) >= _ENOUGH


def _move_ranks_of(found: _Matches, filled: list[Line]) -> None:
    if not _is_dense(found, len(filled)):
        blocks = [block for block in _blocks(found) if len(block) >= _ENOUGH]
        numbers = {int(match["rank"]) for block in blocks for _, _, match in block}
        size = next(number for number in range(len(numbers) + 1) if number not in numbers)
        found = [one for block in blocks for one in _of_launcher(block, size)]
    if found and 2 * len({match["rank"] for _, _, match in found}) <= len(found):
        _move(found, "rank", int)


def _of_launcher(block: _Matches, size: int) -> _Matches:
    """Return the lines of `block` that a launcher of `size` ranks numbered."""
    if any(traceback.is_header(line.text[match.end() :]) for _, line, match in block):
        return block
    counted = [one for one in block if int(one[2]["rank"]) < size]
    return counted if counted and _is_dense(counted, counted[-1][0] - counted[0][0] + 1) else []


def _move_hosts(filled: list[Line]) -> None:
    """Move hosts from the text of the lines to their fields if they are on nearly all lines."""
    found: _Matches = []
    for at, line in enumerate(filled, 1):
        if match := _HOSTED.match(line.text):
            found.append((at, line, match))
        elif (at - len(found)) * 5 > len(filled):
            return
    hosts = {match["host"] for _, _, match in found}
    named = all(any(letter.isdigit() for letter in host) for host in hosts)
    if named and 2 * len(hosts) <= len(found):
        _move(found, "host", str)


def _matches(filled: list[Line], rule: Lazy) -> _Matches:
    return [
        (at, line, match)
        for at, line in enumerate(filled)
        if line.text[:1] in _NUMBER_BEGINS and (match := rule.match(line.text))
    ]


def _is_dense(found: _Matches, count: int) -> bool:
    return len(found) * 5 >= count * 4


def _blocks(found: _Matches) -> Iterator[_Matches]:
    """Yield the matches in blocks, with few other lines within each."""
    block: _Matches = []
    for one in found:
        if block and one[0] - block[-1][0] > _MOST_BETWEEN + 1:
            yield block
            block = []
        block.append(one)
    yield block


def _move(found: _Matches, name: str, kind: type) -> None:
    for _, line, match in found:
        line.text = line.text[match.end() :]
        line.fields = {name: kind(match[name])}
        line.key = (name, line.fields[name])


def remove_shared(lines: list[Line]) -> bool:
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
            _remove(found)
            return True
    return False


def _remove(found: list[tuple[Line, re.Match[str]]]) -> None:
    for line, match in found:
        line.text = line.text[match.end() :]
        line.fields = {**(line.fields or {}), **_fields(match[0])}


def _candidates(texts: list[str]) -> list[str]:
    """Return what (nearly) all of `texts` begin with, numbers written as 0: all of it, and its part up to a time.

    The list is empty if a known prefix precedes it.
    """
    few, most_others = texts[:_FEW], (1 - _SHARED_BY) * len(texts)
    if len({"0" if text[0].isdigit() else text[0] for text in few}) > 1 + most_others:
        return []
    first, count = max(Counter(map(_first_word, few)).items(), key=itemgetter(1))
    if len(few) - count > most_others or first[0] in " \t":
        return []
    if _begin_with_known(texts):
        return []
    sharing = [text[:_LONGEST] for text in texts if _first_word(text) == first]
    column = _shared_begin(sharing)
    rule = re.compile(_pattern(column))
    shown = next((found[0] for text in texts if (found := rule.match(text))), "")
    known = _known_time(shown)
    if known is not None:
        return [_mask(shown[:known])]
    clock = _CLOCK.search(shown)
    after = _AFTER_CLOCK.match(shown, clock.end()) if clock else None
    return [column, _mask(shown[: after.end()])] if after else [column]


def _begin_with_known(texts: list[str]) -> bool:
    """Return whether a known prefix precedes most of `texts`; of clocks without a date, known in front of some
    messages only, whether all have one."""
    few = texts[:_FEW]
    if any(map(_BARE_CLOCK.match, few)):
        return all(map(prefixes.split_prefixes, texts))
    return sum(1 for text in few if prefixes.split_prefixes(text)) * 2 > len(few)


def _first_word(text: str) -> str:
    """Return the shortest text that may be the column in front of `text`, masked."""
    found = _FIRST_WORD.match(f"{text[:_LONGEST]} ")
    return _mask(found[0]) if found else ""


def _mask(text: str) -> str:
    """Return `text` with numbers written as 0 and tabs as blanks."""
    return _DIGITS.sub("0", text).replace("\t", " ")


def _shared_begin(texts: list[str]) -> str:
    """Return what `texts` begin with, masked, up to a character that ends a column. An empty line lost its blank."""
    column = ""
    for some in (texts[:_FEW], texts):
        masked = [f"{_mask(text)} " for text in some]
        low, high = min(masked), max(masked)  # what these two share, all share
        common = next((at for at, letter in enumerate(low) if letter != high[at : at + 1]), len(low))
        found = _UP_TO_END.match(low, 0, common)
        column = found[0] if found else ""
        if all(map(re.compile(_pattern(column)).match, texts)):
            break
    return column[: len(column.rstrip(" ")) + 1]


def _known_time(shown: str) -> int | None:
    """Return where a time with a known prefix begins in a column, as the prefix parser knows what follows it."""
    for at in range(1, len(shown)):
        if shown[at - 1] in _ENDS and _begins_with_time(shown[at:]):
            return at
    return None


def _begins_with_time(text: str) -> bool:
    known = prefixes.split_prefixes(text)
    return known is not None and "time" in known[1]


def _is_column(found: list[re.Match[str]], stamped: bool, logged: bool) -> bool:
    """Return whether the matches are a column rather than the beginnings of messages.

    `stamped` says that a time preceded it, `logged` that a level did too, so that a logger's name follows.
    """
    shown = found[0][0]
    if _MARK.search(shown):
        return False
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
    if all(map(_begins_with_time, rests[:_ENOUGH])):
        return True
    return any(_begins_line(rest) for rest in rests)


def _pattern(masked: str) -> str:
    """Return a regex for a masked column; an empty line may lack its trailing blanks."""
    bare = masked.rstrip(" ")
    blanks = len(masked) - len(bare)
    rule = re.escape(bare).replace("0", r"\d+").replace(r"\ ", r"[ \t]")
    return rule + (rf"(?:[ \t]{{{blanks}}}|$)" if blanks else "")


def _begins_line(text: str) -> bool:
    if not ("ecent" in text or "innermost last" in text or "File " in text):
        return False
    split = prefixes.split_prefixes(text)
    text = split[0] if split else text
    return bool(traceback.is_header(text) or traceback.frame(text))


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
