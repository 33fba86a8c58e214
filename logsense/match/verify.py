"""Exact matching: does a signature hold in a record, and what do its slots carry?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from logsense.match.code import is_beside, is_source
from logsense.match.loose import first_and_last, loose
from logsense.model.finding import Finding
from logsense.model.record import Record
from logsense.model.signature import Pattern, Signature
from logsense.model.values import slot_value
from logsense.util import regexes
from logsense.util.regexes import Lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# How many records after the one that holds a message may still hold its detail lines or its wrapped end.
FOLLOWING = 6
PLAIN_LIMIT_S = 0.5
LONG_TEXT, NEAR = 4000, 1500  # characters
LATE = 3  # so often a regex may exceed its time; then it is left alone for the rest of the source
# A message is looked for behind so many lines of source code of its record that hold it too.
SOURCE_TRIES = 6
# Words that some messages begin with, and which loggers put in front of others.
_LEVELS = ("WARNING", "ERROR", "FATAL", "INFO", "WARN", "CRITICAL")
_TAKEN = "".join(f"{level}: " for level in _LEVELS)

# Digits in a regex that match no particular digit: counts, ranges of all digits, names of groups, and the atomic
# choices that template.py writes.
_COUNTS = Lazy(r"\{\d*,?\d*\}|0-9|\(\?P<\w+>|\(\?P=_\d+\)")
_DIGIT = Lazy(r"\d|\(\?P=|\(\?\(")
# What a regex refuses: classes of other characters, and what must not stand before or behind.
_REFUSED = Lazy(r"\[\^[^\]]*\]|\(\?<?![^)]*\)")


class Verifier:
    """Matches one catalog's signatures exactly; compiles each pattern once, when a text first holds its literal."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[str, bool, bool], Any] = {}
        self._leads: dict[tuple[str, bool], str] = {}
        self._loose: dict[str, list[tuple[Sequence[str], Pattern]]] = {}
        self._late: dict[str, int] = {}
        self._names_digits: dict[str, bool] = {}
        self._spans_lines: dict[str, bool] = {}

    def find(self, signature: Signature, records: Sequence[Record], number: int) -> Finding | None:
        """Return the finding of `signature` in `records[number]`, or None.

        A message that the log wraps may end in the records that follow; detail lines are looked for there too.
        """
        record = records[number]
        text = record.text
        folded = text.lower() if signature.ignore_case else text
        led = f"{record.prefix.logger}: {_TAKEN}{folded}" if record.prefix.level else folded
        tried = ""
        last = record
        for pattern in signature.match:
            if pattern.regex == tried:
                continue
            if self._lead(pattern.literal, signature.ignore_case) not in led and not _may_be_cut(pattern, folded):
                continue
            tried = pattern.regex
            found = self._search(signature, pattern, text)
            if found is not None and is_source(record, found.start()):
                found = self._printed(signature, pattern, record, found)
                if found is None:
                    continue
            if found is None and number + 1 < len(records):
                together = _following(records, number, WRAPPED)
                found = self._search(signature, pattern, _joined(together))
                found = None if found and found.start() >= len(text) else found
                last = _holding(together, found.end()) if found else record
            taken = ""
            if found is None and record.prefix.level:
                found, taken = self._with_level(signature, pattern, record)
            if found is not None:
                captures = _captures(found, pattern)
                detailed = self._details(signature, records, number, captures)
                last_offset = max(last.offset, detailed.offset)
                return Finding(signature, record, max(0, found.start() - len(taken)), captures, last_offset)
        return None

    def _with_level(self, signature: Signature, pattern: Pattern, record: Record) -> tuple[Any, str]:
        """Return a match that begins in what was taken for a logger's name and level, and those."""
        for level in _LEVELS:
            if level in pattern.regex:
                for taken in (f"{level}: ", f"{level} ", f"{record.prefix.logger}: {level}: "):
                    found = self._search(signature, pattern, taken + record.text)
                    if found is not None and found.start() < len(taken):
                        return found, taken
        return None, ""

    def _printed(self, signature: Signature, pattern: Pattern, record: Record, found: Any) -> Any:
        """Return the first match outside source code; if a traceback shows it only as code, the match that ran."""
        later, shown = found, None
        for _ in range(SOURCE_TRIES):
            if shown is None and not is_beside(record, later.start()):
                shown = later
            later = self._search(signature, pattern, record.text, later.start() + 1)
            if later is None:
                break
            if not is_source(record, later.start()):
                return later
        return shown if record.raised is not None else None

    def may_hold(self, signature: Signature, line: str, folded: str) -> bool:
        """Return whether the signature could hold in a record with this raw line, which is also given in lower case.

        It is a quick look, for messages with many hits in vain.
        """
        loosened = self._loose.get(signature.id)
        if loosened is None:
            each = {pattern.regex: loose(pattern) for pattern in signature.match}  # one may have several literals
            loosened = self._loose[signature.id] = [
                (tuple(word.lower() for word in one.words), one) for one in each.values()
            ]
        return any(
            all(word in folded for word in words) and self._search(signature, pattern, line) is not None
            for words, pattern in loosened
        )

    def names_digits(self, signature: Signature) -> bool:
        """Return whether it may matter to the signature which digits a line holds, not only where they are."""
        known = self._names_digits.get(signature.id)
        if known is None:
            known = self._names_digits[signature.id] = any(
                _DIGIT.search(_COUNTS.sub("", pattern.regex)) for pattern in signature.match
            )
        return known

    def spans_lines(self, signature: Signature) -> bool:
        """Return whether a pattern of the signature holds only where a line goes on in the next."""
        known = self._spans_lines.get(signature.id)
        if known is None:
            known = self._spans_lines[signature.id] = any(
                "\\n" in _REFUSED.sub("", pattern.regex) for pattern in signature.match
            )
        return known

    def _details(
        self, signature: Signature, records: Sequence[Record], number: int, captures: dict[str, object]
    ) -> Record:
        """Add to `captures` what the detail lines of the message carry; return the last record that holds one."""
        last, wider, together = records[number], "", [records[number]]
        for pattern in signature.also:
            lead = self._lead(pattern.literal, False)
            text = records[number].text
            found = self._search(signature, pattern, text) if lead in text else None
            if found is None and number + 1 < len(records):
                if not wider:
                    together = _following(records, number, FOLLOWING)
                    wider = _joined(together)
                found = self._search(signature, pattern, wider) if lead in wider else None
                if found is not None:
                    last = max(last, _holding(together, found.end()), key=lambda one: one.offset)
            if found is not None:
                for name, value in _captures(found, pattern).items():
                    captures.setdefault(name, value)
        return last

    def _lead(self, literal: str, fold: bool) -> str:
        """Return the longest word of a literal: without it no regex needs to be compiled or tried."""
        key = (literal, fold)
        if key not in self._leads:
            word = max(literal.split() or [literal], key=len)
            self._leads[key] = word.lower() if fold else word
        return self._leads[key]

    def _search(self, signature: Signature, pattern: Pattern, text: str, begin: int = 0) -> Any:
        if signature.ignore_case:
            folded = text.lower()
            if not all(word.lower() in folded for word in pattern.words):
                return None
        elif not _in_order(pattern.words, text, begin):
            return None
        key = (pattern.regex, signature.ignore_case, signature.timed)
        compiled = self._compiled.get(key)
        if signature.timed:
            import regex  # a regex that nobody has tested needs a time limit, which only this engine has

            if compiled is None:
                flags = regex.IGNORECASE if signature.ignore_case else 0
                compiled = self._compiled[key] = regex.compile(pattern.regex, flags)
            if self._late.get(pattern.regex, 0) >= LATE:
                return None
            try:
                return compiled.search(text, begin, timeout=PLAIN_LIMIT_S)
            except TimeoutError:
                self._late[pattern.regex] = self._late.get(pattern.regex, 0) + 1
                return None
        if compiled is None:
            flags = re.IGNORECASE if signature.ignore_case else 0
            compiled = first_and_last(pattern.regex, flags) or regexes.compiled(pattern.regex, flags)
            self._compiled[key] = compiled
        # A template takes time in proportion to the text.
        is_quick = pattern.words or len(text) <= LONG_TEXT
        around = [(begin, len(text))] if is_quick else _around(pattern.literal, text, begin, fold=signature.ignore_case)
        for first, end in around:
            found = compiled.search(text, first, end)
            if found is not None:
                return found
        return None


