"""Logs out of Elasticsearch and OpenSearch, by the part of their search API that both document."""

from __future__ import annotations

import fnmatch
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from logsense.sources.stores import http, index
from logsense.util.errors import InputError
from tests.sources.stores.reading import read, sources_at, whole
from tests.sources.stores.serving import Query, Response, answered, serving

BEGAN_MS = int(time.time() * 1000) - 3_600_000


def value(entry: Any, name: str) -> Any:
    for part in name.removesuffix(".keyword").split("."):
        entry = entry.get(part) if isinstance(entry, dict) else None
    return entry


def millis(entry: dict[str, Any]) -> float:
    stamp = str(entry.get("@timestamp", "1970-01-01T00:00:00.000Z"))
    return time.mktime(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S")) * 1000 - time.timezone * 1000 + int(stamp[20:23])


class Index:
    """Entries of one index, answered as the servers do: pages by scroll, composite aggregations, errors as JSON."""

    def __init__(self, entries: list[dict[str, Any]], texts: tuple[str, ...] = ()) -> None:
        self.entries, self.texts = entries, texts
        self.scrolls: dict[str, list[dict[str, Any]]] = {}
        self.sizes: dict[str, int] = {}
        self.asked: list[Query] = []
        self.allowed = ""

    def answer(self, asked: Query) -> Response:
        self.asked.append(asked)
        if self.allowed and asked.headers.get("authorization") != self.allowed:
            return Response({"error": {"type": "security_exception", "reason": "missing authentication"}}, 401)
        if asked.path == "/_search/scroll":
            return self.scrolled(asked)
        name, _, verb = asked.path.strip("/").rpartition("/")
        if not fnmatch.fnmatch("logs-2026.11", name):
            why = {"type": "index_not_found_exception", "reason": f"no such index [{name}]"}
            return Response({"error": {"root_cause": [why], **why}, "status": 404}, 404)
        if verb == "_field_caps":
            names = asked.parameters["fields"].split(",")
            return Response({"fields": {one: self.able(one) for one in names if self.has(one)}})
        assert verb == "_search"
        found = [one for one in self.entries if self.holds(asked.body["query"], one)]
        if "aggs" in asked.body:
            return self.counted(asked.body["aggs"]["places"]["composite"], found)
        if "sort" in asked.body:
            found = sorted(found, key=lambda one: (millis(one), value(one, "log.offset") or 0))
        size = asked.body["size"]
        hits = {"hits": [{"_source": one} for one in found[:size]]}
        if "scroll" not in asked.parameters:
            return Response({"hits": hits})
        scroll = f"scroll-{len(self.scrolls)}"
        self.scrolls[scroll], self.sizes[scroll] = found[size:], size
        return Response({"_scroll_id": scroll, "hits": hits, "_shards": {"failed": 0}})

    def scrolled(self, asked: Query) -> Response:
        if asked.method == "DELETE":
            for one in asked.body["scroll_id"]:
                self.scrolls.pop(one, None)
            return Response({"succeeded": True})
        scroll = asked.body["scroll_id"]
        if scroll not in self.scrolls:
            return Response(
                {"error": {"reason": "all shards failed", "root_cause": [{"reason": "No search context found"}]}}, 404
            )
        size, left = self.sizes[scroll], self.scrolls[scroll]
        self.scrolls[scroll] = left[size:]
        return Response({"_scroll_id": scroll, "hits": {"hits": [{"_source": one} for one in left[:size]]}})

    def has(self, name: str) -> bool:
        known = name.removesuffix(".keyword") in self.texts or not name.endswith(".keyword")
        return known and any(value(one, name) is not None for one in self.entries)

    def able(self, name: str) -> dict[str, Any]:
        return {"text": {"aggregatable": name not in self.texts}}

    def counted(self, asked: dict[str, Any], found: list[dict[str, Any]]) -> Response:
        names = [next(iter(source)) for source in asked["sources"]]
        if any(not all(kind["aggregatable"] for kind in self.able(name).values()) for name in names):
            return Response({"error": {"reason": "Fielddata is disabled on text fields by default"}}, 400)
        keys = sorted({tuple(value(one, name) or "" for name in names) for one in found})
        after = tuple(asked["after"][name] or "" for name in names) if "after" in asked else None
        keys = [key for key in keys if after is None or key > after][: asked["size"]]
        buckets = [
            {"key": {name: part or None for name, part in zip(names, key, strict=True)}, "doc_count": 1} for key in keys
        ]
        places: dict[str, Any] = {"buckets": buckets}
        if buckets:
            places["after_key"] = buckets[-1]["key"]
        return Response({"hits": {"hits": []}, "aggregations": {"places": places}})

    def holds(self, query: dict[str, Any], entry: dict[str, Any]) -> bool:
        ((kind, said),) = query.items()
        if kind == "bool":
            return all(self.holds(one, entry) for one in said.get("filter", ())) and not any(
                self.holds(one, entry) for one in said.get("must_not", ())
            )
        if kind == "range":
            return bool(said["@timestamp"]["gte"] <= millis(entry) <= said["@timestamp"]["lte"])
        if kind == "term":
            ((name, wanted),) = said.items()
            return bool(value(entry, name) == wanted)
        if kind == "exists":
            return value(entry, said["field"]) is not None
        assert kind == "query_string"
        field, _, wanted = said["query"].partition(":")
        return bool(value(entry, field) == wanted)


@contextmanager
def index_of(
    entries: list[dict[str, Any]], scheme: str = "opensearch", texts: tuple[str, ...] = ()
) -> Iterator[tuple[str, Index]]:
    store = Index(entries, texts)
    with serving(store.answer) as host:
        yield f"{scheme}+http://{host}/logs-*", store


def stamp(milliseconds: int) -> str:
    at = BEGAN_MS + milliseconds
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03d}Z"


