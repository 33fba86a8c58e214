"""The wording of a run that did not fail, and of what else failed in the log: attempts, cells, programs."""

from __future__ import annotations

from logsense.model.report import Attempt, FactValue, Report
from logsense.render.words import CELL, progress_parts, ranks_in_words, time_in_words

MOST_CELLS = 3  # other failed cells of a notebook that are named
# Labels of `attempts_in_words`, by kind.
ATTEMPTS = {"attempt": "Attempts", "cell": "Attempts", "failure": "Earlier", "program": "Also"}
EMPTY = "The log is empty: nothing was written to it"
EMPTY_CHECKS = (
    "Not started, or ended at once? Look at the job's status in the scheduler.",
    "The wrong file? Standard error or another rank may have its own.",
    "Still in a buffer? Start Python with `python -u`.",
)
STOPS_CHECKS = (
    "if the job still runs, its next line is due; py-spy dump --pid PID shows what it does",
    "if it ended, it was killed without a line of its own; its state in the scheduler says more: sacct -j JOB",
    "a kill or a lost GPU is in the kernel's log: dmesg -T | grep -iE 'killed process|xid'",
)
ENDED = {"completed": "The run completed", "stopped": "The run was asked to stop"}


def ended_in_words(report: Report) -> str:
    """Return the outcome of a run that did not fail, with earlier failures; of an empty log, that it is empty."""
    if report.empty:
        return EMPTY
    ended = ENDED.get(report.outcome, "")
    if not report.attempts:
        at = ", ".join(progress_parts(report.progress._replace(says=""))) if report.progress else ""
        going = f"; the run was still going{at and f' at {at}'}" if report.outcome == "running" else ""
        return f"{ended}; no failure found" if ended else f"No failure found{going}"
    going = "The run was still going" if report.outcome == "running" else "No failure found at the end"
    return f"{ended or going}, but this failed earlier: {_failures(report)}"


def stop_in_words(report: Report) -> tuple[str, ...]:
    """Return what is known of the end of a log that just stops, and where to look for more."""
    if report.outcome != "running":
        return ()
    known = (("log.last_time", "the last time in the log is {}"), ("log.pace", "a step took {}"))
    shown = [text.format(_shown(name, fact)) for name, text in known if (fact := report.facts.get(name))]
    return (*([", ".join(shown)] if shown else ()), *STOPS_CHECKS)


def _shown(name: str, fact: FactValue) -> str:
    value = fact.shown or str(fact.value)
    return time_in_words(value) if name == "log.last_time" else value


def attempts_in_words(report: Report) -> str:
    """Return why other attempts, cells or programs failed: "2 other attempts failed in the same way, always rank 3"."""
    if not report.attempts:
        return ""
    causes: dict[str, int] = {}
    titles: dict[str, str] = {}
    for one in report.attempts:
        causes[one.cause] = causes.get(one.cause, 0) + 1
        titles[one.cause] = one.title.strip().rstrip(".")
    count = len(report.attempts)
    if report.attempts[0].what == "failure":
        return f"this also failed, but the run continued: {_failures(report)}"
    if report.attempts[0].what == "program":
        others = f"{count} other programs" if count > 1 else "another program"
        return f"{others} in this log also failed: {_failures(report)}"
    if report.attempts[0].what == "cell":
        last = [f"{one.title.strip().rstrip('.')}{_cell(one)}" for one in report.attempts[-MOST_CELLS:]]
        return f"{count} other cell{'s'[: count > 1]} failed, {'the last' if count > MOST_CELLS else 'earlier'}: " + (
            "; ".join(last)
        )
    least = "at least " if report.attempts[0].more else ""
    text = f"{least}{count} other {report.attempts[0].what}{'s'[: count > 1]} failed"
    first = report.diagnoses[0].cause if report.diagnoses else ""
    if list(causes) == [first]:
        text += " in the same way"
    else:
        text += ": " + "; ".join(titles[one] + (f" ({times} ×)" if times > 1 else "") for one, times in causes.items())
    return text + _always(report)


def _cell(attempt: Attempt) -> str:
    """Return the cell of an attempt: " (cell [12])"; empty if unknown."""
    found = CELL.search(attempt.culprits[0].source) if attempt.culprits else None
    return f" ({found[1]})" if found else ""


def _failures(report: Report) -> str:
    """Return the other failures with their lines: "KeyError in line 12 of prepare.py (line 40)"."""
    return "; ".join(
        one.title.strip().rstrip(".") + (f" ({_line(report, one)})" if one.culprits else "") for one in report.attempts
    )


def _line(report: Report, attempt: Attempt) -> str:
    """Return the place of an attempt: "line 12", with the cell, or with the log if there are several."""
    place = attempt.culprits[0]
    cell = CELL.search(place.source)
    where = cell[1] if cell else place.source if len(report.inputs) > 1 else ""
    return f"{where}, line {place.line:,}" if where else f"line {place.line:,}"


def _always(report: Report) -> str:
    """Return the rank and the machine that all attempts failed on, if there is just one: ", always rank 3"."""
    everyone = [report.culprits, *(one.culprits for one in report.attempts)]
    ranks = {tuple(who.rank for who in culprits) for culprits in everyone}
    hosts = {tuple(who.host for who in culprits) for culprits in everyone}
    parts = []
    if len(ranks) == 1 and (known := [rank for rank in ranks.pop() if rank is not None]):
        parts.append(ranks_in_words(known))
    if len(hosts) == 1 and (names := sorted({host for host in hosts.pop() if host})):
        parts.append("on " + ", ".join(names))
    return f", always {' '.join(parts)}" if parts else ""
