"""Single lines: prefixes, traceback lines, progress bars and clocks."""

from __future__ import annotations

from logsense.records import prefixes
from logsense.unwrap import traceback
from logsense.util.times import clock_of, iso_time, moment_in_year, seconds_between
from tests.fuzz.seeds import texts as seeds

__all__ = ["run", "seeds"]


def run(data: bytes) -> None:
    """Parse every line of `data` in every way."""
    for text in data.decode("utf-8", "replace").split("\n"):
        taken = prefixes.split_prefixes(text)
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
