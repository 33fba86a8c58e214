"""Run a command through pipes on Windows, which has neither fork nor pseudoterminals of this kind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import IO

from logsense.jobs.launched import CANNOT_RUN, CHUNK, NOT_FOUND, Launched, OnBytes
from logsense.jobs.passing import Out, say

# Remaining output arrives at once when the command has ended; a child that it left behind may write forever.
DRAIN_S = 0.2


class PipedJob(Launched):
    """A command with a pipe for each output stream; its input is left alone."""

    def start(self) -> bool:
        """Start the command; see Launched."""
        # Windows starts "conda.bat" under its whole name only.
        path = shutil.which(self.command[0]) or self.command[0]
        # Into a pipe, Python writes in blocks, of which a killed process loses the last.
        environ = {"PYTHONUNBUFFERED": "1", **os.environ}
        try:
            self._process = subprocess.Popen(
                [path, *self.command[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ
            )
        except (OSError, ValueError) as error:
            self.status = NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN
            self.problem = str(getattr(error, "strerror", None) or error)
            return False
        self.pid = self._process.pid
        return True

    def run(self, on_bytes: OnBytes, on_tick: Callable[[], object] | None = None, tick_s: float = 1.0) -> None:
        """Pass all output on until the command has ended. `on_bytes` and `on_tick` never run at the same time."""
        self._on_bytes: OnBytes | None = on_bytes
        self._passed_bytes = 0
        self._turn = threading.Lock()
        streams = ((self._process.stdout, 1), (self._process.stderr, 2))
        passing = [threading.Thread(target=self._pass, args=stream, daemon=True) for stream in streams]
        restore = self._listen()
        try:
            for one in passing:
                one.start()
            while not self._ended(tick_s):
                if on_tick:
                    with self._turn:
                        on_tick()
            self._drain(passing)
        finally:
            restore()

    def _ended(self, within_s: float) -> bool:
        try:
            status = self._process.wait(within_s)
        except subprocess.TimeoutExpired:
            return False
        self.status, self.signal = (status, None) if status >= 0 else (None, -status)
        return True

    def _pass(self, stream: IO[bytes], to: int) -> None:
        """Pass on all of `stream`."""
        out = Out(to)
        with stream:
            while data := os.read(stream.fileno(), CHUNK):
                out.write(data)
                with self._turn:
                    self._passed_bytes += len(data)
                    self._hand_on(data)

    def _hand_on(self, data: bytes) -> None:
        if self._on_bytes:
            try:
                self._on_bytes(data)
            except Exception as error:  # noqa: BLE001 - whatever it is, the job's bytes matter more
                self._on_bytes = None
                say(f"this run can't be explained in full ({type(error).__name__}); it goes on")

    def _drain(self, passing: list[threading.Thread]) -> None:
        before = -1
        while before != self._passed_bytes and any(one.is_alive() for one in passing):
            before = self._passed_bytes
            for one in passing:
                one.join(DRAIN_S)
        with self._turn:
            self._on_bytes = None

    def _listen(self) -> Callable[[], None]:
        """Note Ctrl-C, which the console also sends to the command, and pass requests to end on."""
        before: dict[int, object] = {}

        def interrupt(number: int, _frame: FrameType | None) -> None:
            self.interrupted = True
            if sys.platform != "win32":
                self._process.send_signal(number)

        def end(_number: int, _frame: FrameType | None) -> None:
            self._process.terminate()

        for name, handler in (("SIGINT", interrupt), ("SIGBREAK", interrupt), ("SIGTERM", end)):
            number = getattr(signal, name, None)
            if number is not None:
                before[number] = signal.signal(number, handler)

        def restore() -> None:
            for number, handler in before.items():
                signal.signal(number, handler)  # type: ignore[arg-type]

        return restore
