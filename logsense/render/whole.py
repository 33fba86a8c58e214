"""Select the blocks of any report: the answer, that it is unknown, or that nothing failed; then everything else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logsense.model.report import Diagnosis, Evidence, FactValue, NearMiss, Noise, Report
from logsense.render import blocks, outcomes, words
from logsense.render.clean import one_line
from logsense.render.layout import cut_end
from logsense.render.screen import (
    MOST_FIXES,
    first_screen,
    main_proof,
    more,
    shown_checks,
    shown_fixes,
    step_of_check,
    step_of_fix,
)

FEW_PROOFS = 3  # lines that matter of a failure that is not known
NEW_COLUMNS = 66  # of a line that a good run did not print


def brief_blocks(report: Report, *, fixes: int = MOST_FIXES, command: str = "", inputs: str = "") -> Iterator[object]:
    """Yield the blocks of one screen. `command` shows the rest; `inputs` are the logs as shell words, or ""."""
    if report.diagnoses:
        yield from first_screen(report, brief=True, fixes=fixes)
        if command:
            yield more(report, fixes, command)
    elif report.outcome == "failed":
        yield from _unknown(report, report.unexplained[-FEW_PROOFS:], report.near[:1])
        yield from _next_steps(report, inputs)
    else:
        yield from _nothing_found(report)
        if report.noise and not report.attempts:
            if report.lines_read <= words.FEW_LINES:
                yield from _harmless(report.noise[: words.MOST_HARMLESS])
            else:
                yield blocks.Paragraph("Some lines look alarming and are harmless: --verbose names them", faint=True)
    yield from _new(report, NEW_COLUMNS)
    yield from _hidden(report)


def whole_blocks(report: Report, *, inputs: str = "") -> Iterator[object]:
    """Yield the blocks with everything that is known, in the order of the first screen."""
    yield from answer_blocks(report)
    if report.outcome == "failed" and not report.diagnoses:
        yield from _next_steps(report, inputs)
    yield from _new(report)
    if details := tuple(_details(report)):
        yield blocks.Folded("Facts and references", details)
    yield from _hidden(report)


def answer_blocks(report: Report) -> Iterator[object]:
    """Yield the blocks of the answer with all its evidence, fixes and checks, but without facts."""
    if report.diagnoses:
        yield from first_screen(report, brief=False)
        yield from _rest(report)
    elif report.outcome == "failed":
        yield from _unknown(report, report.unexplained, report.near)
    else:
        yield from _nothing_found(report)


def card_blocks(report: Report) -> Iterator[object]:
    """Yield the blocks of a notebook's card: the first screen, and the rest folded."""
    if not report.diagnoses:
        yield from brief_blocks(report)
        return
    yield from first_screen(report, brief=False)
    if rest := tuple(_rest(report)):
        yield blocks.Folded("More evidence, fixes and checks", rest)


def _rest(report: Report) -> Iterator[object]:
    first = report.diagnoses[0]
    proof = main_proof(first)
    if len(first.evidence) > 1:
        yield blocks.Heading("Evidence")
        yield from _proofs(first.evidence, proof)
    if first.against:
        yield blocks.Heading("Evidence against it")
        yield from _proofs(first.against, proof)
    shown = shown_fixes(report)
    if left := [one for one in first.fixes if one not in shown]:
        yield blocks.Heading("More fixes" if shown else "What to do if this is the cause")
        yield from (step_of_fix(one, f"{number}. ") for number, one in enumerate(left, len(shown) + 1))
    if checks := first.decide[len(shown_checks(report)) :]:
        yield blocks.Heading("How to be sure")
        yield from (step_of_check(one, "• ") for one in checks)
    if report.diagnoses[1:]:
        yield blocks.Heading("It may also be")
        yield from map(_rival, report.diagnoses[1:])
    if rows := tuple(_afterwards(report)):
        yield blocks.Rows(rows)
    if report.ranks:
        yield blocks.Timeline(report.ranks)


def _rival(one: Diagnosis) -> blocks.Rival:
    check = step_of_check(one.decide[0], "To be sure: ") if one.decide else None
    return blocks.Rival(words.percent_in_words(one.confidence), one.title, one.cause, one.explanation, check)


def _afterwards(report: Report) -> Iterator[tuple[str, str]]:
    places = [
        words.place_in_words(one.source, one.line, one.rank, one.host)
        for one in report.culprits
        if one.rank is not None or one.host is not None
    ]
    if places:
        yield "Where", "; ".join(places)
    if report.progress and report.progress.checkpoint and report.progress.checkpoint.path:
        yield "Saved", words.checkpoint_in_words(report.progress.checkpoint)
    if report.rerun:
        yield "Run again", words.rerun_in_words(report.rerun)
    links = words.chain_in_words(report)
    if len(links) == 1:
        who, said = links[0]
        yield "After it", f"{said}{f' ({who})' if who else ''}; that is not the cause"
        return
    for number, (who, said) in enumerate(links):
        yield ("" if number else "After it"), f"→ {f'{who}: ' if who else ''}{said}"


