"""Counts the calls in the code of `logsense`, to its own functions and to C functions."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from types import FrameType

from logsense.catalog.load import load_catalog
from logsense.jobs.passing import pass_on
from logsense.match.read import SMALL_BYTES
from logsense.model.knowledge import Catalog
from logsense.pipeline import Stream, explain, explain_text
from logsense.sources.find import resolve
from tests.guards.inputs import PASTE, dense, quiet

OWN = f"{os.sep}logsense{os.sep}"
INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")  # not calls since Python 3.12


class Counter:
    """Counts calls while it is on, including threads that start meanwhile."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """See sys.setprofile."""
        code = frame.f_code
        if event == "c_call" or (event == "call" and code.co_name not in INLINED):
            self.calls += OWN in code.co_filename

    def of(self, action: Callable[[], object]) -> int:
        """The calls of `action` and of the threads that it starts."""
        before = self.calls
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            action()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        return self.calls - before


def calls(action: Callable[[], object]) -> int:
    """Return the number of calls that `action` makes the second time, with warm caches."""
    action()
    return Counter().of(action)


def paste(catalog: Catalog) -> int:
    """Return the calls for explaining 20 lines."""
    return calls(lambda: explain_text(PASTE.encode(), catalog))


def file(catalog: Catalog, path: str, data: bytes) -> int:
    """Return the calls for explaining a file that holds `data`."""
    with open(path, "wb") as target:
        target.write(data)
    return calls(lambda: explain(resolve([path], stdin=sys.stdin), catalog))


def scans(catalog: Catalog, path: str) -> dict[str, float]:
    """Return the calls for logs of several shapes; for what grows with the log, per line or mebibyte."""
    small, large = quiet(4_000, 15), quiet(4_000, 45)
    few, many = dense(1_000, 10), dense(2_000, 10)
    base = file(catalog, path, small)
    grown = file(catalog, path, large)
    return {
        "quiet log": base,
        "quiet log, a mebibyte more": (grown - base) / ((len(large) - len(small)) / 2**20),
        "known message, each": (file(catalog, path, many) - file(catalog, path, few)) / 100,
    }


def pipe_line(catalog: Catalog) -> float:
    """Return the calls per additional line in the pipe when the log is already large."""

    def passed(lines: int) -> int:
        def job() -> None:
            inwards, outwards = os.pipe(), os.pipe()
            stream = Stream(catalog)
            stream.feed(b"x" * 79 + b"\n" + b"step 1 loss 0.5\n" * (SMALL_BYTES // 16))
            copying = threading.Thread(target=pass_on, args=(inwards[0], outwards[1], stream.feed))
            copying.start()
            for number in range(lines):
                line = b"step %d loss 0.5\n" % number
                os.write(inwards[1], line)
                left = len(line)
                while left:
                    left -= len(os.read(outwards[0], left))
            os.close(inwards[1])
            copying.join()
            for fd in (inwards[0], *outwards):
                os.close(fd)

        return Counter().of(job)

    passed(10)
    return (passed(500) - passed(100)) / 400


def all_calls(path: str) -> dict[str, float]:
    """Return all counts in this process; `path` is a file to write."""
    catalog = load_catalog()
    return {"paste": paste(catalog), **scans(catalog, path), "line through the pipe": pipe_line(catalog)}
