"""The wording that all renderers of a report share."""

from __future__ import annotations

from collections.abc import Iterable

from logsense.model.reading import Coverage
from logsense.model.report import REPORTS_STATUS, Attempt, Mask, Progress, Report, Rerun, Saved
from logsense.model.rule import GRAVE
from logsense.model.values import show_seconds
from logsense.render.clean import one_line
from logsense.util.frame_files import is_own
from logsense.util.regexes import Lazy

MOST_CELLS = 3  # other failed cells of a notebook that are named
_NAMES = Lazy(r"\d|[a-z][A-Z]|_|\w\.\w|/\w")  # what is in a number, a path, or a name of a program
MOST_PLACED = 68  # characters of a headline that has its certainty beside it
_NAMES_RANK = Lazy(r"\b(?:[Rr]anks?|[Tt]asks?) \d")
# What IPython calls the code of a cell in a traceback.
_CELL_FILE = Lazy(r"<ipython-input-(\d+)-|[/\\]ipykernel_\d+[/\\]\d+\.py$")
# The cell in the name of a notebook's source, as unwrap/notebook.py writes it.
_CELL = Lazy(r"(?<=\S) (cell (?:\[-?\d+\](?: \(\d+ of \d+\))?|\d+ of \d+))$")


_RISKS = {
    "none": "",
    "restart": "needs a restart",
    "changes-training": "changes the training",
    "needs-admin": "needs an administrator",
    "data-loss": "may lose data",
    "stops-others": "stops other people's jobs",
    "reboots": "reboots the machine",
}

LEAST_S = 1.0  # shorter times after the start are left out
UNKNOWN_FAILURE = "This failure is new to logsense"
OTHER_STREAM = "Look for the message in the job's other file (standard error or output) and in other ranks' logs."
WITHOUT_REASON = "The run failed, and the log doesn't say why"

HARMLESS = "Harmless, though it looks alarming"
WITHOUT_GPU = "Running without the GPU"
FEW_LINES, MOST_HARMLESS = 60, 5  # whoever pastes this few lines asks about them

NEW = "New since the good run"
NOTHING_NEW = "Nothing new since the good run"
_VERDICTS = {"fix-first": "after the fix", "retry": "worth trying", "other-node": "on another machine"}


def sure_in_words(confidence: float) -> str:
    """Return how sure a diagnosis is: "87 % sure"."""
    return f"{percent_in_words(confidence)} sure"


def percent_in_words(confidence: float) -> str:
    """Return a probability in percent: "87 %". Only certainty is 100 %."""
    return f"{min(round(100 * confidence), 99) if confidence < 1 else 100} %"


def unknown_in_words(report: Report) -> str:
    """Return the headline of a failure without a known cause, which may be an exit status only."""
    return WITHOUT_REASON if is_bare(report) else UNKNOWN_FAILURE


def is_bare(report: Report) -> bool:
    """Return whether all that is known of a failure is a status."""
    lines = report.unexplained
    return not report.diagnoses and bool(lines) and all(one.says == REPORTS_STATUS for one in lines)


def headline_in_words(report: Report) -> str:
    """Return what failed, with the ranks at fault: "Rank 1: data/shard-00006.pt does not exist".

    If all evidence comes from other ranks, the title is about those: "Look at rank 0: recv timed out after 6 s".
    A title without a number or a name gets the place: "The operands have incompatible shapes (train.py:12)".
    """
    first = report.diagnoses[0]
    title = one_line(first.title).rstrip(".")
    if not _NAMES.search(title) and (place := _own_place(report)) and len(title) + len(place) + 3 <= MOST_PLACED:
        title = f"{title} ({place})"
    ranks = [one.rank for one in report.culprits if one.rank is not None]
    if not ranks or _NAMES_RANK.search(title):
        return title
    witnesses = {proof.rank for proof in first.evidence if proof.rank is not None}
    if witnesses and witnesses.isdisjoint(ranks):
        return f"Look at {ranks_in_words(ranks)}: {title}"
    return f"{ranks_in_words(ranks).capitalize()}: {title}"


