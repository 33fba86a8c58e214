"""One log in many shapes: what a launcher, a viewer or a clipboard makes of it does not change its cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.shapes import SHAPES

HERE = Path(__file__).parent
LOGS = sorted([*HERE.glob("failing/*.log"), *HERE.glob("healthy/*.log")])
# Of the others every shape has its turn with a few; these hang by how lines begin, and by what follows what.
DELICATE = {
    "torch--key_error.log",
    "torch--interrupted.log",
    "jax--deleted_buffer.log",
    "torch--checkpoint_none.log",
    "tensorflow--no_gradient.log",
    "torch--ok_worker_warning.log",
    "torch--ok_skipped_steps.log",
}
EVERY = 127
CAUSES: dict[Path, str | None] = {}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_cause_stays(shape: str, built_in_catalog: Catalog) -> None:
    turn = list(SHAPES).index(shape)
    changed = {}
    for at, path in enumerate(LOGS):
        if path.name in DELICATE or (at + 17 * turn) % EVERY == 0:
            if path not in CAUSES:
                CAUSES[path] = _first("".join(f"{line}\n" for line in _lines(path)), built_in_catalog)
            found = _first(SHAPES[shape](_lines(path)), built_in_catalog)
            if found != CAUSES[path]:
                changed[path.name] = (CAUSES[path], found)
    assert not changed


def _lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return lines[: len(lines) - (not lines[-1])]


def _first(text: str, catalog: Catalog) -> str | None:
    found = [one.cause for one in explain_text(text.encode(), catalog).diagnoses]
    return next((cause for cause in found if not cause.startswith("benign.")), None)


@pytest.mark.parametrize("noise", ["pytest-error-names", "torch--ok_trainer", "tensorflow--ok_fit", "dpkg-history"])
def test_what_went_well_before_is_no_cause(noise: str, built_in_catalog: Catalog) -> None:
    before = _lines(HERE / "healthy" / f"{noise}.log")
    for path in [path for path in LOGS if path.parent.name == "failing"][::25]:
        lines = _lines(path)
        assert _first("\n".join(before + lines), built_in_catalog) == _first("\n".join(lines), built_in_catalog)
