"""Read the output of a store's command-line client."""

from __future__ import annotations

import os
from collections.abc import Sequence
from selectors import EVENT_READ, DefaultSelector
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired, run
from tempfile import TemporaryFile
from typing import IO

from logsense.model.source import CHUNK, ChunkReader, Source
from logsense.util.errors import InputError

KILL_AFTER_S = 10.0  # after termination was requested
ERROR_BYTES = 4096
LONGEST_REASON = 300
SILENT_S = 120.0  # after this much silence a program counts as hung
RESPONSE_S = 60.0  # time limit of a short command


class CommandOutput(ChunkReader):
    """Read the output of `command`. Raise InputError if it fails at once; a later failure sets a note on `source`."""

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
        why = "" if self._first else self._wait()
        if why:
            self.close()
            raise InputError(f"can't read {source.name}: {why}")

    def next_chunk(self) -> bytes | None:
        """Return the next output; None at the end."""
        data, self._first = self._first or self._read(), b""
        if data:
            return data
        why = self._wait()
        if why:
            self._source.note = f"reading stopped: {why}"
        return None

    def close(self) -> None:
        """End the program."""
        if self._process.poll() is None:
            self._process.terminate()
            self._wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()

    def _read(self) -> bytes:
        out = self._process.stdout
        if out is None or out.closed:
            return b""
        if not _wait_for_output(out):
            self._process.kill()
            self._why = f"{self._program} printed nothing for {SILENT_S:.0f} s"
            return b""
        data: bytes = out.read1(CHUNK)  # type: ignore[attr-defined]
        return data

    def _wait(self) -> str:
        """Wait for the program; return the reason for its failure in its own words, "" if it succeeded."""
        try:
            self._process.wait(KILL_AFTER_S)
        except TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if not self._process.returncode or self._errors.closed or self._why:
            return self._why
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - ERROR_BYTES))
        return _last_line(self._errors.read(ERROR_BYTES), self._program)


def _wait_for_output(out: IO[bytes]) -> bool:
    """Wait for output or the end of the program; return False if it seems to hang."""
    if os.name != "posix":  # select() needs a socket on Windows
        return True
    with DefaultSelector() as selector:
        selector.register(out, EVENT_READ)
        return bool(selector.select(SILENT_S))


def output_of(command: Sequence[str], name: str) -> bytes:
    """Run `command` and return what it prints. Raise InputError about the input `name` if it fails."""
    try:
        ended = run(command, stdin=DEVNULL, capture_output=True, timeout=RESPONSE_S, check=False)
    except TimeoutExpired:
        raise InputError(f"can't read {name}: {command[0]} did not respond within {RESPONSE_S:.0f} s") from None
    except OSError as error:
        raise InputError(f"can't read {name}: {_missing(command[0], error)}") from None
    if ended.returncode:
        raise InputError(f"can't read {name}: {_last_line(ended.stderr[-ERROR_BYTES:], command[0])}")
    return ended.stdout


def _missing(program: str, error: OSError) -> str:
    return f"{program} is not installed here" if isinstance(error, FileNotFoundError) else str(error.strerror).lower()


def _last_line(errors: bytes, program: str) -> str:
    """Return the last line of a program's error output."""
    lines = [line.strip() for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1][:LONGEST_REASON] if lines else f"{program} failed"
