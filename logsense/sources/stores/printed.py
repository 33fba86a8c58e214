"""Reads what a program prints: the clients of stores that have one of their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile
from typing import IO

from logsense.model.source import CHUNK, ChunkReader, Source
from logsense.util.errors import InputError

LEFT_S = 10.0  # until a program that was told to end is killed
MOST_SAID = 4096
LONGEST_REASON = 300
SILENT_S = 120.0  # after which a program hangs
SHORT_S = 60.0  # for an answer that is waited for


class Printed(ChunkReader):
    """Gives what `command` prints. Where it fails before that, InputError is raised; later the source gets a note."""

    def __init__(self, command: Sequence[str], source: Source) -> None:
        super().__init__()
        self._source, self._program, self._why = source, command[0], ""
        self._errors = TemporaryFile()  # noqa: SIM115 - closed with this reader
        try:
            self._process = Popen(command, stdin=DEVNULL, stdout=PIPE, stderr=self._errors)
        except OSError as error:
            self._errors.close()
            raise InputError(f"can't read {source.name}: {_missing(self._program, error)}") from None
        self._first = self._read()
        why = "" if self._first else self._ended()
        if why:
            self.close()
            raise InputError(f"can't read {source.name}: {why}")

    def following(self) -> bytes | None:
        """What was printed since; None at the end."""
        data, self._first = self._first or self._read(), b""
        if data:
            return data
        why = self._ended()
        if why:
            self._source.note = f"reading stopped: {why}"
        return None

    def close(self) -> None:
        """Ends the program."""
        if self._process.poll() is None:
            self._process.terminate()
            self._ended()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()

    def _read(self) -> bytes:
        out = self._process.stdout
        if out is None or out.closed:
            return b""
        if not _speaks(out):
            self._process.kill()
            self._why = f"{self._program} said nothing for {SILENT_S:.0f} s"
            return b""
        data: bytes = out.read1(CHUNK)  # type: ignore[attr-defined]
        return data

    def _ended(self) -> str:
        """Why the program failed, in its own words; empty where it did not."""
        try:
            self._process.wait(LEFT_S)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._process.returncode or self._errors.closed or self._why:
            return self._why
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - MOST_SAID))
        return _said(self._errors.read(MOST_SAID), self._program)


def _speaks(out: IO[bytes]) -> bool:
    """Waits for the program to say more, or to end; False where it seems to hang."""
    if os.name != "posix":  # elsewhere nobody can wait for a pipe
        return True
    with DefaultSelector() as selector:
        selector.register(out, EVENT_READ)
        return bool(selector.select(SILENT_S))


def answer_of(command: Sequence[str], name: str) -> bytes:
    """All that `command` prints, which is waited for. Raises InputError about the input `name` where it fails."""
    from subprocess import run

    try:
        ended = run(command, stdin=DEVNULL, capture_output=True, timeout=SHORT_S, check=False)
    except TimeoutExpired:
        raise InputError(f"can't read {name}: {command[0]} gives no answer within {SHORT_S:.0f} s") from None
    except OSError as error:
        raise InputError(f"can't read {name}: {_missing(command[0], error)}") from None
    if ended.returncode:
        raise InputError(f"can't read {name}: {_said(ended.stderr[-MOST_SAID:], command[0])}")
    return ended.stdout


def _missing(program: str, error: OSError) -> str:
    return f"{program} is not installed here" if isinstance(error, FileNotFoundError) else str(error.strerror).lower()


def _said(errors: bytes, program: str) -> str:
    """The last line that a program said about its failure."""
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:LONGEST_REASON] if lines else f"{program} failed"
