"""Find secrets and the names of people and machines with the patterns of the table `redaction`."""

from __future__ import annotations

import ipaddress
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

import regex

from logsense.util.noun import NamedTuple

Row = Mapping[str, object]

# If a pattern takes longer than this on one text, the whole text is masked.
LIMIT_S = 1.0
UNREADABLE = "text"
# Characters of a truncated token: how far back to look, and how many must follow its marker ("hf_").
MOST_TRUNCATED, LEAST_TRUNCATED = 400, 8


class Span(NamedTuple):
    """A part of a text to mask: its start and end, its kind, and a description."""

    start: int
    end: int
    kind: str
    says: str


class Pattern:
    """One row of the table. Its regex is compiled when a text first contains one of its hints."""

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
        """Yield the matches in `text`. Raise regex.error for an invalid pattern, TimeoutError for a slow one."""
        for found in self._regex().finditer(text, timeout=LIMIT_S):
            group = next((number for number, part in enumerate(found.groups(), 1) if part is not None), 0)
            start, end = found.span(group)
            if end > start:
                yield Span(start, end, self.kind, self.says)

    def truncated(self, text: str, start: int, tail: int, end: int) -> Iterator[Span]:
        """Yield the span from `start` to `end` if a longer text could match and `text[tail:end]` is not a word."""
        rest = text[tail:end]
        if rest.isdigit() or rest.islower() or rest.isupper() or rest.istitle():
            return
        try:
            found = self._regex().match(text, start, end, partial=True, timeout=LIMIT_S)
        except (TimeoutError, regex.error):
            return
        if found and found.partial and found.end() == end:
            yield Span(start, end, self.kind, self.says)


class Allowlist:
    """Names that a redacted text may show: public hosts with their subdomains, and common user names."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._names: dict[str, set[str]] = {}
        for row in rows:
            self._names.setdefault(str(row["kind"]), set()).update(str(row["names"]).lower().split())

    def has(self, kind: str, name: str) -> bool:
        """Return whether `name` of this `kind` identifies nobody."""
        name = name.lower().rstrip(".")
        if kind == "ip":
            return _is_special_address(name)
        known = self._names.get(kind, set())
        if kind == "host":
            labels = name.split(".")
            return any(".".join(labels[at:]) in known for at in range(len(labels)))
        return name in known


def find_spans(text: str, patterns: Iterable[Pattern], allowlist: Allowlist) -> list[Span]:
    """Return the matches of `patterns` in `text`, in order and without overlaps: the first pattern wins."""
    lowered = text.lower()
    spans: list[Span] = []
    for pattern in patterns:
        if pattern.hints and not any(hint in lowered for hint in pattern.hints):
            continue
        try:
            matches = list(pattern.spans(text))
        except TimeoutError:
            return [Span(0, len(text), UNREADABLE, "text that could not be searched in time")]
        except regex.error:
            continue  # `logsense rules lint` reports it
        for span in matches:
            if not allowlist.has(span.kind, text[span.start : span.end]):
                insert_span(spans, span)
    return spans


def truncated_tokens(text: str, patterns: Iterable[Pattern]) -> Iterator[Span]:
    """Yield tokens that the end of `text` truncates, recognized by their first characters."""
    ends = len(text.rstrip(" \n….\"'"))
    begins = max(text.rfind("\n", 0, ends) + 1, ends - MOST_TRUNCATED)
    last = text[begins:ends].lower()
    for pattern in patterns:
        if pattern.kind == "token":
            for hint in pattern.hints:
                at = last.rfind(hint) if hint[-1] in "_-." and hint[0].isalnum() else -1
                if at >= 0 and len(last) - at - len(hint) >= LEAST_TRUNCATED:
                    yield from pattern.truncated(text, begins + at, begins + at + len(hint), ends)


def merge_span(spans: list[Span], span: Span) -> None:
    """Add `span` to `spans`, merged with all spans that it overlaps."""
    meets = [one for one in spans if one.start < span.end and span.start < one.end]
    start, end = min(one.start for one in (*meets, span)), max(one.end for one in (*meets, span))
    spans[:] = [one for one in spans if one not in meets]
    insert_span(spans, span._replace(start=start, end=end))


def insert_span(spans: list[Span], span: Span) -> None:
    """Add `span` to the sorted `spans`, unless it would overlap one."""
    at = bisect_left(spans, span)
    if at and spans[at - 1].end > span.start:
        return
    if at < len(spans) and spans[at].start < span.end:
        return
    spans.insert(at, span)


def _is_special_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return True
    return address.is_loopback or address.is_unspecified or address.is_multicast or text.startswith("255.")
