"""The lines around some places, read once more; the log that was written last."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

from logsense.model.bundle import Excerpt
from logsense.model.source import Source
from logsense.sources.find import resolve
from logsense.sources.reread import CHUNK_BYTES, excerpts_of, readable_again


def _source(path: Path) -> Source:
    [source] = resolve([str(path)], stdin=io.BytesIO())
    return source


def test_places_that_lie_close_share_an_excerpt(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("".join(f"line {number}\n" for number in range(1, 101)))
    assert excerpts_of(_source(log), [(str(log), line) for line in (50, 53, 2, 100)], 2) == [
        Excerpt(str(log), 1, "line 1\nline 2\nline 3\nline 4", (2,)),
        Excerpt(str(log), 48, "\n".join(f"line {n}" for n in range(48, 56)), (50, 53)),
        Excerpt(str(log), 98, "line 98\nline 99\nline 100", (100,)),
    ]
    assert excerpts_of(_source(log), [], 2) == []
    assert excerpts_of(_source(log), [(str(log), 4000)], 2) == []


def test_lines_over_the_edge_of_a_chunk(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    long = "x" * (CHUNK_BYTES - 4)
    log.write_bytes(gzip.compress(f"{long}\nab\ncdefgh\nij\n".encode() * 3))
    [found] = excerpts_of(_source(log), [(str(log), 11)], 1)
    assert found.text == "ab\ncdefgh\nij"[:2] + "\ncdefgh\nij"
    assert found.first_line == 10


def test_bars_and_long_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_bytes(b"10%\r20%\r30%\r\n" + b"y" * 5000 + b"\n\xff\n")
    [found] = excerpts_of(_source(log), [(str(log), 2)], 5)
    assert found.text.split("\n") == ["30%", "y" * 2000 + " …", "�"]


def test_numbers_are_those_of_the_file_where_entries_have_several_lines(tmp_path: Path) -> None:
    log = tmp_path / "a.jsonl"
    entries = [{"msg": f"step {number}\nloss {number}"} for number in range(1, 40)]
    log.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    assert excerpts_of(_source(log), [(str(log), 20)], 1) == [
        Excerpt(str(log), 19, "loss 19\nloss 20\nloss 21", (20,)),
    ]


def test_a_log_that_is_gone(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("a\n")
    source = _source(log)
    log.unlink()
    assert excerpts_of(source, [(str(log), 1)], 5) == []


def test_a_pipe_can_be_read_again(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"one\ntwo\n")
    os.close(writing)
    with os.fdopen(reading, "rb") as stdin:
        [source] = readable_again(resolve(["-"], stdin=stdin))
        buffer = bytearray(100)
        for _ in range(2):
            reader = source.open()
            count = reader.readinto(buffer) or 0
            assert bytes(buffer[:count]) == b"one\ntwo\n"
            assert not reader.readinto(buffer)
            reader.close()
    log = tmp_path / "a.log"
    log.write_text("x\n")
    plain = _source(log)
    assert readable_again([plain]) == [plain]
