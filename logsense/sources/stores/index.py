"""Read logs from Elasticsearch or OpenSearch: one log for each pod, file or host, ordered by time.

Plain HTTP, since the search API is the same in both and in all versions since 7, while each client library refuses the
other's servers. Scrolling returns every entry once, even of one moment.
https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-scroll
https://docs.opensearch.org/latest/api-reference/search-apis/scroll/
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from logsense.model.source import Source
from logsense.sources.folder import natural
from logsense.sources.stores.address import Address, parse_http, times
from logsense.sources.stores.http import Client, Pages, TooLargeError
from logsense.sources.stores.json_paths import dotted, inside, objects
from logsense.unwrap.json_entry import lines_of
from logsense.util.errors import InputError

OPTIONS = ("q", "since", "start", "end", "by", "time", "field")
SINCE = "24h"
PAGE_SIZE = 1000  # entries
SCROLL_TIMEOUT = "2m"  # the server keeps a scroll this long between requests
MOST_LOGS = 4096
# Fields in which shippers name the origin of an entry; the first that exists separates the logs.
# Filebeat and Elastic Agent, Fluent Bit and Fluentd, OpenTelemetry, Vector, plain syslog.
_ORIGINS = (
    ("kubernetes.pod.name", "kubernetes.container.name"),
    ("kubernetes.pod_name", "kubernetes.container_name"),
    ("resource.attributes.k8s.pod.name", "resource.attributes.k8s.container.name"),
    ("container.name",),
    ("host.name", "log.file.path"),
    ("hostname", "file"),
    ("host",),
)


def logs_at(address: str) -> list[Source]:
    """Return a log for each origin of entries. Raise InputError if there are none."""
    place = parse_http(address, OPTIONS)
    scheme = "ELASTICSEARCH" if place.scheme in ("es", "elasticsearch") else "OPENSEARCH"
    path, _, index = place.path.strip("/").rpartition("/")
    if not index:
        raise InputError(f"can't read {place.name}: name an index, such as {place.name}/logs-*")
    client = Client(f"{place.base}/{path}", place.name, scheme)
    query = _query(place)
    hits = _hits(client.ask(f"/{index}/_search", body={"size": 1, "query": query, "track_total_hits": False}), place)
    if not hits:
        raise InputError(f"no logs in {place.name}: no entry in that time range matches")
    entry = hits[0].get("_source") or {}
    stamp = place.options.get("time", "@timestamp")
    if "by" in place.options:
        fields: Sequence[str] = [name for name in place.options["by"].split(",") if name]
    else:
        fields = next((names for names in _ORIGINS if dotted(entry, names[0]) is not None), ())
        fields = [name for name in fields if dotted(entry, name) is not None]
    found = [
        Source(
            "/".join([place.name, *(value.strip("/") for value in values if value)]),
            None,
            lambda source, only=only: Pages(  # type: ignore[misc]
                _pages(client, index, {"bool": {"filter": [query, *only]}}, stamp, place, source), source
            ),
        )
        for values, only in _origins(client, index, query, fields, place)
    ]
    return sorted(found, key=lambda source: natural(source.name))


def _query(place: Address) -> dict[str, Any]:
    """Return the filter for the requested time range and query, in Lucene syntax."""
    start_s, end_s = times(place, SINCE)
    stamp = place.options.get("time", "@timestamp")
    wanted: list[dict[str, Any]] = [
        {"range": {stamp: {"gte": int(start_s * 1000), "lte": int(end_s * 1000), "format": "epoch_millis"}}}
    ]
    if place.options.get("q"):
        wanted.append({"query_string": {"query": place.options["q"]}})
    return {"bool": {"filter": wanted}}


def _origins(
    client: Client, index: str, query: dict[str, Any], fields: Sequence[str], place: Address
) -> Iterator[tuple[tuple[str, ...], list[dict[str, Any]]]]:
    """Yield the values of `fields` that occur, each with the filter that selects them."""
    if not fields:
        yield (), []
        return
    count = 0
    after: dict[str, Any] | None = None
    names = _countable(client, index, fields)
    while True:
        sources = [{name: {"terms": {"field": name, "missing_bucket": True}}} for name in names]
        parted: dict[str, Any] = {"size": PAGE_SIZE, "sources": sources, **({"after": after} if after else {})}
        answer = client.ask(
            f"/{index}/_search", body={"size": 0, "query": query, "aggs": {"places": {"composite": parted}}}
        )
        buckets = objects(answer, "aggregations", "places", "buckets")
        for bucket in buckets:
            values = [inside(bucket, "key", name) for name in names]
            count += 1
            if count > MOST_LOGS:
                raise InputError(f"can't read {place.name}: more than {MOST_LOGS:,} logs match; narrow the query")
            yield tuple("" if value is None else str(value) for value in values), list(map(_only, names, values))
        after = inside(answer, "aggregations", "places", "after_key")
        if not after or not buckets:
            return


def _countable(client: Client, index: str, fields: Sequence[str]) -> list[str]:
    """Return the names under which the server can count values of `fields`: text fields need their keyword."""
    known = client.ask(
        f"/{index}/_field_caps", {"fields": ",".join([*fields, *(f"{name}.keyword" for name in fields)])}
    )

    def can(name: str) -> bool:
        kinds = inside(known, "fields", name)
        return isinstance(kinds, dict) and all(inside(kind, "aggregatable") for kind in kinds.values())

    return [name if can(name) or not can(f"{name}.keyword") else f"{name}.keyword" for name in fields]


def _only(name: str, value: object) -> dict[str, Any]:
    if value is None:
        return {"bool": {"must_not": [{"exists": {"field": name}}]}}
    return {"term": {name: value}}


def _pages(
    client: Client, index: str, query: dict[str, Any], stamp: str, place: Address, source: Source
) -> Iterator[bytes]:
    """Yield pages of lines, ordered by time, and within one moment by their place in the file."""
    order = [
        {stamp: {"order": "asc", "unmapped_type": "date"}},
        {"log.offset": {"order": "asc", "unmapped_type": "long"}},
    ]
    page_size = PAGE_SIZE
    scroll = ""
    try:
        while True:
            try:
                if scroll:
                    answer = client.ask("/_search/scroll", body={"scroll": SCROLL_TIMEOUT, "scroll_id": scroll})
                else:
                    body = {"size": page_size, "query": query, "sort": order, "track_total_hits": False}
                    answer = client.ask(f"/{index}/_search", {"scroll": SCROLL_TIMEOUT}, body)
            except TooLargeError:
                if scroll or page_size == 1:  # a scroll can't go back
                    raise InputError(f"can't read {source.name}: the entries are too large") from None
                page_size = max(1, page_size // 8)
                continue
            hits = _hits(answer, place)
            scroll = str(inside(answer, "_scroll_id") or scroll)
            if not hits:
                return
            yield b"".join(_lines(hit, stamp, place.options.get("field", "")) for hit in hits)
            if inside(answer, "_shards", "failed"):
                source.note = "some shards of the index do not respond; their entries are missing"
    finally:
        if scroll:
            try:
                client.ask("/_search/scroll", body={"scroll_id": [scroll]}, method="DELETE")
            except (InputError, TooLargeError):  # it expires by itself
                pass


def _hits(answer: Any, place: Address) -> list[dict[str, Any]]:
    if not isinstance(inside(answer, "hits", "hits"), list):
        raise InputError(f"can't read {place.name}: the response is not one of a search index")
    return objects(answer, "hits", "hits")


def _lines(hit: Mapping[str, Any], stamp: str, field: str) -> bytes:
    """Format an entry as lines, as for any log of JSON objects."""
    entry = hit.get("_source")
    entry = entry if isinstance(entry, dict) else {}
    text = dotted(entry, field) if field else _text(entry)
    if text is not None:
        level = dotted(entry, "log.level") or entry.get("level")
        shown = {"time": dotted(entry, stamp), "level": level, "message": text, "stream": entry.get("stream")}
    lines = lines_of(entry if text is None else shown)
    return b"".join(line + b"\n" for line in lines or [json.dumps(entry).encode()])


def _text(entry: Mapping[str, Any]) -> object:
    """Return the text that a shipper read from the log; OpenTelemetry puts it into the body."""
    found = next(
        (found for name in ("message", "log", "body.text", "body", "msg") if (found := dotted(entry, name))), None
    )
    return found if isinstance(found, str) else None
