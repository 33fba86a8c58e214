"""A report for a person at three in the morning: what happened, why, what to do, how to be sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from logsense.model.report import Check, Diagnosis, Evidence, Fix, Noise, Report
from logsense.render.clean import one_line
from logsense.render.first_screen import put_first_screen, put_headline, put_plots
from logsense.render.layout import Sheet
from logsense.render.look import Look
from logsense.render.words import (
    ATTEMPTS,
    EMPTY_CHECKS,
    FEW_LINES,
    HARMLESS,
    MOST_HARMLESS,
    NEW,
    NOTHING_NEW,
    UNKNOWN_FAILURE,
    WITHOUT_GPU,
    attempts_in_words,
    chain_in_words,
    checkpoint_in_words,
    ended_in_words,
    inputs_in_words,
    logs_in_words,
    masks_in_words,
    percent_in_words,
    place_in_words,
    rerun_in_words,
    risk_in_words,
    status_in_words,
)

INDENT = 2
NEXT_COLUMNS = 26
FEW_PROOFS = 3  # lines that matter of a failure that is not known


def render_text(report: Report, look: Look) -> str:
    """`report` as text in columns, for a terminal or a file as `look` says."""
    sheet = Sheet(look)
    if report.diagnoses:
        first = report.diagnoses[0]
        if look.verbose:
            put_headline(report, sheet)
            _why(first, sheet)
            put_plots(report, sheet, look)
            _fixes(first.fixes, sheet)
            _checks(first.decide, sheet)
            _others(report, sheet)
            _afterwards(report, sheet, look)
        else:
            put_first_screen(report, sheet, look)
    elif report.outcome == "failed":
        _unexplained(report, sheet, look)
    else:
        _nothing_found(report, sheet, look)
    _new(report, sheet)
    if look.verbose:
        _verbose(report, sheet)
    if report.masked is not None:
        sheet.gap()
        hidden = masks_in_words(report.masked) or "nothing was found that has to be hidden"
        sheet.prose([(hidden, "dim")], first=("Hidden  ", "bold"))
    return sheet.text()


def _why(first: Diagnosis, sheet: Sheet) -> None:
    sheet.gap()
    if first.explanation:
        sheet.prose([(first.explanation, "")], indent=INDENT)
    _proofs(first.evidence, sheet)
    if first.against:
        _heading("Evidence against it", sheet)
        _proofs(first.against, sheet)


def _proofs(proofs: tuple[Evidence, ...], sheet: Sheet) -> None:
    quoted: set[tuple[str | None, int | None]] = set()
    for proof in proofs:
        place = (proof.source, proof.line)
        if proof.text is None or place in quoted:
            if proof.says:
                read = f"  ({proof.source})" if proof.source and proof.line is None else ""
                sheet.prose([(proof.says, ""), (read, "dim")], first=("• ", "gutter"), indent=INDENT)
            continue
        sheet.gap()
        quoted.add(place)
        sheet.prose([(proof.says, "")], first=("• ", "gutter"), indent=INDENT)
        where = place_in_words(proof.source, proof.line, proof.rank, proof.host)
        if where:
            sheet.prose([(where, "place")], indent=INDENT + 2)
        sheet.quote(proof.text, proof.focus, indent=INDENT + 2)


def _fixes(fixes: tuple[Fix, ...], sheet: Sheet) -> None:
    if not fixes:
        return
    _heading("What to do", sheet)
    for number, fix in enumerate(fixes, 1):
        risk = risk_in_words(fix.risk)
        sheet.prose(
            [(fix.do, ""), (f"  ({risk})" if risk else "", "risk")], first=(f"{number}. ", "bold"), indent=INDENT
        )
        if fix.run:
            sheet.code(fix.run, indent=INDENT + 5)
        if fix.why:
            sheet.prose([(fix.why, "dim")], indent=INDENT + 3)


def _checks(checks: tuple[Check, ...], sheet: Sheet) -> None:
    if not checks:
        return
    _heading("How to be sure", sheet)
    for check in checks:
        _check(check, sheet, INDENT)


def _check(check: Check, sheet: Sheet, indent: int) -> None:
    sheet.prose([(check.do, "")], first=("• ", "bold"), indent=indent)
    if check.run:
        sheet.code(check.run, indent=indent + 5)


def _others(report: Report, sheet: Sheet) -> None:
    if len(report.diagnoses) < 2:
        return
    _heading("It may also be", sheet)
    for one in report.diagnoses[1:]:
        sheet.prose([(one.title, "")], first=(f"{percent_in_words(one.confidence):>5}  ", "bold"), indent=INDENT)
        if one.explanation:
            sheet.prose([(one.explanation, "dim")], indent=INDENT + 7)
        if one.decide:
            _check(one.decide[0], sheet, INDENT + 7)


def _afterwards(report: Report, sheet: Sheet, look: Look) -> None:
    rows = []
    places = [
        place_in_words(one.source, one.line, one.rank, one.host)
        for one in report.culprits
        if one.rank is not None or one.host is not None
    ]
    if places:
        rows.append(("Where", "; ".join(places)))
    if report.progress and report.progress.checkpoint:
        rows.append(("Resume", one_line(checkpoint_in_words(report.progress.checkpoint))))
    if report.logs:
        rows.append(("Logs", logs_in_words(report.logs)))
    if report.attempts:
        rows.append((ATTEMPTS[report.attempts[0].what], one_line(attempts_in_words(report))))
    if report.rerun:
        rows.append(("Run again", rerun_in_words(report.rerun)))
    rows += [("After it" if number == 0 else "", link) for number, link in enumerate(_chain(report, look))]
    sheet.gap()
    width = max((len(label) for label, _ in rows), default=0)
    for label, text in rows:
        sheet.prose([(text, "")], first=(f"{label:<{width}}  ", "bold"), indent=0)


def _chain(report: Report, look: Look) -> list[str]:
    """The links of the chain, a line each; where there is only one, with the word that it is not the cause."""
    links = chain_in_words(report)
    if len(links) == 1:
        who, said = links[0]
        said = one_line(said)
        return [f"{said}{f' ({who})' if who else ''}; that is not the cause"]
    arrow = "→" if look.unicode else "->"
    return [f"{arrow} {f'{who}: ' if who else ''}{one_line(said)}" for who, said in links]


def _unexplained(report: Report, sheet: Sheet, look: Look) -> None:
    sheet.prose([(UNKNOWN_FAILURE, "bold")], first=("? ", "bold"))
    sheet.prose([(one_line(status_in_words(report)), "dim")], indent=INDENT)
    if look.verbose:
        _proofs(report.unexplained, sheet)
    else:
        for proof in report.unexplained[-FEW_PROOFS:]:
            sheet.gap()
            sheet.prose([(place_in_words(proof.source, proof.line, proof.rank, proof.host), "place")], indent=INDENT)
            sheet.quote(proof.text or proof.says, proof.focus, indent=INDENT)
    for one in report.near if look.verbose else report.near[:1]:
        sheet.gap()
        label = ("Nearest known message: ", "bold")
        sheet.prose([(one.title, ""), (f"  ({one.signature})", "dim")], first=label, indent=INDENT)
    sheet.gap()
    for says, command in _next_steps(look):
        if not sheet.line([(f"{says:<{NEXT_COLUMNS}}", "dim"), (command, "code")], indent=INDENT):
            sheet.prose([(says, "dim")], indent=INDENT)
            sheet.code(command, indent=INDENT + 5)


def _next_steps(look: Look) -> Iterator[tuple[str, str]]:
    """Yield what to do about an unknown failure, each with a command."""
    inputs = one_line(look.inputs)
    if inputs:
        yield "Compare with a good run:", f"logsense {inputs} --against GOOD.log"
    yield "Report it, redacted:", f"logsense report {inputs}".rstrip()
    yield "Write a rule for it:", "logsense rules new 'LINE'"


def _new(report: Report, sheet: Sheet) -> None:
    if report.new is None:
        return
    _heading(NEW if report.new else NOTHING_NEW, sheet)
    for one in report.new:
        sheet.quote(one.text, None, indent=INDENT)
        sheet.prose([(place_in_words(one.source, one.line, None, None), "place")], indent=INDENT + 2)


def _nothing_found(report: Report, sheet: Sheet, look: Look) -> None:
    read = inputs_in_words(report)
    if report.outcome == "completed":
        sheet.prose([(one_line(ended_in_words(report)), "bold"), (f"  ({read})", "dim")], first=("✓ ", "good"))
    elif report.outcome == "running" and not report.attempts:
        sheet.prose([("No failure found; the run was still going", "bold"), (f"  ({read})", "dim")])
    else:
        sheet.prose([(one_line(ended_in_words(report)), "bold"), (f"  ({read})", "dim")])
    for check in EMPTY_CHECKS if report.empty else ():
        sheet.prose([(check, "")], first=("• ", "dim"), indent=INDENT)
    if report.without_gpu:
        _heading(WITHOUT_GPU, sheet)
        _proofs(report.without_gpu, sheet)
    if report.noise and not look.verbose and not report.attempts:
        if report.lines_read <= FEW_LINES:
            _harmless(report.noise[:MOST_HARMLESS], sheet)
        else:
            sheet.prose([("Some lines look alarming and are harmless: --verbose names them", "dim")])


def _harmless(noise: Sequence[Noise], sheet: Sheet) -> None:
    _heading(HARMLESS, sheet)
    for one in noise:
        times = f"  ({one.signature}, {one.seen} ×)"
        sheet.prose([(one.says, ""), (times, "dim")], first=("• ", "dim"), indent=INDENT)


def _verbose(report: Report, sheet: Sheet) -> None:
    looked = report.machine.looked if report.machine else ""
    sheet.gap()
    sheet.prose([(f"Beside the log: {looked}" if looked else "The machine was not looked at, only the log", "dim")])
    if report.noise:
        _harmless(report.noise, sheet)
    if report.facts:
        _heading("Facts", sheet)
        for name, fact in report.facts.items():
            place = place_in_words(fact.source, fact.line, None, None)
            shown = one_line(fact.shown or str(fact.value))
            sheet.prose(
                [(shown, ""), (f"  {place}" if place else "", "place")], first=(f"{name} ", "dim"), indent=INDENT
            )
    references = [one for diagnosis in report.diagnoses[:1] for one in diagnosis.references]
    if references:
        _heading("Read more", sheet)
        for reference in references:
            sheet.address(one_line(reference), indent=INDENT)
        sheet.prose([(f"logsense causes {report.diagnoses[0].cause}", "dim")], indent=INDENT)


def _heading(text: str, sheet: Sheet) -> None:
    sheet.gap()
    sheet.prose([(text, "bold")])
