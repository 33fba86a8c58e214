"""What `run` sees itself counts where the second process came late, and nowhere else."""

from __future__ import annotations

import sys
import time

import pytest

from logsense.model.run import HostSample, RecordedRun, Sample
from logsense.recorder.host_samples import first_host_sample, with_host_samples

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the files of Linux")


def run(*after_s: float) -> RecordedRun:
    """A run of two seconds, with samples so long after its begin."""
    samples = tuple(Sample(1.8e9 + after, after) for after in after_s)
    return RecordedRun("run", "/nowhere", ("train",), "/nowhere", "node7", 1.8e9, after_s=2.0, samples=samples)


def test_a_last_sample_that_is_missing_is_taken_now() -> None:
    found = with_host_samples(run(0.5, 1.5), None, time.monotonic() - 2.2)
    assert [round(one.after_s, 1) for one in found.samples[:2]] == [0.5, 1.5]
    last = found.samples[2]
    assert 2.2 <= last.after_s < 60
    assert last.host.ram_total_bytes


def test_one_that_is_there_is_enough() -> None:
    assert with_host_samples(run(0.5, 2.1), None, time.monotonic()) == run(0.5, 2.1)


def test_the_first_look_stands_in_front() -> None:
    first = Sample(1.8e9, 0.1, host=HostSample(cgroup_oom_kills=3))
    assert with_host_samples(run(0.5, 2.1), first, time.monotonic()).samples == (first, *run(0.5, 2.1).samples)
    assert len(with_host_samples(run(), first, time.monotonic()).samples) == 2


def test_a_first_look_counts_kills_or_there_is_none() -> None:
    look = first_host_sample(time.monotonic())
    assert look is None or (look.host.cgroup_oom_kills is not None and 0 <= look.after_s < 60)
