"""What to share about a failed run: the report, the log around the evidence, and where it ran."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from logsense.model.report import Report
from logsense.util.noun import NamedTuple


class Excerpt(NamedTuple):
    """Lines of a log from number `first_line` on; `marked` are the numbers of the relevant ones."""

    source: str
    first_line: int
    text: str
    marked: tuple[int, ...] = ()


class Bundle(NamedTuple):
    """Report, excerpts, what was run and how it ended (`job`), and what it ran on (`setup`), each under a readable
    label."""

    report: Report
    excerpts: tuple[Excerpt, ...] = ()
    job: Mapping[str, str] = MappingProxyType({})
    setup: Mapping[str, str] = MappingProxyType({})
