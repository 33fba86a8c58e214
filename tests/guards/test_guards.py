"""Hot paths do no more than they did: counts, never seconds, so that it holds on any machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.guards import calls, instructions, start
from tests.guards.baseline import BASELINE, MARGIN
from tests.guards.inputs import PASTE

HYPERSCAN = importlib.util.find_spec("hyperscan") is not None


def held(counted: dict[str, float]) -> None:
    over = {name: count for name, count in counted.items() if count > BASELINE[name] * MARGIN}
    assert not over, (
        f"more than {MARGIN} times of { ({name: BASELINE[name] for name in over}) }; see tests/guards/baseline.py"
    )


def test_a_paste(built_in_catalog: Catalog) -> None:
    held({"paste": calls.paste(built_in_catalog)})


@pytest.mark.slow
@pytest.mark.skipif(not HYPERSCAN, reason="plain search does as much, but otherwise")
def test_logs(built_in_catalog: Catalog, tmp_path: Path) -> None:
    held(calls.scans(built_in_catalog, str(tmp_path / "log")))


@pytest.mark.skipif(os.name != "posix", reason="stands on pipes of POSIX")
def test_a_line_through_the_pipe(built_in_catalog: Catalog) -> None:
    held({"line through the pipe": calls.pipe_line(built_in_catalog)})


@pytest.mark.slow
def test_starts() -> None:
    held(start.all_starts(os.environ["XDG_CACHE_HOME"]))


@pytest.mark.whole
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("valgrind") or not HYPERSCAN, reason="needs valgrind and hyperscan")
def test_instructions_for_a_byte_of_a_quiet_log(tmp_path: Path) -> None:
    held({"quiet log, a byte": instructions.instructions_a_byte(tmp_path)})


def test_more_calls_are_noticed(built_in_catalog: Catalog) -> None:
    def dear() -> None:
        for _ in range(3):
            explain_text(PASTE.encode(), built_in_catalog)

    counted = calls.calls(dear)
    assert counted > 2.9 * calls.paste(built_in_catalog)
    with pytest.raises(AssertionError, match=r"more than 1\.2 times of"):
        held({"paste": counted})
