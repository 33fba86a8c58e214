"""Memory that climbs is told before it is full; memory that rests is not told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from logsense.integrations.callbacks.memory import Memory
from logsense.model.run import HostSample, JobSample, Sample

GIB = 1 << 30


def _sample(
    at_s: float, held: float, *, others: float = 4 * GIB, total: int = 64 * GIB, cgroup: bool = False
) -> Sample:
    host = HostSample(ram_total_bytes=total, ram_available_bytes=int(total - held - others))
    if cgroup:
        host = host._replace(ram_total_bytes=1 << 40, cgroup_limit_bytes=total, cgroup_used_bytes=int(held + others))
    return Sample(1e9 + at_s, at_s, (), host, JobSample(processes=1, rss_bytes=int(held)))


@pytest.mark.parametrize("cgroup", [False, True])
def test_growth_is_reported_once_with_the_time_left(cgroup: bool) -> None:
    memory = Memory()
    told = []
    for second in range(0, 2400, 5):
        one = memory.check_host(_sample(second, 10 * GIB + second * GIB / 60, cgroup=cgroup), second)
        told += [(second, one)] if one else []
    (at_s, first), *more = told
    assert first.kind == "host-memory"
    assert "GiB will be full in about" in first.says
    assert "about 25 min" in first.says
    assert at_s == pytest.approx(1500, abs=60)  # half of what was free is gone
    assert more == []


def test_nearly_full_memory_is_reported_without_growth() -> None:
    memory = Memory()
    told = [memory.check_host(_sample(second, 58 * GIB), 7) for second in range(0, 60, 5)]
    assert told[0]
    assert "nearly full: 62 GiB of 64 GiB; this job's processes hold 58 GiB" in told[0].says
    assert told[1:] == [None] * 11


@pytest.mark.parametrize("shape", ["flat", "loading", "sawtooth", "slow"])
def test_not_a_leak(shape: str) -> None:
    memory = Memory()
    for second in range(0, 3600, 5):
        held = {
            "flat": 20 * GIB,
            "loading": min(second, 300) / 300 * 25 * GIB,
            "sawtooth": 10 * GIB + second % 60 / 60 * 20 * GIB,
            "slow": 10 * GIB + second / 3600 * GIB,  # days until it is full
        }[shape]
        told = memory.check_host(_sample(second, held), None)
        assert told is None, (second, told)


def test_unreadable_values_are_ignored() -> None:
    memory = Memory()
    assert memory.check_host(Sample(1e9, 0.0), None) is None
    assert memory.check_host(_sample(1, GIB)._replace(job=JobSample()), None) is None
    assert memory.check_gpus(0.0, 1) == []


# What PyTorch says of its GPUs, where none is at hand: the four functions that are asked.
TORCH = """
from types import SimpleNamespace
held = {1: 10 << 30}
cuda = SimpleNamespace(
    is_initialized=lambda: True,
    device_count=lambda: 2,
    memory_allocated=lambda number: held.get(number, 0),
    get_device_properties=lambda number: SimpleNamespace(total_memory=80 << 30),
)
"""


def test_live_tensors_that_climb_on_one_gpu(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text(TORCH)
    program = (
        "import torch\nfrom logsense.integrations.callbacks.memory import Memory\nmemory = Memory()\n"
        "for second in range(0, 4000, 5):\n"
        "    torch.held[1] += 5 << 25\n"
        "    for told in memory.check_gpus(second, second): print(told.kind, told.step, told.says)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    [line] = done.stdout.splitlines()
    assert line.startswith("gpu-memory ")
    assert "Memory in tensors on GPU 1 has grown by " in line
    assert "80 GiB will be full in about" in line


def test_the_functions_of_pytorch_are_there() -> None:
    torch = pytest.importorskip("torch")
    assert torch.cuda.is_initialized() in (True, False)
    assert callable(torch.cuda.memory_allocated)
    assert callable(torch.cuda.get_device_properties)
