"""`logsense run`: what passes through, how it ends, what is kept."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
LOGSENSE = [sys.executable, "-m", "logsense"]
MISSING = "import sys; print('step 1'); sys.exit('ModuleNotFoundError: No module named \\'flash_attn\\'')"


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    return tmp_path / "logsense" / "runs"


def _run(
    *arguments: str, stdin: bytes | None = None, options: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[bytes]:
    command = [*LOGSENSE, "run", *options, "--", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, check=False)


def _python(program: str, **more: object) -> subprocess.CompletedProcess[bytes]:
    return _run(sys.executable, "-c", program, **more)  # type: ignore[arg-type]


def _output(run: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted((run / "output").iterdir()))


def _only(state: Path) -> Path:
    [run] = state.iterdir()
    return run


@pytest.mark.parametrize("status", [0, 1, 3, 77, 255])
def test_the_status_is_the_commands(state: Path, status: int) -> None:
    assert _run("sh", "-c", f"exit {status}").returncode == status


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_becomes_a_status(state: Path, number: signal.Signals) -> None:
    done = _run("sh", "-c", f"kill -{number.value} $$")
    assert done.returncode == 128 + number
    ended = json.loads((_only(state) / "end.json").read_text())
    assert (ended["status"], ended["signal"]) == (None, number)


def test_streams_stay_apart_and_every_byte_arrives(state: Path) -> None:
    data = random.Random(7).randbytes(3_000_000)
    program = (
        f"import random, os; data = random.Random(7).randbytes({len(data)})\n"
        "at = 0\nwhile at < len(data): at += os.write(1, data[at:at + 70_000])\nos.write(2, b'\\xff\\x00err\\n')"
    )
    done = _python(program)
    assert done.stdout == data
    assert done.stderr == b"\xff\x00err\n"
    assert len(_output(_only(state))) == len(data) + 6


def test_input_is_the_commands(state: Path) -> None:
    done = _run("cat", stdin=b"one\ntwo\n")
    assert done.stdout == b"one\ntwo\n"


def test_a_failure_is_explained_on_standard_error(state: Path) -> None:
    done = _python(MISSING)
    assert done.returncode == 1
    assert done.stdout == b"step 1\n"
    said = done.stderr.decode()
    assert "flash_attn is not installed" in said
    assert "ended with exit status 1" in said


def test_a_failure_without_an_alarming_line_shows_the_last_lines(state: Path) -> None:
    said = _python("print('bad input'); raise SystemExit(3)").stderr.decode()
    assert "│ bad input" in said
    assert "Nearest known" not in said


def test_a_good_end_is_not(state: Path) -> None:
    done = _python("print('step 1')")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"step 1\n", b"")
    assert b"completed" in _python("print('step 1')", options=("--always",)).stderr


def test_a_python_job_prints_at_once(state: Path) -> None:
    program = "import time; print('step 1'); time.sleep(60)"
    process = subprocess.Popen([*LOGSENSE, "run", sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline() == b"step 1\n"
    process.terminate()
    assert process.wait(30) == 128 + signal.SIGTERM
    process.stdout.close()


@pytest.mark.parametrize(
    ("command", "status", "words"),
    [
        (["nowhere-to-be-found"], 127, "no such file"),
        (["/"], 126, "permission denied"),
    ],
)
def test_a_command_that_can_not_be_run(state: Path, command: list[str], status: int, words: str) -> None:
    done = _run(*command)
    assert done.returncode == status
    assert words in done.stderr.decode()
    assert not state.exists()


@pytest.mark.parametrize(
    "options", [["--nope"], ["--nope", "value", "--"], ["--format", "prose"], ["--nope=value"], ["--format", "--"]]
)
def test_a_wrong_option_is_said_and_does_not_stop_the_job(state: Path, options: list[str]) -> None:
    command = [*LOGSENSE, "run", *options, "sh", "-c", "echo ran; exit 3"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, b"ran\n")
    assert done.stderr.startswith(b"logsense: ignored: ")


@pytest.mark.parametrize("options", [["--quiet"], ["--nope"], ["--format", "json"]])
def test_options_may_stand_in_front(state: Path, options: list[str]) -> None:
    command = [*LOGSENSE, *options, "run", sys.executable, "-c", "print('ran')"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"ran\n")
    assert bool(done.stderr) == (options == ["--nope"])


@pytest.mark.parametrize("arguments", [[], ["--"], ["--nope"], ["--format"]])
def test_wrong_use(state: Path, arguments: list[str]) -> None:
    done = subprocess.run([*LOGSENSE, "run", *arguments], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"logsense: ")
    assert done.stderr.count(b"\n") == 1


def test_nothing_is_kept_where_nothing_shall_be(state: Path) -> None:
    done = _python(MISSING, options=("--no-record",))
    assert b"flash_attn is not installed" in done.stderr
    assert not state.exists()


def test_a_folder_that_can_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    done = _python(MISSING)
    assert done.returncode == 1
    assert done.stdout == b"step 1\n"
    assert b"logsense: this run is not recorded: not a directory\n" in done.stderr
    assert b"flash_attn is not installed" in done.stderr


def test_the_folder_is_private(state: Path) -> None:
    _python("print(1)")
    assert _only(state).stat().st_mode & 0o777 == 0o700


def test_a_full_disk_ends_the_recording_not_the_job(state: Path) -> None:
    # A limit on the size of files fails a write as a full disk does; Python ignores the signal that goes with it.
    program = "import os\nfor _ in range(100): os.write(1, bytes(100_000))"
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", *LOGSENSE, "run", sys.executable, "-c", program],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert len(done.stdout) == 10_000_000
    assert done.stderr == b"logsense: this run is not recorded in full: file too large\n"


def test_a_child_that_outlives_the_command_neither_holds_us_nor_dies(state: Path) -> None:
    began = time.monotonic()
    command = [*LOGSENSE, "run", "--", "sh", "-c", "(sleep 2; echo late) & echo done"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"done\n"
        assert process.wait(20) == 0
        assert time.monotonic() - began < 10
        assert process.stdout.read() == b"late\n"  # and its standard output still works


COUNTING = """
import signal, sys, time
seen = []
for number in (signal.SIGTERM, signal.SIGFPE, signal.SIGUSR1):
    signal.signal(number, lambda number, _: seen.append(number))
