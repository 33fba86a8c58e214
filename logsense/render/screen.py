"""Select what a report shows, in which order: the answer on one screen, and the rest below it."""

from __future__ import annotations

from collections.abc import Iterator

from logsense.model.report import Check, Diagnosis, Evidence, Fix, RankRow, Report
from logsense.render import blocks, outcomes, words
from logsense.render.clean import one_line
from logsense.render.layout import cut_end
from logsense.render.plot import memory_bar, shown_series
from logsense.render.rank_groups import rank_groups
from logsense.util.regexes import Lazy

MOST_FIXES = 2
MOST_RIVALS = 2
TEXT = 148  # characters of two lines of a terminal: of what a fix says
EXPLANATION = 110  # characters of an explanation of more than one sentence
SENTENCE = 222  # of three lines: a first sentence is cut only if it is longer, because "Do this: how" needs its end
COMMAND_LINES = 3
SIZES = 2  # in a sentence that only lists them
LEAST_REPEATED = 4  # words of a clause that is left out because it is shown above
MOST_GROUPS = 4  # of ranks
PATH = 40  # characters of a path in a sentence; the proof and commands have it in full
HEADLINE, HEADLINE_PATH = 90, 60  # characters of a headline of several sentences, and of a path in it
# Below SURE the check that decides comes first, below GUESS the answer is marked as a guess, and below ADVISED a fix
# is only what follows if that check confirms the cause.
SURE, GUESS, ADVISED = 0.6, 0.5, 0.4
# Another cause is worth the reader's time when it is this probable, by itself and against the first.
CLOSE, CLOSE_SHARE = 0.12, 0.25

_PATH = Lazy(r"\w+://\S+|(?:/[\w.@+=~-]+){2,}")
_LINK = Lazy(r" \(https?://[^\s()]+\)")
_SENTENCE = Lazy(r"(?<=[.!?]) +(?=[A-Z`\"(])")
_CLAUSE = Lazy(r"(?<=[:;]) +")
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_SIZE = Lazy(r"\d [KMGT]iB")
_WORD = Lazy(r"[a-z_]{4,}|\d+(?:\.\d+)?")


def first_screen(report: Report, *, brief: bool, fixes: int = MOST_FIXES) -> Iterator[object]:
    """Yield the answer: what happened, the line that proves it, at most so many fixes.

    If it is `brief`, long texts, commands and paths are shortened.
    """
    first = report.diagnoses[0]
    proof = main_proof(first)
    yield headline(report, brief=brief)
    if proof:
        where = words.place_in_words(proof.source, proof.line, proof.rank, proof.host)
        text, focus = _quoted(proof) if brief else (proof.text, proof.focus)
        yield blocks.Proof("", where, _frame_in_words(report), text, focus)
    yield from pictures(report)
    shown_text = " ".join((first.title, (proof and proof.text) or "", _place_in_words(report)))
    if said := _explained(report, shown_text, brief=brief):
        yield blocks.Paragraph(said)
    rivals = "; ".join(
        f"{one_line(one.title)} ({words.percent_in_words(one.confidence)})"
        for one in _close(report, proof)[:MOST_RIVALS]
    )
    checks, shown = shown_checks(report), shown_fixes(report, fixes)
    for check in checks:
        yield _step(step_of_check(check, "To be sure: "), shown_text if brief else None)
    if rivals and not checks:
        yield blocks.Paragraph(f"It may also be: {rivals}", faint=True)
    for number, fix in enumerate(shown, 1):
        yield _step(step_of_fix(fix, "If confirmed: " if checks else f"{number}. "), shown_text if brief else None)
    if rivals and checks:
        yield blocks.Step("If not: ", rivals)
    if rows := tuple(_beside(report)):
        yield blocks.Rows(tuple((label, cut_end(text, TEXT) if brief else text) for label, text in rows))


def headline(report: Report, *, brief: bool) -> blocks.Headline:
    """Return what failed, how sure that is, and how far the run had come."""
    first = report.diagnoses[0]
    title = words.headline_in_words(report)
    return blocks.Headline(
        "guess" if first.confidence < GUESS else "failed",
        cut_end(_shortened_text(_LINK.sub("", title), HEADLINE, HEADLINE_PATH), TEXT) if brief else title,
        words.sure_in_words(first.confidence),
        words.status_in_words(report, title),
        first.cause,
    )


