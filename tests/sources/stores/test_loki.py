"""Logs out of Loki, by its documented HTTP API: https://grafana.com/docs/loki/latest/reference/loki-http-api/."""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import pytest

from logsense.sources.stores import http, loki
from logsense.util.errors import InputError
from tests.sources.stores.reading import read, sources_at, whole
from tests.sources.stores.serving import Query, Response, answered, serving

NOW = time.time_ns()
BEGAN = NOW - 3_600_000_000_000
LABEL = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*")')


class Entry(NamedTuple):
    labels: dict[str, str]
    stamp: int
    text: str


class Loki:
    """Entries by labels, given out as Loki does: at most `room` of them, streams apart, oldest first if asked so."""

    def __init__(self, entries: list[Entry], room: int = 5000) -> None:
        self.entries, self.room = entries, room
        self.asked: list[Query] = []
        self.before: Callable[[Query], Response | None] = lambda _: None

    def answer(self, asked: Query) -> Response:
        self.asked.append(asked)
        special = self.before(asked)
        if special:
            return special
        start, end = int(asked.parameters["start"]), int(asked.parameters["end"])
        inside = [one for one in self.entries if start <= one.stamp < end]
        if asked.path.endswith("/loki/api/v1/series"):
            found = [one.labels for one in inside if self.matches(asked.parameters["match[]"], one)]
            unique = {tuple(sorted(labels.items())) for labels in found}
            return Response({"status": "success", "data": [dict(labels) for labels in sorted(unique)]})
        assert asked.path.endswith("/loki/api/v1/query_range")
        query = asked.parameters["query"]
        if query.rstrip().endswith("|"):
            return Response("parse error at line 1, col 20: syntax error: unexpected $end", 400)
        limit = int(asked.parameters["limit"])
        if limit > self.room:
            return Response(
                f"max entries limit per query exceeded, limit > max_entries_limit_per_query ({limit} > {self.room})",
                400,
            )
        found_entries = [one for one in inside if self.matches(query, one)]
        found_entries.sort(key=lambda one: one.stamp, reverse=asked.parameters.get("direction") != "forward")
        streams: dict[str, dict[str, object]] = {}
        for one in found_entries[:limit]:
            stream = streams.setdefault(repr(one.labels), {"stream": one.labels, "values": []})
            stream["values"].append([str(one.stamp), one.text])  # type: ignore[attr-defined]
        result = [streams[key] for key in sorted(streams)]
        return Response({"status": "success", "data": {"resultType": "streams", "result": result, "stats": {}}})

    @staticmethod
    def matches(query: str, entry: Entry) -> bool:
        selector, _, rest = query.partition("}")
        wanted = {name: value[1:-1] for name, value in LABEL.findall(selector)}
        contained = re.search(r'\|= "([^"]*)"', rest)
        return all(entry.labels.get(name, "") == value for name, value in wanted.items()) and (
            contained is None or contained[1] in entry.text
        )


@contextmanager
def loki_of(entries: list[Entry], room: int = 5000) -> Iterator[tuple[str, Loki]]:
    store = Loki(entries, room)
    with serving(store.answer) as host:
        yield f"loki+http://{host}", store


def entries_of(labels: dict[str, str], count: int, step_ns: int = 1_000_000) -> list[Entry]:
    return [Entry(labels, BEGAN + number * step_ns, f"step {number}") for number in range(count)]


def said(lines: list[str]) -> list[str]:
    return [line.partition(" ")[2] for line in lines]


