"""The place that a report names is the line that an editor shows, whatever the log came inside of."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from logsense import explain

MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"
LOG = [
    *("starting", "torch 2.1.0+cu121", *(f"step {step} loss {3 / (step + 1):.4f}" for step in range(8))),
    *("Traceback (most recent call last):", '  File "/app/train.py", line 88, in main', "    loss = model(x)", MESSAGE),
]
TRACE = "\n".join(LOG[10:])


def _time(at: int) -> str:
    return f"2026-03-07T22:58:{at:02d}"


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _objects(lines: list[str]) -> list[str]:
    return [json.dumps({"time": _time(at), "message": line}) for at, line in enumerate(lines)]


def _table(lines: list[str]) -> str:
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [["time", "message"], *([_time(n), x] for n, x in enumerate(lines))]
    )
    return text.getvalue()


def _entries(lines: list[str]) -> list[str]:
    return [f"{_time(at)} INFO {line}" for at, line in enumerate(lines)]


FORMS: dict[str, Callable[[], str]] = {
    "JSON lines": lambda: _joined(_objects(LOG)),
    "JSON lines, a message of several lines": lambda: _joined(_objects([*LOG[:10], TRACE])),
    "JSON lines below a launcher's": lambda: _joined(["*****", "Setting OMP_NUM_THREADS", "*****", *_objects(LOG)]),
    "JSON lines, a few of them plain": lambda: _joined(["starting", *_objects(LOG)[:6], "NCCL", *_objects(LOG)[6:]]),
    "a JSON array": lambda: "[\n" + ",\n".join(_objects(LOG)) + "\n]\n",
    "pretty-printed JSON": lambda: json.dumps([{"time": _time(n), "message": x} for n, x in enumerate(LOG)], indent=2),
    "JSON lines behind a tag": lambda: _joined([f"2026-03-07 22:58:31.1 +0000 train: {one}" for one in _objects(LOG)]),
    "CSV": lambda: _table(LOG),
    "CSV, a field of several lines": lambda: _table([*LOG[:10], TRACE]),
    "newest line first": lambda: _joined(_entries(LOG)[::-1]),
    "newest entry first": lambda: _joined([f"{_time(10)} ERROR it failed\n{TRACE}", *_entries(LOG[:10])[::-1]]),
    "newest object first": lambda: _joined(_objects(LOG)[::-1]),
    "newest row first": lambda: "time,message\n" + _joined(_table(LOG).splitlines()[:0:-1]),
    "a fenced block": lambda: f"It fails:\n\n```\n{_joined(LOG)}```\n\nAny idea?\n",
    "HTML": lambda: f"<html><body>\n{_joined([f'<p>{line}</p>' for line in LOG])}</body></html>\n",
    "a value of a document": lambda: json.dumps({"code": 1, "error": "\n".join(LOG)}, indent=2),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_line_in_the_report_holds_the_message(form: str, tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_text(FORMS[form](), encoding="utf-8")
    report = explain(path).report
    proof = report.diagnoses[0].evidence[0]
    assert (proof.source, proof.text) == (str(path), MESSAGE)
    lines = path.read_text(encoding="utf-8").split("\n")
    assert MESSAGE in lines[(proof.line or 0) - 1]
    assert "torch 2.1.0" in lines[(report.facts["torch.version"].line or 0) - 1]
