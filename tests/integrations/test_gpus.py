"""What happens to the GPUs of a training loop from outside."""

from __future__ import annotations

import os
import subprocess
import sys

from logsense.integrations.callbacks.memory import Gpus
from logsense.model.run import GpuSample, Holder, Sample

GIB = 1 << 30
# A number that no process has: it must not be found among our relatives.
NOBODY = 3_999_999
MINE = GpuSample(0, memory_total_bytes=80 * GIB, memory_used_bytes=40 * GIB, ours_bytes=39 * GIB, ecc_uncorrected=3)


def _see(gpus: Gpus, *samples: GpuSample) -> list[str]:
    return [told.says for told in gpus.check(Sample(1e9, 0.0, samples), 7)]


def test_another_process_is_reported_once() -> None:
    gpus = Gpus()
    there = Holder(1, "systemd", 2 * GIB)
    assert _see(gpus, MINE._replace(others=(there,))) == []
    more = MINE._replace(memory_used_bytes=71 * GIB, others=(there, Holder(NOBODY, "serve.py", 31 * GIB)))
    assert _see(gpus, more) == ["serve.py (process 3999999) has taken 31 GiB on GPU 0; 9 GiB are free."]
    assert _see(gpus, more) == []


def test_ranks_of_the_same_launcher_are_ignored() -> None:
    gpus = Gpus()
    _see(gpus, MINE, MINE._replace(number=1, ours_bytes=0))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        rank = MINE._replace(others=(Holder(child.pid, "python", 30 * GIB),))
        assert _see(gpus, rank) == []
        child.communicate(b"\n")
    assert _see(gpus, MINE._replace(others=(Holder(os.getppid(), "launcher", 30 * GIB),))) == []
    # On a GPU that we do not use, small, or a number from outside of a container.
    assert _see(gpus, MINE._replace(number=1, ours_bytes=0, others=(Holder(NOBODY, "other", 30 * GIB),))) == []
    assert _see(gpus, MINE._replace(others=(Holder(NOBODY, "desktop", GIB // 2),))) == []
    assert _see(gpus, MINE._replace(others=(Holder(4_000_000, None, 30 * GIB),))) == []


def test_faults() -> None:
    gpus = Gpus()
    assert _see(gpus, MINE) == []
    assert _see(gpus, MINE._replace(ecc_uncorrected=4)) == [
        "GPU 0 has had an uncorrectable memory error since training began."
    ]
    [said] = _see(gpus, MINE._replace(ecc_uncorrected=9, lost=True))
    assert said.startswith("GPU 0 no longer responds to its driver")


def test_without_gpus() -> None:
    assert _see(Gpus()) == []
