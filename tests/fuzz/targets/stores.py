"""Responses of log stores, of any shape, and store URLs: lines, or a one-sentence error."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from logsense.model.source import Source
from logsense.sources.stores import index, kubectl, loki
from logsense.sources.stores.address import Address, parse, parse_http, times
from logsense.sources.stores.http import Client
from logsense.sources.stores.json_paths import objects
from logsense.util.errors import InputError

PLACE = Address("loki", "http://host", "/logs", {}, "loki+http://host/logs")
ADDRESSES = [
    'loki+https://host:3100/x?query={app="train"} |= "a%26b"&since=6h',
    "opensearch+http://host/logs-*?q=a:b&by=host.name,file&start=2026-11-21T08:00:00Z&end=1795250000",
    "kubectl://ml/job/train?selector=a=b&context=x",
    "journald://train.service?since=-1h&boot=0",
    "es+https://user:secret@host/",
]


def seeds() -> list[bytes]:
    """Return URLs after an A, responses after a J."""
    labels = {"app": "train", "pod": "train-0", "level": "info"}
    pods = {"metadata": {"continue": "x"}, "items": [{"metadata": {"name": "a"}, "status": {"phase": "Failed"}}]}
    ended = {"name": "main", "state": {"terminated": {"exitCode": 1}}, "lastState": {"terminated": {}}}
    pods["items"].append({"metadata": {"name": "b"}, "status": {"containerStatuses": [ended]}})  # type: ignore[attr-defined]
    stream = {"stream": labels, "values": [["1795250000000000000", "step 1"], ["1795250000000000001", "a\nb"]]}
    source = {"@timestamp": "2026-11-21T08:00:00Z", "log": "step 1\n", "kubernetes": {"pod_name": "a"}, "level": 3}
    bucket = {"key": {"kubernetes.pod_name": "a"}}
    answers: list[object] = [
        {"data": [labels, {**labels, "pod": "train-1"}]},
        {"data": {"resultType": "streams", "result": [stream, stream]}},
        {"_scroll_id": "x", "hits": {"hits": [{"_source": source}, {"_source": {"body": {"text": "x"}}}]}},
        {"hits": {"hits": []}, "aggregations": {"places": {"buckets": [bucket], "after_key": bucket["key"]}}},
        {"fields": {"kubernetes.pod_name": {"text": {"aggregatable": False}}}},
        pods,
    ]
    return [*(b"A" + one.encode() for one in ADDRESSES), *(b"J" + json.dumps(one).encode() for one in answers)]


class _Said:
    """A server that gives the same response three times, and then nothing."""

    def __init__(self, answer: object) -> None:
        self._answers: Iterator[object] = iter([answer] * 3)

    def ask(self, *_: object, **__: object) -> Any:
        return next(self._answers, {"hits": {"hits": []}, "data": {"resultType": "streams"}})


def run(data: bytes) -> None:
    """Read the URL, or the response as each of the stores."""
    if data[:1] == b"A":
        text = data[1:].decode("utf-8", "replace")
        for read in (parse, parse_http):
            with suppress(InputError):
                found = read(text, (*loki.OPTIONS, *index.OPTIONS, *kubectl.OPTIONS))
                assert "secret" not in found.name or "secret" not in ADDRESSES[-1].partition("@")[2], "it is shown"
                begin, end = times(found, "24h")
                assert begin >= 0
                assert end == end
        return
    try:
        answer = json.loads(data[1:])
    except (ValueError, RecursionError):
        return
    source = Source("x", None, lambda _: cast("Any", None))
    client = cast("Client", _Said(answer))
    groups = loki._groups(loki._labels(answer))
    assert len(loki._names(groups)) == len(groups)
    for lines in (
        loki._lines(client, "{}", (0, 1 << 62), source),
        index._pages(cast("Client", _Said(answer)), "logs", {}, "@timestamp", PLACE, source),
    ):
        with suppress(InputError):
            text_bytes = b"".join(lines)
            assert not text_bytes or text_bytes.endswith(b"\n"), "a line without an end"
    with suppress(InputError):
        list(index._origins(cast("Client", _Said(answer)), "logs", {}, ("kubernetes.pod_name",), PLACE))
    pods = objects(answer, "items")
    list(kubectl._containers(pods, ""))
    any(map(kubectl._has_trouble, pods))
