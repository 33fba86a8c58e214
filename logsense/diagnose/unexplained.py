"""When nothing known explains a failure: the lines that matter, and the known messages that they resemble."""

from __future__ import annotations

import re

from logsense.model.report import Evidence, NearMiss, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.catalog import Catalog
    from logsense.model.record import Record
    from logsense.model.scan import Incident

# Words that failures of any program are told in.
_ALARM = re.compile(
    r"(?i)(?<![\w-])(?:error|fatal|failed|failure|exception|abort(?:ed)?|panic|killed|cannot|could not|unable to|"
    r"denied|"
    r"refused|not found|timed? ?out|assert(?:ion)?|invalid|unsupported|corrupt(?:ed)?|crash(?:ed)?)(?![\w-])"
)
_LATEST_RECORDS = 200
_SHOWN = 6
_CUTOFF = 66.0
_NEAR_SHOWN = 3


def explain_unknown(report: Report, incident: Incident, catalog: Catalog) -> Report:
    """`report` with the lines that matter and near misses, where it failed and no diagnosis was found."""
    if report.diagnoses or report.outcome == "completed":
        return report
    lines = _lines(incident)
    if not lines:
        return report
    outcome = "failed" if report.outcome == "failed" or _ends_in_alarm(incident) else report.outcome
    if outcome != "failed":
        return report
    return report._replace(outcome=outcome, unexplained=tuple(lines), near=tuple(near_misses(lines, catalog)))


def _lines(incident: Incident) -> list[Evidence]:
    shown = [_line(f.signature.title, f.record, f.text, f.line) for f in incident.failing[:_SHOWN]]
    for ending in incident.endings:
        alarming = [r for r in ending.records[-_LATEST_RECORDS:] if r.raised or _ALARM.search(r.text[:2000])]
        for record in [*alarming[:2], *alarming[-2:]]:
            line = _line_of(record)
            if line not in shown:
                shown.append(line)
    return shown[:_SHOWN]


def _line_of(record: Record) -> Evidence:
    if record.raised:
        text = f"{record.raised.type}: {record.raised.message}".split("\n")[0]
        return _line("the exception that was raised last", record, text, record.lines[-1])
    found = _ALARM.search(record.text[:2000])
    at = found.start() if found else 0
    return _line("sounds like a failure", record, record.text_at(at), record.line_at(at))


def _line(says: str, record: Record, text: str, line: int) -> Evidence:
    prefix = record.prefix
    return Evidence(says, record.source, line, text.strip()[:2000], prefix.rank, prefix.host, prefix.time)


def _ends_in_alarm(incident: Incident) -> bool:
    known = {finding.offset for finding in (*incident.noise, *incident.survived)}
    for ending in incident.endings:
        last = [record for record in ending.records if record.text.strip()][-3:]
        if any(r.raised or (_ALARM.search(r.text[:2000]) and r.offset not in known) for r in last):
            return True
    return False


def near_misses(lines: list[Evidence], catalog: Catalog) -> list[NearMiss]:
    """The known failure messages nearest to `lines`, by the share of characters that differ, nearest first."""
    from rapidfuzz import fuzz, process

    wanted: dict[int, str] = {}
    for literal in catalog.literals:
        for index in literal.signatures:
            if len(literal.text) >= 12 and len(literal.text) > len(wanted.get(index, "")):
                wanted[index] = literal.text
    best: dict[int, float] = {}
    for line in lines:
        text = (line.text or "")[:400]
        for _, score, index in process.extract(text, wanted, scorer=fuzz.partial_ratio, score_cutoff=_CUTOFF, limit=8):
            if len(text) >= len(wanted[index]) * 0.6:
                best[index] = max(best.get(index, 0.0), score)
    nearest = sorted(best, key=lambda index: -best[index])
    found = [(catalog.signature(index), 1 - best[index] / 100) for index in nearest]
    failing = [(s, d) for s, d in found if s.kind in ("failure", "consequence", "hint")]
    return [NearMiss(s.id, s.title, round(d, 2)) for s, d in failing[:_NEAR_SHOWN]]