def test_pages_in_order_and_nothing_twice_even_of_one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loki, "PAGE_SIZE", 50)
    stdout, stderr = ({"app": "train", "stream": name} for name in ("stdout", "stderr"))
    entries = entries_of(stdout, 120)
    # Of both streams, many at one moment: more than are left on the page that they begin on, and twice the same text.
    entries += [Entry(stderr, BEGAN + 45_000_000, f"warning {number // 2}") for number in range(20)]
    with loki_of(entries, room=50) as (address, store):
        (lines,) = read(f'{address}/?query={{app="train"}}').values()
    assert sorted(said(lines)) == sorted(entry.text for entry in entries)
    assert lines == sorted(lines, key=lambda line: line[:30])
    assert lines[0][:10] == time.strftime("%Y-%m-%d", time.gmtime(BEGAN // 10**9))
    assert lines[0][19:31] == f".{BEGAN % 10**9:09d}Z "
    assert len(store.asked) >= 4


def test_a_server_that_gives_fewer_entries_than_others() -> None:
    entries = entries_of({"app": "train"}, 1500)
    with loki_of(entries, room=700) as (address, _):
        (lines,) = read(f'{address}/?query={{app="train"}}').values()
    assert said(lines) == [entry.text for entry in entries]


def test_more_of_one_moment_than_an_answer_holds_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loki, "PAGE_SIZE", 10)
    labels = {"app": "train"}
    entries = [Entry(labels, BEGAN, f"at once {number}") for number in range(25)] + [Entry(labels, BEGAN + 9, "later")]
    with loki_of(entries, room=10) as (address, _):
        (source,) = sources_at(f'{address}/?query={{app="train"}}')
        assert said(whole(source).splitlines()) == [*(f"at once {number}" for number in range(10)), "later"]
    assert source.note == "more than 10 entries have the same time stamp; only the first were read"


def test_a_log_for_each_process() -> None:
    pods = [
        {"app": "train", "pod": f"train-{number}", "level": level}
        for number in (0, 10, 2)
        for level in ("info", "error")
    ]
    other = {"app": "train", "pod": "train-0", "container": "sidecar"}
    entries = [entry for labels in [*pods, other] for entry in entries_of(labels, 3)]
    with loki_of(entries) as (address, _):
        found = read(f'{address}/?query={{app="train"}} |= "step"')
    counts = [(name, len(lines)) for name, lines in found.items()]
    assert counts == [("/train-0", 6), ("/train-0/sidecar", 3), ("/train-2", 6), ("/train-10", 6)]


def test_times_and_what_is_asked() -> None:
    with loki_of(entries_of({"app": "train"}, 3)) as (address, store):
        read(f'{address}/proxy/?query={{app="train"}} |~ "a+b"&since=2h')
        assert store.asked[0].path == "/proxy/loki/api/v1/series"
        assert store.asked[-1].parameters["query"] == '{app="train"} |~ "a+b"'
        span = int(store.asked[-1].parameters["end"]) - int(store.asked[-1].parameters["start"])
        assert span == pytest.approx(7200e9, rel=1e-6)
        with pytest.raises(InputError, match="no stream in that time range matches"):
            read(f'{address}/?query={{app="train"}}&start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00+01:00')
        assert store.asked[-1].parameters["start"] == str(1577836800 * 10**9)
        assert store.asked[-1].parameters["end"] == str(1577919600 * 10**9)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("", 'it needs ?query={label="value"}'),
        ("?query=app", 'it needs ?query={label="value"}'),
        ('?query={app="train"}&since=soon', "since takes a time such as 30m"),
        ('?query={app="train"}&start=soon', "soon is not a time such as"),
        ('?query={app="train"}&limit=5', "unknown option limit; known are end, query, since, start"),
        ('?query={app="other"}', 'no stream in that time range matches {app="other"}'),
        ('?query={app="train"} |', "parse error at line 1, col 20: syntax error: unexpected $end (HTTP 400)"),
    ],
)
def test_wrong_use(options: str, why: str) -> None:
    with loki_of(entries_of({"app": "train"}, 3)) as (address, _), pytest.raises(InputError) as caught:
        read(f"{address}/{options}")
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_transport_no_host_and_credentials_in_the_address() -> None:
    for address, why in (
        ("loki://host/?query={}", "write loki+https:// or loki+http://"),
        ("loki+http:///?query={}", "the URL names no host"),
        ("loki+http://a b/?query={}", "can't read loki+http://a b: "),
        ("loki+http://127.0.0.1:x/?query={}", "can't read loki+http://127.0.0.1:x: "),
        ("loki+http://127.0.0.1:99999/?query={}", "can't read loki+http://127.0.0.1:99999: "),
        ("loki+http://[::1/?query={}", "can't read loki+http://[::1: "),
        (f"loki+http://{'ü' * 80}.example/?query={{}}", "can't read loki+http://"),
        ("loki+http://user:secret@host/?query={}", "a URL must not hold credentials"),
        ("loki+http://127.0.0.1:1/?query={}", "can't read loki+http://127.0.0.1:1: connection refused"),
    ):
        with pytest.raises(InputError) as caught:
            read(address)
        assert why in str(caught.value)
        assert "secret" not in str(caught.value)


