"""The answer on one screen: what happened, the line that proves it, the first two things to do."""

from __future__ import annotations

import re

from logsense.model.report import Check, Diagnosis, Evidence, Fix, RankRow, Report
from logsense.render.clean import one_line
from logsense.render.layout import Sheet, cut_end, width_of, wrap
from logsense.render.look import Look
from logsense.render.memory_bar import memory_bar
from logsense.render.plot import COLUMNS, shown_series, sparkline, summary
from logsense.render.rank_groups import rank_groups
from logsense.render.words import (
    ATTEMPTS,
    attempts_in_words,
    headline_in_words,
    logs_in_words,
    percent_in_words,
    place_in_words,
    ranks_in_words,
    risk_in_words,
    status_in_words,
)

INDENT = 2
COMMAND = 7  # columns in front of a command
MOST_FIXES = 2
MOST_OTHERS = 2
TEXT_LINES = 2  # of the explanation, and of what a fix says
COMMAND_LINES = 3
SCREEN_LINES, SCREEN_COLUMNS = 18, 80  # the second fix is left out if it does not end within these lines
MOST_GROUPS, MORE_LINES = 4, 4  # of ranks, and what the screen may grow by for them
PATH_COLUMNS = 40  # of a path in a sentence; the proof and commands have it in full
# Below SURE the check that decides comes first, below GUESS the answer is marked as a guess, and below ADVISED a fix
# would more often be wrong than right.
SURE, GUESS, ADVISED = 0.6, 0.5, 0.4
# Another cause is worth the reader's time when it is this probable, by itself and against the first.
CLOSE, CLOSE_SHARE = 0.12, 0.25

_PATH = re.compile(r"(?:/[\w.@+=~-]+){2,}")
_SENTENCE = re.compile(r"(?<=[.!?:;]) +(?=[A-Z`\"(])")


def put_first_screen(report: Report, sheet: Sheet, look: Look) -> None:
    """Put the first diagnosis of `report` on `sheet`, in about 18 lines of 80 columns."""
    first = report.diagnoses[0]
    put_headline(report, sheet)
    proof = _proof_of(first)
    if proof:
        _put_proof(report, proof, sheet)
    put_plots(report, sheet, look)
    room = SCREEN_LINES + _put_pictures(report, sheet, look)
    sheet.gap()
    _put_text(first.explanation, sheet)
    others = _close(report)
    if others:
        named = "; ".join(f"{one_line(one.title)} ({percent_in_words(one.confidence)})" for one in others[:MOST_OTHERS])
        sheet.prose([(f"It may also be: {named}", "dim")], indent=INDENT)
    sheet.gap()
    check = first.decide[:1] if first.confidence < SURE else ()
    for one in check:
        _put_check(one, sheet)
    fixes = first.fixes[:MOST_FIXES] if first.confidence >= ADVISED else ()
    shown = sum(_put_fix(number, fix, sheet, room) for number, fix in enumerate(fixes, 1))
    sheet.gap()
    _put_rest(report, len(first.fixes) - shown, len(first.decide) - len(check), sheet, look)


def put_headline(report: Report, sheet: Sheet) -> None:
    """Put what failed, how sure that is, and how far the run had come."""
    first = report.diagnoses[0]
    guess = first.confidence < GUESS
    title, sure = _with_short_paths(headline_in_words(report)), f"{percent_in_words(first.confidence)} sure"
    mark = ("? ", "bold") if guess else ("✗ ", "bad")
    gap = " " * max(sheet.line_columns - width_of(mark[0] + title + sure), 2)
    status = one_line(status_in_words(report))
    if not sheet.line([mark, (title, "bold"), (gap, ""), (sure, "dim")]):
        sheet.prose([(title, "bold")], first=mark)
        status = " · ".join(part for part in (sure, status) if part)
    sheet.prose([(status, "dim")], indent=INDENT)


def _close(report: Report) -> list[Diagnosis]:
    """Return the other causes that are nearly as probable and say more than the line that is shown as proof."""
    first, *others = report.diagnoses
    proof = _proof_of(first)
    line = proof.text if proof and proof.text else ""
    close = [one for one in others if one.confidence >= max(CLOSE, first.confidence * CLOSE_SHARE)]
    return [one for one in close if one.title not in line]


def _proof_of(diagnosis: Diagnosis) -> Evidence | None:
    return next((one for one in diagnosis.evidence if one.text is not None), None)


def _put_proof(report: Report, proof: Evidence, sheet: Sheet) -> None:
    sheet.gap()
    where = place_in_words(proof.source, proof.line, proof.rank, proof.host)
    frame = cut_end(_frame_in_words(report), sheet.line_columns - INDENT - width_of(where))
    where += frame if ":" in frame else ""
    if not sheet.line([(where, "place")], indent=INDENT):
        sheet.code(where, indent=INDENT)  # a path is never broken
    sheet.quote(proof.text or "", proof.focus, indent=INDENT)


def _frame_in_words(report: Report) -> str:
    """Return file, line and code of the program's own frame, or else of the one that raised; "" if unknown."""
    for prefix in ("exception.own_", "exception."):
        stated = [report.facts.get(prefix + part) for part in ("file", "line", "code")]
        file, line, code = [one_line(str(one.value)) if one else "" for one in stated]
        if file and line:
            return f"  {file.replace(chr(92), '/').rpartition('/')[2]}:{line}  {code}"
    return ""


