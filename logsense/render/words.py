"""The few words that all written forms of a report share."""

from __future__ import annotations

from logsense.model.rule import GRAVE
from logsense.model.values import show_seconds
from logsense.render.clean import one_line
from logsense.util.regexes import Lazy

MOST_CELLS = 3  # of a notebook that failed too, with what they failed of
_NAMES_RANK = Lazy(r"\b(?:[Rr]anks?|[Tt]asks?) \d")
# The name of a notebook's cell behind that of the notebook, as unwrap/notebook.py gives it.
_CELL = Lazy(r"(?<=\S) (cell (?:\[-?\d+\](?: \(\d+ of \d+\))?|\d+ of \d+))$")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from logsense.model.report import Attempt, Coverage, Mask, Progress, Report, Rerun, Saved

_CERTAINTY = ((0.95, "almost certain"), (0.8, "very likely"), (0.6, "likely"), (0.35, "possible"), (0.0, "a guess"))
_RISKS = {
    "none": "",
    "restart": "needs a restart",
    "changes-training": "changes the training",
    "needs-admin": "needs an administrator",
    "data-loss": "may lose data",
    "stops-others": "stops other people's jobs",
    "reboots": "reboots the machine",
}

LEAST_S = 1.0  # what failed sooner after the first line is not told how soon

HARMLESS = "Harmless, though it looks alarming"
WITHOUT_GPU = "Goes on without the GPU"
FEW_LINES, MOST_HARMLESS = 60, 5  # who gives so few lines asks about them

# What was compared with a good run.
NEW = "New since the good run"
NOTHING_NEW = "Nothing is new since the good run"
_AGAIN = {"fix-first": "after the fix", "retry": "worth trying", "other-node": "on another machine"}
_ANSWERS = {"fix-first": "Not before a fix", "retry": "Worth trying", "other-node": "On another machine"}


def certainty(confidence: float) -> str:
    """A probability as words and percent: "very likely, 87 %". Only a certain one is called 100 %."""
    words = next(word for least, word in _CERTAINTY if confidence >= least)
    return f"{words}, {percent_in_words(confidence)}"


def percent_in_words(confidence: float) -> str:
    """A probability in percent, "87 %". Only a certain one is 100 %."""
    return f"{min(round(100 * confidence), 99) if confidence < 1 else 100} %"


def headline_in_words(report: Report) -> str:
    """What failed, with the ranks at fault: "Rank 1: data/shard-00006.pt does not exist".

    If only other ranks said anything, the title is about them: "The others waited 30 min; look at rank 0".
    """
    first = report.diagnoses[0]
    title = one_line(first.title).rstrip(".")
    ranks = [one.rank for one in report.culprits if one.rank is not None]
    if not ranks or _NAMES_RANK.search(title):
        return title
    said_by = {proof.rank for proof in first.evidence if proof.rank is not None}
    if said_by and said_by.isdisjoint(ranks):
        return f"{title}; look at {ranks_in_words(ranks)}"
    return f"{ranks_in_words(ranks).capitalize()}: {title}"


def place_in_words(source: str | None, line: int | None, rank: int | None, host: str | None) -> str:
    """A place in a log: "train.log:1204 · rank 3 · node7"."""
    at = f"{one_line(source)}:{line}" if source and line is not None else one_line(source or "")
    parts = [at, f"rank {rank}" if rank is not None else "", one_line(host or "")]
    return " · ".join(part for part in parts if part)


def risk_in_words(risk: str) -> str:
    """What a fix may cost; empty for none."""
    return ", ".join(filter(None, (_RISKS.get(word, word) for word in risk.split(","))))


def is_grave(risk: str) -> bool:
    """Whether a fix may cost somebody else's work, or data: no button runs or copies it."""
    return not GRAVE.isdisjoint(risk.split(","))


def rerun_in_words(rerun: Rerun) -> str:
    """Whether running again makes sense, and without which machines."""
    answer = _ANSWERS.get(rerun.verdict, rerun.verdict)
    if rerun.exclude:
        answer += f", without {', '.join(rerun.exclude)}"
    why = rerun.why.strip().rstrip(".")
    return f"{answer}. {why}." if why else answer


