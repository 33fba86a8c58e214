"""Every fault, in every way to run a job: the job notices nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("needs POSIX", allow_module_level=True)

from tests.harm.faults import Fault, all_faults, prepare
from tests.harm.modes import MODES


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fault", all_faults(), ids=lambda fault: fault.name)
def test_the_job_notices_nothing(fault: Fault, mode: str, tmp_path: Path) -> None:
    prepare(fault, tmp_path)
    awaited = fault.awaited(mode)
    outcome = MODES[mode](fault.setup, tmp_path, fault.harm, awaited)
    assert outcome.unharmed, outcome
    assert "Traceback" not in outcome.err
    assert not awaited or outcome.signals.get(awaited, 0) == 1
