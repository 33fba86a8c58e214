"""Read logs from Grafana Loki, or anything with its HTTP API: one log for each group of streams, ordered by time.

https://grafana.com/docs/loki/latest/reference/loki-http-api/: time stamps are nanoseconds; `start` is included, `end`
is not; a response holds at most `limit` entries, which the server limits too.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from time import gmtime, strftime
from typing import Any

from logsense.model.source import Source
from logsense.sources.folder import natural
from logsense.sources.stores.address import parse_http, times
from logsense.sources.stores.http import Client, Pages, TooLargeError
from logsense.sources.stores.json_paths import inside, objects
from logsense.util.errors import InputError

Entry = tuple[int, str, str]  # time stamp, stream, text

OPTIONS = ("query", "since", "start", "end")
SINCE = "24h"
PAGE_SIZE = 5000  # entries; the servers' default limit
MOST_LOGS = 4096
NS_PER_S = 1_000_000_000
_TOO_MANY = "max_entries_limit"  # Loki's error for a limit that is too high: pkg/querier/limits/validation.go
LATEST_NS = 1 << 63
# Labels that split the output of one process into streams.
_SPLITTING = ("stream", "level", "detected_level", "severity", "logstream", "flags", "pod_template_hash")
_SELECTOR = re.compile(r'\s*\{(?:[^{}"`]|"(?:[^"\\]|\\.)*"|`[^`]*`)*\}')
# Labels that name a log, in this order.
_NAME_LABELS = (
    *("namespace", "job_name", "job", "app", "host", "hostname", "node_name", "instance", "pod", "container"),
    "filename",
)


def logs_at(address: str) -> list[Source]:
    """Return a log for each process that the query selects. Raise InputError if there are none."""
    place = parse_http(address, OPTIONS)
    query = place.options.get("query", "").strip()
    selector = _SELECTOR.match(query)
    if not selector:
        raise InputError(f'can\'t read {place.name}: it needs ?query={{label="value"}}')
    start_s, end_s = times(place, SINCE)
    span = (int(start_s * NS_PER_S), int(end_s * NS_PER_S))
    tenant = os.environ.get("LOKI_ORG_ID")
    client = Client(
        place.base + place.path.rstrip("/"), place.name, "LOKI", {"X-Scope-OrgID": tenant} if tenant else None
    )
    found = client.ask(
        "/loki/api/v1/series", {"match[]": selector[0].strip(), "start": str(span[0]), "end": str(span[1])}
    )
    groups = _groups(_labels(found))
    if not groups:
        raise InputError(f"no logs in {place.name}: no stream in that time range matches {selector[0].strip()}")
    if len(groups) > MOST_LOGS:
        raise InputError(f"can't read {place.name}: {len(groups):,} logs match; narrow the query")
    absent = sorted({name for labels in groups for name in labels})
    rest = query[selector.end() :]

    def log(labels: Mapping[str, str], shown: str) -> Source:
        asked = _query(labels, absent) + rest
        name = f"{place.name}/{shown}" if shown else place.name
        return Source(name, None, lambda source: Pages(_lines(client, asked, span, source), source))

    return sorted(map(log, groups, _names(groups)), key=lambda source: natural(source.name))


def _labels(answer: Any) -> list[dict[str, str]]:
    return [{str(name): str(value) for name, value in one.items()} for one in objects(answer, "data")]


def _groups(streams: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the labels of each process, without those that split its output."""
    found = {tuple(sorted((name, value) for name, value in one.items() if name not in _SPLITTING)) for one in streams}
    return [dict(labels) for labels in sorted(found)]


def _names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """Name each log by the labels in which they differ."""
    differing = [
        name for name in {name for labels in groups for name in labels} if len({one.get(name) for one in groups}) > 1
    ]
    order = sorted(differing, key=lambda name: (_NAME_LABELS.index(name) if name in _NAME_LABELS else -1, name))
    return ["/".join(labels[name].strip("/") for name in order if labels.get(name)) for labels in groups]


def _query(labels: Mapping[str, str], known: Sequence[str]) -> str:
    """Return the selector of the streams with exactly these labels among the `known` ones."""
    return "{" + ", ".join(f"{name}={json.dumps(labels.get(name, ''), ensure_ascii=False)}" for name in known) + "}"


def _lines(client: Client, query: str, span: tuple[int, int], source: Source) -> Iterator[bytes]:
    """Yield pages of lines, in order. The next page starts at the last time stamp, without entries already returned."""
    start, end = span
    page_size = PAGE_SIZE
    returned: Counter[Entry] = Counter()  # those with the time stamp `start`
    while start < end:
        range_ns = {"start": str(start), "end": str(end)}
        asked = {"query": query, **range_ns, "limit": str(page_size), "direction": "forward"}
        try:
            entries = _entries(client.ask("/loki/api/v1/query_range", asked), source)
        except TooLargeError:
            if page_size == 1:
                raise InputError(f"can't read {source.name}: an entry is too large") from None
            page_size = max(1, page_size // 8)
            continue
        except InputError as error:
            if page_size == 1 or _TOO_MANY not in str(error):
                raise
            page_size //= 2  # this server has a lower limit
            continue
        new = list(_without(entries, returned))
        yield b"".join(_line(stamp, text) for stamp, _, text in new)
        if len(entries) < page_size:
            return
        last = entries[-1][0]
        if last > start:
            start, returned = last, Counter()
        elif not new:  # more entries with one time stamp than fit in a response
            source.note = f"more than {page_size:,} entries have the same time stamp; only the first were read"
            start, returned = last + 1, Counter()
        returned.update(entry for entry in new if entry[0] == start)


def _without(entries: Sequence[Entry], returned: Counter[Entry]) -> Iterator[Entry]:
    left = returned.copy()
    for entry in entries:
        if left[entry] > 0:
            left[entry] -= 1
        else:
            yield entry


def _entries(answer: Any, source: Source) -> list[Entry]:
    """Return the entries of all streams, sorted by time; the sort is stable."""
    if inside(answer, "data", "resultType") != "streams":
        raise InputError(f"can't read {source.name}: the query does not select lines")
    try:
        found = [
            (int(value[0]), repr(stream.get("stream")), str(value[1]))
            for stream in objects(answer, "data", "result")
            for value in stream.get("values") or ()
        ]
        if not all(0 <= stamp < LATEST_NS for stamp, _, _ in found):
            raise ValueError
    except (TypeError, ValueError, IndexError, KeyError):
        raise InputError(f"can't read {source.name}: the response is not one of Loki") from None
    return sorted(found, key=lambda entry: entry[0])


def _line(stamp: int, text: str) -> bytes:
    time = strftime("%Y-%m-%dT%H:%M:%S", gmtime(stamp // NS_PER_S)) + f".{stamp % NS_PER_S:09d}Z"
    body = text.rstrip("\r\n").replace("\r\n", "\r").replace("\n", "\r")
    return f"{time} {body}\n".encode("utf-8", "replace")
