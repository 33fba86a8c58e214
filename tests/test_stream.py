"""A log that comes through a pipe, in any pieces, is explained as the same log in a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import Stream, explain, explain_text
from logsense.render.json import render_json
from logsense.sources.find import resolve
from logsense.sources.stream import StreamedText

TRACEBACK = """\
Traceback (most recent call last):
  File "/w/train.py", line 12, in <module>
    out = model(batch.cuda())
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of \
which 1.31 GiB is free. Including non-PyTorch memory, this process has 77.83 GiB memory in use. Of the allocated \
memory 70.11 GiB is allocated by PyTorch, and 6.90 GiB is reserved by PyTorch but unallocated.
"""


def docker(text: str) -> bytes:
    entries = [{"log": line, "stream": "stderr", "time": "2026-11-20T10:00:00.1Z"} for line in text.splitlines(True)]
    return b"".join(json.dumps(entry).encode() + b"\n" for entry in entries)


LOGS = {
    "docker": docker(TRACEBACK),
    "one-record": json.dumps({"ts": 1763632800.25, "level": "error", "msg": "failed", "exc_info": TRACEBACK}).encode(),
    "table": ('Timestamp,Level,Message\n2026-11-20,ERROR,"' + TRACEBACK.replace('"', '""') + '"\n').encode(),
    "utf-16": b"\xff\xfe" + TRACEBACK.encode("utf-16-le"),
    "quoted": "".join(f"> {line}\n" for line in TRACEBACK.splitlines()).encode(),
    "plain": TRACEBACK.encode(),
    "large": docker("epoch 1 loss 0.5\n" * 3_000 + TRACEBACK),
    "large-plain": b"epoch 1 loss 0.5\n" * 70_000 + TRACEBACK.encode(),
}


def shown(report: Report) -> str:
    return render_json(report).replace("standard input", "log")


def of_file(data: bytes, catalog: Catalog, folder: Path) -> str:
    path = folder / "log"
    path.write_bytes(data)
    with path.open("rb") as stdin:
        return shown(explain(resolve([str(path)], stdin=stdin), catalog)).replace(str(path), "log")


@pytest.mark.parametrize("name", LOGS)
def test_a_pipe_says_what_a_file_says(name: str, built_in_catalog: Catalog, tmp_path: Path) -> None:
    data = LOGS[name]
    expected = of_file(data, built_in_catalog, tmp_path)
    assert '"gpu-memory.' in expected
    assert shown(explain_text(data, built_in_catalog, name="log")) == expected
    for size in (len(data), 65536, 1000):
        stream = Stream(built_in_catalog)
        for at in range(0, len(data), size):
            stream.feed(data[at : at + size])
        assert shown(stream.finish()) == expected, f"in pieces of {size} bytes"


@pytest.mark.parametrize("name", ["docker", "one-record", "table", "utf-16"])
def test_a_record_may_be_cut_anywhere(name: str) -> None:
    # More than what is kept back to decide, which would hide where a record is cut.
    data = LOGS[name] if name == "one-record" else LOGS[name] * (1 + 70_000 // len(LOGS[name]))
    whole = StreamedText()
    expected = whole.feed(data) + whole.finish()
    assert b"CUDA out of memory" in expected
    assert expected != data
    begin = max(0, len(data) - 300)
    for cut in range(begin, len(data)):
        fed = StreamedText()
        got = fed.feed(data[:cut]) + fed.feed(data[cut:]) + fed.finish()
        assert got == expected, f"cut at {cut}"


def test_nothing_was_fed(built_in_catalog: Catalog) -> None:
    assert not Stream(built_in_catalog).finish().diagnoses
