"""Runs a search with a time limit: Python's regexes have none, but allow signals."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable


class TooSlow(BaseException):
    """The search exceeded its time limit."""


def seconds(search: Callable[[str], object], text: str, limit_s: float) -> float:
    """Return the processor time of `search(text)`, at least `limit_s` if it takes longer. Main thread only."""

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
