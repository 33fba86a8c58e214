"""The ways in which a job runs under logsense, and what is looked at afterwards."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import psutil

from tests.harm.job import STATUS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LIMIT_S = 400.0  # of anything: a busy machine takes minutes to compile the catalog


class Outcome(NamedTuple):
    """What became of the job: whether each of them is as it is without logsense; `err` is what logsense said."""

    bytes_exact: bool
    status_exact: bool
    alive: bool
    terminal: bool
    signals: dict[int, int]
    err: str

    @property
    def unharmed(self) -> bool:
        """Whether the job noticed nothing."""
        return self.bytes_exact and self.status_exact and self.alive and self.terminal


class Running:
    """A job that runs: its folder, the group that it and logsense are in, and logsense itself."""

    def __init__(self, folder: Path, group: int, logsense: int) -> None:
        self.folder, self.group, self.logsense = folder, group, logsense

    def job(self) -> int:
        """The job's process, once it runs."""
        return int(_read(self.folder / "pid"))

    def begun(self) -> None:
        """Waits until logsense holds signals back, or takes them: until then Python starts, and has no say."""
        status, until = Path(f"/proc/{self.logsense}/status"), time.monotonic() + LIMIT_S
        while status.exists() and time.monotonic() < until:
            masks = dict(re.findall(r"^Sig(\w+):\s*(\w+)", status.read_text(), re.MULTILINE))
            if any(int(masks[name], 16) & 1 << signal.SIGTERM - 1 for name in ("Blk", "Ign", "Cgt")):
                return
            time.sleep(0.001)

    def helpers(self) -> list[psutil.Process]:
        """The processes of logsense's own, below it."""
        try:
            return [one for one in psutil.Process(self.logsense).children(recursive=True) if one.pid != self.job()]
        except psutil.Error:
            return []


class Setup(NamedTuple):
    """What logsense is started with: options, variables, and what wraps its command."""

    options: tuple[str, ...] = ()
    env: Mapping[str, str | None] = MappingProxyType({})
    wrap: tuple[str, ...] = ()


Harm = Callable[[Running], None]


def _read(path: Path, limit_s: float = LIMIT_S) -> str:
    until = time.monotonic() + limit_s
    while not (path.exists() and path.stat().st_size) and time.monotonic() < until:
        time.sleep(0.01)
    return path.read_text()


def _env(setup: Setup, folder: Path) -> dict[str, str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder / "state")}
    env |= {"XDG_CONFIG_HOME": str(folder / "config")}
    for name, value in setup.env.items():
        env.pop(name, None)
        if value is not None:
            env[name] = value.replace("FOLDER", str(folder))
    return env


def _command(setup: Setup, folder: Path, kind: str, run: bool) -> list[str]:
    ours = [*setup.wrap, sys.executable, "-m", "logsense"]
    options = [one.replace("FOLDER", str(folder)) for one in setup.options]
    return [*ours, "run", *options, "--", *_job(folder, kind)] if run else [*ours, *options]


def _job(folder: Path, kind: str) -> list[str]:
    return [sys.executable, "-S", str(HERE / "job.py"), str(folder), kind]


def _as_from_a_shell() -> None:
    """Starts a process group; signals that nohup or a background shell ignore end a process again."""
    os.setpgrp()
    _end_by_signals()


def _end_by_signals() -> None:
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def piped(setup: Setup, folder: Path, harm: Harm, awaited: int) -> Outcome:
    """`job | logsense > out`, both in one process group."""
    read, write = os.pipe()
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        logsense = subprocess.Popen(
            _command(setup, folder, "bytes", False), stdin=read, stdout=out, stderr=err,
            env=_env(setup, folder), cwd=folder, preexec_fn=_as_from_a_shell,
        )  # fmt: skip
        job = subprocess.Popen(
            _job(folder, "bytes"), stdout=write, cwd=folder, preexec_fn=lambda: os.setpgid(0, logsense.pid)
        )
    os.close(read)
    os.close(write)
    _do(harm, Running(folder, logsense.pid, logsense.pid), awaited)
    statuses = (job.wait(LIMIT_S), logsense.wait(LIMIT_S))
    return _outcome(folder, (folder / "out").read_bytes(), statuses[0] == STATUS and statuses[1] in (0, 130))


