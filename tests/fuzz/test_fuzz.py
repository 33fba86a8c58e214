"""A short run of every target, the inputs that once broke something, and hostile files of a user's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.authoring.lint import lint
from tests.fuzz.loop import FOUND, fuzz, judge
from tests.fuzz.mutate import Mutator
from tests.fuzz.targets import NAMES, target
from tests.fuzz.targets.catalogs import HOSTILE
from tests.fuzz.test_time import SLOW

INPUTS = {
    "archives": 60,
    "catalogs": 60,
    "config": 100,
    "questions": 15,
    "redaction": 40,
    "smi": 8,
    "surveys": 60,
    "whole": 15,
}
KEPT = sorted(path for path in FOUND.glob("*/*") if path.is_file())


@pytest.mark.fuzz
@pytest.mark.parametrize("name", NAMES)
def test_nothing_breaks_it(name: str) -> None:
    assert [fault.why for fault in fuzz(target(name), INPUTS.get(name, 250))] == []


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_once_broke_it(path: Path) -> None:
    fault = judge(target(path.parent.name), path.read_bytes())
    assert fault is None, fault.why


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, second = Mutator([b"one", b"two\n"], 3), Mutator([b"one", b"two\n"], 3)
    inputs = [first.next() for _ in range(50)]
    assert inputs == [second.next() for _ in range(50)]
    assert len(set(inputs)) > 30


@pytest.mark.fuzz
def test_hostile_files_of_a_user_are_named(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    files = {f"own{number}.yaml": data for number, data in enumerate(HOSTILE)} | {"slow.yaml": SLOW.encode()}
    for name, data in files.items():
        (tmp_path / "demo" / name).write_bytes(data)
    problems = lint([str(tmp_path)], corpus=str(tmp_path))
    assert {Path(problem.file).name for problem in problems} == files.keys()
    (slow,) = [problem.sentence for problem in problems if problem.file.endswith("slow.yaml")]
    assert "takes more than" in slow
    assert "aaaa" in slow