def status_in_words(report: Report) -> str:
    """How far the run had come, how its process ended, and whether to run it again, on one line."""
    parts = _progress_parts(report.progress) if report.progress else []
    if parts[1:] and report.progress and report.progress.says:
        del parts[0]  # a step says enough
    if report.progress and report.progress.checkpoint:
        saved = report.progress.checkpoint
        known = saved.step is not None or saved.epoch is not None
        parts.append(checkpoint_in_words(saved._replace(path=None) if known else saved))
    if report.machine and report.machine.ended:
        parts.append(f"ended {report.machine.ended}")
    if report.rerun:
        parts.append(f"run again: {_AGAIN.get(report.rerun.verdict, report.rerun.verdict)}")
        if report.rerun.exclude:
            parts[-1] += f", without {', '.join(report.rerun.exclude)}"
    return " · ".join(parts)


def run_progress_in_words(report: Report) -> str:
    """How far the run had come, and how its process ended, where that is known."""
    far = progress_in_words(report.progress) if report.progress else ""
    end = f"The process ended {report.machine.ended}." if report.machine and report.machine.ended else ""
    return " ".join(part for part in (far, end) if part)


def progress_in_words(progress: Progress) -> str:
    """How far the run had come: "During training, at step 4,120 of 10,000, 3 h 12 min after the start." """
    parts = _progress_parts(progress, "in ", "at ")
    sentences = [", ".join(parts)] if parts else []
    if progress.checkpoint:
        sentences.append(checkpoint_in_words(progress.checkpoint))
    return " ".join(f"{sentence[:1].upper()}{sentence[1:]}." for sentence in sentences)


def _progress_parts(progress: Progress, within: str = "", at: str = "") -> list[str]:
    parts = [progress.says] if progress.says else []
    if progress.epoch is not None:
        parts.append(f"{within}epoch {_number(progress.epoch)}" + (f" of {progress.epochs}" if progress.epochs else ""))
    if progress.step is not None:
        parts.append(f"{at}step {progress.step:,}" + (f" of {progress.steps:,}" if progress.steps else ""))
    if progress.after_s and progress.after_s >= LEAST_S:
        parts.append(f"{show_seconds(progress.after_s)} after the start")
    return parts


def checkpoint_in_words(saved: Saved) -> str:
    """Which checkpoint was saved last: "last checkpoint: step 4,000, /ckpt/4000"."""
    when = f"step {saved.step:,}" if saved.step is not None else ""
    when = when or (f"epoch {_number(saved.epoch)}" if saved.epoch is not None else "")
    return "last checkpoint: " + ", ".join(part for part in (when, saved.path or "") if part)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.2f}"


def ranks_in_words(ranks: Iterable[int]) -> str:
    """Ranks with runs of them drawn together: "ranks 0–2, 5"."""
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
    """What is missing of the logs: "the logs of 5 of 8 ranks are there; those of ranks 2, 3, 6 are missing"."""
    there = logs.ranks - len(logs.missing)
    parts = [f"the logs of {there:,} of {logs.ranks:,} ranks are there"]
    for ranks, one, many in (
        (logs.missing, "is missing", "are missing"),
        (logs.empty, "is empty", "are empty"),
        (logs.cut, "breaks off early", "break off early"),
    ):
        if ranks:
            parts.append(f"{'those' if ranks[1:] else 'that'} of {ranks_in_words(ranks)} {many if ranks[1:] else one}")
    return "; ".join(parts)


def masks_in_words(masks: Iterable[Mask]) -> str:
    """What was hidden, with what each mask stands for: "<host-1> (the name of a machine, 3 ×)"."""
    return ", ".join(f"{one.mask} ({one.says}, {one.seen} ×)" for one in masks)


# What stands before the words on attempts, by what they are.
ATTEMPTS = {"attempt": "Attempts", "cell": "Attempts", "failure": "Before it", "program": "Also"}


def ended_in_words(report: Report) -> str:
    """What became of a run that did not fail, with what had failed before."""
    ended = "The run ended well" if report.outcome == "completed" else ""
    if not report.attempts:
        return f"{ended}; no failure found" if ended else "No failure found"
    going = "The run was still going" if report.outcome == "running" else "No failure found at the end"
    return f"{ended or going}, but this failed before: {_failures(report)}"


