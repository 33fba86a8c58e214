"""One log says the same however it comes: whole or in pieces, packed or plain, as a file, a pipe, a paste or a call."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logsense import explain
from logsense.match import scanner
from logsense.match.block import Block
from logsense.match.engines import PlainEngine
from logsense.match.hyperscan_engine import HyperscanEngine
from logsense.match.pieces import Engine
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import Stream, explain_text
from logsense.pipeline import explain as explain_sources
from logsense.records.records import records
from logsense.render.json import render_json
from logsense.sources.find import resolve

HERE = Path(__file__).parent
LOGS = sorted([*HERE.glob("failing/*.log"), *HERE.glob("healthy/*.log")])
SOME = LOGS[::9]
PLACES = {"source", "sources", "file", "name"}


def said(report: Report) -> object:
    """All that a report says, without the names of its sources."""
    return _bare(json.loads(render_json(report)))


def _bare(value: object) -> object:
    if isinstance(value, dict):
        return {key: _bare(one) for key, one in value.items() if key not in PLACES}
    return [_bare(one) for one in value] if isinstance(value, list) else value


def _read(path: Path, catalog: Catalog) -> object:
    return said(explain_sources(resolve([str(path)], stdin=BytesIO()), catalog))


def _zipped(data: bytes) -> bytes:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("train.log", data)
    return packed.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "log": bytes,
    "log.gz": gzip.compress,
    "log.bz2": bz2.compress,
    "log.xz": lzma.compress,
    "zip": _zipped,
}


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_packed_piped_or_pasted(path: Path, tmp_path: Path, built_in_catalog: Catalog) -> None:
    data = path.read_bytes()
    expected = said(explain_text(data, built_in_catalog))
    for ending, pack in PACKED.items():
        packed = tmp_path / f"train.{ending}"
        packed.write_bytes(pack(data))
        assert _read(packed, built_in_catalog) == expected, ending
    assert said(explain(data).report) == expected
    assert said(explain_sources(resolve(["-"], stdin=BytesIO(data)), built_in_catalog)) == expected


def test_programs_say_what_calls_say(tmp_path: Path, built_in_catalog: Catalog) -> None:
    path = HERE / "failing" / "torch--rank_killed.log"
    expected = said(explain_text(path.read_bytes(), built_in_catalog))
    program = [sys.executable, "-m", "logsense"]
    out = tmp_path / "report.json"
    for command in ([path], ["-"], [path.read_text()]):
        done = subprocess.run(
            [*program, "explain", "--format", "json", *command],
            input=path.read_bytes(),
            capture_output=True,
            check=True,
        )
        assert _bare(json.loads(done.stdout)) == expected
    subprocess.run(
        [*program, "--format", "json", "--output", out], input=path.read_bytes(), capture_output=True, check=True
    )
    piped = _bare(json.loads(out.read_text()))
    assert isinstance(piped, dict)
    assert isinstance(expected, dict)
    # A pipe looks at the machine as well.
    assert [one["cause"] for one in piped["diagnoses"]] == [one["cause"] for one in expected["diagnoses"]]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(path=st.sampled_from(LOGS), cuts=st.lists(st.floats(0, 1), max_size=6))
def test_cut_anywhere(path: Path, cuts: list[float], built_in_catalog: Catalog) -> None:
    data = path.read_bytes()
    stream = Stream(built_in_catalog)
    at = 0
    for cut in [*sorted(int(cut * len(data)) for cut in cuts), len(data)]:
        stream.feed(data[at:cut])
        at = cut
    assert said(stream.finish()) == said(explain_text(data, built_in_catalog))


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_pieces_of_any_size(size: int, built_in_catalog: Catalog) -> None:
    data = (HERE / "failing" / "torch--cat_sizes.log").read_bytes()
    stream = Stream(built_in_catalog)
    for at in range(0, len(data), size):
        stream.feed(data[at : at + size])
    assert said(stream.finish()) == said(explain_text(data, built_in_catalog))


def test_large_logs_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch, built_in_catalog: Catalog) -> None:
    pytest.importorskip("hyperscan")
    quiet = b"".join(b"step %d loss 0.25\n" % number for number in range(40_000))
    data = quiet + (HERE / "failing" / "torch--cat_sizes.log").read_bytes()
    literals, folder = built_in_catalog.literals, built_in_catalog.cache_folder
    engines: list[Engine] = [PlainEngine(literals), HyperscanEngine(literals, folder)]
    expected = None
    for block_bytes in (1 << 20, 300_000, 4 << 20):
        monkeypatch.setattr(scanner, "Block", lambda data=None, room=None, size=block_bytes: Block(data, size))
        for engine in engines:
            one = scanner.Scanner(built_in_catalog, engine, records, "log")
            one.feed(data)
            reading = one.finish()
            found = (
                [(f.signature.id, f.offset, f.at) for f in reading.findings],
                reading.counts,
                reading.lines,
                reading.size,
            )
            expected = expected or found
            assert found == expected
    assert expected
    assert expected[0]


def test_one_log_or_its_two_halves(tmp_path: Path, built_in_catalog: Catalog) -> None:
    """A log that was rotated in front of its last words."""
    for path in [path for path in SOME if path.parent.name == "failing"]:
        whole = path.read_bytes()
        cut = whole.find(b"Traceback (most recent call last)")
        if cut > 0 and whole[cut - 1 : cut] == b"\n":
            (tmp_path / "train.log.1").write_bytes(whole[:cut])
            (tmp_path / "train.log").write_bytes(whole[cut:])
            both = explain_sources(resolve([str(tmp_path)], stdin=BytesIO()), built_in_catalog)
            assert both.diagnoses[0].cause == explain_text(whole, built_in_catalog).diagnoses[0].cause
