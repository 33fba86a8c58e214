"""The one command that measures: parts are kept, and the page says what held."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def measured(folder: Path, *parts: str) -> str:
    command = [sys.executable, str(ROOT / "benchmarks/all.py"), *parts, "--size", "0.001", "--repeat", "1"]
    done = subprocess.run(
        [*command, "--results", str(folder / "results.json"), "--page", str(folder / "page.md")],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"]},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (folder / "page.md").read_text(encoding="utf-8")


def test_parts_are_measured_one_by_one(tmp_path: Path) -> None:
    assert "1,000 files" not in measured(tmp_path, "quiet")
    page = measured(tmp_path, "gzip")
    kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert set(kept["parts"]) == {"quiet", "gzip"}
    assert {"wc -l", "re loop"} <= set(kept["parts"]["quiet"]["peers"])
    assert kept["parts"]["quiet"]["found"].startswith("gpu-memory.")
    assert "| quiet log, against `wc -l` | ≤ 6 × |" in page
    assert "| quiet, gzip | 0.0011 GB |" in page
    assert "named by --peer-python" in page  # why gpualert was not measured


def test_the_page_says_what_was_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import page

    def part(seconds: float, peer_s: float) -> dict[str, object]:
        peers = {"rg -F -f": {"bytes": 1_000, "seconds": peer_s}}
        took = {"date": "2026-11-21", "others": 0.0, "bytes": 1_000, "seconds": seconds, "peak_bytes": 5_000_000}
        return {**took, "found": "gpu-memory.fragmentation", "peers": peers}

    machine = {"processor": "P", "cores": "2", "memory": "25165824 kB", "system": "Linux 6", "python": "CPython 3.11"}
    good, bad = ({"parts": {"quiet": part(1.0, took)}, "machine": machine, "peers": []} for took in (10.0, 2.0))
    assert "| ≤ 0.35 × | 0.10 × |" in page.page(good)
    assert "| ≤ 0.35 × | 0.50 × (missed) |" in page.page(bad)
    assert "Other programs were" not in page.page(good)
    assert "Measured on 2026-11-21: P, 2 cores, 24 GiB, Linux 6, CPython 3.11.\n" in page.page(good)
    two = {
        **good,
        "parts": {"bars": part(1.0, 2.0), "quiet": {**part(1.0, 2.0), "machine": {**machine, "processor": "Q"}}},
    }
    assert "P, 2 cores, 24 GiB, Linux 6, CPython 3.11 (bars) and Q, 2 cores, " in page.page(two)
    good["parts"]["quiet"]["others"] = 1.5  # type: ignore[index]
    assert "Other programs were running** (quiet)" in page.page(good)
