"""Logs inside JSON, tables and recordings come out as plain lines, each with the number that an editor shows."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.model.source import Source
from logsense.sources.file import opened
from logsense.unwrap import csv_log, json_lines, pretty_json, shape
from logsense.unwrap.shape import LineStep


def unwrapped(data: bytes, size: int = 5) -> bytes:
    return placed(data, size)[0]


def placed(data: bytes, size: int = 5) -> tuple[bytes, list[int]]:
    """The text, and the number under which people find each of its lines."""
    source = Source("log", None, lambda source: opened(io.BytesIO(data), source))
    reader = source.open()
    buffer = bytearray(size)
    found = b""
    while count := reader.readinto(buffer):
        found += bytes(buffer[:count])
    places = source.places
    return found, [places.number(line) for line in range(1, places.lines + 1)] if places else []


def lines(*entries: object) -> bytes:
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


def test_a_terminal_recorded_by_asciinema() -> None:
    for header in (
        {"version": 2, "width": 80, "height": 24, "timestamp": 1772924311},
        {"version": 3, "term": {"cols": 80, "rows": 24}},
    ):
        events = [[0.1, "o", "$ pyth"], [0.2, "i", "secret"], [0.3, "o", "on train.py\r\nTrace"], [0.4, "m", "here"]]
        data = lines(header, *events, [0.5, "o", "back:\r\n"]) + b'[0.6, "o", "cut'
        assert placed(data) == (b"$ python train.py\r\nTraceback:\r\n", [2, 4])
    assert unwrapped(lines({"version": 2, "message": "none"}, {"message": "of it"})) == b"none\nof it\n"


def test_docker() -> None:
    data = lines(
        {"log": "Traceback:\n", "stream": "stderr", "time": "2026-11-20T10:00:00.1Z"},
        {"log": "\n", "stream": "stderr", "time": "2026-11-20T10:00:00.2Z"},
        {"log": "  indented\n", "stream": "stdout", "time": "2026-11-20T10:00:00.3Z"},
    )
    assert unwrapped(data) == (
        b"2026-11-20T10:00:00.1Z stderr F Traceback:\n\n2026-11-20T10:00:00.3Z stdout F   indented\n"
    )


def test_restarted_kernel() -> None:
    message = "KernelRestarter: restarting kernel (1/5), keep random ports"
    entry = {"pid": 7, "type": "jupyter", "level": 40, "msg": message, "time": "2026-11-20T10:00:00.1Z", "v": 0}
    assert unwrapped(lines(entry)) == f"2026-11-20T10:00:00.1Z [WARNING] {message}\n".encode()
    assert unwrapped(json.dumps([entry, entry]).encode()).count(message.encode()) == 2


def test_objects_spread_over_lines() -> None:
    entry = {"pid": 7, "level": 40, "msg": "restarting kernel", "time": "2026-11-20T10:00:00.1Z"}
    data = json.dumps([entry, entry], indent=2).encode()
    found, numbers = placed(data)
    assert found.split(b"\n")[:2] == [b"2026-11-20T10:00:00.1Z [ERROR] restarting kernel"] * 2
    assert [data.split(b"\n")[number - 1].strip()[:5] for number in numbers] == [b'"msg"'] * 2


def test_kaggle() -> None:
    data = b'[{"stream_name":"stderr","time":1.2,"data":"one\\ntwo\\n"}\n,{"stream_name":"stdout","data":"x"}\n]'
    assert placed(data) == (b"one\ntwo\nx\n", [1, 1, 2])


def test_structured() -> None:
    data = lines(
        {"timestamp": "2026-11-20T10:00:00Z", "severity": "ERROR", "message": "a\nb", "rank": 3},
        {"ts": 1763632800.25, "level": "info", "msg": "c"},
        {"asctime": "2026-11-20 10:00:00,123", "levelname": "ERROR", "message": "d", "exc_info": "Traceback\nE: x"},
        {"jsonPayload": {"message": "e"}},
        {"message": {"message": "f"}},
        {"event": "g", "level": "info", "timestamp": 1763632800250},
    )
    text, numbers = placed(data)
    assert text.decode().splitlines()[0] == "[rank3]: 2026-11-20T10:00:00Z [ERROR] a"
    shown = [line.split(" ")[-1] for line in text.decode().split("\n")[1:]]
    assert shown == ["b", "c", "d", "Traceback", "x", "e", "f", "g", ""]
    assert numbers == [1, 1, 2, 3, 3, 3, 4, 5, 6]


def test_levels_without_a_time() -> None:
    data = lines({"severity": "INFO", "message": "step 1"}, {"level": "error", "msg": "a", "rank": 3}, {"message": "b"})
    assert unwrapped(data) == b"[INFO] step 1\n[rank3]: [ERROR] a\nb\n"


@pytest.mark.parametrize(
    "data",
    [
        b'{"loss": 0.5, "step": 1}\n{"loss": 0.4, "step": 2}\n',
        b"{'loss': 0.5}\n",
        b"[INFO] hello\n",
        b"{\n",
        b"[1, 2, 3]\n",
        b'{"text": "a sample of a data set"}\n',
        b"plain\n",
        b"Message without a table\n",
    ],
)
def test_other_text_is_left_alone(data: bytes) -> None:
    assert unwrapped(data) == data


def test_other_lines_among_objects_stay() -> None:
    data = lines(*[{"msg": "a"}] * 3) + b"plain {\n" + lines({"msg": "b"}) + b'{"msg": "cut'
    assert unwrapped(data) == b'a\na\na\nplain {\nb\n{"msg": "cut'


def test_table() -> None:
    data = b'Timestamp,Level,Message\n"2026-11-20 10:00:00",warning,"it said ""x"", and\nmore"\n,,"last"\n'
    assert placed(data) == (b'2026-11-20 10:00:00 [WARNING] it said "x", and\nmore\nlast\n', [2, 3, 4])


def test_names_of_columns_as_log_stores_write_them() -> None:
    rows = b'@timestamp,kubernetes.pod.name,log.level,@message\n2026-03-07T22:58:31Z,train-0,error,"a, ""b"""\n'
    assert unwrapped(rows).decode() == '2026-03-07T22:58:31Z [ERROR] a, "b"\n'


