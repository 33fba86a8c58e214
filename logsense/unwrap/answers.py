"""Finds the entries in the answer of a log store's interface: Loki's, Elasticsearch's, CloudWatch's."""

from __future__ import annotations

from collections.abc import Iterator

_DEPTH = 5
_NANOSECONDS = 19  # digits of a time that Loki counts from the epoch


def entries_of(answer: dict[str, object]) -> list[dict[str, object]]:
    """The objects of all lists of entries in `answer`; those of several streams in the order of their times."""
    found = [list(entries) for entries in _lists(answer, _DEPTH)]
    merged = [entry for entries in found for entry in entries]
    if len(found) > 1 and all("ts" in entry for entry in merged):
        merged.sort(key=lambda entry: str(entry["ts"]))
    return merged


def _lists(value: object, depth: int) -> Iterator[Iterator[dict[str, object]]]:
    if depth and isinstance(value, dict):
        for one in value.values():
            yield from _lists(one, depth - 1)
    elif depth and isinstance(value, list) and value:
        if all(_is_pair(one) for one in value):
            yield ({"ts": one[0], "line": one[1]} for one in value)
        elif all(isinstance(one, dict) and ("message" in one or "_source" in one) for one in value):
            yield iter(value)
        else:
            for one in value:
                yield from _lists(one, depth - 1)


def _is_pair(value: object) -> bool:
    """A time and a line, as Loki gives them."""
    if not isinstance(value, list) or len(value) < 2:
        return False
    time, line = value[:2]
    return isinstance(time, str) and time.isdigit() and len(time) == _NANOSECONDS and isinstance(line, str)