def _put_pictures(report: Report, sheet: Sheet, look: Look) -> int:
    """Put who holds the GPU's memory, and which rank fell silent; return by how many lines the screen may grow."""
    if bar := memory_bar(report, unicode=look.unicode):
        gpu, blocks, sizes = bar
        sheet.gap()
        sheet.prose([(blocks, "code"), (f" {sizes}", "")], first=(f"{gpu}  ", ""), indent=INDENT)
    groups = rank_groups(report.ranks)
    if not (1 < len(groups) <= MOST_GROUPS and groups[0][0].at_fault and not _complains(groups[0][0])):
        return 0
    if not all(_complains(group[0]) for group in groups[1:]):
        return 0
    sheet.gap()
    names = [ranks_in_words([row.rank for row in group]) for group in groups]
    wide = max(map(width_of, names))
    for name, group in zip(names, groups, strict=True):
        said = one_line(_last_words(group[0]))
        line = cut_end(f"{name:<{wide}}  {said}", sheet.line_columns - INDENT)
        sheet.line([(line, "bold" if group[0].at_fault else "dim")], indent=INDENT)
    return MORE_LINES


def _complains(row: RankRow) -> bool:
    return any(mark.kind in ("failure", "consequence") for mark in row.marks)


def _last_words(row: RankRow) -> str:
    """Return the first error of a rank, or how far a rank without one had come."""
    errors = [mark.says for mark in row.marks if mark.kind in ("failure", "consequence")]
    progress = [f"{mark.says}, then nothing" for mark in row.marks if mark.kind == "progress" and mark.says]
    return (errors or progress or ["no error of its own"])[0]


def put_plots(report: Report, sheet: Sheet, look: Look) -> None:
    """Put the samples that matter, or all with --verbose, as sparklines."""
    for series in shown_series(report, everything=look.verbose):
        sheet.gap()
        sheet.prose([(series.title, ""), (f"  {summary(series)}", "dim")], indent=INDENT)
        columns = min(COLUMNS, sheet.columns - INDENT)
        sheet.prose([(sparkline(series, columns=columns, unicode=look.unicode), "code")], indent=INDENT)


def _put_text(text: str, sheet: Sheet, first: str = "", risk: str = "") -> None:
    """Put the first sentences of `text`: as many as fit into a few lines, and at least one."""
    columns = sheet.line_columns - INDENT - width_of(first)
    sentences = _SENTENCE.split(_with_short_paths(" ".join(text.split())))
    said = sentences[0]
    for sentence in sentences[1:]:
        if len(wrap([(f"{said} {sentence}{risk}", "")], columns)) > TEXT_LINES:
            break
        said = f"{said} {sentence}"
    if said:
        said = f"{said[:-1]}." if said[-1] in ":;" else said
        sheet.prose([(said, ""), (risk, "risk")], first=(first, "bold"), indent=INDENT)


def _put_check(check: Check, sheet: Sheet) -> None:
    _put_text(check.do, sheet, "First check: ")
    if check.run:
        sheet.code(_shortened(check.run), indent=COMMAND)


def _put_fix(number: int, fix: Fix, sheet: Sheet, room: int) -> bool:
    """Put `fix` on `sheet` if it is the first or the screen has room for it; return whether it is there."""
    above, risk = sheet.lines, risk_in_words(fix.risk)
    _put_text(fix.do, sheet, f"{number}. ", f"  ({risk})" if risk else "")
    if fix.run:
        sheet.code(_shortened(fix.run), indent=COMMAND)
    if number == 1 or sheet.lines <= room * max(1, SCREEN_COLUMNS / sheet.columns):
        return True
    sheet.cut(above)
    return False


def _with_short_paths(text: str) -> str:
    return _PATH.sub(lambda found: _short_path(found[0]), text)


def _short_path(path: str) -> str:
    if len(path) <= PATH_COLUMNS:
        return path
    name = path.rpartition("/")[2]
    kept = PATH_COLUMNS // 2
    return f"…/{name if len(name) <= PATH_COLUMNS else f'{name[:kept]}…{name[-kept:]}'}"


def _shortened(run: str) -> str:
    """Return the first lines of a command or script."""
    lines = run.strip("\n").split("\n")
    return "\n".join([*lines[:COMMAND_LINES], "…"] if len(lines) > COMMAND_LINES + 1 else lines)


def _put_rest(report: Report, fixes: int, checks: int, sheet: Sheet, look: Look) -> None:
    """Put what else is known of other runs and logs, and where to read the rest."""
    if report.logs and (report.logs.missing or report.logs.empty or report.logs.cut):
        sheet.prose([(one_line(logs_in_words(report.logs)), "dim")], first=("Logs: ", "dim"), indent=INDENT)
    if report.attempts:
        label = f"{ATTEMPTS[report.attempts[0].what]}: "
        said = cut_end(one_line(attempts_in_words(report)), sheet.line_columns - INDENT - width_of(label))
        sheet.line([(label, "dim"), (said, "dim")], indent=INDENT)
    more = [
        f"{count} more {one if count == 1 else many}"
        for count, one, many in ((fixes, "fix", "fixes"), (checks, "check", "checks"))
        if count > 0
    ]
    rest, again = f"{', '.join([*more, 'facts'])}: ", one_line(look.details_command)
    if not sheet.line([(rest + again, "dim")], indent=INDENT):
        sheet.prose([(rest, "dim")], indent=INDENT)
        sheet.code(again, indent=COMMAND)
