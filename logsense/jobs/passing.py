"""Pass every byte on at once and unchanged, whatever happens to the readers of the copy."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable

CHUNK = 1 << 20


class Out:
    """A file that gets a job's output. Its errors never reach the job.

    If nobody reads a pipe any more, the rest is dropped. If a disk is full, each piece is tried, and the loss is
    reported once.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._gone = False
        self._lost = False

    def write(self, data: bytes) -> None:
        """Write as much of `data` as possible."""
        view = memoryview(data)
        while view and not self._gone:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:  # noqa: PERF203
                _ready(self._fd, to_read=False)
            except BrokenPipeError:
                self._gone = True
            except OSError as error:
                if not self._lost:
                    self._lost = True
                    say(f"output is lost, the job goes on: {reason(error)}")
                return


def pass_on(read_fd: int, write_fd: int, put: Callable[[bytes], object]) -> None:
    """Pass all of `read_fd` on to `write_fd`, and each written piece to `put`.

    After an error, `put` is not called again. If nobody reads `write_fd` any more, the rest is still read: a closed
    pipe after logsense does not end the job.
    """
    for fd in (read_fd, write_fd):
        _widen(fd)
    out, wanted, size = Out(write_fd), True, CHUNK
    while True:
        try:
            data = os.read(read_fd, size)
        except BlockingIOError:
            _ready(read_fd, to_read=True)
            continue
        except MemoryError:
            size = 1 << 12
            continue
        except OSError:  # a terminal whose other side is gone reads as an error, not as an end
            break
        if not data:
            break
        out.write(data)
        if wanted:
            try:
                put(data)
            except Exception as error:  # noqa: BLE001 - whatever it is, the job's bytes matter more
                wanted = False
                say(f"this log can't be explained in full ({type(error).__name__}); its output goes on")
    end(write_fd)


def end(fd: int) -> None:
    """Let the reader of a pipe see its end."""
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, fd)
            os.close(null)
    except OSError:  # closed, or no null device: it ends with us
        return


def say(sentence: str) -> None:
    """Print `sentence` on standard error, on one line."""
    shown = "".join(char if char.isprintable() else " " for char in sentence)
    try:
        os.write(2, f"logsense: {shown}\n".encode("utf-8", "backslashreplace"))
    except OSError:  # the disk is full, or nobody listens
        return


def reason(error: OSError) -> str:
    """Return the reason for `error` in a few words."""
    return (error.strerror or type(error).__name__).lower()


def _widen(fd: int) -> None:
    """Enlarge a pipe to a whole piece, so that its ends wait less often. Linux gives it 64 KiB (pipe(7))."""
    try:
        import fcntl

        if sys.platform == "linux" and fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) < CHUNK:
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, CHUNK)
    except (ImportError, OSError):
        return  # another system, no pipe, or more than the user may have


def _ready(fd: int, *, to_read: bool) -> None:
    """Wait until a non-blocking file can be read or written."""
    try:
        select.select([fd] if to_read else [], [] if to_read else [fd], [])
    except (OSError, ValueError):  # no such thing for this file, or its number is too large
        import time

        time.sleep(0.01)