def test_entries_within_entries() -> None:
    hit = {"_index": "logs", "_source": {"@timestamp": "2026-03-07T22:58:31Z", "message": "x", "level": "error"}}
    assert unwrapped(lines(hit)).decode() == "2026-03-07T22:58:31Z [ERROR] x\n"
    assert unwrapped(lines({"preview": False, "result": {"_raw": "y"}})).decode() == "y\n"


LINES = ["Traceback (most recent call last):", '  File "train.py", line 3, in <module>', "ValueError: odd"]


@pytest.mark.parametrize(
    ("head", "row"),
    [
        ("Date,Host,Service,Content", '"2026-03-07T22:58:31.1Z","node7","train","{}"'),
        ('"Time","Line","tsNs"', '"2026-03-07 22:58:31.1","{}","1750000000000"'),
        ('"_raw","_time",host', '"{}","2026-03-07T22:58:31.1+0000",node7'),
        ('"@timestamp",message', '"Mar 7, 2026 @ 22:58:31.1","{}"'),
    ],
)
def test_tables_of_log_stores(head: str, row: str) -> None:
    table = "\n".join([head, *(row.format(line.replace('"', '""')) for line in LINES), ""]).encode()
    *rows, _ = unwrapped(table).decode().split("\n")
    assert [
        line[line.index(" ", 11) + 1 :] if "T" not in line[:11] else line.partition(" ")[2] for line in rows
    ] == LINES
    assert all(line.startswith("2026-03-07") for line in rows)


def test_the_answer_of_loki() -> None:
    streams = [
        {"stream": {"pod": "a"}, "values": [["1750000000300000000", "third"], ["1750000000100000000", "first"]]},
        {"stream": {"pod": "b"}, "values": [["1750000000200000000", "second"]]},
    ]
    said = unwrapped(json.dumps({"status": "success", "data": {"result": streams}}).encode() + b"\n")
    assert [line.split(b" ")[1] for line in said.strip().split(b"\n")] == [b"first", b"second", b"third"]


def test_a_list_that_begins_with_the_newest_is_turned_round() -> None:
    entries = [{"timestamp": f"2026-03-07T22:58:3{n}Z", "message": f"line {n}"} for n in reversed(range(5))]
    said = unwrapped(json.dumps({"hits": {"hits": [{"_source": one} for one in entries]}}).encode())
    assert [line.partition(b" ")[2] for line in said.split(b"\n")] == [b"line %d" % n for n in range(5)]


