"""More of what goes wrong around us: a clock that jumps, a folder that vanishes, reads that fail, Ctrl-C at any time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_surroundings import LOG, ROOT, SAYS, logsense, one_line

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX")

# Reading its first bytes fails with EIO, as reading from a stale mount fails with ESTALE.
BROKEN = Path("/proc/self/mem")
broken = pytest.mark.skipif(not BROKEN.exists(), reason="no file that can't be read")
CLOCK = """
import time
real, began = time.time, time.monotonic()
# An hour back after 0.3 s, two days ahead after 0.9 s: what an NTP daemon or a resumed laptop does.
time.time = lambda: real() + (0 if (t := time.monotonic() - began) < 0.3 else -3600 if t < 0.9 else 172800)
"""


def test_a_clock_that_jumps(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(CLOCK)
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = logsense("run", "sh", "-c", f"sleep 1.5; cat {LOG}; exit 3", env=env)
    assert done.returncode == 3
    assert done.stdout == LOG.read_bytes()
    assert SAYS in done.stderr.decode()
    listed = json.loads(logsense("runs", "--format", "json", env=env).stdout)["runs"]
    assert listed[0]["status"] == 3
    assert 1.4 < listed[0]["after_s"] < 20  # by the steady clock
    assert SAYS in logsense("last", env=env).stdout.decode()


def test_the_current_folder_is_gone(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")}
    for arguments, status in (
        ([str(LOG), "--live"], 0),
        (["run", sys.executable, "-S", "-c", "print('hi'); raise SystemExit(3)"], 3),
        (["last"], 0),
        (["doctor", "--quick"], 0),
        (["--newest"], 2),
    ):
        gone = tmp_path / "gone"
        gone.mkdir()
        done = subprocess.run(
            ["sh", "-c", 'rmdir "$0"; exec "$@"', str(gone), sys.executable, "-m", "logsense", *arguments],
            cwd=gone, env=env, capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert "Traceback" not in done.stderr
        assert "not recorded" not in done.stderr


@broken
def test_reading_fails(tmp_path: Path) -> None:
    done = logsense(BROKEN)
    assert done.returncode == 2
    assert one_line(done).endswith("reading stopped: input/output error\n")
    os.symlink(BROKEN, tmp_path / "rank_0.log")
    (tmp_path / "rank_1.log").write_bytes(LOG.read_bytes())
    done = logsense(tmp_path)
    assert done.returncode == 0
    assert SAYS in done.stdout.decode()
    assert "rank_0.log: reading stopped" in one_line(done)


def test_ctrl_c_ends_reading_without_a_word() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "logsense", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(b"step 1\n" * 100_000)  # more than a pipe holds: it reads by now
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read() == b""


def test_children_by_the_hundred(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "for number in range(200):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.5); os.write(1, b'x'); os._exit(0)\n"
        "time.sleep(1); sys.exit(3)"
    )
    done = logsense("run", sys.executable, "-c", code, env={"XDG_STATE_HOME": str(tmp_path)})
    assert (done.returncode, done.stdout) == (3, b"x" * 200)


def test_no_more_processes(tmp_path: Path) -> None:
    if not shutil.which("bash") or (os.getuid() == 0 and not shutil.which("setpriv")):
        pytest.skip("no shell that sets the limit, or root, who has none")
    user = ["setpriv", "--reuid=54321", "--clear-groups"] if os.getuid() == 0 else []
    tmp_path.chmod(0o755)
    done = subprocess.run(
        [*user, "bash", "-c", 'ulimit -u 1 && exec "$@"', "bash", sys.executable, "-m", "logsense", str(LOG)],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "XDG_CACHE_HOME": "/dev/null/x", "HOME": "/proc"},
    )  # fmt: skip
    if "Permission denied" in done.stderr or "No module named" in done.stderr:
        pytest.skip("this checkout is readable for its owner alone")
    assert done.returncode == 0, done.stderr
    assert SAYS in done.stdout


# A stack that no address space has room for: a process runs with it, a thread can't.
NO_THREADS = """
import os, resource, sys, threading
resource.setrlimit(resource.RLIMIT_STACK, (200 << 40, resource.getrlimit(resource.RLIMIT_STACK)[1]))
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread's stack has no such limit")
@pytest.mark.parametrize("how", ["file", "pipe"])
def test_no_more_threads(tmp_path: Path, how: str) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(b"step 1 loss 0.5 of a run that goes on and on\n" * 300_000 + LOG.read_bytes())
    start = "import threading; threading.Thread(target=print).start()"
    refused = subprocess.run([sys.executable, "-c", NO_THREADS, "-c", start], capture_output=True, check=False)
    if not refused.returncode:
        pytest.skip("threads start here all the same")
    given = [str(log)] if how == "file" else []
    with log.open("rb") as text:
        done = subprocess.run(
            [sys.executable, "-c", NO_THREADS, "-m", "logsense", *given],
            stdin=text, cwd=ROOT, capture_output=True, check=False, timeout=60,
        )  # fmt: skip
    assert SAYS in (done.stdout if how == "file" else done.stderr).decode()
    assert how == "file" or done.stdout == log.read_bytes()


def test_a_home_that_is_read_only() -> None:
    # Nobody can write there, root neither. That the cache may be missing is tested elsewhere.
    env = {"HOME": "/proc", "XDG_STATE_HOME": "/proc/self", "XDG_CONFIG_HOME": "/proc/self"}
    done = logsense("survey", LOG, env=env)
    assert done.returncode == 0
    assert "1 job: 1 failed" in done.stdout.decode()
    assert logsense("runs", env=env).returncode == 0