def test_who_asks(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    def guarded(asked: Query) -> Response | None:
        known = (
            asked.headers.get("authorization") in (basic, "Bearer t0ken") and asked.headers.get("x-scope-orgid") == "ml"
        )
        return None if known else Response("no org id", 401)

    basic = "Basic " + b64encode(b"ann:s3cret").decode()
    monkeypatch.setenv("LOKI_ORG_ID", "ml")
    with loki_of(entries_of({"app": "train"}, 3)) as (address, store):
        store.before = guarded
        query = f'{address}/?query={{app="train"}}'
        with pytest.raises(InputError, match=r"set LOKI_USERNAME and LOKI_PASSWORD, or LOKI_BEARER_TOKEN"):
            read(query)
        netrc = f"{tmp_path}/netrc"
        with open(netrc, "w") as file:
            file.write("machine 127.0.0.1 login ann password s3cret\n")
        monkeypatch.setenv("NETRC", netrc)
        assert read(query)
        monkeypatch.delenv("NETRC")
        monkeypatch.setenv("LOKI_BEARER_TOKEN", "t0ken")
        assert read(query)


def test_a_busy_server_is_asked_again_and_one_that_stays_so_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "PAUSE_S", 0.01)
    left = [2]

    def busy(_: Query) -> Response | None:
        left[0] -= 1
        return Response("too many outstanding requests", 429) if left[0] >= 0 else None

    with loki_of(entries_of({"app": "train"}, 3)) as (address, store):
        store.before = busy
        assert len(*read(f'{address}/?query={{app="train"}}').values()) == 3
        left[0] = 1000
        with pytest.raises(InputError, match=r"too many outstanding requests \(HTTP 429\)"):
            read(f'{address}/?query={{app="train"}}')


def test_a_server_that_breaks_off_leaves_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loki, "PAGE_SIZE", 10)
    monkeypatch.setattr(http, "PAUSE_S", 0.01)
    with loki_of(entries_of({"app": "train"}, 30), room=10) as (address, store):
        store.before = lambda _: Response("gone", 500) if len(store.asked) > 3 else None
        (source,) = sources_at(f'{address}/?query={{app="train"}}')
        assert len(whole(source).splitlines()) == 19
    assert source.note == "reading stopped: gone (HTTP 500)"


def test_answers_that_are_too_large_are_asked_for_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BYTES", 4000)
    entries = [Entry({"app": "train"}, BEGAN + number, f"{number} " + "x" * 100) for number in range(200)]
    with loki_of(entries) as (address, _):
        (lines,) = read(f'{address}/?query={{app="train"}}').values()
    assert said(lines) == [entry.text for entry in entries]


def test_credentials_do_not_follow_a_redirect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOKI_BEARER_TOKEN", "t0ken")
    heard: list[Query] = []

    def other(asked: Query) -> Response:
        heard.append(asked)
        return Response({})

    with serving(other) as elsewhere:
        moved = Response("", 302, (("Location", f"http://{elsewhere}/"),))
        with serving(lambda _: moved) as host, pytest.raises(InputError, match="it redirects to another URL"):
            read(f'loki+http://{host}/?query={{app="train"}}')
    assert not heard


def test_what_is_no_loki() -> None:
    odd: tuple[object, ...] = ("<html>", {}, [], {"data": 3}, {"data": {"resultType": "matrix"}}, "3")
    for says in odd:
        with serving(partial(answered, says)) as host, pytest.raises(InputError):
            read(f'loki+http://{host}/?query={{app="train"}}')
