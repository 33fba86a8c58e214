"""Passes every byte through at once and hands a copy to the analysis, which can never hold them up for long."""

from __future__ import annotations

import os
import stat
import sys

from logsense.sources.doubled import Doubled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 1 << 20
WAITING = 2 << 20  # bytes that may wait for the analysis before reading waits for it, which bounds memory
PATIENCE_S = 60.0  # an analysis that takes nothing for so long is given up
LARGE = 64 << 10  # pieces of so many bytes come from a job that prints faster than anybody reads


def tee(read_fd: int, write_fd: int, on_bytes: Callable[[bytes], None]) -> None:
    """Copy all of `read_fd` to `write_fd`, unchanged, and give each piece to `on_bytes` once it is written.

    `on_bytes` runs in a second thread. Where it raises, it is not called again, and the bytes go on. Where nobody
    reads `write_fd` any more, the rest is still read and analysed: the job is not killed by a closed pipe behind us,
    and its failure is still explained. Ctrl-C goes to the job as well, whose last words are still to come, so it does
    not end the copying; the caller may install a handler that lets a second one do so (KeyboardInterrupt).
    Gives back when `read_fd` has ended and `on_bytes` has had everything.
    """
    import threading

    for fd in (read_fd, write_fd):
        _widen(fd)
    waiting = _Waiting()
    analyst = threading.Thread(target=_analyse, args=(waiting, on_bytes), daemon=True)
    put: Callable[[bytes | None], object] = waiting.put
    try:
        analyst.start()
    except RuntimeError:  # there may be no more threads; the analysis then takes its turns between the pieces
        put = _at_once(on_bytes)
    restore = _ignore_interrupts()
    try:
        _copy(read_fd, write_fd, put)
        _end(write_fd)
        put(None)
        while analyst.is_alive():  # a join with a limit lets a signal's handler run
            analyst.join(0.5)
    finally:
        restore()


def _copy(read_fd: int, write_fd: int, put: Callable[[bytes | None], object]) -> None:
    open_, doubled = True, Doubled(read_fd, write_fd, CHUNK)
    while True:
        try:
            data = os.read(read_fd, CHUNK)
        except BlockingIOError:
            _ready(read_fd, to_read=True)
            continue
        except OSError:  # a terminal whose other side is gone reads as an error, not as an end
            return
        if not data:
            return
        if open_:
            open_ = write_all(write_fd, data)
        put(data)
        if open_ and len(data) >= LARGE:
            doubled.passed(LARGE, put)


def _end(fd: int) -> None:
    """Let the reader of a pipe see its end."""
    try:
        if stat.S_ISFIFO(os.fstat(fd).st_mode):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, fd)
            os.close(null)
    except OSError:  # closed, or no null device: it ends with us
        return


def write_all(fd: int, data: bytes) -> bool:
    """Writes all of `data`; False where nobody can take it any more."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:  # noqa: PERF203
            _ready(fd, to_read=False)
        except OSError:  # the reader is gone, or the disk is full
            return False
    return True


def _widen(fd: int) -> None:
    """Let a pipe hold a whole piece, so that its two ends wait for each other less often; Linux gives it 64 KiB
    (pipe(7))."""
    try:
        import fcntl

        if sys.platform == "linux" and fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) < CHUNK:
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, CHUNK)
    except (ImportError, OSError):
        return  # another system, no pipe, or more than the user may have


def _ready(fd: int, *, to_read: bool) -> None:
    """Wait until a file that was opened not to wait can be read or written."""
    import select

    select.select([fd] if to_read else [], [] if to_read else [fd], [])


class _Waiting:
    """Pieces on their way to the analysis: at most WAITING bytes, or one piece."""

    def __init__(self) -> None:
        import threading
        from collections import deque

        self._pieces: deque[bytes | None] = deque()
        self._bytes = 0
        self._change = threading.Condition()
        self.stopped = False

    def put(self, piece: bytes | None) -> None:
        with self._change:
            while self._bytes > WAITING and not self.stopped:
                if not self._change.wait(PATIENCE_S):
                    self.stopped = True
                    self._pieces.clear()
            if not self.stopped:
                self._pieces.append(piece)
                self._bytes += len(piece or b"")
            self._change.notify_all()

    def get(self) -> bytes | None:
        with self._change:
            while not self._pieces and not self.stopped:
                self._change.wait()
            if not self._pieces:
                return None  # given up meanwhile
            piece = self._pieces.popleft()
            self._bytes -= len(piece or b"")
            self._change.notify_all()
            return piece

    def stop(self) -> None:
        with self._change:
            self.stopped = True
            self._pieces.clear()
            self._bytes = 0
            self._change.notify_all()


def _at_once(on_bytes: Callable[[bytes], None]) -> Callable[[bytes | None], object]:
    """What gives each piece to `on_bytes`, until that raises."""
    stopped = False

    def put(piece: bytes | None) -> None:
        nonlocal stopped
        try:
            if piece and not stopped:
                on_bytes(piece)
        except Exception:  # noqa: BLE001 - as in _analyse
            stopped = True

    return put


def _analyse(waiting: _Waiting, on_bytes: Callable[[bytes], None]) -> None:
    try:
        while (piece := waiting.get()) is not None:
            on_bytes(piece)
    except BaseException:  # noqa: BLE001, S110 - whatever it is, the job's bytes matter more
        pass
    finally:
        waiting.stop()


def _ignore_interrupts() -> Callable[[], object]:
    """Ignore Ctrl-C where it would end us and nobody else has decided what it does; gives what undoes that."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return lambda: None
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return lambda: None
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return lambda: signal.signal(signal.SIGINT, signal.default_int_handler)
