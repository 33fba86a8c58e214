"""What is passed on of a failed run, as one Markdown text or one page for a bug report."""

from __future__ import annotations

from html import escape

from logsense.render.clean import clean, one_line
from logsense.render.html import block, page, render_body, table
from logsense.render.markdown import code, fence, masks, prose, render_markdown
from logsense.render.words import masks_in_words
from logsense.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from logsense.model.bundle import Bundle, Excerpt

_LOG = "The log around it"
_JOB, _SETUP = "The run", "What it ran on"
_LEGEND = "Lines with > are those that prove it."


def render_bundle(bundle: Bundle, format: str) -> str:
    """`bundle` as markdown or html, with a newline at its end."""
    return _html(bundle) if format == "html" else "\n\n".join(_markdown(bundle)) + "\n"


def numbered(excerpt: Excerpt) -> str:
    """The lines of `excerpt` with their numbers, and a mark at those that matter."""
    lines = clean(excerpt.text).split("\n")
    width = len(str(excerpt.first_line + len(lines) - 1))
    rows = []
    for number, line in enumerate(lines, excerpt.first_line):
        rows.append(f"{'>' if number in excerpt.marked else ' '} {number:>{width}} │ {line}".rstrip())
    return "\n".join(rows)


def _markdown(bundle: Bundle) -> Iterator[str]:
    report = bundle.report
    yield render_markdown(report._replace(masked=None)).rstrip("\n")
    if bundle.excerpts:
        yield f"### {_LOG}"
        yield _LEGEND
    for excerpt in bundle.excerpts:
        yield code(excerpt.source)
        yield fence(numbered(excerpt))
    for title, rows in ((_JOB, bundle.job), (_SETUP, bundle.setup)):
        if rows:
            yield f"### {title}"
            yield _rows(rows)
    if report.masked is not None:
        yield masks(report.masked)
    yield f"*logsense {__version__}*"


def _rows(rows: Mapping[str, str]) -> str:
    lines = [f"| {prose(name)} | {code(value) if value else ''} |".replace("\n", " ") for name, value in rows.items()]
    return "| | |\n|---|---|\n" + "\n".join(_without_pipes(line) for line in lines)


def _without_pipes(row: str) -> str:
    # Within a table, a pipe ends the cell even in code.
    cells = row[2:-2].split(" | ", 1)
    return "| " + " | ".join(cell.replace("\\|", "|").replace("|", "\\|") for cell in cells) + " |"


def _html(bundle: Bundle) -> str:
    report = bundle.report
    parts = [render_body(report._replace(masked=None))]
    if bundle.excerpts:
        parts.append(f"<h2>{_LOG}</h2><p class=dim>{escape(_LEGEND)}</p>")
    parts += [f"<p><b>{escape(one_line(one.source))}</b></p>{block(numbered(one))}" for one in bundle.excerpts]
    for title, rows in ((_JOB, bundle.job), (_SETUP, bundle.setup)):
        if rows:
            parts.append(f"<h2>{title}</h2>" + table(list(rows.items())))
    hidden = [] if report.masked is None else [("Hidden here", masks_in_words(report.masked) or "nothing")]
    parts.append(table([*hidden, ("Written by", f"logsense {__version__}")]))
    title = one_line(report.diagnoses[0].title) if report.diagnoses else "logsense"
    return page(title, "\n".join(parts))