print("ready", flush=True)
end_s = time.monotonic() + 30
while signal.SIGUSR1 not in seen and time.monotonic() < end_s: time.sleep(0.01)
time.sleep(0.5)
print(seen.count(signal.SIGTERM), seen.count(signal.SIGFPE), seen.count(signal.SIGUSR1), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="tells who sent a signal that means a fault")
@pytest.mark.parametrize("send", [os.kill, os.killpg], ids=["to us", "to our group"])
def test_a_signal_reaches_the_command_once(state: Path, send: Callable[[int, int], None]) -> None:
    command = [*LOGSENSE, "run", sys.executable, "-c", COUNTING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        for number in (signal.SIGTERM, signal.SIGFPE, signal.SIGUSR1):
            send(process.pid, number)
        assert process.stdout.readline() == b"1 1 1\n"
        assert process.wait(30) == 0


def test_without_another_process_the_command_takes_our_place(state: Path) -> None:
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)); os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", limited, *LOGSENSE, "run", "--", "sh", "-c", "echo ran; exit 3"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, b"ran\n")
    assert done.stderr.startswith(b"logsense: this job runs without logsense: ")


def test_samples_are_taken(state: Path) -> None:
    # On a busy machine, the recorder takes its time; the job waits for it.
    _python(
        "import glob, os, time\n"
        "end_s = time.monotonic() + 30\n"
        f"samples = {str(state / '*' / 'samples-0*')!r}\n"
        "while time.monotonic() < end_s and not any(map(os.path.getsize, glob.glob(samples))): time.sleep(0.05)"
    )
    lines = [path.read_text() for path in sorted(_only(state).glob("samples-0*"))]
    first = json.loads(lines[0].splitlines()[0])
    assert first["job"]["processes"] >= 1
    assert first["job"]["rss_bytes"] > 1_000_000
    assert first["host"]["ram_total_bytes"] > first["job"]["rss_bytes"]


