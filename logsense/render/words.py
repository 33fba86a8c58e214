"""The wording that all renderers of a report share."""

from __future__ import annotations

from collections.abc import Iterable
from time import gmtime, strftime

from logsense.model.reading import Coverage
from logsense.model.report import BREAKS_OFF, REPORTS_STATUS, FactValue, Mask, Progress, Report, Rerun, Saved
from logsense.model.rule import GRAVE
from logsense.model.values import show_seconds
from logsense.render.clean import one_line
from logsense.util.frame_files import is_own
from logsense.util.regexes import Lazy

_NAMES = Lazy(r"\d|[a-z][A-Z]|_|\w\.\w|/\w")  # what is in a number, a path, or a name of a program
MOST_PLACED = 68  # characters of a headline that has its certainty beside it
_NAMES_RANK = Lazy(r"\b(?:[Rr]anks?|[Tt]asks?) \d")
# What IPython calls the code of a cell in a traceback.
_CELL_FILE = Lazy(r"<ipython-input-(\d+)-|[/\\]ipykernel_\d+[/\\]\d+\.py$")
# The cell in the name of a notebook's source, as unwrap/notebook.py writes it.
CELL = Lazy(r"(?<=\S) (cell (?:\[-?\d+\](?: \(\d+ of \d+\))?|\d+ of \d+))$")


_GLOG_TIME = Lazy(r"(\d\d)(\d\d) (\d\d:\d\d)")  # month and day together
_EPOCH_TIME = Lazy(r":(\d{10})\b")  # of absl before it knows the time zone

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
CUT_OFF = "The traceback breaks off before the line that names the error"
OTHER_STREAM = "Look for the message in the job's other file (standard error or output) and in other ranks' logs."
WITHOUT_REASON = "The run failed, and the log doesn't say why"

HARMLESS = "Harmless, though it looks alarming"
WITHOUT_GPU = "Running without the GPU"
FEW_LINES, MOST_HARMLESS = 60, 5  # whoever pastes this few lines asks about them

NEW = "New since the good run"
NOTHING_NEW = "Nothing new since the good run"
NOTHING_MORE = "Nothing else is new since the good run"
_VERDICTS = {"fix-first": "after the fix", "retry": "worth trying", "other-node": "on another machine"}


def sure_in_words(confidence: float) -> str:
    """Return how sure a diagnosis is: "87 % sure"."""
    return f"{percent_in_words(confidence)} sure"


def percent_in_words(confidence: float) -> str:
    """Return a probability in percent: "87 %". Only certainty is 100 %."""
    return f"{min(round(100 * confidence), 99) if confidence < 1 else 100} %"


def unknown_in_words(report: Report) -> str:
    """Return the headline of a failure without a known cause: a bare status, a cut traceback, or unknown."""
    if report.unexplained and all(one.says == BREAKS_OFF for one in report.unexplained):
        return CUT_OFF
    return WITHOUT_REASON if is_bare(report) else UNKNOWN_FAILURE


def is_bare(report: Report) -> bool:
    """Return whether all that is known of a failure is a status, or a traceback without its end."""
    lines = report.unexplained
    return not report.diagnoses and bool(lines) and all(one.says in (REPORTS_STATUS, BREAKS_OFF) for one in lines)


def headline_in_words(report: Report) -> str:
    """Return what failed, with the ranks at fault: "Rank 1: data/shard-00006.pt does not exist".

    If all evidence comes from other ranks, or they waited, the title is about those: "Look at rank 0: recv timed out".
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
    awaited, ended = report.facts.get("log.awaited_ranks"), report.facts.get("process.rank")
    known = {row.rank for row in report.ranks if any(mark.kind == "failure" for mark in row.marks)}
    known |= {ended.value} if ended and isinstance(ended.value, int) else set()
    waited = awaited and awaited.value == ", ".join(map(str, ranks)) and known.isdisjoint(ranks)
    if waited or (witnesses and witnesses.isdisjoint(ranks)):
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


def time_in_words(time: str) -> str:
    """Return a printed time to the minute: "2026-11-21 02:46"."""
    if epoch := _EPOCH_TIME.search(time):
        return strftime("%Y-%m-%d %H:%M UTC", gmtime(int(epoch[1])))
    glog = _GLOG_TIME.match(time)
    return f"{glog[1]}-{glog[2]} {glog[3]}" if glog else one_line(time)[:16].replace("T", " ")


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
    parts = progress_parts(report.progress) if report.progress else []
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


def progress_parts(progress: Progress) -> list[str]:
    """Return how far a run came: ["epoch 3", "step 450 of 1,000"]."""
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


def file_and_line(source: str, line: int) -> tuple[str, int]:
    """Return a file and line that other programs can open: for a notebook's cell, the notebook and line 1."""
    found = CELL.search(source)
    return (source[: found.start()], 1) if found else (source, line)


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


def facts_to_show(report: Report) -> dict[str, FactValue]:
    """Return the facts for a reader: without those of the whole log that say no or 0, as nothing was found."""
    return {name: fact for name, fact in report.facts.items() if fact.value or not name.startswith("log.")}
