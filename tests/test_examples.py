"""The examples do what they promise: real scripts, run with stubs where a cluster would answer."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command_line import call, python_path

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
LOG = "NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.\n"
MISSING = "FileNotFoundError: [Errno 2] No such file or directory: '/home/alovelace/x.bin'\n"
pytestmark = pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="needs bash")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with `logsense` and `python` on the path, and a note of what stubs were called with."""
    binaries = tmp_path / "bin"
    binaries.mkdir()
    (binaries / "logsense").write_text(f'#!/bin/sh\nexec {sys.executable} -m logsense "$@"\n')
    (binaries / "python").symlink_to(sys.executable)
    stub = '#!/bin/sh\necho "$(basename "$0") $*" >>"$CALLS"\n'
    (binaries / "srun").write_text(stub + 'eval "$STEP"\n')
    (binaries / "scontrol").write_text(
        stub
        + 'case "$2" in hostnames) hostname -s ;; job) printf "   JobId=7 ExitCode=%s\\n   StdOut=%s\\n" "$CODE" "$LOG" ;; esac\n'
    )
    for file in binaries.iterdir():
        if not file.is_symlink():
            file.chmod(0o755)
    return tmp_path


def _bash(script: Path, place: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environ = {
        **os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}", "CALLS": str(place / "calls"),
        "PYTHONPATH": python_path(ROOT), "XDG_STATE_HOME": str(place / "state"), "PYTHON": sys.executable, **more,
    }  # fmt: skip
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        environ.pop(name, None)
    environ.update(more)
    return subprocess.run(
        ["bash", str(script)], capture_output=True, text=True, timeout=60, check=False, cwd=place, env=environ
    )


def _calls(place: Path) -> list[str]:
    path = place / "calls"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(
    ("step", "restarts", "status", "calls"),
    [
        ("true", "0", 0, []),
        (f"echo \"{MISSING.strip()}\"; exit 3", "0", 1, []),
        (f"echo '{LOG.strip()}'; exit 3", "0", 0, ["scontrol requeue 7"]),
        (f"echo '{LOG.strip()}'; exit 3", "3", 76, []),
    ],
)  # fmt: skip
def test_slurm_job_goes_back_into_the_queue(
    step: str, restarts: str, status: int, calls: list[str], place: Path
) -> None:
    done = _bash(EXAMPLES / "slurm" / "train.sbatch", place, STEP=step, SLURM_JOB_ID="7", SLURM_RESTART_COUNT=restarts)
    assert done.returncode == status, done.stderr
    assert _calls(place) == ["srun python train.py --resume auto", *calls]


def test_slurm_job_leaves_the_node_out(place: Path) -> None:
    step = f"echo 'May  4 03:12:55 gpu-12 kernel: {LOG.strip()}'; exit 3"
    done = _bash(EXAMPLES / "slurm" / "train.sbatch", place, STEP=step, SLURM_JOB_ID="7")
    assert _calls(place)[1:] == ["scontrol requeue 7", "scontrol update JobId=7 ExcNodeList=gpu-12"], done.stderr


