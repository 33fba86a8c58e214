"""The host as the kernel's files tell of it: made-up trees for every kind, and this machine itself."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from logsense.machine.host import read
from logsense.machine.host.cgroup import read_cgroup
from logsense.machine.host.kernel_log import kernel_lines
from logsense.machine.host.processes import sample_job, shares_of_limits, tree
from logsense.machine.host.read import host_facts, read_host, sample_host

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the files of Linux")
GIB = 1 << 30


def _tree(root: Path, files: Mapping[str, object]) -> str:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    return str(root)


def _second_version(root: Path, group: str, files: Mapping[str, object]) -> str:
    mount = "sys/fs/cgroup"
    return _tree(
        root,
        {
            "proc/self/cgroup": f"0::{group}",
            "proc/self/mountinfo": f"30 23 0:26 / /{mount} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate",
            **{f"{mount}/{name}": value for name, value in files.items()},
        },
    )


def test_the_second_version(tmp_path: Path) -> None:
    root = _second_version(
        tmp_path,
        "/system.slice/job.scope",
        {
            "system.slice/job.scope/memory.max": "max",
            "system.slice/job.scope/memory.current": 5 * GIB,
            "system.slice/memory.max": 8 * GIB,
            "system.slice/memory.current": 7 * GIB,
            "system.slice/memory.stat": f"anon 1\ninactive_file {GIB}",
            "system.slice/memory.events": "low 0\nhigh 0\nmax 9\noom 3\noom_kill 9",
            "system.slice/job.scope/memory.events.local": "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2",
            "system.slice/pids.max": 512,
            "memory.current": 9 * GIB,
        },
    )
    found = read_cgroup(root=root)
    assert found
    assert (found.limit_bytes, found.used_bytes) == (8 * GIB, 6 * GIB)
    assert (found.oom_kills, found.pids_limit) == (2, 512)


def test_the_second_version_without_limits(tmp_path: Path) -> None:
    files = {"a/memory.max": "max", "a/memory.current": GIB, "a/memory.events": "oom_kill 0"}
    found = read_cgroup(root=_second_version(tmp_path, "/a", files))
    assert found
    assert (found.limit_bytes, found.used_bytes, found.oom_kills) == (None, GIB, 0)


def test_a_container_that_shows_the_hosts_path(tmp_path: Path) -> None:
    files = {"memory.max": 2 * GIB, "memory.current": GIB}
    found = read_cgroup(root=_second_version(tmp_path, "/../../kubepods/pod9", files))
    assert found
    assert found.limit_bytes == 2 * GIB


def test_the_first_version(tmp_path: Path) -> None:
    mount = "sys/fs/cgroup/memory"
    root = _tree(
        tmp_path,
        {
            "proc/self/cgroup": "12:cpu,cpuacct:/docker/9\n9:memory:/docker/9\n8:pids:/docker/9\n0::/",
            "proc/self/mountinfo": f"35 25 0:30 / /{mount} ro - cgroup cgroup rw,memory\n"
            "36 25 0:31 / /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct",
            f"{mount}/docker/9/memory.limit_in_bytes": 4 * GIB,
            f"{mount}/docker/9/memory.usage_in_bytes": 3 * GIB,
            f"{mount}/docker/9/memory.stat": f"cache 1\ntotal_inactive_file {GIB}",
            f"{mount}/docker/9/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 5",
            f"{mount}/memory.limit_in_bytes": 9223372036854771712,
            f"{mount}/memory.usage_in_bytes": 9 * GIB,
        },
    )
    found = read_cgroup(root=root)
    assert found
    assert (found.limit_bytes, found.used_bytes, found.oom_kills) == (4 * GIB, 2 * GIB, 5)


@pytest.mark.parametrize("text", ["", "garbage", "0::", "::::", "9:memory"])
def test_no_control_groups(tmp_path: Path, text: str) -> None:
    assert read_cgroup(root=_tree(tmp_path, {"proc/self/cgroup": text, "proc/self/mountinfo": text})) is None


def test_this_host() -> None:
    host = read_host()
    assert host.ram_total_bytes
    assert host.ram_available_bytes
    assert 0 < host.ram_available_bytes < host.ram_total_bytes
    assert host.limits["nofile"] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert {disk.role for disk in host.disks} >= {"working folder", "temporary files", "home"}
    assert all(disk.free_bytes is not None for disk in host.disks)
    facts = host_facts(host)
    assert facts["host.total"] == host.ram_total_bytes
    assert None not in facts.values()


def test_places_that_say_what_they_are(tmp_path: Path) -> None:
    root = _tree(tmp_path, {"proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2", ".dockerenv": ""})
    host = read_host(root + "/", {"HOME": "/nowhere/at/all"})
    assert host.wsl
    assert host.container == "Docker"
    assert read_host(root + "/", {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}).container == "Kubernetes"


def test_limits_of_this_process() -> None:
    program = "from logsense.machine.host.read import read_host; print(read_host().limits['nofile'])"
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 77; exec "$@"', "sh", sys.executable, "-c", program],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "77"


def test_a_sample_costs_little() -> None:
    sample_host()
    began = time.process_time()
    for _ in range(20):
        sample = sample_host()
    assert time.process_time() - began < 20 * 0.02
    assert sample.ram_total_bytes
    assert sample.disk_free_bytes


def test_a_tree_of_processes() -> None:
    program = "import subprocess, sys, time; subprocess.Popen(['sleep', '60']); print('on', flush=True); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert parent.stdout
        parent.stdout.readline()
        found = sample_job(parent.pid)
        pids = tree(parent.pid)
        assert found.processes == len(pids) == 2
        assert found.rss_bytes
        assert found.largest_rss_bytes
        assert 1_000_000 < found.largest_rss_bytes < found.rss_bytes
        assert sum(dict(found.states).values()) == 2
    finally:
        os.killpg(parent.pid, 9)
        parent.communicate()
    assert sample_job(parent.pid).processes == 0
    assert tree(parent.pid) == ()


RECORD = b"6,1,%d,-;eth0: link up\n SUBSYSTEM=net\n"


def test_a_process_near_its_limits() -> None:
    program = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
kept = [open("/dev/null") for _ in range(60)], bytearray(900 << 20)
print("ready", flush=True)
sys.stdin.read()
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert child.stdout
        child.stdout.readline()
        files, space = shares_of_limits([child.pid, os.getpid()])
    finally:
        child.communicate(b"")
    assert files is not None
    assert 0.95 < files <= 1.0
    assert space is not None
    assert 0.85 < space <= 1.0
    assert shares_of_limits([child.pid]) == (None, None)


def test_the_kernels_log(tmp_path: Path) -> None:
    now_us = int(time.monotonic() * 1e6)
    assert kernel_lines(60, str(tmp_path / "none")) is not None
    device = tmp_path / "kmsg"
    # A file gives all records in one read; the device gives one a read.
    device.write_bytes(
        b"4,9,%d,-;NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n SUBSYSTEM=pci\n" % now_us
    )
    lines = kernel_lines(60, str(device)).decode()
    assert lines.endswith("NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n")
    assert lines.startswith(time.strftime("%Y-"))
    device.write_bytes(RECORD % (now_us - 100_000_000))
    assert kernel_lines(60, str(device)) == b""
    device.write_bytes(b"rubbish\xff\n")
    assert kernel_lines(60, str(device)) == b""


def test_tests_see_nothing_of_this_machine() -> None:
    root = Path(os.environ["LOGSENSE_ROOT"])
    assert not any(root.iterdir())
    assert Path.home().parent == root.parent
    assert (kernel_lines(1e9), read_cgroup(), read_host().max_map_count) == (b"", None, None)
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("192.0.2.1", 80))
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("example.org", 80)


def test_a_machine_below_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSENSE_ROOT", str(tmp_path))
    (tmp_path / "dev").mkdir()
    killed = b"Out of memory: Killed process 4242 (python)"
    (tmp_path / "dev" / "kmsg").write_bytes(b"3,10,%d,-;%s\n" % (int(time.monotonic() * 1e6), killed))
    assert kernel_lines(60).endswith(killed + b"\n")
    (tmp_path / "proc" / "sys" / "vm").mkdir(parents=True)
    (tmp_path / "proc" / "sys" / "vm" / "max_map_count").write_text("65530\n")
    assert read_host().max_map_count == 65530


@pytest.fixture
def tight_group() -> Iterator[Path]:
    """A control group of 64 MiB, where this user may make one."""
    top = Path("/sys/fs/cgroup")
    base = top / "memory" if (top / "memory" / "memory.limit_in_bytes").exists() else top
    group = base / f"logsense-test-{os.getpid()}"
    try:
        group.mkdir()
        for name in ("memory.limit_in_bytes", "memory.max"):
            if (group / name).exists():
                (group / name).write_text(str(64 << 20))
                break
        else:
            pytest.skip("no memory controller here")
        for name in ("memory.swap.max", "memory.memsw.limit_in_bytes"):
            if (group / name).exists():
                (group / name).write_text("0" if "swap.max" in name else str(64 << 20))
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(f"this user may not make control groups: {error}")
    yield group
    for _ in range(50):
        try:
            group.rmdir()
            break
        except OSError:
            time.sleep(0.1)


@pytest.mark.slow
def test_a_job_that_the_kernel_kills_for_memory(tight_group: Path, tmp_path: Path) -> None:
    eater = (
        "import time\nprint('step 1 loss 0.5', flush=True)\ntime.sleep(1.2)\nkept = []\n"
        "while True:\n    kept.append(bytearray(b'x' * 1_000_000)); time.sleep(0.002)"
    )
    enter = f'echo $$ > {tight_group}/cgroup.procs && exec "$@"'
    environ = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "LOGSENSE_ROOT": "/"}
    command = [sys.executable, "-m", "logsense", "run", "--", sys.executable, "-c", eater]
    done = subprocess.run(
        ["sh", "-c", enter, "sh", *command], capture_output=True, text=True, timeout=60, check=False, env=environ
    )
    if done.returncode == 0 or "step 1" not in done.stdout:
        pytest.skip("the limit did not hold")
    outlived = done.returncode != -9
    if not outlived:  # the kernel took the recorder itself: what it wrote is there all the same
        done = subprocess.run(
            [sys.executable, "-m", "logsense", "last"],
            capture_output=True, text=True, timeout=60, check=False, env=environ,
        )  # fmt: skip
        said = done.stdout
    else:
        assert done.returncode == 137
        said = done.stderr
    assert "killed because the machine ran out of RAM" in said or "hit its memory limit" in said
    if outlived:  # else the job may have died within the second that nobody looked
        assert "64 MiB" in said


def test_a_deleted_working_folder_has_no_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert read._disk("working folder", ".").free_bytes is None