def attempts_in_words(report: Report) -> str:
    """What the other attempts failed of: "2 other attempts failed in the same way, always rank 3".

    Cells of a notebook are told by what each of them failed of.
    """
    if not report.attempts:
        return ""
    causes: dict[str, int] = {}
    titles: dict[str, str] = {}
    for one in report.attempts:
        causes[one.cause] = causes.get(one.cause, 0) + 1
        titles[one.cause] = one.title.strip().rstrip(".")
    count = len(report.attempts)
    if report.attempts[0].what == "failure":
        return f"this failed too, and the log goes on: {_failures(report)}"
    if report.attempts[0].what == "program":
        others = f"{count} other programs" if count > 1 else "another program"
        return f"{others} in this log failed, too: {_failures(report)}"
    if report.attempts[0].what == "cell":
        last = [f"{one.title.strip().rstrip('.')}{_cell(one)}" for one in report.attempts[-MOST_CELLS:]]
        return f"{count} other cell{'s'[: count > 1]} failed, {'the last' if count > MOST_CELLS else 'earlier'}: " + (
            "; ".join(last)
        )
    said = f"{count} other {report.attempts[0].what}{'s'[: count > 1]} failed"
    first = report.diagnoses[0].cause if report.diagnoses else ""
    if list(causes) == [first]:
        said += " in the same way"
    else:
        said += ": " + "; ".join(titles[one] + (f" ({times} ×)" if times > 1 else "") for one, times in causes.items())
    return said + _always(report)


def _cell(attempt: Attempt) -> str:
    """Which cell that was: " (cell [12])"; empty where it is not known."""
    found = _CELL.search(attempt.culprits[0].source) if attempt.culprits else None
    return f" ({found[1]})" if found else ""


def to_open(source: str, line: int) -> tuple[str, int]:
    """The file and line for programs that open them: of a notebook's cell, the notebook."""
    found = _CELL.search(source)
    return (source[: found.start()], 1) if found else (source, line)


def _failures(report: Report) -> str:
    """What else failed, with the line: "KeyError in line 12 of prepare.py (line 40)"."""
    return "; ".join(
        one.title.strip().rstrip(".") + (f" ({_line(report, one)})" if one.culprits else "") for one in report.attempts
    )


def _line(report: Report, attempt: Attempt) -> str:
    """Where that was: "line 12", with the cell, or with the log where there are several."""
    place = attempt.culprits[0]
    cell = _CELL.search(place.source)
    where = cell[1] if cell else place.source if len(report.inputs) > 1 else ""
    return f"{where}, line {place.line:,}" if where else f"line {place.line:,}"


def _always(report: Report) -> str:
    """The one rank, and the one machine, that all attempts failed on, where there is one."""
    everyone = [report.culprits, *(one.culprits for one in report.attempts)]
    ranks = {tuple(who.rank for who in culprits) for culprits in everyone}
    hosts = {tuple(who.host for who in culprits) for culprits in everyone}
    parts = []
    if len(ranks) == 1 and (known := [rank for rank in ranks.pop() if rank is not None]):
        parts.append(ranks_in_words(known))
    if len(hosts) == 1 and (names := sorted({host for host in hosts.pop() if host})):
        parts.append("on " + ", ".join(names))
    return f", always {' '.join(parts)}" if parts else ""


def chain_in_words(report: Report, most: int = 0) -> list[tuple[str, str]]:
    """What followed from the failure, link by link: who, and what they printed; at most `most` links (0: all).

    Messages of the same ranks one after the other are one link.
    """
    links: list[tuple[tuple[int, ...], str, int]] = []
    for one in report.consequences:
        if links and links[-1][0] == one.ranks:
            links[-1] = (links[-1][0], links[-1][1], links[-1][2] + 1)
        else:
            links.append((one.ranks, one.says.strip().rstrip("."), 0))
    left = len(links) - most if most and len(links) > most + 1 else 0
    shown = links[:most] if left else links
    told = [
        (ranks_in_words(ranks) if ranks else "", says + (f", and {more} more message{'s'[: more > 1]}" if more else ""))
        for ranks, says, more in shown
    ]
    return [*told, ("", f"{left} more")] if left else told


def inputs_in_words(report: Report) -> str:
    """How much was read: "1,204 lines of train.log"."""
    lines = f"{report.lines_read:,} line{'' if report.lines_read == 1 else 's'}"
    if not report.inputs:
        return f"{lines} read"
    names = report.inputs[0] if len(report.inputs) == 1 else f"{len(report.inputs)} inputs"
    return f"{lines} of {names}"