def _unknown(report: Report, proofs: Sequence[Evidence], near: Sequence[NearMiss]) -> Iterator[object]:
    yield blocks.Headline("guess", words.unknown_in_words(report), status=words.status_in_words(report))
    if not proofs:
        yield blocks.Paragraph("No line gives a reason.")
    for one in proofs:
        where = words.place_in_words(one.source, one.line, one.rank, one.host)
        yield blocks.Proof("" if one.text else one.says, where, "", one.text, one.focus)
    for miss in near:
        yield blocks.Paragraph(f"{miss.title}  ({miss.signature})", "Nearest known message: ")


def _next_steps(report: Report, inputs: str) -> Iterator[object]:
    """Yield what to do about an unknown failure."""
    if words.is_bare(report):
        yield blocks.Step("• ", words.OTHER_STREAM)
        return
    if inputs:
        yield blocks.Command("Compare with a good run:", f"logsense {inputs} --against GOOD.log")
    yield blocks.Command("Report it, redacted:", f"logsense report {inputs}".rstrip())
    yield blocks.Command("Write a rule for it:", "logsense rules new 'LINE'")


def _nothing_found(report: Report) -> Iterator[object]:
    kind = "good" if report.outcome == "completed" else "plain"
    yield blocks.Headline(kind, outcomes.ended_in_words(report), f"({words.inputs_in_words(report)})")
    yield from (
        blocks.Step("• ", check)
        for check in (outcomes.EMPTY_CHECKS if report.empty else outcomes.stop_in_words(report))
    )
    if report.without_gpu:
        yield blocks.Heading(words.WITHOUT_GPU)
        yield from _proofs(report.without_gpu)


def _new(report: Report, columns: int | None = None) -> Iterator[object]:
    """Yield the lines that a good run did not print, cut to `columns`, except those that prove the answer."""
    if report.new is None:
        return
    proof = main_proof(report.diagnoses[0]) if report.diagnoses else None
    shown = {(one.source, one.line) for one in (*report.unexplained[-FEW_PROOFS:], *filter(None, [proof]))}
    new = [one for one in report.new if (one.source, one.line) not in shown]
    if not new:
        yield blocks.Heading(words.NOTHING_MORE if report.new else words.NOTHING_NEW)
        return
    yield blocks.Heading(words.NEW)
    several = len({one.source for one in new}) > 1
    places = (f"{one.source}:{one.line}" if several else f"line {one.line:,}" for one in new)
    texts = (cut_end(one.text, columns) if columns else one.text for one in new)
    yield blocks.Rows(tuple(zip(places, texts, strict=True)))


def _details(report: Report) -> Iterator[object]:
    if report.machine and report.machine.looked:
        yield blocks.Paragraph(f"Beside the log: {report.machine.looked}", faint=True)
    if report.noise:
        yield from _harmless(report.noise)
    if facts := words.facts_to_show(report):
        yield blocks.Heading("Facts")
        yield blocks.Facts(tuple(_fact(name, fact) for name, fact in facts.items()))
    if references := [one for diagnosis in report.diagnoses[:1] for one in diagnosis.references]:
        yield blocks.Heading("Read more")
        yield from map(blocks.Link, references)
    if report.diagnoses:
        yield blocks.Command("All about this cause:", f"logsense causes {report.diagnoses[0].cause}")


def _fact(name: str, fact: FactValue) -> tuple[str, str, str]:
    return name, one_line(fact.shown or str(fact.value)), words.place_in_words(fact.source, fact.line, None, None)


def _harmless(noise: Sequence[Noise]) -> Iterator[object]:
    yield blocks.Heading(words.HARMLESS)
    yield from (blocks.Step("• ", f"{one.says}  ({one.signature}, {one.seen} ×)") for one in noise)


def _hidden(report: Report) -> Iterator[object]:
    if report.masked is not None:
        yield blocks.Rows(
            (("Hidden", words.masks_in_words(report.masked) or "nothing was found that has to be hidden"),)
        )


def _proofs(proofs: Sequence[Evidence], shown: Evidence | None = None) -> Iterator[blocks.Proof]:
    """Yield `proofs`, each with its line unless that line was shown before."""
    quoted = {(shown.source, shown.line)} if shown else set()
    for one in proofs:
        place = (one.source, one.line)
        if one.text is None or place in quoted:
            read = f"  ({one.source})" if one.source and one.line is None else ""
            if one.says:
                yield blocks.Proof(f"{one.says}{read}")
            continue
        quoted.add(place)
        yield blocks.Proof(
            one.says, words.place_in_words(one.source, one.line, one.rank, one.host), "", one.text, one.focus
        )
