"""What is passed on of a failed run: the answer, the log around the lines that prove it, and where it ran."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.model.report import Report
from logsense.util.noun import NamedTuple


class Excerpt(NamedTuple):
    """Some lines of a log. `first_line` is the number of the first, `marked` are the numbers of those that matter."""

    source: str
    first_line: int
    text: str
    marked: tuple[int, ...] = ()


class Bundle(NamedTuple):
    """All of it. `job` says what was run and how it ended, `setup` what it ran on, each by a name for people."""

    report: Report
    excerpts: tuple[Excerpt, ...] = ()
    job: Mapping[str, str] = MappingProxyType({})
    setup: Mapping[str, str] = MappingProxyType({})
