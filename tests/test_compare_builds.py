"""Two builds are compared by their answers: a build equals itself, and one changed value shows up where it acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import demo
from tests.scripts import ROOT, script

compare = script("compare_builds")

RULE, MESSAGE = "rules/memory/capacity.yaml", "corpus/demo/full.yaml"
SAMPLES = """
samples:
  positive:
    - text: "memory full: asked 2 GiB of 8 GiB, free 3 GiB"
    - text: "memory full: asked 2 GiB of 8 GiB, free 5 GiB"
  negative:
    - text: "memory full"
      because: it does not say of what
"""
FILES = {
    **demo.FILES,
    "rules/_causes.yaml": "memory: {capacity: too little, pieces: in pieces}\nhardware: {lost: gone}\n",
    MESSAGE: demo.FILES[MESSAGE] + SAMPLES,
    "tests/ranks/1/rank0.log": "memory full: asked 3 GiB of 8 GiB, free 2 GiB\n",
}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A checkout with this code, a catalog of one message and one cause, and the ranks of one job."""
    return _written(tmp_path / "old", FILES)


def _written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "logsense").symlink_to(ROOT / "logsense", target_is_directory=True)
    return folder


def _compared(old: Path, *more: object) -> int:
    status = compare.main([str(old), *map(str, more)])
    assert isinstance(status, int)
    return status


def test_a_build_equals_itself(build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.yaml"
    cases.write_text('- {id: one, log: "lost the device 1, again"}\n- {id: two, file: two.log}\n', encoding="utf-8")
    (tmp_path / "two.log").write_bytes(b"lost the device 2 \xff\n")
    assert _compared(build, build, cases) == 0
    # Two samples and a near miss, three examples (one is in both rules), a job and two cases.
    assert capsys.readouterr().out == "9 inputs explained, 0 differ\n"


@pytest.mark.parametrize(
    ("file", "before", "after", "what"),
    [
        (RULE, "strength: suggests", "strength: allows", "confidence"),
        (RULE, "Ask for less than", "Ask for no more than", "first fix"),
        (RULE, "Memory is full", "The memory is full", "title"),
        (RULE, "cause: memory.capacity", "cause: memory.pieces", "cause"),
        (MESSAGE, "kind: failure", "kind: noise", "outcome"),
    ],
)
def test_one_changed_value_is_found(
    file: str, before: str, after: str, what: str, build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert before in FILES[file]
    new = _written(tmp_path / "new", {**FILES, file: FILES[file].replace(before, after)})
    assert _compared(build, new) == 1
    shown = capsys.readouterr().out
    for place in (f"{MESSAGE}, samples 1", f"{MESSAGE}, samples 2", f"{RULE}, examples 1", "tests/ranks/1"):
        assert f"{place}: {what}\n" in shown
    assert "samples 3" not in shown
    assert "7 inputs explained, 4 differ" in shown


def test_a_revision_that_does_not_exist(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        _compared(build, "no-such-revision")
    assert stopped.value.code == 2
    assert "no-such-revision is neither a checkout nor a revision" in capsys.readouterr().err


def test_a_build_that_does_not_start(build: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken" / "logsense").mkdir(parents=True)
    (tmp_path / "broken" / "logsense" / "__init__.py").write_text("raise ImportError('no wheels')\n")
    with pytest.raises(SystemExit) as stopped:
        _compared(build, tmp_path / "broken")
    assert stopped.value.code == 2
    assert "ImportError: no wheels" in capsys.readouterr().err
