"""Runs a search under a time limit: Python's own regexes have none, but let signals in."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable


class TooSlow(BaseException):
    """The search took more than its time."""


def seconds(search: Callable[[str], object], text: str, limit_s: float) -> float:
    """The processor time that `search(text)` takes; at least `limit_s` where it takes longer. Main thread only."""

    def stop(_signal: int, _frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGVTALRM, stop)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
        search(text)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TooSlow:
        return max(limit_s, time.process_time() - began)
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return time.process_time() - began