def frame_of(report: Report, prefix: str) -> tuple[str, str]:
    """Return file and line, and the code, of a frame: that of "exception.", or the program's own; "" if unknown."""
    stated = [report.facts.get(prefix + part) for part in ("file", "line", "code")]
    file, line, code = [one_line(str(one.value)) if one else "" for one in stated]
    if not file or not line:
        return "", ""
    if cell := _CELL_FILE.search(file):
        return f"cell{f' [{cell[1]}]' if cell[1] else ''}, line {line}", code
    return f"{file.replace(chr(92), '/').rpartition('/')[2]}:{line}", code


def _own_place(report: Report) -> str:
    """Return the line of the user's program that failed, or else the step: "train.py:12", "step 1,628"."""
    raised = report.facts.get("exception.file")
    own = frame_of(report, "exception." if raised and is_own(str(raised.value)) else "exception.own_")[0]
    step = report.progress.step if report.progress else None
    return own or (f"step {step:,}" if step is not None else "")


def place_in_words(source: str | None, line: int | None, rank: int | None, host: str | None) -> str:
    """Return a place in a log: "train.log:1204 · rank 3 · node7"."""
    at = f"{one_line(source)}:{line}" if source and line is not None else one_line(source or "")
    parts = [at, f"rank {rank}" if rank is not None else "", one_line(host or "")]
    return " · ".join(part for part in parts if part)


def risk_in_words(risk: str) -> str:
    """Return the risk of a fix in words; empty for none."""
    return ", ".join(filter(None, (_RISKS.get(word, word) for word in risk.split(","))))


def is_grave(risk: str) -> bool:
    """Return whether a fix risks data or other people's work. Such a fix gets no button."""
    return not GRAVE.isdisjoint(risk.split(","))


def rerun_in_words(rerun: Rerun) -> str:
    """Return whether to run again, excluding which machines, and why."""
    answer = _verdict(rerun)
    answer = answer[:1].upper() + answer[1:]
    why = rerun.why.strip().rstrip(".")
    return f"{answer}. {why}." if why else answer


def status_in_words(report: Report, title: str = "") -> str:
    """Return how far the run got, how its process ended, and whether to run it again, on one line.

    A step that the `title` names is left out.
    """
    parts = _progress_parts(report.progress) if report.progress else []
    if parts[1:] and report.progress and report.progress.says:
        del parts[0]  # a step says enough
    parts = [one for one in parts if not (one.startswith("step ") and (f"{one})" in title or f"{one}:" in title))]
    if report.progress and report.progress.checkpoint:
        saved = report.progress.checkpoint
        known = saved.step is not None or saved.epoch is not None
        parts.append(checkpoint_in_words(saved._replace(path=None) if known else saved))
    if report.machine and report.machine.ended:
        parts.append(f"ended {report.machine.ended}")
    if report.rerun:
        parts.append(f"run again: {_verdict(report.rerun)}")
    return " · ".join(parts)


def _verdict(rerun: Rerun) -> str:
    verdict = _VERDICTS.get(rerun.verdict, rerun.verdict)
    return f"{verdict}, without {', '.join(rerun.exclude)}" if rerun.exclude else verdict


def _progress_parts(progress: Progress) -> list[str]:
    parts = [progress.says] if progress.says else []
    if progress.epoch is not None:
        parts.append(f"epoch {_number(progress.epoch)}" + (f" of {progress.epochs}" if progress.epochs else ""))
    if progress.step is not None:
        parts.append(f"step {progress.step:,}" + (f" of {progress.steps:,}" if progress.steps else ""))
    if progress.after_s and progress.after_s >= LEAST_S:
        parts.append(f"{show_seconds(progress.after_s)} after the start")
    return parts


def checkpoint_in_words(saved: Saved) -> str:
    """Return the last checkpoint: "last checkpoint: step 4,000, /ckpt/4000"."""
    when = f"step {saved.step:,}" if saved.step is not None else ""
    when = when or (f"epoch {_number(saved.epoch)}" if saved.epoch is not None else "")
    return "last checkpoint: " + ", ".join(part for part in (when, saved.path or "") if part)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"