def test_the_recorder_may_be_killed_at_any_moment(state: Path) -> None:
    chance = random.Random(3)
    program = "import time\nn = 0\nwhile True:\n    n += 1\n    print(n, flush=True)\n    time.sleep(0.001)"
    for number in range(6):
        process = subprocess.Popen(
            [*LOGSENSE, "run", sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdout
        first = process.stdout.read(1)
        time.sleep(chance.random() * 0.6)
        os.killpg(process.pid, signal.SIGKILL)
        seen = first + process.communicate()[0]
        runs = sorted(state.iterdir(), key=lambda path: path.stat().st_mtime)
        assert len(runs) == number + 1
        kept = _output(runs[-1])
        # The bytes that were shown are on disk, but for what was in our hands at that moment.
        assert len(kept) >= len(seen) - 65_536
        assert seen.startswith(kept[: len(seen)])
    done = subprocess.run([*LOGSENSE, "last"], capture_output=True, timeout=60, check=False)
    assert b"killed together with the recorder" in done.stderr
    assert done.returncode == 0


class Screen:
    """A terminal with `logsense run` in it."""

    def __init__(self, *command: str, rows: int = 24, columns: int = 80) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(sys.executable, [*LOGSENSE, "run", "--", *command])
        self.resize(rows, columns)
        self.text = b""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def until(self, words: bytes, limit_s: float = 20.0) -> bytes:
        end = time.monotonic() + limit_s
        while words not in self.text:
            left = end - time.monotonic()
            assert left > 0, self.text
            if select.select([self.fd], [], [], left)[0]:
                try:
                    data = os.read(self.fd, 65536)
                except OSError:
                    data = b""
                assert data, self.text
                self.text += data
        return self.text

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def status(self, limit_s: float = 20.0) -> int:
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    self.text += os.read(self.fd, 65536)
                except OSError:
                    pass
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
        raise AssertionError(self.text)


@pytest.fixture
def screens(state: Path) -> Iterator[list[Screen]]:
    opened: list[Screen] = []
    yield opened
    for screen in opened:
        try:
            os.kill(screen.pid, signal.SIGKILL)
            os.waitpid(screen.pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(screen.fd)


def _screen(screens: list[Screen], program: str, **size: int) -> Screen:
    screen = Screen(sys.executable, "-c", program, **size)
    screens.append(screen)
    return screen


def test_the_command_has_a_terminal_of_our_size(screens: list[Screen]) -> None:
    program = (
        "import os, sys, signal, time\n"
        "print([os.isatty(fd) for fd in (0, 1, 2)], flush=True)\n"
        "signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'size %d %d\\n' % os.get_terminal_size()))\n"
        "input('ready? ')\ntime.sleep(20)"
    )
    screen = _screen(screens, program)
    screen.until(b"[True, True, True]")
    screen.until(b"ready? ")
    for rows in (33, 34, 35):
        screen.resize(rows, 121)
        try:
            screen.until(b"size 121 ", 8.0)
            break
        except AssertionError:
            continue  # on a machine that is overloaded
    assert b"size 121 %d" % rows in screen.text
    screen.type(b"\x03")
    assert screen.status() == 128 + signal.SIGINT or screen.status() == 1


def test_prompts_and_answers(screens: list[Screen]) -> None:
    screen = _screen(screens, "print('hello', input('name? '))")
    screen.until(b"name? ")
    screen.type(b"ada\r")
    screen.until(b"hello ada")
    assert screen.status() == 0


def test_ctrl_c_reaches_the_command_and_needs_no_explanation(screens: list[Screen]) -> None:
    program = "import time, sys\ntry:\n    print('begun', flush=True)\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    print('saved'); sys.exit(5)"
    screen = _screen(screens, program)
    screen.until(b"begun")
    screen.type(b"\x03")
    screen.until(b"saved")
    assert screen.status() == 5
    assert "✗".encode() not in screen.text


def test_a_failure_on_a_terminal_is_explained_below_it(screens: list[Screen]) -> None:
    screen = _screen(screens, MISSING)
    assert screen.status() == 1
    assert b"flash_attn is not installed" in screen.text


def _shell(screens: list[Screen]) -> Screen:
    """A shell with job control, as a user has it."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["PS1"] = "$ "
        os.execvp("bash", ["bash", "--norc", "-i"])
    screen = Screen.__new__(Screen)
    screen.pid, screen.fd, screen.text = pid, fd, b""
    screens.append(screen)
    return screen


def test_ctrl_z_stops_both_and_fg_goes_on(screens: list[Screen], tmp_path: Path) -> None:
    screen = _shell(screens)
    program = "import time; [print('tick', n, flush=True) or time.sleep(0.1) for n in range(40)]"
    screen.until(b"$ ")
    screen.type(f'{sys.executable} -m logsense run {sys.executable} -c "{program}"; echo over=$?\r'.encode())
    screen.until(b"tick 3")
    screen.type(b"\x1a")
    screen.until(b"Stopped")
    screen.text = b""
    time.sleep(0.5)
    assert not select.select([screen.fd], [], [], 0)[0] or b"tick" not in os.read(screen.fd, 65536)
    screen.type(b"fg\r")
    screen.until(b"tick 39")


def test_a_child_that_outlives_the_command_keeps_its_terminal(screens: list[Screen]) -> None:
    screen = _shell(screens)
    screen.until(b"$ ")
    left = "sleep 1; test -t 1 && echo la''te"
    screen.type(f"{sys.executable} -m logsense run sh -c \"({left}) & echo begun\"; echo ov''er=$?\r".encode())
    screen.until(b"over=0")
    screen.until(b"late")


def test_our_terminal_is_given_back(screens: list[Screen]) -> None:
    screen = _shell(screens)
    screen.until(b"$ ")
    screen.type(b"stty -a | head -3; echo fir''st\r")
    screen.until(b"first\r\n")
    before = screen.text
    screen.text = b""
    screen.type(
        f"{sys.executable} -m logsense run sh -c 'kill -9 $$' 2>/dev/null; stty -a | head -3; echo sec''ond\r".encode()
    )
    screen.until(b"second\r\n")
    flags = [line for line in before.split(b"\r\n") if b"intr" in line or b"speed" in line]
    assert flags
    assert all(line in screen.text for line in flags)
