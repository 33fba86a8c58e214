"""What is done to logsense: faults that are there when it starts, and faults that come at a random moment."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.harm.modes import Harm, Running, Setup, group_signals

JOB_S = 1.2

# A module that can't be imported; it stands in a folder of PYTHONPATH.
BROKEN = """
import os, sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            {does}
sys.meta_path.insert(0, Broken())
"""
# A command that sets a limit and becomes another; then what it limits.
LIMITED = "import os, resource, sys; {}; os.execv(sys.argv[1], sys.argv[1:])"
DEEP = "a = " + "[" * 5000 + "]" * 5000


class Fault(NamedTuple):
    """A fault: what logsense starts with, what is done to its folder before, and what is done while the job runs."""

    name: str
    setup: Setup = Setup()
    files: tuple[tuple[str, bytes], ...] = ()
    harm: Harm = lambda _: None
    sent: int = 0  # a signal to the group; negative if to logsense alone

    def awaited(self, mode: str) -> int:
        """The signal that the job must get just once, 0 for none: in a pipe, logsense keeps its own to itself."""
        return 0 if self.sent < 0 and mode == "pipe" else abs(self.sent)


def all_faults() -> list[Fault]:
    """Every fault, in the order of the table."""
    return [*_settings(), *_broken(), *_poor(), *_signals(), *_moments()]


def prepare(fault: Fault, folder: Path) -> None:
    """Writes the files that a fault needs below `folder`."""
    for name, data in fault.files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _settings() -> Iterator[Fault]:
    user = "config/logsense/config.toml"
    yield Fault("settings: no TOML", files=((user, b"format = 'te"),))
    yield Fault("settings: no UTF-8", files=((user, b"format = '\xff\xfe'"),))
    yield Fault("settings: nested deeply", files=((user, DEEP.encode()),))
    yield Fault("settings: unknown key", files=((user, b"frmat = 'text'"),))
    yield Fault("settings: wrong type", files=((user, b"quiet = 3\nformat = 5"),))
    yield Fault("settings: a bad address to notify", files=((user, b"notify = 'nowhere://x'"),))
    yield Fault("settings: of a project, no TOML", files=(("pyproject.toml", b"[tool.logsense\nformat = "),))
    yield Fault("settings: of a project, notify", files=(("pyproject.toml", b"[tool.logsense]\nnotify = 'desktop'"),))
    yield Fault("option: unknown", Setup(("--nope",)))
    yield Fault("option: unknown, with a value", Setup(("--nope=3",)))
    yield Fault("option: wrong value", Setup(("--format", "prose")))
    yield Fault("option: report to a full disk", Setup(("-o", "/dev/full")))
    yield Fault("option: report to nowhere", Setup(("-o", "FOLDER/none/report")))
    yield Fault("rules: no such folder", Setup(("--rules", "FOLDER/none")))
    yield Fault("rules: not YAML", Setup(("--rules", "FOLDER/rules")), (("rules/a/b.yaml", b"\x00: [}"),))
    yield Fault("rules: nested deeply", Setup(("--rules", "FOLDER/rules")), (("rules/a/b.yaml", b"[" * 20000),))


def _broken() -> Iterator[Fault]:
    raises = {
        "fails": "raise ImportError('broken')",
        "has a bug": "raise ZeroDivisionError",
        "leaves": "raise SystemExit(0)",
        "has no memory": "raise MemoryError",
        "crashes": "os.abort() if 'run' not in sys.argv and '-c' in sys.argv else None",
    }
    for module in (
        "logsense.pipeline",
        "logsense.cli.explain_stream",
        "logsense.catalog.load",
        "logsense.jobs.passing",
    ):
        for says, does in raises.items():
            file = ("path/sitecustomize.py", BROKEN.format(module=module, does=does).encode())
            yield Fault(f"import: {module} {says}", _path(), (file,))
    for module in ("threading", "logsense.cli.record", "logsense.cli.command_line", "json", "hyperscan", "signal"):
        file = ("path/sitecustomize.py", BROKEN.format(module=module, does=raises["fails"]).encode())
        yield Fault(f"import: {module} fails", _path(), (file,))


def _path() -> Setup:
    root = str(Path(__file__).parents[2])
    return Setup(env={"PYTHONPATH": os.pathsep.join(["FOLDER/path", root])})


def _limit(name: str, what: str) -> Fault:
    return Fault(name, Setup(wrap=(sys.executable, "-c", LIMITED.format(what))))


def _poor() -> Iterator[Fault]:
    yield Fault("no home", Setup(env={"HOME": None, "XDG_STATE_HOME": None, "XDG_CACHE_HOME": None}))
    yield Fault("home is not a folder", Setup(env={"HOME": "/dev/null", "XDG_STATE_HOME": None}))
    yield Fault("state folder can't be written", Setup(env={"XDG_STATE_HOME": "/dev/null/x"}))
    yield Fault("state folder is a file", Setup(env={"XDG_STATE_HOME": "FOLDER/file"}), (("file", b"x"),))
    yield Fault("cache folder can't be written", Setup(env={"XDG_CACHE_HOME": "/dev/null/x"}))
    yield Fault(
        "cache is damaged", Setup(env={"XDG_CACHE_HOME": "FOLDER/cache"}), (("cache/logsense/x.catalog", b"x"),)
    )
    yield Fault("warnings are errors", Setup(env={"PYTHONWARNINGS": "error"}))
    yield Fault("no encoding that is known", Setup(env={"PYTHONIOENCODING": "ascii", "LC_ALL": "nowhere"}))
    yield Fault("no path, no terminal type", Setup(env={"PATH": "", "TERM": None}))
    size = "resource.setrlimit(resource.RLIMIT_{0}, ({1}, resource.getrlimit(resource.RLIMIT_{0})[1]))"
    yield _limit("files stay small, as on a full disk", size.format("FSIZE", 100_000_000))
    yield _limit("few files can be open", size.format("NOFILE", 14))
    yield _limit("very few files can be open", size.format("NOFILE", 5))
    yield _limit("little memory", size.format("AS", 90 << 20))
    yield _limit("no threads", size.format("STACK", 200 << 40))
    yield _limit("no core files, no locks", size.format("CORE", 0))
    ignored = "import signal; signal.signal(signal.SIG{0}, signal.SIG_IGN)"
    for name in ("CHLD", "PIPE", "HUP"):
        yield _limit(f"SIG{name} is ignored already", ignored.format(name))
    masked = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD, signal.SIGINT})"
    yield _limit("signals are blocked already", masked)


def _signals() -> Iterator[Fault]:
    for number in group_signals():
        if number < 35 or number == signal.SIGRTMAX:
            yield Fault(f"{_called(number)} to the group", harm=_later(_Sent(number, to_group=True)), sent=number)
    for name in ("TERM", "HUP", "INT", "QUIT", "USR1", "USR2", "XCPU", "ALRM", "RTMIN"):
        number = getattr(signal, f"SIG{name}")
        yield Fault(f"SIG{name} to logsense", harm=_later(_Sent(number, to_group=False)), sent=-number)
    yield Fault("SIGINT twice to the group", harm=_later(lambda on: _send(on, signal.SIGINT, 2)))
    yield Fault("SIGTERM twenty times to the group", harm=_later(lambda on: _send(on, signal.SIGTERM, 20)))
    yield Fault("stopped and continued", harm=_later(_pause))


class _Sent:
    """Sends a signal to all of the job's group, or to logsense alone."""

    def __init__(self, number: int, *, to_group: bool) -> None:
        self._number, self._to_group = number, to_group

    def __call__(self, on: Running) -> None:
        if self._to_group:
            os.killpg(on.group, self._number)
        else:
            os.kill(on.logsense, self._number)