def shown_fixes(report: Report, fixes: int = MOST_FIXES) -> tuple[Fix, ...]:
    """Return the fixes that the first screen shows."""
    first = report.diagnoses[0]
    if shown_checks(report):
        return tuple(one for one in first.fixes if not _same_program(one, first.decide[0]))[:1]
    return first.fixes[:fixes] if first.confidence >= ADVISED else ()


def shown_checks(report: Report) -> tuple[Check, ...]:
    """Return the checks that the first screen shows."""
    first = report.diagnoses[0]
    return first.decide[:1] if first.confidence < SURE else ()


def more(report: Report, fixes: int, command: str) -> blocks.Command:
    """Return what `command` shows besides the first screen with its `fixes`."""
    first = report.diagnoses[0]
    counts = (
        (len(first.fixes) - len(shown_fixes(report, fixes)), "fix", "fixes"),
        (len(first.decide) - len(shown_checks(report)), "check", "checks"),
    )
    left = [f"{count} more {one if count == 1 else many}" for count, one, many in counts if count]
    return blocks.Command(f"{', '.join([*left, 'facts'])}: ", command)


def main_proof(diagnosis: Diagnosis) -> Evidence | None:
    """Return the first evidence that quotes the log."""
    return next((one for one in diagnosis.evidence if one.text is not None), None)


def step_of_fix(fix: Fix, label: str) -> blocks.Step:
    """Return `fix` as a step."""
    why = (fix.why or "").strip().rstrip(".")
    why = f"{why[:1].upper()}{why[1:]}." if why else ""
    return blocks.Step(label, fix.do, fix.run or "", why, words.risk_in_words(fix.risk), words.is_grave(fix.risk))


def step_of_check(check: Check, label: str) -> blocks.Step:
    """Return `check` as a step."""
    return blocks.Step(label, check.do, check.run or "")


def pictures(report: Report) -> Iterator[object]:
    """Yield the samples that matter, who holds the GPU's memory, and which rank fell silent."""
    yield from map(blocks.Plot, shown_series(report))
    if bar := memory_bar(report):
        yield blocks.Bar(*bar)
    groups = rank_groups(report.ranks)
    if not (1 < len(groups) <= MOST_GROUPS and groups[0][0].at_fault and not _complains(groups[0][0])):
        return
    if all(_complains(group[0]) for group in groups[1:]):
        yield blocks.RankTable(
            tuple(
                (
                    words.ranks_in_words([row.rank for row in group]),
                    _with_short_paths(_last_words(group[0])),
                    group[0].at_fault,
                )
                for group in groups
            )
        )


def _close(report: Report, proof: Evidence | None) -> list[Diagnosis]:
    """Return the other causes that are nearly as probable and say more than the line that is shown as proof."""
    first, *others = report.diagnoses
    line = proof.text if proof and proof.text else ""
    close = [one for one in others if one.confidence >= max(CLOSE, first.confidence * CLOSE_SHARE)]
    return [one for one in close if one.title != first.title and one.title not in line]


def _same_program(fix: Fix, check: Check) -> bool:
    """Return whether the command of `fix` begins like that of `check`, so that it only checks once more."""
    return bool(fix.run and check.run and fix.run.split()[:1] == check.run.split()[:1])


def _frame_in_words(report: Report) -> str:
    """Return file, line and code of the program's own frame, or else of the one that raised; "" if unknown."""
    frames = (words.frame_of(report, prefix) for prefix in ("exception.own_", "exception."))
    return next((f"{place} {code}".rstrip() for place, code in frames if place), "")