def ranks_in_words(ranks: Iterable[int]) -> str:
    """Return ranks with consecutive ones as ranges: "ranks 0–2, 5"."""
    numbers = sorted(set(ranks))
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    texts = [str(low) if low == high else f"{low}{'–' if high - low > 1 else ', '}{high}" for low, high in runs]
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(texts)}"


def logs_in_words(logs: Coverage) -> str:
    """Return which logs are missing, empty or cut: "5 of 8 ranks have logs; missing: ranks 2, 3, 6"."""
    parts = [f"{logs.ranks - len(logs.missing):,} of {logs.ranks:,} ranks have logs"]
    kinds = (("missing", logs.missing), ("empty", logs.empty), ("cut off early", logs.cut))
    return "; ".join([*parts, *(f"{kind}: {ranks_in_words(ranks)}" for kind, ranks in kinds if ranks)])


def masks_in_words(masks: Iterable[Mask]) -> str:
    """Return the masks and what each replaces: "<host-1> (the name of a machine, 3 ×)"."""
    return ", ".join(f"{one.mask} ({one.says}, {one.seen} ×)" for one in masks)


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
        at = ", ".join(_progress_parts(report.progress._replace(says=""))) if report.progress else ""
        going = f"; the run was still going{at and f' at {at}'}" if report.outcome == "running" else ""
        return f"{ended}; no failure found" if ended else f"No failure found{going}"
    going = "The run was still going" if report.outcome == "running" else "No failure found at the end"
    return f"{ended or going}, but this failed earlier: {_failures(report)}"


def stop_in_words(report: Report) -> tuple[str, ...]:
    """Return what is known of the end of a log that just stops, and where to look for more."""
    if report.outcome != "running":
        return ()
    known = (("log.last_time", "the last time in the log is {}"), ("log.pace", "a step took {}"))
    shown = [text.format(fact.shown or fact.value) for name, text in known if (fact := report.facts.get(name))]
    return (*([", ".join(shown)] if shown else ()), *STOPS_CHECKS)


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
    found = _CELL.search(attempt.culprits[0].source) if attempt.culprits else None
    return f" ({found[1]})" if found else ""


def file_and_line(source: str, line: int) -> tuple[str, int]:
    """Return a file and line that other programs can open: for a notebook's cell, the notebook and line 1."""
    found = _CELL.search(source)
    return (source[: found.start()], 1) if found else (source, line)


def _failures(report: Report) -> str:
    """Return the other failures with their lines: "KeyError in line 12 of prepare.py (line 40)"."""
    return "; ".join(
        one.title.strip().rstrip(".") + (f" ({_line(report, one)})" if one.culprits else "") for one in report.attempts
    )


def _line(report: Report, attempt: Attempt) -> str:
    """Return the place of an attempt: "line 12", with the cell, or with the log if there are several."""
    place = attempt.culprits[0]
    cell = _CELL.search(place.source)
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


def chain_in_words(report: Report) -> list[tuple[str, str]]:
    """Return the consequences of the failure as (ranks, message) pairs, one for messages in a row of the same ranks."""
    links: list[tuple[tuple[int, ...], str, int]] = []
    for one in report.consequences:
        if links and links[-1][0] == one.ranks:
            links[-1] = (links[-1][0], links[-1][1], links[-1][2] + 1)
        else:
            links.append((one.ranks, one.says.strip().rstrip("."), 0))
    return [
        (ranks_in_words(ranks) if ranks else "", says + (f", and {more} more message{'s'[: more > 1]}" if more else ""))
        for ranks, says, more in links
    ]


def inputs_in_words(report: Report) -> str:
    """Return how much was read: "1,204 lines of train.log"."""
    lines = f"{report.lines_read:,} line{'' if report.lines_read == 1 else 's'}"
    if not report.inputs:
        return f"{lines} read"
    names = report.inputs[0] if len(report.inputs) == 1 else f"{len(report.inputs)} inputs"
    return f"{lines} of {names}"
