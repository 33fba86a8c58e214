"""Long answers on a real terminal go through the pager; everything else does not."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

if os.name == "nt":
    pytest.skip("POSIX", allow_module_level=True)

import fcntl
import pty
import struct
import termios

ROOT = Path(__file__).parents[2]
CAUSE = "gpu-memory.fragmentation"


class Terminal:
    """A command line on a terminal of its own, 80 columns wide."""

    def __init__(self, *arguments: str, environ: Mapping[str, str] | None = None, rows: int = 24, **more: str) -> None:
        self._fd, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))

        def take() -> None:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests themselves may run under nohup
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        dropped = ("PAGER", "LOGSENSE_PAGER", "LESS", "COLUMNS", "NO_COLOR", "FORCE_COLOR")
        kept = {name: value for name, value in os.environ.items() if name not in dropped}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "logsense", *arguments],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, preexec_fn=take,
            env={**kept, "TERM": "xterm", **(environ or {}), **more},
        )  # fmt: skip
        os.close(theirs)
        self.shown = b""

    def until(self, wanted: bytes = b"\0", within_s: float = 20) -> bytes:
        """What was shown up to `wanted`, or to the end."""
        end_s = time.monotonic() + within_s
        while wanted not in self.shown and time.monotonic() < end_s:
            if not select.select([self._fd], [], [], 0.5)[0]:
                continue
            try:
                more = os.read(self._fd, 65536)
            except OSError:  # nobody has the other side open any more
                break
            if not more:
                break
            self.shown += more
        return self.shown

    def type(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def end(self) -> int:
        """Reads on to the end; gives the exit status."""
        self.until()
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()
            os.close(self._fd)


def pager(tmp_path: Path, body: str) -> str:
    """A pager that does what the Python in `body` says; its text is on standard input."""
    path = tmp_path / "a pager.py"
    path.write_text(f"import os, sys\n{body}\n")
    return f"{sys.executable} '{path}'"


@pytest.mark.skipif(not shutil.which("less"), reason="needs less")
@pytest.mark.parametrize("interrupted", [False, True])
def test_less(interrupted: bool) -> None:
    terminal = Terminal("causes", rows=10)
    first = terminal.until(b"\n:")
    assert b"Traceback" not in first
    assert first.count(b"\n") < 20
    if interrupted:
        terminal.type(b"\x03")
        time.sleep(0.3)
        assert terminal.process.poll() is None
    # A terminal drops what is typed together with Ctrl-C.
    for _ in range(100):
        if terminal.process.poll() is not None:
            break
        terminal.type(b"q")
        terminal.until(within_s=0.2)
    assert terminal.end() == 0
    assert b"Traceback" not in terminal.shown


def test_all_of_a_text_reaches_the_pager_with_its_colors(tmp_path: Path) -> None:
    body = "data = sys.stdin.buffer.read(); print(len(data.splitlines()), b'\\x1b[1m' in data, b'References' in data)"
    terminal = Terminal("causes", CAUSE, LOGSENSE_PAGER=pager(tmp_path, body), PAGER="false", FORCE_HYPERLINK="1")
    assert terminal.end() == 0
    lines, color, whole = terminal.shown.split()
    assert int(lines) > 24
    assert (color, whole) == (b"True", b"True")


def test_links_are_left_out(tmp_path: Path) -> None:
    body = "print(b']8;;' in sys.stdin.buffer.read())"
    plain = Terminal("causes", CAUSE, FORCE_HYPERLINK="1", rows=1000)
    assert plain.end() == 0
    assert b"\x1b]8;;http" in plain.shown
    terminal = Terminal("causes", CAUSE, FORCE_HYPERLINK="1", PAGER=pager(tmp_path, body))
    assert terminal.end() == 0
    assert terminal.shown.split() == [b"False"]


def test_a_pager_that_is_left_early(tmp_path: Path) -> None:
    terminal = Terminal("signatures", PAGER=pager(tmp_path, "os.read(0, 10); os.close(0); print('enough')"))
    assert terminal.end() == 0
    assert terminal.shown.split() == [b"enough"]


def test_a_report(tmp_path: Path) -> None:
    log = str(ROOT / "tests" / "failing" / "torch--key_error.log")
    paging = pager(tmp_path, "print('paged', len(sys.stdin.read()) > 100)")
    terminal = Terminal(log, rows=6, PAGER=paging)
    assert terminal.end() == 0
    assert terminal.shown.split() == [b"paged", b"True"]
    terminal = Terminal(log, "--exit-code", rows=6, PAGER=paging)
    assert terminal.end() == 1
    assert b"paged" not in terminal.shown
    assert b"KeyError" in terminal.shown


@pytest.mark.skipif(not shutil.which("less"), reason="needs less")
def test_a_survey_begins_with_its_totals(tmp_path: Path) -> None:
    for name in ("torch--key_error.log", "torch--disk_full.log"):
        shutil.copy(ROOT / "tests" / "failing" / name, tmp_path)
    terminal = Terminal("survey", str(tmp_path), "--database", str(tmp_path / "db"), rows=8)
    shown = terminal.until(b"(END)")
    assert b"2 jobs: 2 failed" in shown
    assert b"Jobs in" not in shown
    terminal.type(b"q")
    assert terminal.end() == 0


@pytest.mark.parametrize(
    ("arguments", "environ"),
    [
        (("causes", CAUSE), {"PAGER": "/nonexistent/pager"}),
        (("causes", CAUSE), {"PAGER": "env nonexistent-pager"}),
        (("causes", CAUSE), {"PAGER": "'not closed"}),
        (("causes", CAUSE), {"PAGER": ""}),
        (("causes", CAUSE), {"PAGER": "cat"}),
        (("causes", CAUSE), {"PAGER": "less", "LOGSENSE_PAGER": ""}),
        (("causes", CAUSE), {"PAGER": "less", "TERM": "dumb"}),
        (("causes", CAUSE, "--pager", "never"), {}),
        (("causes", CAUSE, "--format", "markdown"), {}),
    ],
    ids=str,
)
def test_without_a_pager_the_text_is_shown_all_the_same(arguments: tuple[str, ...], environ: Mapping[str, str]) -> None:
    terminal = Terminal(*arguments, environ=environ)
    assert terminal.end() == 0
    assert b"References" in terminal.shown
    assert b"Traceback" not in terminal.shown


def test_what_fits_needs_no_pager(tmp_path: Path) -> None:
    terminal = Terminal("causes", CAUSE, rows=400, PAGER=pager(tmp_path, "print('paged')"))
    assert terminal.end() == 0
    assert b"paged" not in terminal.shown


def test_the_terminal_goes_away(tmp_path: Path) -> None:
    terminal = Terminal("causes", PAGER=pager(tmp_path, "print('here', flush=True); sys.stdin.read(); os.read(1, 1)"))
    terminal.until(b"here")
    terminal.process.send_signal(signal.SIGHUP)
    assert terminal.end() in (-signal.SIGHUP, 0)
