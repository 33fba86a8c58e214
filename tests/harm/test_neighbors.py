"""Real kills for memory and real full disks, of the job and of its neighbors: only the job's own explain it.

For root on Linux, who may make control groups and mount file systems: pytest -m harm tests/harm/test_neighbors.py
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GROUPS = Path("/sys/fs/cgroup")
LIMIT_BYTES = 60 << 20
LOGSENSE = [sys.executable, "-m", "logsense"]
FIVE_MOMENTS = (-1.5, -0.2, 0.4, 1.2, 2.2)  # seconds after the start of a job of about three seconds

pytestmark = [
    pytest.mark.harm,
    pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes control groups"),
]


@pytest.fixture
def new_group() -> Iterator[Callable[[str], Path]]:
    """Makes control groups with little memory."""
    base = GROUPS / "memory" if (GROUPS / "memory" / "memory.limit_in_bytes").exists() else GROUPS
    limit = "memory.limit_in_bytes" if base.name == "memory" else "memory.max"
    made: list[Path] = []

    def make(name: str) -> Path:
        group = base / f"logsense-{name}-{os.getpid()}"
        try:
            group.mkdir()
            made.append(group)
            (group / limit).write_text(str(LIMIT_BYTES))
        except OSError as error:
            pytest.skip(f"no control group can be made here: {error}")
        return group

    yield make
    for group in made:
        group.rmdir()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)], check=False).returncode:
        pytest.skip("nothing can be mounted here")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def in_group(group: Path, program: str) -> list[str]:
    """The command that runs a Python program in a control group."""
    return ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", sys.executable, "-c", program]


def explained(how: str, command: list[str], folder: Path) -> dict[str, object]:
    """The answer for a job that is run so: in `run`, through a pipe, followed, or looked at right after it."""
    answer, log = folder / "answer.json", folder / "train.log"
    environ = {
        **os.environ,
        "XDG_STATE_HOME": str(folder),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(folder)),
    }
    del environ["LOGSENSE_ROOT"]  # the kernel's log and the control groups are those of this machine
    options = ["--format", "json", "--output", str(answer)]

    def call(words: list[str], stdin: int | None = None) -> subprocess.Popen[bytes]:
        null = subprocess.DEVNULL
        return subprocess.Popen(words, env=environ, cwd=folder, stdin=stdin, stdout=null, stderr=null)

    if how == "run":
        call([*LOGSENSE, "run", *options, "--", *command]).wait(120)
    elif how == "pipe":
        read, write = os.pipe()
        reader = call([*LOGSENSE, *options], stdin=read)
        job = subprocess.Popen(command, stdout=write, stderr=write)
        os.close(read)
        os.close(write)
        job.wait(120)
        reader.wait(120)
    else:
        watching = call([*LOGSENSE, "watch", str(log), *options]) if how == "watch" else None
        with log.open("wb") as file:
            subprocess.run(command, stdout=file, stderr=file, timeout=120, check=False)
        if watching:
            try:
                watching.wait(20)
            except subprocess.TimeoutExpired:
                watching.terminate()
                watching.wait()
        else:
            call([*LOGSENSE, "--live", str(log), *options]).wait(120)
    return json.loads(answer.read_text()) if answer.exists() else {"diagnoses": [], "noise": []}


def causes(answer: dict[str, object]) -> list[str]:
    return [one["cause"] for one in answer["diagnoses"]]  # type: ignore[attr-defined]


def at(after_s: float, happens: Callable[[], object]) -> threading.Thread:
    """Lets something happen so long after the start of a job, or before it."""

    def work() -> None:
        time.sleep(max(after_s, 0.0))
        happens()

    thread = threading.Thread(target=work)
    thread.start()
    if after_s < 0:
        thread.join()
        time.sleep(-after_s)
    return thread


def job_of_a_while(how: str, after_s: float, happens: Callable[[], object], folder: Path) -> dict[str, object]:
    """The answer for a job of three seconds that fails without a word, beside something that happens meanwhile."""
    neighbor = at(after_s, happens)
    job = "import sys, time; print('step 1 loss 0.5', flush=True); time.sleep(3); sys.exit(1)"
    answer = explained(how, [sys.executable, "-c", job], folder)
    neighbor.join()
    return answer


@pytest.mark.parametrize("after_s", FIVE_MOMENTS)
@pytest.mark.parametrize("how", ["run", "pipe", "watch", "live"])
def test_a_neighbor_that_is_killed_for_memory(
    how: str, after_s: float, new_group: Callable[[str], Path], tmp_path: Path
) -> None:
    eats = in_group(new_group("neighbor"), "kept = bytearray(200 << 20)")
    answer = job_of_a_while(how, after_s, lambda: subprocess.run(eats, capture_output=True, check=False), tmp_path)
    assert "host-memory.oom-killed" not in causes(answer)
    assert len(answer["noise"]) <= 1  # type: ignore[arg-type]


def xid(pid: object) -> str:
    return f"NVRM: Xid (PCI:0000:3b:00): 79, pid={pid}, name=python, GPU has fallen off the bus.\n"


def kernel_says(line: str) -> None:
    try:
        Path("/dev/kmsg").write_text(line)
    except OSError as error:
        pytest.skip(f"nothing can be written to the kernel's log here: {error}")


@pytest.mark.parametrize("after_s", FIVE_MOMENTS)
@pytest.mark.parametrize("how", ["run", "pipe", "watch", "live"])
def test_a_neighbors_xid(how: str, after_s: float, tmp_path: Path) -> None:
    kernel_says("a line that says nothing\n")
    answer = job_of_a_while(how, after_s, lambda: kernel_says(xid(1)), tmp_path)
    assert not [cause for cause in causes(answer) if cause.startswith("hardware.")]
    assert len(answer["noise"]) <= 1  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["run", "pipe", "live"])
def test_an_xid_of_the_job_itself(how: str, tmp_path: Path) -> None:
    """A log that is looked at later has to name the process, as this one does; `watch` waits for a failure in it."""
    kernel_says("a line that says nothing\n")
    job = (
        "import os, sys, time\n"
        "print(time.strftime('%b %d %H:%M:%S'), f'node7 train[{os.getpid()}]: step 1 loss 0.5', flush=True)\n"
        f"time.sleep(2.5); open('/dev/kmsg', 'w').write({xid('%d')!r} % os.getpid())\n"
        "time.sleep(0.5); sys.exit(1)"
    )
    answer = explained(how, [sys.executable, "-c", job], tmp_path)
    assert causes(answer)[:1] == ["hardware.fallen-off-bus"]


@pytest.mark.parametrize(("how", "lives_s"), [("run", 0.0), ("run", 2.5), ("pipe", 2.5)])
def test_the_job_itself_is_killed_for_memory(
    how: str, lives_s: float, new_group: Callable[[str], Path], tmp_path: Path
) -> None:
    job = f"import time; print('step 1 loss 0.5', flush=True); time.sleep({lives_s}); kept = bytearray(200 << 20)"
    answer = explained(how, in_group(new_group("job"), job), tmp_path)
    assert causes(answer)[:1] == ["host-memory.oom-killed"]
    assert "control group" in answer["diagnoses"][0]["title"].lower()  # type: ignore[index]


@pytest.mark.parametrize("how", ["run", "pipe"])
def test_a_child_of_the_job_is_killed_for_memory(how: str, new_group: Callable[[str], Path], tmp_path: Path) -> None:
    eats = in_group(new_group("child"), "import time; time.sleep(2.5); kept = bytearray(200 << 20)")
    job = f"import subprocess, sys; print('step 1 loss 0.5', flush=True); sys.exit(bool(subprocess.run({eats!r}).returncode))"
    assert causes(explained(how, [sys.executable, "-c", job], tmp_path))[:1] == ["host-memory.oom-killed"]


@pytest.mark.parametrize("how", ["watch", "live"])
def test_the_log_names_the_process_that_was_killed(how: str, new_group: Callable[[str], Path], tmp_path: Path) -> None:
    child = " ".join(f"'{word}'" for word in in_group(new_group("job"), "kept = bytearray(200 << 20)")[:3])
    script = f"echo step 1 loss 0.5\n{child} sh {sys.executable} -c 'kept = bytearray(200 << 20)'\nexit 1\n"
    answer = explained(how, ["bash", "-c", script], tmp_path)
    assert causes(answer)[:1] == ["host-memory.oom-killed"]


def test_the_log_has_the_last_word(new_group: Callable[[str], Path], tmp_path: Path) -> None:
    eats = in_group(new_group("child"), "kept = bytearray(200 << 20)")
    job = f"import subprocess, time; subprocess.run({eats!r}); time.sleep(1.5); open('data/shard-7.pt')"
    answer = explained("run", [sys.executable, "-c", job], tmp_path)
    assert causes(answer)
    assert "host-memory.oom-killed" not in causes(answer)


@pytest.mark.parametrize("how", ["run", "pipe"])
def test_the_jobs_disk_is_full(how: str, small_disk: Path, tmp_path: Path) -> None:
    """On another mount than the working folder, with an error that the program keeps to itself."""
    job = (
        "import sys, time\nprint('step 1 loss 0.5', flush=True)\n"
        f"file = open({str(small_disk / 'step_1.pt')!r}, 'wb', buffering=0)\n"
        "try:\n    while True: file.write(bytes(1 << 16))\nexcept OSError: pass\ntime.sleep(2.5)\nsys.exit(1)"
    )
    assert causes(explained(how, [sys.executable, "-c", job], tmp_path))[:1] == ["storage.disk-full"]


@pytest.mark.parametrize("after_s", FIVE_MOMENTS)
@pytest.mark.parametrize("how", ["run", "pipe", "watch", "live"])
def test_a_neighbors_disk_is_full(how: str, after_s: float, small_disk: Path, tmp_path: Path) -> None:
    answer = job_of_a_while(how, after_s, lambda: (small_disk / "filler").write_bytes(bytes(1 << 20)), tmp_path)
    assert "storage.disk-full" not in causes(answer)
