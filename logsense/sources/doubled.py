"""Passes a pipe's bytes on inside the kernel, which takes half the time of reading and writing them."""

from __future__ import annotations

import errno
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

AGAIN = (errno.EINTR, errno.EAGAIN)


def doubler() -> Callable[[int, int, int], int] | None:
    """What gives the pipe `write_fd` the next bytes of the pipe `read_fd`, up to so many, and leaves them there to be
    read, as tee(2) does; None where the system can't.

    It waits until there are some and until they fit, and gives how many they were: 0 at the end. Raises OSError, among
    others where one of the two is no pipe.
    """
    try:
        import ctypes

        call = ctypes.CDLL(None, use_errno=True).tee
    except (ImportError, OSError, AttributeError, TypeError):  # not Linux, or a Python without foreign functions
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_size_t, ctypes.c_uint]
    call.restype = ctypes.c_ssize_t

    def double(read_fd: int, write_fd: int, most: int) -> int:
        count = call(read_fd, write_fd, most, 0)
        if count < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return int(count)

    return double


class Doubled:
    """Passes on what comes in large pieces, for as long as that works with these two files."""

    def __init__(self, read_fd: int, write_fd: int, most: int) -> None:
        self._read_fd, self._write_fd, self._most = read_fd, write_fd, most
        self._double: Callable[[int, int, int], int] | None = None
        self._asked = False

    def passed(self, least: int, put: Callable[[bytes], object]) -> None:
        """Pass pieces on, each of which goes to `put`, too, until one is smaller than `least` or it can't be done."""
        if not self._asked:
            self._asked, self._double = True, doubler()
        size = least
        try:
            while self._double and size >= least:
                left = size = self._double(self._read_fd, self._write_fd, self._most)
                while left and (data := os.read(self._read_fd, left)):  # there, but for what another reader takes
                    left -= len(data)
                    put(data)
        except OSError as error:
            if error.errno not in AGAIN:
                self._double = None
