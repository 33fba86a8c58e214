"""Render a report as Markdown for an issue or a chat. Log text can't format anything, link, or mention anyone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from logsense.model.report import Report
from logsense.render import blocks
from logsense.render.clean import clean, one_line
from logsense.render.plot import sparkline, summary
from logsense.render.rank_groups import groups_in_words
from logsense.render.whole import whole_blocks

_MARKUP = re.compile(r"[\\`*\[\]<>|~$#]|(?<!\w)_|_(?!\w)|&(?=#|\w)|^(?=\s*(?:[-+=]|\d+[.)]\s))")
# GitHub turns these into links and mentions even if the text is escaped.
_MENTION = re.compile(
    r"@(?=\w)|\\?#(?=\d)|\bGH-(?=\d)|(?<![A-Za-z0-9])(?:(?:https?|ftp|mailto|xmpp):(?=\S)|www(?=\.))", re.IGNORECASE
)


def render_markdown(report: Report) -> str:
    """Return `report` in GitHub-flavored Markdown, with everything that verbose text shows."""
    return markdown_of(whole_blocks(report))


def markdown_of(parts: Iterable[object]) -> str:
    """Return the blocks `parts` as Markdown."""
    return "\n\n".join(_parts(parts)) + "\n"


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


def _parts(parts: Iterable[object]) -> Iterator[str]:
    """Yield `parts` in Markdown; steps and short rows are joined to lists."""
    lines: list[str] = []
    for one in parts:
        if isinstance(one, (blocks.Step, blocks.Rival)):
            lines.append(_step(one) if isinstance(one, blocks.Step) else _rival(one))
            continue
        if lines:
            yield "\n".join(lines).rstrip()
            lines.clear()
        yield from _block(one)
    if lines:
        yield "\n".join(lines).rstrip()


def _block(one: object) -> Iterator[str]:
    match one:
        case blocks.Headline():
            yield from _headline(one)
        case blocks.Heading():
            yield f"### {prose(one.text)}"
        case blocks.Paragraph():
            yield f"{_bold(one.label)}{prose(one.text)}"
        case blocks.Proof():
            yield _proof(one)
        case blocks.Rows():
            yield "  \n".join(f"{_bold(f'{prose(label)}:' if label else '')}{prose(text)}" for label, text in one.rows)
        case blocks.Facts():
            rows = "\n".join(f"| {code(name)} | {prose(value)} |" for name, value, _ in one.rows)
            yield f"| fact | value |\n|---|---|\n{rows}"
        case blocks.Plot():
            series = one.series
            yield f"{prose(series.title)}: {prose(summary(series))}  \n`{sparkline(series)}`"
        case blocks.Bar():
            yield f"{prose(one.name)} `{one.blocks}` {prose(one.words)}"
        case blocks.RankTable():
            yield "\n".join(f"- {prose(ranks)}: {prose(said)}" for ranks, said, _ in one.rows)
        case blocks.Timeline():
            yield "### Rank by rank"
            yield "\n".join(f"- {prose(who)}: {prose(said)}" for who, said, _ in groups_in_words(one.rows))
        case blocks.Command():
            yield f"{prose(one.says)} {code(one.run)}"
        case blocks.Link():
            yield f"<{one_line(one.address)}>"
        case blocks.Folded():
            yield f"<details><summary>{prose(one.title)}</summary>"
            yield from _parts(one.blocks)
            yield "</details>"


def _headline(one: blocks.Headline) -> Iterator[str]:
    beside = one.kind in ("good", "plain")
    yield f"## {'? ' if one.kind == 'guess' else ''}{prose(one.title)}"
    if beside:
        yield from [f"{prose(one.sure.strip('()'))}."] if one.sure else []
        return
    status = " · ".join(part for part in (f"**{one.sure}**" if one.sure else "", prose(one.status)) if part)
    yield from (part for part in (status + (f" · {code(one.cause)}" if one.cause else ""),) if part)


def _proof(one: blocks.Proof) -> str:
    where = "  ".join(part for part in (one.where, one.frame) if part)
    says = f"- {prose(one.says)}" if one.says else ""
    place = f"({code(where)})" if says and where else code(where) if where else ""
    head = " ".join(part for part in (says, place) if part)
    quoted = fence(one.text) if one.text is not None else ""
    return "\n\n".join(part for part in (head, _indented(quoted, "  ") if says else quoted) if part)


def _step(one: blocks.Step) -> str:
    label = one.label.strip()
    head = "- " if label == "•" else f"{label} " if label[:1].isdigit() else f"- **{label}** "
    text = f"{head}{prose(one.do)}" + (f" *({prose(one.risk)})*" if one.risk else "")
    text += f" — {prose(one.why)}" if one.why else ""
    return text + (f"\n\n{_indented(fence(one.run, 'sh'), '   ')}\n" if one.run else "")


def _rival(one: blocks.Rival) -> str:
    check = f" {one.check.label}{prose(one.check.do)}" if one.check else ""
    return f"- {one.percent}: {prose(one.title).rstrip('.')} ({code(one.cause)}).{check}"


def _bold(label: str) -> str:
    return f"**{label.strip()}** " if label else ""


def _indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))
