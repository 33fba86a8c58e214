"""A fake driver, compiled from C."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "nvml" / "nvml.c"

H100 = """
0.name NVIDIA H100 80GB HBM3
0.uuid GPU-11111111-2222-3333-4444-555555555555
0.pci 00000000:1B:00.0
0.serial 1650000000001
0.capability 9.0
0.memory.total 85520809984
0.memory.used 21474836480
0.memory.reserved 572522496
0.utilisation 98
0.throttle 0x4
0.temperature 54
0.power 412000
0.ecc.uncorrected 0
0.rows 0 0 0 0
0.pcie.width 16
0.pcie.width.max 16
0.compute_mode 0
0.mig 0
"""
HEALTHY = f"driver 550.54.15\ncuda 12040\ncount 1\n{H100}"


def node(gpus: int, more: str = "") -> str:
    """Return a scenario of `gpus` healthy H100s, with `more` lines in front, which take precedence."""
    lines = [more, "driver 550.54.15", "cuda 12040", f"count {gpus}"]
    for number in range(gpus):
        lines += [f"{number}{line[1:]}" for line in H100.strip().splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


@pytest.fixture(scope="session")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return folders with the fake driver: a current version, and an old one."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, on Linux")
    folders = {}
    for name, flags in {"current": [], "old": ["-DOLD"]}.items():
        folder = tmp_path_factory.mktemp(f"nvml-{name}")
        library = folder / "libnvidia-ml.so.1"
        subprocess.run([compiler, "-w", "-shared", "-fPIC", *flags, "-o", str(library), str(SOURCE)], check=True)
        cuda = ["-o", str(folder / "libcuda.so.1"), str(SOURCE.with_name("cuda.c"))]
        subprocess.run([compiler, "-w", "-shared", "-fPIC", *cuda], check=True)
        folders[name] = folder
    return folders


@pytest.fixture
def with_driver(drivers: dict[str, Path], tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that runs a command on a machine whose driver behaves as in a scenario."""

    def run(
        command: list[str], scenario: str = HEALTHY, driver: str = "current", **more: str
    ) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "scenario"
        path.write_text(scenario)
        environ = {**os.environ, "LD_LIBRARY_PATH": str(drivers[driver]), "NVML_SCENARIO": str(path), **more}
        return subprocess.run(command, env=environ, capture_output=True, text=True, timeout=60, check=False)

    return run
