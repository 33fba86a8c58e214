"""Render a report as Markdown for an issue or a chat. Log text can't format anything, link, or mention anyone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logsense.model.report import Check, Diagnosis, Evidence, Fix, Mask, Report
from logsense.render.clean import clean, one_line
from logsense.render.plot import shown_series, sparkline, summary
from logsense.render.words import (
    ATTEMPTS,
    EMPTY_CHECKS,
    HARMLESS,
    NEW,
    NOTHING_NEW,
    UNKNOWN_FAILURE,
    WITHOUT_GPU,
    attempts_in_words,
    certainty,
    chain_in_words,
    ended_in_words,
    inputs_in_words,
    logs_in_words,
    rerun_in_words,
    risk_in_words,
    run_progress_in_words,
)

_MARKUP = re.compile(r"[\\`*\[\]<>|~$#]|(?<!\w)_|_(?!\w)|&(?=#|\w)|^(?=\s*(?:[-+=]|\d+[.)]\s))")
# GitHub turns these into links and mentions even if the text is escaped.
_MENTION = re.compile(
    r"@(?=\w)|\\?#(?=\d)|\bGH-(?=\d)|(?<![A-Za-z0-9])(?:(?:https?|ftp|mailto|xmpp):(?=\S)|www(?=\.))", re.IGNORECASE
)


def render_markdown(report: Report) -> str:
    """Return `report` in GitHub-flavored Markdown, with everything that verbose text shows."""
    return "\n\n".join(_blocks(report)) + "\n"


def prose(text: str) -> str:
    """Return `text` on one line, escaped so that Markdown shows it literally."""
    escaped = _MARKUP.sub(lambda found: "\\" + found[0], one_line(text))
    return _MENTION.sub(lambda found: found[0] + "<!-- -->", escaped)


def fence(text: str, language: str = "text") -> str:
    """Return `text` in a code fence that is longer than any run of backticks in it."""
    body = clean(text).strip("\n")
    longest = max((len(run) for run in re.findall("`+", body)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{body}\n{ticks}"


def code(text: str) -> str:
    """Return `text` as inline code."""
    body = one_line(text)
    ticks = "`" * (max((len(run) for run in re.findall("`+", body)), default=0) + 1)
    pad = " " if body.startswith("`") or body.endswith("`") else ""
    return f"{ticks}{pad}{body}{pad}{ticks}"


def _blocks(report: Report) -> Iterator[str]:
    if report.diagnoses:
        yield from _diagnosis(report.diagnoses[0], run_progress_in_words(report))
        yield from _plots(report)
        yield from _others(report.diagnoses[1:])
        yield from _afterwards(report)
    elif report.outcome == "failed":
        yield f"## {UNKNOWN_FAILURE}"
        if progress := run_progress_in_words(report):
            yield prose(progress)
        yield from _proofs(report.unexplained)
        if report.near:
            yield "### The nearest known messages"
            yield "\n".join(
                f"- {prose(one.title)} ({code(one.signature)}, distance {one.distance:.2f})" for one in report.near
            )
    else:
        yield f"## {prose(ended_in_words(report))}"
        yield from (f"- {prose(check)}" for check in (EMPTY_CHECKS if report.empty else ()))
        yield f"{prose(inputs_in_words(report))}."
        if report.without_gpu:
            yield f"### {WITHOUT_GPU}"
            yield from _proofs(report.without_gpu)
    yield from _new(report)
    yield from _details(report)
    if report.masked is not None:
        yield masks(report.masked)


def _new(report: Report) -> Iterator[str]:
    if report.new is None:
        return
    yield f"### {NEW if report.new else NOTHING_NEW}"
    for one in report.new:
        yield f"{code(f'{one.source}:{one.line}')}\n\n{fence(one.text)}"


def masks(masked: tuple[Mask, ...]) -> str:
    """Return a list of what was masked, and how often."""
    if not masked:
        return "Nothing had to be hidden."
    return "Hidden here:\n\n" + "\n".join(f"- {code(one.mask)}: {prose(one.says)}, {one.seen} ×" for one in masked)


def _diagnosis(first: Diagnosis, progress: str) -> Iterator[str]:
    yield f"## {prose(first.title).rstrip('.')}"
    yield f"**{certainty(first.confidence).capitalize()}** · {code(first.cause)}"
    if progress:
        yield prose(progress)
    if first.explanation:
        yield prose(first.explanation)
    yield from _proofs(first.evidence)
    if first.against:
        yield "### Evidence against it"
        yield from _proofs(first.against)
    if first.fixes:
        yield "### What to do"
        yield "\n".join(_fix(number, fix) for number, fix in enumerate(first.fixes, 1))
    if first.decide:
        yield "### How to be sure"
        yield "\n".join(_check(check) for check in first.decide)


def _plots(report: Report) -> Iterator[str]:
    for series in shown_series(report):
        yield f"{prose(series.title)}: {prose(summary(series))}  \n`{sparkline(series)}`"


def _proofs(proofs: tuple[Evidence, ...]) -> Iterator[str]:
    quoted = set()
    for proof in proofs:
        place = (proof.source, proof.line)
        if proof.text is None or place in quoted:
            read = f" ({prose(proof.source)})" if proof.source and proof.line is None else ""
            yield f"- {prose(proof.says)}{read}"
            continue
        quoted.add(place)
        at = f"{proof.source}:{proof.line}" if proof.line is not None else proof.source or ""
        where = [
            code(at) if at else "",
            f"rank {proof.rank}" if proof.rank is not None else "",
            prose(proof.host or ""),
        ]
        sentence = f"- {prose(proof.says)} ({', '.join(part for part in where if part)})"
        yield sentence + "\n\n" + _indented(fence(proof.text), "  ")


def _fix(number: int, fix: Fix) -> str:
    risk = risk_in_words(fix.risk)
    text = f"{number}. {prose(fix.do)}" + (f" *({risk})*" if risk else "") + (f" — {prose(fix.why)}" if fix.why else "")
    return text + (f"\n\n{_indented(fence(fix.run, 'sh'), '   ')}\n" if fix.run else "")


def _check(check: Check) -> str:
    return f"- {prose(check.do)}" + (f"\n\n{_indented(fence(check.run, 'sh'), '  ')}\n" if check.run else "")


def _others(others: tuple[Diagnosis, ...]) -> Iterator[str]:
    if others:
        yield "### It may also be"
        lines = []
        for one in others:
            percent = f"{one.confidence:.0%}".replace("%", " %")
            check = f" To check: {prose(one.decide[0].do)}" if one.decide else ""
            lines.append(f"- {percent}: {prose(one.title).rstrip('.')} ({code(one.cause)}).{check}")
        yield "\n".join(lines)


def _afterwards(report: Report) -> Iterator[str]:
    lines = []
    for one in report.culprits:
        rank = f"rank {one.rank}, " if one.rank is not None else ""
        lines.append(f"**Where:** {rank}{prose(one.host or '')} {code(f'{one.source}:{one.line}')}".replace("  ", " "))
    if report.logs:
        lines.append(f"**Logs:** {logs_in_words(report.logs)}")
    if report.attempts:
        lines.append(f"**{ATTEMPTS[report.attempts[0].what]}:** {prose(attempts_in_words(report))}")
    if report.rerun:
        lines.append(f"**Run again:** {prose(rerun_in_words(report.rerun))}")
    for number, (who, message) in enumerate(chain_in_words(report)):
        label = "**After it:** " if number == 0 else ""
        lines.append(f"{label}→ {who}: {prose(message)}" if who else f"{label}→ {prose(message)}")
    if lines:
        yield "  \n".join(lines)


def _details(report: Report) -> Iterator[str]:
    parts = []
    if report.facts:
        rows = [f"| {code(name)} | {prose(fact.shown or str(fact.value))} |" for name, fact in report.facts.items()]
        parts.append("| fact | value |\n|---|---|\n" + "\n".join(rows))
    if report.noise:
        parts.append(f"{HARMLESS}:")
        parts.append("\n".join(f"- {prose(one.says)} ({code(one.signature)}, {one.seen} ×)" for one in report.noise))
    if report.diagnoses and report.diagnoses[0].references:
        parts.append("\n".join(f"- <{one_line(address)}>" for address in report.diagnoses[0].references))
    if parts:
        yield "<details><summary>Facts and references</summary>"
        yield from parts
        yield "</details>"


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))
