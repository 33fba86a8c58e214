"""Prepare a report for sharing: add log excerpts, and mask secrets and the names of people and machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

from logsense.machine.host.identity import identity
from logsense.model.bundle import Bundle
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.model.source import Source
from logsense.model.survey import Survey
from logsense.records.prefixes import take
from logsense.share.redact.masks import Redactor
from logsense.share.redact.report import learn_report, learn_values, mask_values
from logsense.sources.reread import excerpts_of

Value = TypeVar("Value")
# Tables of patterns, and of names that need no mask; the "own" ones are a team's (`--rules DIR`).
PATTERN_TABLES = ("redaction-own", "redaction")
ALLOWLIST_TABLES = ("redaction-keeps", "redaction-own-keeps")
CONTEXT_LINES = 15
MOST_PLACES = 8
_NONE: Mapping[str, str] = MappingProxyType({})


def redacted(report: Report, catalog: Catalog, sources: Sequence[Source] = ()) -> Report:
    """Return `report` with secrets and the names of people and machines masked, and with the list of masks.

    `sources` are its logs: lines next to the quoted ones show secrets that a line break splits.
    """
    redactor = redactor_for(catalog)
    learn_report(report, redactor)
    learn_values(bundle_of(report, sources), redactor)
    return mask_values(report, redactor)._replace(masked=redactor.masked())


def redacted_bundle(bundle: Bundle, catalog: Catalog) -> Bundle:
    """Return `bundle` with masks throughout, and with the list of masks in its report."""
    redactor = redactor_for(catalog)
    learn_report(bundle.report, redactor)
    learn_values(bundle, redactor)
    masked = mask_values(bundle, redactor)
    return masked._replace(report=masked.report._replace(masked=redactor.masked()))


def redacted_survey(survey: Survey, catalog: Catalog) -> Survey:
    """Return `survey` with secrets and names masked. A machine has the same mask everywhere."""
    redactor = redactor_for(catalog)
    for row in survey.rows:
        if row.host:
            redactor.add_name("host", row.host, "the name of a machine")
    learn_values(survey, redactor)
    return mask_values(survey, redactor)


def redacted_values(value: Value, catalog: Catalog) -> Value:
    """Return `value`, a named tuple or a tuple of them, with secrets and names masked in all texts."""
    redactor = redactor_for(catalog)
    learn_values(value, redactor)
    return mask_values(value, redactor)


def bundle_of(
    report: Report,
    sources: Sequence[Source] = (),
    *,
    job: Mapping[str, str] = _NONE,
    setup: Mapping[str, str] = _NONE,
    context_lines: int = CONTEXT_LINES,
) -> Bundle:
    """Return `report` with excerpts: the evidence and `context_lines` on each side of it.

    Sources that can be read only once give no excerpts. `job` and `setup` are rows for the bundle's tables.
    """
    places = list(dict.fromkeys(_places(report)))[:MOST_PLACES]
    excerpts = []
    for source in sorted(sources, key=lambda one: one.turn):
        excerpts += excerpts_of(source, places, context_lines)
    order = {name: number for number, (name, _) in reversed(list(enumerate(places)))}
    excerpts.sort(key=lambda one: (order[one.source], one.first_line))
    return Bundle(report, tuple(excerpts), job, setup)


def redactor_for(catalog: Catalog) -> Redactor:
    """Return a redactor with the tables of `catalog` and the names of this machine and its user."""
    patterns, allowed = (
        [row for name in names for row in _rows(catalog, name)] for names in (PATTERN_TABLES, ALLOWLIST_TABLES)
    )
    redactor = Redactor(patterns, allowed, prefix_length)
    here = identity()
    for name in here.users:
        redactor.add_name("user", name, "the name of a user")
    for name in here.hosts:
        redactor.add_name("host", name, "the name of a machine")
    return redactor


def prefix_length(line: str) -> int:
    """Return the length of the prefix of `line` (time, rank and the like), in characters."""
    found = take(line)
    return max(line.find(found[0]), 0) if found else 0


def _places(report: Report) -> Iterator[tuple[str, int]]:
    """Yield the sources and line numbers of the evidence, most important first."""
    for one in (*(report.diagnoses[0].evidence if report.diagnoses else ()), *report.unexplained):
        if one.source and one.line is not None:
            yield one.source, one.line
    for culprit in report.culprits:
        yield culprit.source, culprit.line


def _rows(catalog: Catalog, name: str) -> tuple[dict[str, object], ...]:
    table = catalog.table(name)
    return table.rows if table else ()