def redirected(setup: Setup, folder: Path, harm: Harm, awaited: int) -> Outcome:
    """`logsense run -- job > out 2> err < /dev/null`."""
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        logsense = subprocess.Popen(
            _command(setup, folder, "bytes", True), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            env=_env(setup, folder), cwd=folder, preexec_fn=_as_from_a_shell,
        )  # fmt: skip
    _do(harm, Running(folder, logsense.pid, logsense.pid), awaited)
    status = logsense.wait(LIMIT_S)
    return _outcome(folder, (folder / "out").read_bytes(), status == STATUS)


def in_front(setup: Setup, folder: Path, harm: Harm, awaited: int) -> Outcome:
    """`logsense run -- job 2> err` on a terminal."""
    return _on_terminal(setup, folder, harm, awaited, "front")


def in_background(setup: Setup, folder: Path, harm: Harm, awaited: int) -> Outcome:
    """`logsense run -- job 2> err &` on a terminal."""
    return _on_terminal(setup, folder, harm, awaited, "back")


def _do(harm: Harm, running: Running, awaited: int) -> None:
    """Does the harm, and then lets the job come to its end."""
    try:
        harm(running)
    finally:
        (running.folder / "harmed.new").write_text(str(awaited))
        (running.folder / "harmed.new").rename(running.folder / "harmed")


def _on_terminal(setup: Setup, folder: Path, harm: Harm, awaited: int, where: str) -> Outcome:
    command = [str(HERE / "leader.py"), str(folder), where, *_command(setup, folder, "text", True)]
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        _end_by_signals()
        os.execve(sys.executable, [sys.executable, "-S", *command], _env(setup, folder))
    before = termios.tcgetattr(fd)
    screen = _Screen(fd)
    group = int(screen.until(lambda: (folder / "group").exists() and (folder / "group").read_text()))
    screen.until(lambda: (folder / "pid").exists() and (folder / "pid").read_text())
    _do(harm, Running(folder, group, group), awaited)
    status = int(screen.until(lambda: (folder / "status").exists() and (folder / "status").read_text()))
    restored = termios.tcgetattr(fd) == before
    (folder / "go").touch()
    os.waitpid(pid, 0)
    os.close(fd)
    return _outcome(folder, screen.text.replace(b"\r", b""), status == STATUS, restored)


class _Screen:
    def __init__(self, fd: int) -> None:
        self._fd, self.text = fd, b""

    def until(self, done: Callable[[], Any]) -> Any:
        """What `done` gives as soon as it gives something; reads the screen meanwhile."""
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            ready = select.select([self._fd], [], [], 0.02)[0]
            if ready:
                self.text += os.read(self._fd, 1 << 16)
            elif found := done():
                return found
        raise AssertionError(f"nothing happens any more: {self.text[-500:]!r}")


def _outcome(folder: Path, out: bytes, status_exact: bool, terminal: bool = True) -> Outcome:
    ended = folder / "ended"
    alive = ended.exists()
    seen = {int(name): count for name, count in json.loads(ended.read_text()).items()} if alive else {}
    err = (folder / "err").read_bytes().decode("utf-8", "replace")
    return Outcome(out == (folder / "printed").read_bytes(), status_exact, alive, terminal, seen, err)


# Arguments: the setup, a folder, the harm, and the signal that the job must have got before it ends, 0 for none.
MODES: dict[str, Callable[[Setup, Path, Harm, int], Outcome]] = {
    "pipe": piped,
    "redirected": redirected,
    "terminal": in_front,
    "background": in_background,
}


def group_signals() -> Iterator[signal.Signals | int]:
    """Every signal that may be sent to a job and can be caught."""
    skipped = ("KILL", "STOP", "CHLD", "CONT", "TSTP", "TTIN", "TTOU", "WINCH", "URG", "PIPE")
    yield from sorted(signal.valid_signals() - {getattr(signal, f"SIG{name}") for name in skipped})
