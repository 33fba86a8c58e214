"""The doctor, with drivers and frameworks that are stand-ins, in processes that are real."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from logsense.machine.doctor.probes import probe
from tests.machine.conftest import HEALTHY, node
from tests.machine.test_environment import _library, _torch

Run = Callable[..., subprocess.CompletedProcess[str]]
DOCTOR = [sys.executable, "-m", "logsense", "doctor", "--python", sys.executable]
# As much of PyTorch as the doctor's programs call.
FAKE = """
import types, sys
from .version import __version__, cuda as _cuda, hip
class version: cuda = _cuda
class cuda:
    device_count = staticmethod(lambda: COUNT)
    init = staticmethod(lambda: INIT())
    get_device_capability = staticmethod(lambda n: (9, 0))
    get_device_name = staticmethod(lambda n: "NVIDIA H100 80GB HBM3")
    get_arch_list = staticmethod(lambda: ["sm_80", "sm_90"])
    synchronize = staticmethod(lambda device=None: None)
class backends:
    class cudnn:
        version = staticmethod(lambda: 90100)
device = lambda *a: a
class Tensor:
    def __matmul__(self, other): return WORK()
    def to(self, device): return self
    def cpu(self): return self
randn = lambda *shape: Tensor()
allclose = lambda *a, **k: True
class nn:
    class functional:
        conv2d = staticmethod(lambda a, b: Tensor())
