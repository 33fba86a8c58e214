"""When no known message explains a failure: the lines that matter, and the known messages nearest to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from logsense.advise.proof import LONGEST_LINE
from logsense.incident.alarms import FATAL, LAST, alarm, harmless_records, is_bare, last_error
from logsense.incident.signs import STATUS, Signs
from logsense.match.resembles import resembling
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident
from logsense.model.record import TRACEBACK, Record
from logsense.model.report import BREAKS_OFF, REPORTS_STATUS, Evidence, NearMiss

_LATEST_RECORDS = 200
_SHOWN = 6
_NEAR_SHOWN = 3
_AT_END = "one of the last lines"  # shown of a log in which no line looks like an error


def unexplained(incident: Incident, signs: Signs) -> tuple[Evidence, ...]:
    """Return the lines that matter of a run that failed for no known reason."""
    return tuple(_lines(incident, signs) or _last_lines(incident))


def _last_lines(incident: Incident) -> list[Evidence]:
    """Return the last lines of each log, which a program that failed may have ended with."""
    last = [[one for one in ending.records if one.text.strip()][-LAST:] for ending in incident.ends]
    lines = [_line(_AT_END, one, one.text_at(len(one.text)), one.lines[-1]) for one in chain(*last)]
    return lines[-_SHOWN:]


def near_misses(lines: Sequence[Evidence], incident: Incident, catalog: Catalog) -> tuple[NearMiss, ...]:
    """Return the known messages nearest to `lines`, except those that were found."""
    texts = [line.text or "" for line in lines if line.says not in (_AT_END, REPORTS_STATUS)]
    found = {finding.signature.id for finding in incident.failing}
    near = [(one, score) for one, score in (resembling(texts, catalog) if texts else ()) if one.id not in found]
    return tuple(NearMiss(one.id, one.title, round(1 - score / 100, 2)) for one, score in near[:_NEAR_SHOWN])


def _lines(incident: Incident, signs: Signs) -> list[Evidence]:
    """Return the lines of `incident` that say or seem to say what failed, each once."""
    first: dict[tuple[str, str], Finding] = {}  # a line that is repeated is shown once
    for finding in incident.failing:
        first.setdefault((finding.signature.id, finding.text.strip()), finding)
    shown: list[Evidence] = []
    for finding in [*first.values()][:_SHOWN]:
        line = _line_of_finding(finding, signs)
        if all((line.text, line.line) != (other.text, other.line) for other in shown):
            shown.append(line)
    harmless = harmless_records(incident, signs)
    for ending in incident.ends:
        latest = [r for r in ending.records[-_LATEST_RECORDS:] if r.key not in harmless]
        latest = [r for r in latest if not any(one.covers(r) and one.offset < r.offset for one in incident.failing)]
        alarming = [r for r in latest if r.raised or alarm(r, signs) is not None or r.prefix.level in FATAL]
        alarming = alarming or [r for r in last_error(ending, signs) if r in latest]
        for record in [*alarming[:2], *alarming[-2:]]:
            line = _line_of(record, signs)
            if all(line.text != other.text for other in shown):
                shown.append(line)
    return shown[:_SHOWN]


def _line_of_finding(finding: Finding, signs: Signs) -> Evidence:
    raised = finding.record.raised
    if raised and (not raised.type or TRACEBACK in finding.text):  # only the header would be shown
        return _line_of(finding.record, signs)
    says = REPORTS_STATUS if signs.act(finding.signature.id) == STATUS else finding.signature.title
    return _line(says, finding.record, finding.text, finding.line)


def _line_of(record: Record, signs: Signs) -> Evidence:
    if record.raised and not record.raised.type:
        lines = [pair for pair in zip(record.lines, record.text.split("\n"), strict=False) if pair[1].strip("^~ ")]
        return _line(BREAKS_OFF, record, lines[-1][1], lines[-1][0])
    if record.raised:
        text = f"{record.raised.type}: {record.raised.message}".split("\n")[0]
        return _line("the exception that was raised last", record, text, record.lines[-1])
    at = alarm(record, signs) or 0
    text = record.text_at(at)
    says = REPORTS_STATUS if is_bare(text, signs) else "looks like an error"
    return _line(says, record, text, record.line_at(at))


def _line(says: str, record: Record, text: str, line: int) -> Evidence:
    prefix = record.prefix
    return Evidence(says, *record.place(line), text.strip()[:LONGEST_LINE], prefix.rank, prefix.host, prefix.time)
