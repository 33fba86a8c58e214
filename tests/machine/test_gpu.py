"""GPUs as a driver tells of them; the driver is a stand-in, all else is real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from logsense.model.machine import Driver, Gpu
from tests.machine.conftest import HEALTHY, node

GIB = 1 << 30
Run = Callable[..., subprocess.CompletedProcess[str]]
READ = """
import json, sys
from logsense.machine.gpu.read import gpu_facts, read_gpus, problems_of
limit_s = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
driver, gpus = read_gpus([int(pid) for pid in sys.argv[2:]], limit_s)
def plain(value):
    if hasattr(value, "_asdict"):
        return {key: plain(one) for key, one in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return dict(value) if hasattr(value, "keys") else value
print(json.dumps({"driver": plain(driver), "gpus": plain(gpus), "facts": gpu_facts(driver, gpus),
                  "problems": [problems_of(gpu) for gpu in gpus]}))
"""


def _read(run: Run, scenario: str = HEALTHY, *arguments: str, driver: str = "current") -> dict[str, Any]:
    done = run([sys.executable, "-c", READ, *arguments], scenario, driver)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_healthy_gpu(with_driver: Run) -> None:
    found = _read(with_driver)
    assert found["driver"]["version"] == "550.54.15"
    assert found["driver"]["cuda"] == "12.4"
    assert found["driver"]["problem"] == ""
    [gpu] = found["gpus"]
    assert gpu["name"] == "NVIDIA H100 80GB HBM3"
    assert gpu["pci"] == "00000000:1B:00.0"
    assert gpu["capability"] == "9.0"
    assert gpu["memory_used_bytes"] == 20 * GIB
    assert gpu["memory_reserved_bytes"] == 572522496
    assert gpu["memory_total_bytes"] == sum(gpu[f"memory_{part}_bytes"] for part in ("used", "free", "reserved"))
    assert gpu["utilisation"] == 0.98
    assert gpu["power_watts"] == 412.0
    assert gpu["throttled"] == []  # a power limit that software keeps is everyday life
    assert gpu["mig"] is False
    assert gpu["lost"] is False
    assert gpu["retired_pending"] is None  # this GPU does not support it
    assert found["problems"] == [[]]
    assert found["facts"]["gpu.name"] == "NVIDIA H100 80GB HBM3"
    assert found["facts"]["driver.version"] == "550.54.15"
    assert "gpu.gone" not in found["facts"]


def test_every_field_is_read(with_driver: Run) -> None:
    found = _read(with_driver)
    [gpu] = found["gpus"]
    unread = {name for name in Gpu._fields if gpu[name] is None}
    assert unread <= {"parent", "recovery", "fabric", "retired_pending", "nvlinks"}
    assert set(Driver._fields) == set(found["driver"])


def test_processes_and_whose_they_are(with_driver: Run) -> None:
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        lines = f"0.process {os.getpid()} {GIB}\n0.process {sleeper.pid} {2 * GIB}\n0.process 4123456 {3 * GIB}\n"
        found = _read(with_driver, lines + HEALTHY, "5", str(os.getpid()))
    finally:
        sleeper.kill()
        sleeper.wait()
    gone, other, ours = found["gpus"][0]["processes"]
    assert (ours["owner"], ours["memory_used_bytes"]) == ("ours", GIB)
    assert (other["owner"], other["pid"]) == ("other", sleeper.pid)
    assert other["name"].startswith("python")
    assert gone["owner"] in ("gone", "hidden")
    assert found["facts"]["gpu.others_now"] == 5 * GIB


def test_an_old_driver_tells_what_it_can(with_driver: Run) -> None:
    [gpu] = _read(with_driver, f"0.process 77 {GIB}\n{HEALTHY}", driver="old")["gpus"]
    assert gpu["memory_total_bytes"] == 85520809984
    assert gpu["throttled"] == []
    assert [one["pid"] for one in gpu["processes"]] == [77]
    assert gpu["fabric"] is None


def test_a_gpu_that_is_lost_between_healthy_ones(with_driver: Run) -> None:
    found = _read(with_driver, node(8, "3.lost 1"))
    assert [gpu["lost"] for gpu in found["gpus"]] == [number == 3 for number in range(8)]
    assert found["gpus"][3]["memory_total_bytes"] is None
    assert found["facts"]["gpu.watched"] == 3
    assert found["facts"]["gpu.gone"] is True


def test_a_gpu_whose_handle_is_refused(with_driver: Run) -> None:
    found = _read(with_driver, node(2, "1.handle 15"))
    assert [gpu["lost"] for gpu in found["gpus"]] == [False, True]


def test_faulty_memory(with_driver: Run) -> None:
    found = _read(with_driver, "0.ecc.uncorrected 3\n0.rows 1 2 1 1\n" + HEALTHY)
    assert len(found["problems"][0]) == 3
    assert found["facts"]["remap.failed"] == "Yes"
    assert found["facts"]["ecc.uncorrectable"] == 3


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("0.throttle 0x60", "thermal slowdown by hardware"),
        ("0.throttle 0x80", "power brake"),
        ("0.pcie.width 4", "4 of 16 lanes"),
        ("0.nvlink0 1\n0.nvlink1 0", "NVLink 1 down"),
        ("0.retired.pending 1", "is replaced at the next GPU reset"),
    ],
)
def test_trouble(with_driver: Run, line: str, words: str) -> None:
    [[said]] = _read(with_driver, f"{line}\n{HEALTHY}")["problems"]
    assert words in said


def test_slices(with_driver: Run) -> None:
    lines = "0.mig 1\n0.mig0.memory.total 10737418240\n0.mig0.memory.used 1\n0.mig0.name NVIDIA H100 MIG 1g.10gb\n"
    lines += "0.mig2.memory.total 21474836480\n0.mig2.uuid MIG-2\n0.mig2.process 77 5\n"
    whole, first, second = _read(with_driver, lines + HEALTHY)["gpus"]
    assert whole["mig"] is True
    assert first["parent"] == second["parent"] == whole["uuid"]
    assert first["name"] == "NVIDIA H100 MIG 1g.10gb"
    assert second["uuid"] == "MIG-2"
    assert second["processes"][0]["pid"] == 77


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (9, "kernel driver is not loaded"),
        (18, "different versions"),
        (4, "may not read"),
        (999, ""),
    ],
)
def test_a_driver_that_can_not_be_used(with_driver: Run, status: int, words: str) -> None:
    found = _read(with_driver, f"error.nvmlInitWithFlags {status}\n{HEALTHY}")
    assert found["gpus"] == []
    assert words in found["driver"]["problem"]
    assert found["driver"]["problem"]
    assert found["facts"]["nvml.reason"] == found["driver"]["problem"]


def test_one_call_that_fails_costs_one_value(with_driver: Run) -> None:
    [gpu] = _read(with_driver, f"0.error.nvmlDeviceGetTemperature 4\n{HEALTHY}")["gpus"]
    assert gpu["temperature_celsius"] is None
    assert gpu["power_watts"] == 412.0


def test_a_call_that_hangs_does_not_hang_us(with_driver: Run) -> None:
    found = _read(with_driver, f"1.sleep.nvmlDeviceGetTemperature 50\n{node(2)}", "0.7")
    first, second = found["gpus"]
    assert first["temperature_celsius"] == 54
    assert second["memory_total_bytes"] == 85520809984
    assert second["power_watts"] is None
    assert "did not respond within 0.7 s" in found["driver"]["problem"]


def test_no_driver_at_all() -> None:
    done = subprocess.run([sys.executable, "-c", READ], capture_output=True, text=True, timeout=60, check=True)
    found = json.loads(done.stdout)
    assert found["driver"]["problem"] or found["gpus"]


def test_samples(with_driver: Run) -> None:
    program = (
        "import time; from logsense.recorder.gpu_samples import GpuSampler; take = GpuSampler().sample\n"
        "take(); began = time.perf_counter(); found = take([77]); took_s = time.perf_counter() - began\n"
        "gpu = found[7]\n"
        "print(len(found), gpu.number, gpu.memory_used_bytes, gpu.ours_bytes, gpu.others[0].pid, gpu.utilisation, gpu.throttled)\n"
        "print(found[2].lost, found[2].memory_used_bytes, took_s < 0.1)"
    )
    scenario = node(8, f"7.process 77 {GIB}\n7.process 78 {2 * GIB}\n2.lost 1")
    done = with_driver([sys.executable, "-c", program], scenario)
    assert done.stdout.split("\n")[0] == f"8 7 {20 * GIB} {GIB} 78 0.98 ()", done.stderr
    assert done.stdout.split("\n")[1] == "True None True"


def test_a_sampler_whose_driver_hangs_goes_on_without_it(with_driver: Run) -> None:
    program = (
        "import time; from logsense.recorder import gpu_samples as gpu; sampler = gpu.GpuSampler()\n"
        "gpu.SAMPLE_LIMIT_S = 0.3; began = time.perf_counter()\n"
        "print([sampler.sample() for _ in range(5)], time.perf_counter() - began < 1)"
    )
    done = with_driver([sys.executable, "-c", program], f"sleep.nvmlDeviceGetUtilizationRates 50\n{HEALTHY}")
    assert done.stdout.strip() == "[(), (), (), (), ()] True", done.stderr