def _called(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _send(on: Running, number: int, times: int) -> None:
    for _ in range(times):
        os.killpg(on.group, number)
        time.sleep(0.02)


def _pause(on: Running) -> None:
    os.killpg(on.group, signal.SIGSTOP)
    time.sleep(0.3)
    os.killpg(on.group, signal.SIGCONT)


def _moments() -> Iterator[Fault]:
    yield Fault("all helpers are killed", harm=_later(_kill_helpers))
    yield Fault("all helpers are killed again and again", harm=_again(_kill_helpers))
    yield Fault("all helpers are stopped", harm=_later(_stop_helpers))
    yield Fault("the state folder is thrown away", harm=_later(lambda on: _throw_away(on.folder / "state")))
    yield Fault(
        "the state folder is thrown away again and again", harm=_again(lambda on: _throw_away(on.folder / "state"))
    )
    yield Fault("settings break meanwhile", harm=_later(_break_settings))


def _later(harm: Harm) -> Harm:
    """At a moment between the first line of our own that runs and the last tenths of a second of the job."""

    def when(on: Running) -> None:
        on.job()
        on.begun()
        time.sleep(random.random() * JOB_S * 0.6)
        harm(on)

    return when


def _again(harm: Harm) -> Harm:
    def when(on: Running) -> None:
        on.job()
        until = time.monotonic() + JOB_S
        while time.monotonic() < until:
            harm(on)
            time.sleep(0.05)

    return when


def _kill_helpers(on: Running) -> None:
    for one in on.helpers():
        with suppress(psutil.Error):
            one.kill()


def _stop_helpers(on: Running) -> None:
    helpers = on.helpers()
    for one in helpers:
        one.suspend()
    time.sleep(JOB_S)
    for one in helpers:
        one.resume()


def _throw_away(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _break_settings(on: Running) -> None:
    prepare(Fault("", files=(("config/logsense/config.toml", b"\xff"),)), on.folder)