def pod(name: str, number: int, text: str, container: str = "main") -> dict[str, Any]:
    """An entry as Fluent Bit writes it."""
    return {
        "@timestamp": stamp(number),
        "stream": "stderr",
        "log": f"{text}\n",
        "kubernetes": {"pod_name": name, "container_name": container},
    }


@pytest.mark.parametrize("scheme", ["opensearch", "elasticsearch", "es"])
def test_pages_in_order_and_a_log_for_each_pod(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setattr(index, "PAGE_SIZE", 7)
    entries = [pod(f"train-{number % 3}", number // 9, f"step {number}") for number in range(90)]
    entries.append(pod("train-0", 5, "ready", "sidecar"))
    texts = ("kubernetes.pod_name", "kubernetes.container_name")
    with index_of(entries[::-1][::-1], scheme, texts) as (address, store):
        found = read(address)
    assert {name: len(lines) for name, lines in found.items()} == {
        **{f"/train-{number}/main": 30 for number in range(3)},
        "/train-0/sidecar": 1,
    }
    assert found["/train-1/main"] == [f"{stamp(number // 9)} stderr F step {number}" for number in range(1, 90, 3)]
    assert not store.scrolls  # all are ended


def test_files_of_hosts_in_the_order_of_the_file() -> None:
    """As Filebeat writes them; some entries name no file."""
    entries = [
        {
            "@timestamp": stamp(0),
            "message": f"line {offset}",
            "log": {
                "offset": offset,
                "level": "error",
                **({"file": {"path": "/var/log/train.log"}} if offset < 40 else {}),
            },
            "host": {"name": "node7"},
        }
        for offset in (20, 10, 30, 50, 40)
    ]
    with index_of(entries) as (address, _):
        found = read(f"{address}?q=host.name:node7&since=7d")
    at = f"{stamp(0)} [ERROR] "
    assert found == {
        "/node7": [f"{at}line 40", f"{at}line 50"],
        "/node7/var/log/train.log": [f"{at}line 10", f"{at}line 20", f"{at}line 30"],
    }


def test_what_is_asked_for() -> None:
    entries = [
        {"@timestamp": stamp(n), "payload": {"text": f"a\nb {n}"}, "team": "vision" if n else "speech"}
        for n in range(3)
    ]
    with index_of(entries) as (address, store):
        assert read(f"{address}?by=team&field=payload.text") == {
            "/speech": [f"{stamp(0)} a", "b 0"],
            "/vision": [f"{stamp(1)} a", "b 1", f"{stamp(2)} a", "b 2"],
        }
        assert [len(lines) for lines in read(f"{address}?by=&q=team:vision").values()] == [2]
        with pytest.raises(InputError, match="no entry in that time range matches"):
            read(f"{address}?start=2020-01-01&end=2020-01-02")
        with pytest.raises(InputError, match=r"no such index \[other\] \(HTTP 404\)"):
            read(f"{address.rpartition('/')[0]}/other")
        with pytest.raises(InputError, match="name an index"):
            read(address.rpartition("/")[0] + "/")
        with pytest.raises(InputError, match="unknown option query"):
            read(f"{address}?query=x")
        assert store.asked[0].body["query"]["bool"]["filter"][0]["range"]["@timestamp"]["format"] == "epoch_millis"


def test_lines_without_a_text_stay_as_they_are() -> None:
    with index_of([{"@timestamp": stamp(0), "loss": 2.5}]) as (address, _):
        assert read(address) == {"": ['{"@timestamp": "' + stamp(0) + '", "loss": 2.5}']}


def test_open_telemetry() -> None:
    entries = [
        {
            "@timestamp": stamp(0),
            "body": {"text": "step 1"},
            "resource": {"attributes": {"k8s": {"pod": {"name": "train-0"}}}},
        }
    ]
    with index_of(entries) as (address, _):
        assert read(address) == {"/train-0": [f"{stamp(0)} step 1"]}


def test_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    for scheme, prefix in (("opensearch", "OPENSEARCH"), ("es", "ELASTICSEARCH")):
        with index_of([pod("train-0", 0, "step")], scheme) as (address, store):
            store.allowed = "Basic " + b64encode(b"ann:gehe:im").decode()
            with pytest.raises(InputError, match=f"set {prefix}_USERNAME") as caught:
                read(address)
            assert "missing" not in str(caught.value)
            monkeypatch.setenv(f"{prefix}_USERNAME", "ann")
            monkeypatch.setenv(f"{prefix}_PASSWORD", "gehe:im")
            assert read(address)
            store.allowed = "ApiKey a2V5"
            monkeypatch.setenv(f"{prefix}_API_KEY", "a2V5")
            assert read(address)


def test_a_scroll_that_ends_too_early_leaves_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PAGE_SIZE", 10)
    with index_of([pod("train-0", number, "step") for number in range(30)]) as (address, store):
        (source,) = sources_at(address)
        reader = source.open()
        store.scrolls.clear()
        buffer = bytearray(1 << 20)
        while reader.readinto(buffer):
            pass
        reader.close()
    assert source.note == "reading stopped: No search context found (HTTP 404)"


def test_entries_that_are_large_come_in_smaller_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 4000)
    with index_of([pod("train-0", number, f"{number} " + "x" * 200) for number in range(100)]) as (address, _):
        (source,) = sources_at(address)
        assert len(whole(source).splitlines()) == 100


def test_what_is_no_index() -> None:
    odd: tuple[object, ...] = ("<html>", {}, [], {"hits": 3}, {"hits": {"hits": {}}})
    for says in odd:
        with serving(partial(answered, says)) as host, pytest.raises(InputError):
            read(f"es+http://{host}/logs")
