"""What the last records of a log show of its last run: what may have ended it, and what its program caught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from logsense.incident.caught import Caught, caught_in
from logsense.incident.judge import features
from logsense.incident.ledger import Entry, ledger
from logsense.incident.signs import Signs
from logsense.model.live import Ended
from logsense.model.reading import Incident, Reading, SourceEnd
from logsense.runs.attempts import last_begin
from logsense.runs.failures import unclaimed
from logsense.util.noun import NamedTuple

SUMMARY = 3  # the last records, in which a program sums up what it did


class Run(NamedTuple):
    """The last run in a log: its ledger, what it caught, the features of its end, and whether all its items failed."""

    reading: Reading
    entries: Sequence[Entry]
    caught: Caught
    features: Mapping[str, float]
    all_failed: bool

    @property
    def end(self) -> SourceEnd:
        """The last records of the log, and its progress."""
        return self.reading.end or SourceEnd()

    def places(self, offsets: frozenset[int]) -> set[tuple[str, int]]:
        """Return the places of the records at `offsets`."""
        return {(self.reading.source, offset) for offset in offsets}


def last_run(reading: Reading, signs: Signs) -> Run:
    """Return what the last records of a log show of its last run."""
    begin, end = last_begin(reading), reading.end or SourceEnd()
    findings = signs.without_quotes(unclaimed([one for one in reading.findings if one.offset >= begin]))
    reports = [one for one in end.progress if one.offset >= begin]
    entries = ledger([one for one in end.records if one.offset >= begin], findings, reports, signs)
    caught = caught_in(entries, findings, signs)
    harmless = caught.exceptions | caught.lines
    kinds = {**dict.fromkeys(harmless, "caught"), **dict.fromkeys(caught.final, "uncaught")}
    entries = [one._replace(kind=kinds.get(one.record.offset, one.kind)) for one in entries]
    values = features(entries, reports, signs, cut=not reading.tail.text.endswith(b"\n"))
    return Run(reading, entries, caught, values, _all_failed(entries, signs))


def _all_failed(entries: Sequence[Entry], signs: Signs) -> bool:
    """Return whether one of the last lines, which is like none before, counts failed items only."""
    said = [one for one in entries if one.kind != "aside"]
    before = {one.shape for one in said[:-SUMMARY]}
    return any(signs.all_failed(line) for one in said[-SUMMARY:] if one.shape not in before for line in _first(one))


def _first(entry: Entry) -> list[str]:
    return entry.record.text.split("\n")[:SUMMARY]


def without_caught(incident: Incident, runs: Sequence[Run], ended: Ended | None) -> Incident:
    """Return `incident` without the failures that the programs of its `runs` caught, unless every item failed.

    The failed cells of a notebook count, and so does everything if the process failed.
    """
    if (ended and ended.failed) or any(run.reading.parts for run in runs):
        return incident
    every = {place for run in runs for place in run.places(run.caught.exceptions)}
    lines = {place for run in runs for place in run.places(run.caught.lines)}
    blamed = {place for run in runs for place in run.places(run.caught.blamed)}
    rest = [one for one in incident.failing if one.record.key not in every]
    others = [one for one in rest if one.record.key not in lines]
    if any(one.signature.kind == "failure" for one in others):
        lines = set()  # among lines that the program survives, only these say what it fails of
    else:
        rest = others
    first = min((one.offset for one in incident.failing if one.record.key in every | lines), default=None)
    if first is not None and all(one.signature.kind == "consequence" and one.offset > first for one in rest):
        rest = []
    if not rest:
        failed = [one for one in (*incident.failing, *incident.survived) if one.record.key in blamed]
        rest = sorted(failed, key=incident.order)
    if rest == [*incident.failing]:
        return incident
    survived = [one for one in (*incident.survived, *incident.failing) if one not in rest]
    tally = max((run.caught.tally for run in runs), key=lambda one: one.failed)
    outcome = "failed" if rest else "unknown" if incident.outcome == "failed" else incident.outcome
    return incident._replace(outcome=outcome, failing=tuple(rest), survived=tuple(survived), tally=tally)
