"""Makes an answer fit to be passed on: with the log around it, and without what names people and machines."""

from __future__ import annotations

from types import MappingProxyType
from typing import TypeVar

from logsense.machine.host.identity import identity
from logsense.model.bundle import Bundle, Excerpt
from logsense.model.line import shown_parts
from logsense.records.prefixes import take
from logsense.share.redact.masks import Redactor
from logsense.share.redact.report import learn_report, learn_values, mask_values
from logsense.sources.again import excerpts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from logsense.model.knowledge import Catalog
    from logsense.model.report import Report
    from logsense.model.source import Source
    from logsense.model.survey import Survey

Value = TypeVar("Value")
# The tables of patterns, and of names that stay; one of each is for a team's own (`--rules DIR`).
PATTERNS = ("redaction-own", "redaction")
KEEPS = ("redaction-keeps", "redaction-own-keeps")
AROUND_LINES = 15
MOST_PLACES = 8
_NONE: Mapping[str, str] = MappingProxyType({})


def redacted(report: Report, catalog: Catalog, sources: Sequence[Source] = ()) -> Report:
    """`report` with masks for secrets, people and machines, and with the list of what was masked.

    The lines of its logs, `sources`, around those that it shows tell what was broken over two lines.
    """
    redactor = redactor_for(catalog)
    learn_report(report, redactor)
    learn_values(bundle_of(report, sources), redactor)
    return mask_values(report, redactor)._replace(masked=redactor.masked())


def redacted_bundle(bundle: Bundle, catalog: Catalog) -> Bundle:
    """`bundle` with masks in all of it, and with their list in its report."""
    redactor = redactor_for(catalog)
    learn_report(bundle.report, redactor)
    learn_values(bundle, redactor)
    masked = mask_values(bundle, redactor)
    return masked._replace(report=masked.report._replace(masked=redactor.masked()))


def redacted_survey(survey: Survey, catalog: Catalog) -> Survey:
    """`survey` with masks for secrets, people and machines; a machine has the same mask in all of it."""
    redactor = redactor_for(catalog)
    for row in survey.rows:
        if row.host:
            redactor.know("host", row.host, "the name of a machine")
    learn_values(survey, redactor)
    return mask_values(survey, redactor)


def redacted_values(value: Value, catalog: Catalog) -> Value:
    """`value`, a named tuple or a tuple of such, with masks for secrets, people and machines in all of its texts."""
    redactor = redactor_for(catalog)
    learn_values(value, redactor)
    return mask_values(value, redactor)


def bundle_of(
    report: Report,
    sources: Sequence[Source] = (),
    *,
    job: Mapping[str, str] = _NONE,
    setup: Mapping[str, str] = _NONE,
    around: int = AROUND_LINES,
) -> Bundle:
    """`report` with the lines of `sources` around those that prove it. A source that can be read only once has none."""
    places = list(dict.fromkeys(_places(report)))[:MOST_PLACES]
    excerpts = []
    for source in sorted(sources, key=lambda one: one.turn):
        excerpts += _excerpts(source, places, around)
    order = {name: number for number, (name, _) in reversed(list(enumerate(places)))}
    excerpts.sort(key=lambda one: (order[one.source], one.first_line))
    return Bundle(report, tuple(excerpts), job, setup)


def _excerpts(source: Source, places: Sequence[tuple[str, int]], around: int) -> list[Excerpt]:
    """The lines of `source` around those of `places` that are its own, a part of it at a time."""
    found = excerpts_of(source, [line for name, line in places if name == source.name], around)
    for name, first, last in shown_parts(source.name, source.parts):
        lines = [at for shown, line in places if shown == name and (at := first + line - 1) <= last]
        for one in excerpts_of(source, lines, around):
            above = max(0, first - one.first_line)
            text = one.text.split("\n")[above : last + 1 - one.first_line]
            marked = tuple(number - first + 1 for number in one.marked)
            found.append(Excerpt(name, one.first_line + above - first + 1, "\n".join(text), marked))
    return found


def redactor_for(catalog: Catalog) -> Redactor:
    """What hides things by the tables of `catalog`, and the names of this machine and its user."""
    patterns, keeps = ([row for name in names for row in _rows(catalog, name)] for names in (PATTERNS, KEEPS))
    redactor = Redactor(patterns, keeps, label_length)
    here = identity()
    for name in here.users:
        redactor.know("user", name, "the name of a user")
    for name in here.hosts:
        redactor.know("host", name, "the name of a machine")
    return redactor


def label_length(line: str) -> int:
    """How many characters in front of a line name its rank, its time and the like."""
    found = take(line)
    return max(line.find(found[0]), 0) if found else 0


def _places(report: Report) -> Iterator[tuple[str, int]]:
    """Where the lines that matter stand, the most important first."""
    for one in (*(report.diagnoses[0].evidence if report.diagnoses else ()), *report.unexplained):
        if one.source and one.line is not None:
            yield one.source, one.line
    for culprit in report.culprits:
        yield culprit.source, culprit.line


def _rows(catalog: Catalog, name: str) -> tuple[dict[str, object], ...]:
    table = catalog.table(name)
    return table.rows if table else ()
