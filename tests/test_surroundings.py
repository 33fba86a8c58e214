"""What goes wrong around us: full disks, missing homes, closed streams, damaged caches. The answer or a clear line."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX")

LOG = Path(__file__).parent / "failing" / "torch--key_error.log"
SAYS = "KeyError: 'lr'"
ROOT = Path(__file__).parents[1]
PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def logsense(
    *arguments: str | Path,
    before: Callable[[], object] | None = None,
    text: bytes = b"",
    env: Mapping[str, str | None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs the program; variables that are None are taken out of its environment.

    Its coverage is not measured: what it could not write would be told of among our own lines.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COVERAGE_", "COV_"))}
    changed = {**kept, **(env or {})}
    done = subprocess.run(
        [sys.executable, "-m", "logsense", *arguments],
        env={name: value for name, value in changed.items() if value is not None},
        cwd=ROOT,
        input=text,
        capture_output=True,
        preexec_fn=before,
        timeout=60,
        check=False,
    )
    assert b"Traceback (most recent call last)" not in done.stderr.replace(text or b"\0", b"")
    assert b"internal error of logsense" not in done.stderr
    return done


def one_line(done: subprocess.CompletedProcess[bytes]) -> str:
    said = done.stderr.decode()
    assert said.startswith("logsense: ")
    assert said.count("\n") == 1
    return said


@pytest.mark.parametrize(
    "env",
    [
        {"XDG_CACHE_HOME": None, "HOME": "/proc", "TERM": None},
        {"XDG_CACHE_HOME": "/dev/null/x", "COLUMNS": "0"},
        {"TMPDIR": "/nonexistent", "TMP": None, "TEMP": None},
        {"TERM": "nothing-known"},
        PLAIN,
        {"LC_ALL": "xx_YY.nonsense"},
        {"COLUMNS": "many"},
        {"COLUMNS": "9" * 5000, "VTE_VERSION": "9" * 5000},
        {"LOGSENSE_ENGINE": "plain"},
    ],
    ids=lambda env: str(env)[:60],
)
def test_odd_environments(env: dict[str, str | None]) -> None:
    done = logsense(LOG, env=env)
    assert done.returncode == 0
    assert SAYS in done.stdout.decode("utf-8", "replace")


def test_a_module_that_is_not_there() -> None:
    code = (
        "import sys; sys.modules[sys.argv[1]] = None; from logsense.cli.main import main; sys.exit(main(sys.argv[2:]))"
    )
    large = LOG.read_bytes().rjust(64 * 1024, b"\n")
    for module, arguments in [("hyperscan", ["-"]), ("pynvml", ["-", "--live"]), ("psutil", ["-", "--live"])]:
        done = subprocess.run(
            [sys.executable, "-c", code, module, *arguments], input=large, capture_output=True, check=False, cwd=ROOT
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert SAYS in done.stdout.decode()
    gpus = subprocess.run([sys.executable, "-c", code, "pynvml", "gpus"], capture_output=True, check=False, cwd=ROOT)
    assert gpus.returncode == 0
    assert b"nvidia-ml-py" in gpus.stdout + gpus.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_standard_output_is_full() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "logsense", LOG], stdout=full, stderr=subprocess.PIPE, check=False, cwd=ROOT
        )
    assert (done.returncode, done.stderr) == (2, b"logsense: No space left on device\n")


def _no_more_than(size: int) -> Callable[[], object]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _shown_instead_of_written(done: subprocess.CompletedProcess[bytes], path: Path) -> None:
    *answer, last = done.stderr.decode().splitlines()
    assert SAYS in "\n".join(answer)
    assert last.startswith(f"logsense: {path}: ")


def test_the_disk_is_full(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    out = tmp_path / "answer.txt"
    done = logsense(LOG, "--output", out, before=_no_more_than(100), env={"XDG_CACHE_HOME": str(cache)})
    assert done.returncode == 2
    _shown_instead_of_written(done, out)
    assert not list(cache.rglob("*.*"))  # nothing half written


def test_the_folder_of_the_answer_is_missing(tmp_path: Path) -> None:
    out = tmp_path / "no" / "answer.txt"
    for path in (out, tmp_path):
        _shown_instead_of_written(logsense(LOG, "--output", path), path)


def test_a_run_where_nothing_can_be_kept() -> None:
    for env in ({"XDG_STATE_HOME": "/dev/null/x"}, {"XDG_STATE_HOME": None, "HOME": "/proc"}):
        done = logsense("run", "sh", "-c", "echo hi; exit 3", env=env)
        assert (done.returncode, done.stdout) == (3, b"hi\n")
        assert b"not recorded" in done.stderr


@pytest.mark.parametrize("closed", [(0,), (1,), (2,), (0, 1, 2)], ids=str)
def test_closed_streams(closed: tuple[int, ...]) -> None:
    def close() -> None:
        for fd in closed:
            os.close(fd)

    done = logsense(LOG, before=close)
    assert done.returncode == 0
    assert not done.stderr
    assert (SAYS in done.stdout.decode()) == (1 not in closed)
    assert logsense("-", before=close).returncode == 0
    assert logsense(before=close, text=LOG.read_bytes()).returncode == 0
    assert logsense("run", "sh", "-c", "exit 4", before=close).returncode == 4


def test_nobody_reads_on() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "logsense", LOG], stdout=writing, stderr=subprocess.PIPE, check=False, cwd=ROOT
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@contextmanager
def _pipe() -> Iterator[subprocess.Popen[bytes]]:
    """The pipe, once it has passed a first line on."""
    with subprocess.Popen(
        [sys.executable, "-m", "logsense"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"first\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"first\n"
        yield process


@pytest.mark.parametrize("sent", [signal.SIGHUP, signal.SIGINT], ids=lambda sent: sent.name)
def test_the_pipe_outlives_its_terminal(sent: signal.Signals) -> None:
    with _pipe() as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.send_signal(sent)
        process.stdin.write(LOG.read_bytes())
        process.stdin.close()
        assert process.stdout.read() == LOG.read_bytes()
        assert SAYS in process.stderr.read().decode()
        assert process.wait() == 0


def test_nohup_reaches_the_job() -> None:
    code = "import os, signal, time; os.kill(os.getpid(), signal.SIGHUP); print('still here')"
    done = logsense("run", sys.executable, "-c", code, before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    assert (done.returncode, done.stdout) == (0, b"still here\n")


@pytest.mark.parametrize(
    "name", ["dä\n\x1b[31mx\u202e.log", "-v.log", "a b'c\"$(d).log", "\udcff.log", "x" * 250 + ".log"]
)
def test_odd_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(LOG.read_bytes())
    for number, shape in enumerate(("text", "json", "markdown", "github", "html")):
        done = logsense(path, "--format", shape, env=None if number % 2 else PLAIN)
        assert done.returncode == 0
        assert "KeyError" in done.stdout.decode("utf-8", "replace")
        assert not {"\x1b", "\u202e"} & set(done.stdout.decode("utf-8", "replace"))


def test_a_damaged_cache(tmp_path: Path) -> None:
    env: dict[str, str | None] = {"XDG_CACHE_HOME": str(tmp_path)}
    text = LOG.read_bytes().rjust(64 * 1024, b"\n")  # large enough for both engines
    good = logsense("-", text=text, env=env).stdout
    dice = random.Random(4)
    for path in sorted((tmp_path / "logsense").iterdir()):
        data = path.read_bytes()
        flipped = bytearray(data)
        for _ in range(2000):
            flipped[dice.randrange(len(data) // 2, len(data))] ^= 1 << dice.randrange(8)
        path.write_bytes(bytes(flipped))
        assert logsense("-", text=text, env=env).stdout == good


def test_a_file_that_changes_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    change = "import os, sys, time; path, how = sys.argv[1:]; time.sleep(0.02); "
    change += "{'truncate': lambda: os.truncate(path, 10), 'unlink': lambda: os.unlink(path), "
    change += "'replace': lambda: os.replace(path + '.new', path)}[how]()"
    for how in ("truncate", "unlink", "replace"):
        path.write_bytes(b"step 1\n" * 4_000_000 + LOG.read_bytes())
        Path(f"{path}.new").write_bytes(b"other\n")
        with subprocess.Popen([sys.executable, "-c", change, path, how]):
            done = logsense(path)
        assert done.returncode == 0 or "no such file" in one_line(done)


@pytest.mark.slow
def test_a_folder_of_many_files(tmp_path: Path) -> None:
    for number in range(800):
        (tmp_path / f"rank_{number}.log").write_bytes(b"step 1\n" if number != 321 else LOG.read_bytes())
    done = logsense(tmp_path, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
    assert SAYS in done.stdout.decode()
    assert "rank 321" in done.stdout.decode().lower()
