"""Reads logs out of Grafana Loki, or what speaks its HTTP API: a log for each group of streams, in order of time.

https://grafana.com/docs/loki/latest/reference/loki-http-api/: stamps are nanoseconds; `start` is included and `end` is
not; one answer holds at most `limit` entries, which the server bounds too.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logsense.model.source import Source
from logsense.sources.folder import natural
from logsense.sources.stores.address import served, times
from logsense.sources.stores.http import Client, TooLargeError
from logsense.sources.stores.json_paths import inside, objects
from logsense.sources.stores.pieces import Pages
from logsense.util.errors import InputError

Entry = tuple[int, str, str]  # its stamp, its stream, its text

OPTIONS = ("query", "since", "start", "end")
SINCE = "24h"
ROOM = 5000  # entries in an answer; the most that servers give unless they are told otherwise
MOST_LOGS = 4096
BILLION = 1_000_000_000
_TOO_MANY = "max_entries_limit"  # as Loki refuses a limit: pkg/querier/limits/validation.go
LATEST = 1 << 63  # nanoseconds
# Labels that part one process's output into streams, which belong together.
_PARTING = ("stream", "level", "detected_level", "severity", "logstream", "flags", "pod_template_hash")
_SELECTOR = re.compile(r'\s*\{(?:[^{}"`]|"(?:[^"\\]|\\.)*"|`[^`]*`)*\}')
# What a log is called by, where it has it.
_NAMING = (
    "namespace",
    "job_name",
    "job",
    "app",
    "host",
    "hostname",
    "node_name",
    "instance",
    "pod",
    "container",
    "filename",
)


def logs_at(address: str) -> list[Source]:
    """A log for each process that the query selects. Raises InputError where there is none."""
    place = served(address, OPTIONS)
    query = place.options.get("query", "").strip()
    selector = _SELECTOR.match(query)
    if not selector:
        raise InputError(f'can\'t read {place.name}: it needs ?query={{label="value"}}')
    start_s, end_s = times(place, SINCE)
    span = (int(start_s * BILLION), int(end_s * BILLION))
    tenant = os.environ.get("LOKI_ORG_ID")
    client = Client(
        place.base + place.path.rstrip("/"), place.name, "LOKI", {"X-Scope-OrgID": tenant} if tenant else None
    )
    found = client.ask(
        "/loki/api/v1/series", {"match[]": selector[0].strip(), "start": str(span[0]), "end": str(span[1])}
    )
    groups = _groups(_labels(found))
    if not groups:
        raise InputError(f"no logs in {place.name}: no stream of that time matches {selector[0].strip()}")
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
    """The labels of each process, without those that part its output."""
    found = {tuple(sorted((name, value) for name, value in one.items() if name not in _PARTING)) for one in streams}
    return [dict(labels) for labels in sorted(found)]


def _names(groups: Sequence[Mapping[str, str]]) -> list[str]:
    """What to call each, by the labels in which they differ."""
    differing = [
        name for name in {name for labels in groups for name in labels} if len({one.get(name) for one in groups}) > 1
    ]
    order = sorted(differing, key=lambda name: (_NAMING.index(name) if name in _NAMING else -1, name))
    return ["/".join(labels[name].strip("/") for name in order if labels.get(name)) for labels in groups]


def _query(labels: Mapping[str, str], known: Sequence[str]) -> str:
    """The selector of the streams with these labels and no other of the `known` ones."""
    import json

    return "{" + ", ".join(f"{name}={json.dumps(labels.get(name, ''), ensure_ascii=False)}" for name in known) + "}"


def _lines(client: Client, query: str, span: tuple[int, int], source: Source) -> Iterator[bytes]:
    """Pages of lines, in order; the next page begins with the last stamp, and leaves out what was given already."""
    start, end = span
    room = ROOM
    given: Counter[Entry] = Counter()  # the entries of the moment `start` that were given
    while start < end:
        parameters = {"query": query, "start": str(start), "end": str(end), "limit": str(room), "direction": "forward"}
        try:
            entries = _entries(client.ask("/loki/api/v1/query_range", parameters), source)
        except TooLargeError:
            if room == 1:
                raise InputError(f"can't read {source.name}: an entry is too large") from None
            room = max(1, room // 8)
            continue
        except InputError as error:
            if room == 1 or _TOO_MANY not in str(error):
                raise
            room //= 2  # this server was told to give fewer
            continue
        new = list(_without(entries, given))
        yield b"".join(_line(stamp, text) for stamp, _, text in new)
        if len(entries) < room:
            return
        last = entries[-1][0]
        if last > start:
            start, given = last, Counter()
        elif not new:  # more entries of one moment than an answer holds
            source.note = f"more than {room:,} entries have the same time; only the first of them were read"
            start, given = last + 1, Counter()
        given.update(entry for entry in new if entry[0] == start)


def _without(entries: Sequence[Entry], given: Counter[Entry]) -> Iterator[Entry]:
    left = given.copy()
    for entry in entries:
        if left[entry] > 0:
            left[entry] -= 1
        else:
            yield entry


def _entries(answer: Any, source: Source) -> list[Entry]:
    """The entries of all streams in order of time; those of one moment stay as they came."""
    if inside(answer, "data", "resultType") != "streams":
        raise InputError(f"can't read {source.name}: the query does not give lines")
    try:
        found = [
            (int(value[0]), repr(stream.get("stream")), str(value[1]))
            for stream in objects(answer, "data", "result")
            for value in stream.get("values") or ()
        ]
        if not all(0 <= stamp < LATEST for stamp, _, _ in found):
            raise ValueError
    except (TypeError, ValueError, IndexError, KeyError):
        raise InputError(f"can't read {source.name}: it does not answer as Loki does") from None
    return sorted(found, key=lambda entry: entry[0])


def _line(stamp: int, text: str) -> bytes:
    from time import gmtime, strftime

    time = strftime("%Y-%m-%dT%H:%M:%S", gmtime(stamp // BILLION)) + f".{stamp % BILLION:09d}Z"
    body = text.rstrip("\r\n").replace("\r\n", "\r").replace("\n", "\r")
    return f"{time} {body}\n".encode("utf-8", "replace")