def INIT(): pass
def WORK(): return Tensor()
COUNT = 1
"""


def _fake(folder: Path, more: str = "") -> Path:
    _torch(folder)
    (folder / "torch" / "__init__.py").write_text(FAKE + more)
    return folder


def _states(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["schema"] == "logsense.doctor/1"
    return {step["id"]: step for step in data["steps"]}


def _doctor(run: Run, folder: Path, scenario: str = HEALTHY, **more: str) -> dict[str, Any]:
    return _states(run([*DOCTOR, "--format", "json"], scenario, PYTHONPATH=f"{folder}:{_checkout()}", **more))


def _checkout() -> str:
    import logsense

    return str(Path(logsense.__file__).parent.parent)


def test_all_is_well(with_driver: Run, tmp_path: Path) -> None:
    steps = _doctor(with_driver, _fake(tmp_path))
    for name in ("driver", "cuda", "devices", "visible", "torch", "work", "memory"):
        assert steps[name]["state"] == "ok", steps[name]
    assert steps["torch"]["says"] == "PyTorch 2.5.1+cu124, built for CUDA 12.4; it sees 1 GPU(s)"
    assert steps["torch"]["proof"] == ["NVIDIA H100 80GB HBM3 (9.0)"]


def test_text_and_markdown(with_driver: Run, tmp_path: Path) -> None:
    path = f"{_fake(tmp_path)}:{_checkout()}"
    text = with_driver(DOCTOR, HEALTHY, PYTHONPATH=path).stdout
    assert "✓ Driver " in text
    assert "NVIDIA driver 550.54.15" in text
    broken = with_driver([*DOCTOR, "--format", "markdown"], f"0.lost 1\n{HEALTHY}", PYTHONPATH=path).stdout
    assert "## GPUs" in broken
    assert "\n1. " in broken


@pytest.mark.parametrize(
    ("scenario", "more", "step", "cause"),
    [
        ("0.lost 1\n" + HEALTHY, {}, "devices", "hardware.fallen-off-bus"),
        ("0.ecc.uncorrected 2\n" + HEALTHY, {}, "devices", "hardware.ecc-uncorrectable"),
        ("0.memory.used 84000000000\n" + HEALTHY, {}, "memory", "gpu-memory.other-process"),
        (HEALTHY, {"CUDA_STATUS": "100"}, "cuda", "env.no-gpu-visible"),
        (HEALTHY, {"CUDA_STATUS": "999"}, "cuda", "env.cuda-init-failure"),
        (HEALTHY, {"CUDA_CRASH": "1"}, "cuda", "env.cuda-init-failure"),
        (HEALTHY, {"CUDA_VISIBLE_DEVICES": ""}, "visible", "env.no-gpu-visible"),
        (node(2), {"CUDA_VISIBLE_DEVICES": "0,5"}, "visible", "env.device-ordinal"),
        (node(2), {"CUDA_VISIBLE_DEVICES": "9" * 5000}, "visible", "env.device-ordinal"),
    ],
)
def test_what_is_wrong(
    with_driver: Run, tmp_path: Path, scenario: str, more: dict[str, str], step: str, cause: str
) -> None:
    found = _doctor(with_driver, _fake(tmp_path), scenario, **more)[step]
    assert (found["state"], found["cause"]) == ("failed", cause), found
    assert found["fixes"]


def test_odd_variables(with_driver: Run, tmp_path: Path) -> None:
    more = {"NCCL_P2P_DISABLE": "1", "NCCL_SOCKET_IFNAME": "docker0", "NCCL_DEBUG": "INFO", "CUDA_HOME": "/nowhere"}
    found = _doctor(with_driver, _fake(tmp_path), **more)["variables"]
    assert found["state"] == "warned"
    assert [line.split("=")[0].split(" ")[0] for line in found["proof"]] == [
        "NCCL_P2P_DISABLE", "NCCL_SOCKET_IFNAME", "CUDA_HOME",
    ]  # fmt: skip


def test_a_toolkit_that_does_not_fit(with_driver: Run, tmp_path: Path) -> None:
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n")
    nvcc.chmod(0o755)
    found = _doctor(with_driver, _fake(tmp_path), PATH=f"{nvcc.parent}:{os.environ['PATH']}")["toolkit"]
    assert (found["state"], found["cause"]) == ("warned", "env.cuda-toolkit-mismatch")


def test_a_framework_for_the_cpu_only(with_driver: Run, tmp_path: Path) -> None:
    _torch(tmp_path, "2.5.1+cpu", None)
    found = _doctor(with_driver, tmp_path)["torch"]
    assert (found["state"], found["cause"]) == ("failed", "env.cpu-only-build")


@pytest.mark.parametrize(
    ("more", "step", "words"),
    [
        ("raise ImportError('libcudnn.so.9: cannot open shared object file: No such file or directory')", "torch", "libcudnn"),
        ("def INIT(): raise RuntimeError('CUDA error: no kernel image is available for execution on the device')", "torch", "kernel"),
        ("def WORK():\n    import os; os.kill(os.getpid(), 11)", "work", "SIGSEGV"),
        ("def WORK(): raise RuntimeError('cuDNN error: CUDNN_STATUS_NOT_INITIALIZED')", "work", "CUDNN"),
    ],
)  # fmt: skip
def test_a_framework_that_fails(with_driver: Run, tmp_path: Path, more: str, step: str, words: str) -> None:
    found = _doctor(with_driver, _fake(tmp_path, more))[step]
    assert found["state"] == "failed"
    assert words in json.dumps(found)
    if step != "work" or "CUDNN" in words:
        assert found["fixes"], found


def test_a_library_path_that_hides_another(with_driver: Run, drivers: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "nvidia_cudnn_cu12-9.1.0.70.dist-info").mkdir()
    _library(tmp_path / "old/libcudnn.so.8.9.7")
    path = f"{drivers['current']}:{tmp_path / 'old'}"
    found = _doctor(with_driver, _fake(tmp_path), LD_LIBRARY_PATH=path)["libraries"]
    assert (found["state"], found["cause"]) == ("failed", "env.library-path-conflict")
    assert "8.9.7" in found["says"]


def test_no_driver(tmp_path: Path) -> None:
    done = subprocess.run(
        [*DOCTOR, "--quick", "--format", "json"], capture_output=True, text=True, timeout=60, check=False
    )
    steps = _states(done)
    if steps["driver"]["state"] == "ok":
        pytest.skip("this machine has one")
    assert steps["driver"]["cause"]
    assert steps["driver"]["fixes"]
    assert steps["cuda"]["state"] == steps["memory"]["state"] == "skipped"


def test_before_a_command(with_driver: Run, tmp_path: Path) -> None:
    path = f"{_fake(tmp_path)}:{_checkout()}"
    command = [sys.executable, "-m", "logsense", "doctor", "--before", "--", sys.executable, "-c", "print('training')"]
    done = with_driver(command, HEALTHY, PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (0, "training\n"), done.stderr
    assert "this machine is ready" in done.stderr
    done = with_driver(command, f"0.lost 1\n{HEALTHY}", PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "fallen off the bus" in done.stderr
    assert with_driver(command[:5]).returncode == 2


def test_a_probe_that_hangs() -> None:
    found = probe("import time; print('a=1', flush=True); time.sleep(60)", sys.executable, 0.7)
    assert found.status is None
    assert dict(found.values) == {"a": "1"}
    assert "did not finish within 0.7 s" in found.end()


def test_a_probe_that_can_not_be_run() -> None:
    assert probe("", "/nowhere/python", 5).status == 127
