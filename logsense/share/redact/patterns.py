"""Finds secrets, and what names people and machines, by the patterns of the table `redaction`."""

from __future__ import annotations

import ipaddress
from bisect import bisect_left

import regex

from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Row = Mapping[str, object]

# A pattern that takes longer than this on one text is given up, and all of the text counts as found.
LIMIT_S = 1.0
UNREADABLE = "text"
# Characters of a token that is cut off: of what is looked at, and behind the form that it begins with.
MOST_CUT, LEAST_CUT = 400, 8


class Span(NamedTuple):
    """What is to be hidden: from where to where in a text, what it is, and a few words for that."""

    start: int
    end: int
    kind: str
    says: str


class Pattern:
    """One row of the table; it is compiled when a text first holds one of its hints."""

    __slots__ = ("_compiled", "_text", "hints", "kind", "says")

    def __init__(self, row: Row) -> None:
        self.kind, self.says = str(row["kind"]), str(row["says"])
        self.hints = tuple(str(row.get("hints") or "").split())
        self._text = str(row["pattern"])
        self._compiled: regex.Pattern[str] | None = None

    def _regex(self) -> regex.Pattern[str]:
        if self._compiled is None:
            self._compiled = regex.compile(self._text)
        return self._compiled

    def spans(self, text: str) -> Iterator[Span]:
        """Where the pattern matches in `text`. Raises regex.error where it is none, TimeoutError where it is slow."""
        for found in self._regex().finditer(text, timeout=LIMIT_S):
            group = next((number for number, part in enumerate(found.groups(), 1) if part is not None), 0)
            start, end = found.span(group)
            if end > start:
                yield Span(start, end, self.kind, self.says)

    def cut_off(self, text: str, start: int, tail: int, end: int) -> Iterator[Span]:
        """What begins at `start` and might match if `text` went on behind `end`; from `tail` on stands no word."""
        rest = text[tail:end]
        if rest.isdigit() or rest.islower() or rest.isupper() or rest.istitle():
            return
        try:
            found = self._regex().match(text, start, end, partial=True, timeout=LIMIT_S)
        except (TimeoutError, regex.error):
            return
        if found and found.partial and found.end() == end:
            yield Span(start, end, self.kind, self.says)


class Keeps:
    """Names that a redacted text may show: public hosts with their subdomains, and users that everybody has."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._names: dict[str, set[str]] = {}
        for row in rows:
            self._names.setdefault(str(row["kind"]), set()).update(str(row["names"]).lower().split())

    def keeps(self, kind: str, name: str) -> bool:
        """Whether `name`, found as a `kind`, tells nothing about anybody."""
        name = name.lower().rstrip(".")
        if kind == "ip":
            return _is_nobodys(name)
        known = self._names.get(kind, set())
        if kind == "host":
            labels = name.split(".")
            return any(".".join(labels[at:]) in known for at in range(len(labels)))
        return name in known


def found_in(text: str, patterns: Iterable[Pattern], keeps: Keeps) -> list[Span]:
    """What `patterns` find in `text`, from left to right, without overlaps: the pattern that stands first wins."""
    lowered = text.lower()
    spans: list[Span] = []
    for pattern in patterns:
        if pattern.hints and not any(hint in lowered for hint in pattern.hints):
            continue
        try:
            matches = list(pattern.spans(text))
        except TimeoutError:
            return [Span(0, len(text), UNREADABLE, "text that could not be looked through in time")]
        except regex.error:
            continue  # `logsense rules lint` says so
        for span in matches:
            if not keeps.keeps(span.kind, text[span.start : span.end]):
                put_in(spans, span)
    return spans


def cut_off_in(text: str, patterns: Iterable[Pattern]) -> Iterator[Span]:
    """Tokens that `text` ends in the middle of, known by the form that they begin with."""
    ends = len(text.rstrip(" \n….\"'"))
    begins = max(text.rfind("\n", 0, ends) + 1, ends - MOST_CUT)
    last = text[begins:ends].lower()
    for pattern in patterns:
        if pattern.kind == "token":
            for hint in pattern.hints:
                at = last.rfind(hint) if hint[-1] in "_-." and hint[0].isalnum() else -1
                if at >= 0 and len(last) - at - len(hint) >= LEAST_CUT:
                    yield from pattern.cut_off(text, begins + at, begins + at + len(hint), ends)


def put_over(spans: list[Span], span: Span) -> None:
    """Add `span` to `spans`, together with all those that it overlaps."""
    meets = [one for one in spans if one.start < span.end and span.start < one.end]
    start, end = min(one.start for one in (*meets, span)), max(one.end for one in (*meets, span))
    spans[:] = [one for one in spans if one not in meets]
    put_in(spans, span._replace(start=start, end=end))


def put_in(spans: list[Span], span: Span) -> None:
    """Add `span` to `spans`, which stand in order and do not overlap; not where it would."""
    at = bisect_left(spans, span)
    if at and spans[at - 1].end > span.start:
        return
    if at < len(spans) and spans[at].start < span.end:
        return
    spans.insert(at, span)


def _is_nobodys(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return True
    return address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith("255.")
