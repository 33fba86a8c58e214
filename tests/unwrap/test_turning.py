"""A log that was exported newest first: the same cause, with the numbers that its lines have in the file."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.pipeline import explain, explain_text
from logsense.sources.find import resolve
from logsense.unwrap.newest_first import MOST_BYTES

LOG = Path(__file__).parents[1] / "failing" / "torch--rank_killed.log"


def _explained(path: Path, catalog: Catalog) -> tuple[Report, Source]:
    sources = resolve([str(path)], stdin=io.BytesIO())
    return explain(sources, catalog), sources[0]


def _exported(more: int = 0) -> str:
    lines = [*(f"reading shard {number}" for number in range(more)), *LOG.read_text(encoding="utf-8").splitlines()]
    stamped = [f"2026-03-07T{n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d}Z {line}\n" for n, line in enumerate(lines)]
    return "".join(stamped[::-1])


@pytest.mark.parametrize("more", [0, 40_000], ids=["small", "large"])
def test_evidence_has_the_lines_of_the_file(more: int, tmp_path: Path, built_in_catalog: Catalog) -> None:
    path = tmp_path / "export.log"
    path.write_text(_exported(more), encoding="utf-8")
    report, source = _explained(path, built_in_catalog)
    assert report.diagnoses[0].cause == explain_text(LOG.read_bytes(), built_in_catalog).diagnoses[0].cause
    assert source.note
    assert "newest" in source.note
    lines = path.read_text(encoding="utf-8").splitlines()
    proofs = [(one.text, one.line) for one in report.diagnoses[0].evidence if one.line and one.text]
    assert proofs
    for text, line in proofs:
        assert text.splitlines()[0] in lines[line - 1]


def test_what_is_too_large_is_read_as_it_stands(tmp_path: Path, built_in_catalog: Catalog) -> None:
    path = tmp_path / "export.log"
    lines = [f"2026-03-07 {n // 3600:02d}:{n // 60 % 60:02d}:{n % 60:02d} {'x' * 1000}\n" for n in range(40_000)]
    path.write_text("".join(lines[::-1]), encoding="utf-8")
    assert path.stat().st_size > MOST_BYTES
    report, source = _explained(path, built_in_catalog)
    assert report.lines_read == len(lines)
    assert source.note
    assert "not reversed" in source.note
