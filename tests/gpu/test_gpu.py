"""A real NVIDIA GPU: what logsense reads of it, and what it says of programs that fail on it. `make test-gpu`.

LOGSENSE_GPU_PYTHON is a Python with PyTorch for CUDA; by default, the one that runs the tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

HERE = Path(__file__).parent
PYTHON = os.environ.get("LOGSENSE_GPU_PYTHON", sys.executable)
PROGRAM = (PYTHON, str(HERE / "program.py"))
LOGSENSE = (sys.executable, "-m", "logsense")
CASES: dict[str, Any] = yaml.safe_load((HERE / "cases.yaml").read_text())
FIELDS = ("index", "name", "uuid", "memory.total", "memory.used", "temperature.gpu", "driver_version")
MIB = 1 << 20
pytestmark = pytest.mark.gpu


@pytest.fixture(autouse=True, scope="module")
def rows() -> list[list[str]]:
    """Return what nvidia-smi says of each GPU, in the order of FIELDS; skip the tests without a GPU."""
    if not shutil.which("nvidia-smi"):
        pytest.skip("no nvidia-smi")
    query = ["nvidia-smi", f"--query-gpu={','.join(FIELDS)}", "--format=csv,noheader,nounits"]
    done = subprocess.run(query, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode:
        pytest.skip("nvidia-smi doesn't answer")
    return [[field.strip() for field in line.split(",")] for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def _torch(rows: list[list[str]]) -> None:
    if subprocess.run([PYTHON, "-c", "import torch; torch.zeros(1).cuda()"], check=False, timeout=300).returncode:
        pytest.skip("no PyTorch for this GPU")


def _asked(*arguments: str, **more: str) -> dict[str, Any]:
    """Return the JSON that a command of logsense prints, with `more` variables."""
    done = subprocess.run(
        [*LOGSENSE, *arguments, "--format", "json"],
        capture_output=True, text=True, env={**os.environ, **more}, timeout=400, check=False,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_figures_are_those_of_nvidia_smi(rows: list[list[str]]) -> None:
    found = _asked("gpus")
    assert len(found["gpus"]) == len(rows)
    for gpu, row in zip(found["gpus"], rows, strict=True):
        number, name, uuid, total_mib, used_mib, celsius, driver = row
        assert (str(gpu["number"]), gpu["name"], gpu["uuid"]) == (number, name, uuid)
        assert gpu["memory_total_bytes"] == pytest.approx(int(total_mib) * MIB, rel=0.02)
        assert gpu["memory_used_bytes"] == pytest.approx(int(used_mib) * MIB, abs=1024 * MIB)
        assert gpu["temperature_celsius"] == pytest.approx(int(celsius), abs=10)
        assert found["driver"]["version"] == driver


def test_the_doctor_finds_a_healthy_machine() -> None:
    found = _asked("doctor", "--quick")
    assert {step["id"]: step["state"] for step in found["steps"]}.items() >= {("driver", "ok"), ("cuda", "ok")}


@pytest.mark.parametrize(("devices", "cause"), [("", "env.no-gpu-visible"), ("97", "env.device-ordinal")])
def test_the_doctor_finds_hidden_and_absent_devices(devices: str, cause: str) -> None:
    found = _asked("doctor", "--quick", CUDA_VISIBLE_DEVICES=devices)
    assert cause in {step["cause"] for step in found["steps"]}


@pytest.fixture
def beside(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hold most of the GPU's memory in another process, if the case asks for it."""
    if "beside" not in CASES[request.param]:
        yield
        return
    holder = subprocess.Popen([*PROGRAM, CASES[request.param]["beside"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout
    holder.stdout.readline()
    yield
    holder.communicate(b"")


@pytest.mark.usefixtures("_torch", "beside")
@pytest.mark.parametrize(("name", "beside"), [(name, name) for name in CASES], indirect=["beside"])
def test_a_program(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    environment = {"XDG_STATE_HOME": str(tmp_path / "state")}
    if "library" in case:  # one that is not what its name says is first on the path
        (tmp_path / case["library"]).write_bytes(b"not a library")
        environment["LD_LIBRARY_PATH"] = str(tmp_path)
    report = _run([*PROGRAM, case.get("program", name)], tmp_path, environment)
    causes = [one["cause"] for one in report["diagnoses"] if not one["cause"].startswith("benign.")]
    if not case["causes"]:
        assert not causes
        return
    assert causes[:1], report["outcome"]
    assert causes[0] in case["causes"]
    facts = report["facts"]
    assert facts["gpu.memory_peak"]["value"] > 0  # of the recorder's samples
    if "xid" in case and "xid.code" in facts:  # only where this user may read the kernel's log
        assert facts["xid.code"]["value"] in case["xid"]


@pytest.mark.usefixtures("_torch")
def test_a_rank_that_hangs(rows: list[list[str]], tmp_path: Path) -> None:
    if len(rows) < 2:
        pytest.skip("needs two GPUs")
    command = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", *PROGRAM[1:], "hang"]
    report = _run(command, tmp_path, {"XDG_STATE_HOME": str(tmp_path / "state")})
    assert report["diagnoses"][0]["cause"] in ("distributed.collective-timeout", "distributed.straggler")
    assert [one["rank"] for one in report["culprits"]] == [1]


def _run(command: list[str], folder: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the report of `logsense run` on `command`."""
    subprocess.run(
        [*LOGSENSE, "run", "--always", "--format", "json", "-o", "run.json", "--", *command],
        cwd=folder, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, timeout=400, check=False,
    )  # fmt: skip
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found