@pytest.mark.parametrize(("code", "explained"), [("1:0", True), ("0:0", False)])
def test_slurm_epilog(code: str, explained: bool, place: Path) -> None:
    log = place / "slurm-7.out"
    log.write_text(MISSING)
    # As root it becomes the job's user; here that is whoever runs the tests.
    runuser = place / "bin" / "runuser"
    runuser.write_text('#!/bin/sh\nshift 3\nexec "$@"\n')
    runuser.chmod(0o755)
    done = _bash(
        EXAMPLES / "slurm" / "epilog.sh", place, CODE=code, LOG=str(log), SLURM_JOB_ID="7", SLURM_JOB_USER="x",
        SLURM_JOB_NODELIST="n",
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    why = place / "slurm-7.out.why"
    assert why.exists() is explained
    if explained:
        assert "doesn't exist" in why.read_text("utf-8")


@pytest.mark.parametrize(("nodes", "starts"), [("1", 1), ("3", 2)])
def test_slurm_survey(nodes: str, starts: int, place: Path) -> None:
    """Ray is started on the first node, then on the others, and ended when the survey has ended, with its status."""
    (place / "bin" / "ray").write_text('#!/bin/sh\necho "ray $*" >>"$CALLS"\n')
    (place / "bin" / "logsense").write_text(
        '#!/bin/sh\nuntil [ "$(grep -c ^srun "$CALLS")" -ge "$STARTS" ]; do sleep 0.05; done\n'
        'echo "logsense $* at $RAY_ADDRESS" >>"$CALLS"\nexit 3\n'
    )
    (place / "bin" / "scontrol").write_text("#!/bin/sh\necho n1\necho n2\n")
    (place / "bin" / "ray").chmod(0o755)
    script = place / "survey.sbatch"
    script.write_text('set -- /logs /results\n. "$SCRIPT"\n')
    done = _bash(
        script, place, SCRIPT=str(EXAMPLES / "slurm" / "survey.sbatch"), STEP="exec sleep 60", SLURM_JOB_ID="7",
        SLURM_JOB_NODELIST="n[1-3]", SLURM_JOB_NUM_NODES=nodes, SLURM_CPUS_PER_TASK="8",
        STARTS=str(starts),
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    calls = _calls(place)
    # Both run at once, so either may be written down first.
    begun = sorted((call for call in calls if call.startswith("srun")), key=lambda call: "--head" not in call)
    assert len(begun) == starts
    assert "--nodelist=n1 ray start --num-cpus=8 --block --head --port=6379" in begun[0]
    assert "--exclude=n1 ray start --num-cpus=8 --block --address=n1:6379" in begun[-1] or starts == 1
    assert "ray health-check --address n1:6379" in calls
    [asked] = [call for call in calls if call.startswith("logsense")]
    assert asked == (
        "logsense survey /logs --engine ray --database /results/survey.db --output /results/survey.html at n1:6379"
    )


def test_kubernetes_survey() -> None:
    spec = _yaml("examples/kubernetes/survey.yaml")["spec"]
    command = spec["entrypoint"].replace("/logs", "/nowhere/logs").split()
    assert command[0] == "logsense"
    ended = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=False)
    assert (ended.returncode, "can't read /nowhere/logs" in ended.stderr) == (2, True)
    groups = [spec["rayClusterSpec"]["headGroupSpec"], *spec["rayClusterSpec"]["workerGroupSpecs"]]
    mounted = [
        {mount["mountPath"] for mount in group["template"]["spec"]["containers"][0]["volumeMounts"]} for group in groups
    ]
    assert mounted == [{"/logs", "/results"}] * 2


def test_slurm_epilog_never_fails(place: Path) -> None:
    (place / "bin" / "scontrol").write_text("#!/bin/sh\nexit 1\n")
    assert _bash(EXAMPLES / "slurm" / "epilog.sh", place, SLURM_JOB_ID="7").returncode == 0


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


def test_github_action(place: Path) -> None:
    action = _yaml("action.yml")
    [step] = action["runs"]["steps"]
    assert step["run"] == '"$ACTION/examples/github/explain.sh"'
    given = dict.fromkeys(step["env"], "")
    for name, text in step["env"].items():
        assert re.fullmatch(r"\$\{\{ (inputs\.(\w+)|github\.action_path) \}\}", text)
        asked = re.search(r"inputs\.(\w+)", text)
        given[name] = str(action["inputs"][asked[1]].get("default", "")) if asked else str(ROOT)
    log = place / "a 'log'.log"
    log.write_text(MISSING)
    done = _bash(
        EXAMPLES / "github" / "explain.sh", place,
        **{**given, "LOG": str(log), "REPORT": "report.md", "SARIF": "why.sarif", "PYTHON": sys.executable},
        GITHUB_OUTPUT=str(place / "out"), GITHUB_STEP_SUMMARY=str(place / "summary"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::error title=/home/<user-1>/x.bin doesn't exist")
    assert (place / "out").read_text() == "verdict=fix-first\ncause=storage.file-missing\n"
    for name in ("summary", "report.md", "why.sarif"):
        text = (place / name).read_text("utf-8")
        assert "x.bin" in text
        assert "alovelace" not in text
    assert set(re.findall(r"steps\.explain\.outputs\.(\w+)", json.dumps(action["outputs"]))) == {"verdict", "cause"}


def test_workflow_gives_what_the_action_takes() -> None:
    steps = _yaml("examples/github/workflow.yml")["jobs"]["train"]["steps"]
    [ours] = [step for step in steps if step.get("uses", "").endswith("/logsense@v1")]
    assert set(ours["with"]) <= set(_yaml("action.yml")["inputs"])


def test_commands_in_manifests_are_there(place: Path) -> None:
    containers: list[dict[str, Any]] = []
    for path in ("examples/kubernetes/job.yaml", "examples/kubernetes/sidecar.yaml"):
        spec = _yaml(path)["spec"]
        pod = spec["template"]["spec"] if "template" in spec else spec
        containers += [*pod["containers"], *pod.get("initContainers", [])]
    for container in containers:
        if container["command"][0] != "logsense":
            script = container["command"][-1]
            assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
            continue
        _understood(container["command"][1:])
    unit = (EXAMPLES / "systemd" / "train@.service").read_text("utf-8")
    start = re.search(r"^ExecStart=\S*/logsense (.*)$", unit, re.MULTILINE)
    assert start
    _understood(start[1].split())
    for hook in _yaml(".pre-commit-hooks.yaml"):
        program, *words = hook["entry"].split()
        assert program == "logsense"
        _understood([*words, *hook["args"]])


def _understood(words: list[str]) -> None:
    """The options before -- are options of the command."""
    ours = words[: words.index("--")] if "--" in words else words
    command = ours[: 2 if ours[0] == "rules" else 1]
    shown = call(*command, "--help", cwd=ROOT, COLUMNS="200").stdout
    for word in ours:
        if word.startswith("-"):
            assert word.partition("=")[0] in shown, word


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_systemd_unit(place: Path) -> None:
    text = (EXAMPLES / "systemd" / "train@.service").read_text("utf-8").replace("%h/.local/bin", str(place / "bin"))
    (place / "train@.service").write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", str(place / "train@.service")], capture_output=True, text=True, check=False
    )
    assert "train@" not in done.stderr, done.stderr
