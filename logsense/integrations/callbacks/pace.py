"""Notices that a training loop has stopped finishing steps, and where its thread is."""

from __future__ import annotations

import os
import sys
import threading

from logsense.integrations.callbacks.alert import Alert
from logsense.jobs.follow import Silence
from logsense.model.values import show_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

MOST_FRAMES = 3
_LIBRARIES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}", f"{os.sep}lib{os.sep}python")


class Pace:
    """Learns how long steps take. `stall_after_s` is what the user calls too long; by default the rhythm decides."""

    def __init__(self, now_s: float, stall_after_s: float | None = None) -> None:
        self._rhythm = Silence(now_s, stall_after_s)
        self._began = self._told = False
        self._thread = threading.get_ident()

    def step(self, now_s: float) -> None:
        """A step is finished; the thread that says so is the one that trains."""
        if self._began:
            self._rhythm.heard(now_s)
        else:  # what came before the first step was no step: models are loaded and compiled there
            self._rhythm.still(now_s)
            self._began = True
        self._told = False
        self._thread = threading.get_ident()

    def alive(self, now_s: float) -> None:
        """Something else goes on, such as an evaluation, which is no step."""
        self._rhythm.still(now_s)
        self._told = False

    def look(self, now_s: float, step: int | None) -> Alert | None:
        """What is to be said of the time since the last step, once for each stall."""
        silent_s = self._rhythm.silent_s(now_s)
        if self._told or silent_s < self._rhythm.limit_s:
            return None
        self._told = True
        usual_s = self._rhythm.usual_s
        usual = f" (usually one takes {show_seconds(max(usual_s, 0.001))})" if usual_s is not None else ""
        where = where_is(self._thread)
        at = f" since step {step:,}" if step is not None else ""
        place = f" The training thread is in {where}." if where else ""
        return Alert("stall", f"No step has been finished for {show_seconds(silent_s)}{at}{usual}.{place}", step)


def where_is(thread: int) -> str:
    """Where a thread of this process is: its innermost functions, and the place in the user's own code; "" if gone."""
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
