"""Folders of runs."""

from __future__ import annotations

import os
from pathlib import Path

from logsense.recorder.folder import begin, close
from logsense.recorder.runs import prune, run_names


def test_runs_of_one_process_within_a_second_have_folders_of_their_own(tmp_path: Path) -> None:
    begun = [begin(["python", "train.py"], str(tmp_path)) for _ in range(8)]
    assert len({*begun}) == 8
    assert run_names(str(tmp_path)) == [os.path.basename(path) for path in reversed(begun)]


def test_the_oldest_runs_are_deleted_but_none_that_goes_on(tmp_path: Path) -> None:
    begun = [begin(["python", f"train{number}.py"], str(tmp_path)) for number in range(5)]
    for path in (begun[0], begun[2], begun[4]):
        close(path, 0, None, by_user=False, after_s=1.0)
    assert prune(str(tmp_path), keep=1) == [os.path.basename(begun[2]), os.path.basename(begun[0])]
    assert run_names(str(tmp_path)) == [os.path.basename(path) for path in (begun[4], begun[3], begun[1])]
