"""Each line by itself: what prefixes, tracebacks' lines, progress bars and clocks are read from it."""

from __future__ import annotations

from logsense.records import prefixes
from logsense.unwrap import traceback
from logsense.util.times import clock_of, iso_time, moment_in_year, seconds_between
from tests.fuzz.seeds import texts as seeds

__all__ = ["run", "seeds"]


def run(data: bytes) -> None:
    """Read every line of `data` as all that it may be."""
    for text in data.decode("utf-8", "replace").split("\n"):
        taken = prefixes.take(text)
        if taken:
            _, fields, _ = taken
            time = fields.get("time")
            if isinstance(time, str):
                clock_of(time)
                moment_in_year(time)
                iso_time(time, 1.7e9)
                seconds_between(time, time)
        for read in (traceback.is_header, traceback.frame, traceback.notebook_frame, traceback.boxed_frame):
            read(text)
        traceback.exception(text)
        traceback.exception(text, strict=False)
        traceback.is_native_frame(text)
        traceback.arrow(text)