WRAPPED = 3


def _around(literal: str, text: str, begin: int, *, fold: bool) -> list[tuple[int, int]]:
    """Return where a hand-written regex looks in a long text: around the first and the last place of its literal.

    `logsense rules lint` holds such regexes to a time on texts of this length, not of any.
    """
    text, literal = (text.lower(), literal.lower()) if fold else (text, literal)
    places = {text.find(literal, begin), text.rfind(literal, begin)}
    spans = [(max(begin, at - NEAR), at + len(literal) + NEAR) for at in sorted(places) if at >= 0]
    return spans or [(begin, begin + NEAR)]


def _may_be_cut(pattern: Pattern, text: str) -> bool:
    """Return whether the text may end in the middle of the pattern's literal, as where a log wraps its lines."""
    first, _, rest = pattern.literal.strip().lower().partition(" ")
    return bool(rest) and first in text[-len(pattern.literal) :].lower()


def _in_order(words: Sequence[str], text: str, begin: int) -> bool:
    """Return whether all `words` are in `text`, one behind the other: a quick look before the regex is tried."""
    for word in words:
        begin = text.find(word, begin)
        if begin < 0:
            return False
        begin += len(word)
    return True


def _following(records: Sequence[Record], number: int, more: int) -> list[Record]:
    """Return `records[number]` and those of the next `more` records that may go on with its message."""
    rank = records[number].prefix.rank
    after = records[number + 1 : number + 1 + more]
    return [records[number], *(one for one in after if one.raised is None and one.prefix.rank in (None, rank))]


def _joined(together: Sequence[Record]) -> str:
    return "\n".join([together[0].text, *(one.text[:LONG_TEXT] for one in together[1:])])


def _holding(together: Sequence[Record], end: int) -> Record:
    """Return the record that holds the last character before `end` of the joined text."""
    for record in together:
        end -= len(record.text if record is together[0] else record.text[:LONG_TEXT]) + 1
        if end <= 0:
            return record
    return together[-1]


def _captures(found: Any, pattern: Pattern) -> dict[str, object]:
    groups = found.groupdict()
    return {
        name: slot_value(kind, groups[name]) for name, kind in pattern.slots.items() if groups.get(name) is not None
    }