def _beside(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what else is known of other runs and logs."""
    if report.logs and (report.logs.missing or report.logs.empty or report.logs.cut):
        yield "Logs", words.logs_in_words(report.logs)
    if report.attempts:
        yield outcomes.ATTEMPTS[report.attempts[0].what], one_line(outcomes.attempts_in_words(report))


def _complains(row: RankRow) -> bool:
    return any(mark.kind in ("failure", "consequence") for mark in row.marks)


def _last_words(row: RankRow) -> str:
    """Return the first error of a rank, or how far a rank without one had come."""
    errors = [mark.says for mark in row.marks if mark.kind in ("failure", "consequence")]
    progress = [f"{mark.says}, then nothing" for mark in row.marks if mark.kind == "progress" and mark.says]
    return (errors or progress or ["no error of its own"])[0]


def _step(step: blocks.Step, said: str | None) -> blocks.Step:
    """Return `step`, shortened for one screen unless `said`, the text that is shown above it, is None."""
    if said is None:
        return step
    room = TEXT - len(step.label) - len(step.risk)
    lines = step.run.strip("\n").split("\n")
    cut = len(lines) > COMMAND_LINES + 1
    run = "\n".join([*lines[:COMMAND_LINES], "…"] if cut else lines)
    head, *clauses = _split(step.do, _CLAUSE)
    do = " ".join([head, *(one for one in clauses if not _repeats(one, said))])
    return step._replace(do=_shortened_text(do, room), run=run, why="")


def _repeats(clause: str, said: str) -> bool:
    """Return whether a clause of some length says only what is `said` already, as the quotation of a message does."""
    words = _WORD.findall(clause.lower())
    return len(words) >= LEAST_REPEATED and set(words) <= set(_WORD.findall(said.lower()))


def _shortened_text(text: str, room: int = TEXT, path: int = PATH) -> str:
    """Return the first sentences of `text`, or of a long first sentence the first clauses, with short paths."""
    text = _with_short_paths(" ".join(text.split()), path)
    parts = _split(text, _SENTENCE)
    if len(parts[0]) > SENTENCE:
        parts = _split(parts[0], _CLAUSE)
    said = parts[0]
    for part in parts[1:]:
        if len(said) + 1 + len(part) > room:
            break
        said = f"{said} {part}"
    return f"{said[:-1]}." if said[-1:] in (":", ";") else said


def _split(text: str, gap: Lazy) -> list[str]:
    """Return the parts of `text` between its gaps, except those inside brackets or quotation marks."""
    parts: list[str] = []
    begin = 0
    for found in gap.finditer(text):
        part = text[begin : found.start()]
        if all(part.count(left) <= part.count(right) for left, right in _BRACKETS) and part.count('"') % 2 == 0:
            parts.append(part)
            begin = found.end()
    return [*parts, text[begin:]]


def _quoted(proof: Evidence) -> tuple[str, tuple[int, int] | None]:
    """Return the line of `proof` and its focus; if the line is long, with short paths."""
    text = proof.text or ""
    if len(text) <= TEXT:
        return text, proof.focus
    start, end = proof.focus or (0, 0)
    end = text.find(" ", end) if " " in text[end:] else len(text)  # no path is cut in two
    before, middle, after = (_with_short_paths(part) for part in (text[:start], text[start:end], text[end:]))
    return f"{before}{middle}{after}", (len(before), len(before) + len(middle))


def _with_short_paths(text: str, most: int = PATH) -> str:
    return _PATH.sub(lambda found: _short_path(found[0], most), text)


def _short_path(path: str, most: int) -> str:
    if len(path) <= most or "://" in path:
        return path
    name = path.rpartition("/")[2]
    kept = most // 2
    return f"…/{name if len(name) <= most else f'{name[:kept]}…{name[-kept:]}'}"


def _explained(report: Report, said: str, *, brief: bool) -> str:
    """Return the explanation without what is `said` already; a `brief` one is mostly its first sentence."""
    explanation = _without_repeated(report.diagnoses[0].explanation, said)
    if not brief:
        return explanation
    if memory_bar(report):  # says it already
        explanation = " ".join(one for one in _split(explanation, _SENTENCE) if len(_SIZE.findall(one)) < SIZES)
    return _shortened_text(_LINK.sub("", explanation), EXPLANATION)


def _place_in_words(report: Report) -> str:
    """Return the words that only name the place of an exception: it is shown with the proof."""
    parts = [report.facts.get(f"exception.{part}") for part in ("type", "file", "line", "function")]
    return " ".join(["line program raised", _frame_in_words(report), *(str(one.value) for one in parts if one)])


def _without_repeated(text: str, said: str) -> str:
    """Return `text` without the sentences that repeat what is `said` already."""
    known = set(_WORD.findall(said.lower()))
    sentences = [one for one in _split(text, _SENTENCE) if not set(_WORD.findall(one.lower())) <= known]
    return " ".join(one for one in sentences if not _quotes(one, said))


def _quotes(sentence: str, said: str) -> bool:
    """Return whether a sentence such as "The program rejected its settings: …" only introduces what is `said`."""
    _, *clauses = _split(sentence, _CLAUSE)
    return bool(clauses) and all(_repeats(one, said) for one in clauses)
