"""Finds the log entries in a JSON response of a log store: Loki, Elasticsearch, CloudWatch."""

from __future__ import annotations

from collections.abc import Iterator

_MOST_DEPTH = 5
_NANOSECOND_DIGITS = 19  # of a Loki timestamp


def entries_of(response: dict[str, object]) -> list[dict[str, object]]:
    """Return the log entries in `response`; sort them by time if they come from several Loki streams."""
    found = [list(entries) for entries in _lists(response, _MOST_DEPTH)]
    merged = [entry for entries in found for entry in entries]
    if len(found) > 1 and all("ts" in entry for entry in merged):
        merged.sort(key=lambda entry: str(entry["ts"]))
    return merged


def _lists(value: object, depth: int) -> Iterator[Iterator[dict[str, object]]]:
    if depth and isinstance(value, dict):
        for one in value.values():
            yield from _lists(one, depth - 1)
    elif depth and isinstance(value, list) and value:
        if all(_is_loki_pair(one) for one in value):
            yield ({"ts": one[0], "line": one[1]} for one in value)
        elif all(isinstance(one, dict) and ("message" in one or "_source" in one) for one in value):
            yield iter(value)
        else:
            for one in value:
                yield from _lists(one, depth - 1)


def _is_loki_pair(value: object) -> bool:
    if not isinstance(value, list) or len(value) < 2:
        return False
    time, line = value[:2]
    return isinstance(time, str) and time.isdigit() and len(time) == _NANOSECOND_DIGITS and isinstance(line, str)
