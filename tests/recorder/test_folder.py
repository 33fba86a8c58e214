"""Folders of runs."""

from __future__ import annotations

import os
from pathlib import Path

from logsense.recorder.folder import begin
from logsense.recorder.runs import run_names


def test_runs_of_one_process_within_a_second_have_folders_of_their_own(tmp_path: Path) -> None:
    begun = [begin(["python", "train.py"], str(tmp_path)) for _ in range(8)]
    assert len({*begun}) == 8
    assert run_names(str(tmp_path)) == [os.path.basename(path) for path in reversed(begun)]