def test_a_time_may_stand_below_its_message() -> None:
    entries = [{"message": "first\nof two", "timestamp": 1750000000123}, {"message": "", "timestamp": 1750000000456}]
    text = json.dumps({"events": entries}, indent=2).encode()
    assert placed(text + b"\n") == (b"1750000000.123000 first\nof two\n\n", [4, 4, 8])
    cut = json.dumps({"events": [entries[1]] * 3 + entries[:1]}, indent=2).encode().rpartition(b'"timestamp"')[0]
    assert unwrapped(cut) == b"\n\n\nfirst\nof two\n"


def test_table_without_level() -> None:
    assert unwrapped(b'"timestamp","message"\n2026-11-20,a\n') == b"a\n"


def test_a_line_too_long_to_unwrap_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shape, "LONGEST", 100)
    long = json.dumps({"msg": "x" * 1_000_000}).encode() + b"\n"
    data = lines({"msg": "a"}, {"msg": "b"}) * 2000 + long + lines({"msg": "c"})
    assert placed(data, 1 << 16) == (b"a\nb\n" * 2000 + long + b"c\n", list(range(1, 4003)))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.text(max_size=20).map(lambda text: json.dumps({"msg": text, "time": "2026-11-20T10:00:00Z"})),
            st.dictionaries(
                st.sampled_from(["msg", "level", "time", "rank", "v", "log", "data"]),
                st.from_type(type).flatmap(
                    lambda _: st.one_of(
                        st.none(),
                        st.booleans(),
                        st.integers(),
                        st.floats(),
                        st.text(max_size=5),
                        st.lists(st.integers()),
                    )
                ),
            ).map(json.dumps),
            st.sampled_from(["[", "]", ",", "{", '"msg": "x",', "plain", '"', '{"msg": "cut', "[" * 2000]),
        ),
        max_size=12,
    ),
    st.integers(1, 50),
)
def test_any_mixture(entries: list[str], size: int) -> None:
    data = "\n".join(entries).encode()
    assert placed(data, size) == placed(data, 1 << 20)
    for one in (json_lines, pretty_json, csv_log):
        unwrapping = one.step(b"time,message\n")
        text = unwrapping.feed(data) + unwrapping.finish()
        assert text.count(b"\n") <= unwrapping.places.lines <= text.count(b"\n") + 1
        numbers = [unwrapping.places.number(line) for line in range(1, unwrapping.places.lines + 1)]
        assert numbers == sorted(numbers)
        assert not numbers or numbers[-1] <= data.count(b"\n") + 1


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    for one in (json_lines, pretty_json, csv_log):
        one.begins(data)
        unwrapping = one.step(b"timestamp,message\n")
        assert isinstance(unwrapping, LineStep)
        text = unwrapping.feed(data) + unwrapping.finish()
        assert text.count(b"\n") <= unwrapping.places.lines <= text.count(b"\n") + 1


def test_a_table_whose_quote_never_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_log, "LONGEST", 100)
    head = b"time,message\n"
    data = b'2026-11-20 10:00:00,"step 1\n' + b"\n" * 200 + b"Killed\n2026-11-20 10:00:09,step 2\n"
    unwrapping = csv_log.step(head)
    shown = unwrapping.feed(head + data[:150])
    assert shown == data[:150]  # no more than LONGEST is held back
    assert (shown + unwrapping.feed(data[150:])).endswith(b"\nKilled\n2026-11-20 10:00:09 step 2\n")


def test_journal() -> None:
    entry = {
        "__REALTIME_TIMESTAMP": "1763700001000123",
        "_HOSTNAME": "node7",
        "_PID": "12",
        "SYSLOG_IDENTIFIER": "python",
    }
    kernel = {**entry, "SYSLOG_IDENTIFIER": "kernel", "MESSAGE": "NVRM: Xid"}
    data = lines(
        {**entry, "MESSAGE": "two\nlines"},
        {**entry, "MESSAGE": [27, 91, 109, 104, 255]},
        {**entry, "MESSAGE": None},
        {**entry, "MESSAGE": ["twice", "there"]},
        kernel,
        {"__REALTIME_TIMESTAMP": "soon", "MESSAGE": "x"},
    )
    at = "2025-11-21T04:40:01.000123+00:00 node7"
    assert unwrapped(data).decode().split("\n") == [
        f"{at} python[12]: two",
        "lines",
        f"{at} python[12]: \x1b[mh�",
        lines({**entry, "MESSAGE": None}).decode().rstrip("\n"),
        f"{at} python[12]: twice",
        f"{at} kernel: NVRM: Xid",
        "x",
        "",
    ]
