"""Detect that a training loop no longer finishes steps, and where its thread is."""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType

from logsense.integrations.callbacks.alert import Alert
from logsense.jobs.follow import Silence
from logsense.model.values import show_seconds

MOST_FRAMES = 3
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}", f"{os.sep}lib{os.sep}python")


class Pace:
    """Learn how long steps take. `stall_after_s` is the user's limit; by default, it adapts."""

    def __init__(self, now_s: float, stall_after_s: float | None = None) -> None:
        self._silence = Silence(now_s, stall_after_s)
        self._began = False
        self._thread = threading.get_ident()

    def step(self, now_s: float) -> None:
        """Record a finished step. The calling thread is the one that trains."""
        if self._began:
            self._silence.received(now_s)
        else:  # the time before the first step is not typical: models are loaded and compiled
            self._silence.still(now_s)
            self._began = True
        self._thread = threading.get_ident()

    def alive(self, now_s: float) -> None:
        """Record progress other than a step, such as an evaluation."""
        self._silence.still(now_s)

    def look(self, now_s: float, step: int | None) -> Alert | None:
        """Return an alert if no step has finished for too long, once per stall."""
        silent_s = self._silence.stall_s(now_s)
        if silent_s is None:
            return None
        usual_s = self._silence.usual_s
        usual = f" (usually one takes {show_seconds(max(usual_s, 0.001))})" if usual_s is not None else ""
        where = stack_of(self._thread)
        at = f" since step {step:,}" if step is not None else ""
        place = f" The training thread is in {where}." if where else ""
        return Alert("stall", f"No step has finished for {show_seconds(silent_s)}{at}{usual}.{place}", step)


def stack_of(thread: int) -> str:
    """Return the innermost functions of a thread, up to the user's own code; "" if the thread has ended."""
    frame: FrameType | None = sys._current_frames().get(thread)
    places: list[str] = []
    while frame:
        code = frame.f_code
        own = not any(part in code.co_filename for part in _LIBRARIES)
        if own or len(places) < MOST_FRAMES:
            places.append(f"{code.co_name} ({os.path.basename(code.co_filename)}:{frame.f_lineno})")
        if own:
            break
        frame = frame.f_back
    return ", called from ".join(places)
