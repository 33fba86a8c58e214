"""Makes an answer fit to be passed on: nothing that names people and machines, and no secrets, is left in it."""

from __future__ import annotations

from logsense.machine.identity import identity
from logsense.render.redact.masks import Redactor
from logsense.render.redact.report import redact_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.model.catalog import Catalog
    from logsense.model.report import Report

# The tables of patterns, and of names that stay; the second of each is for a team's own (`--rules DIR`).
PATTERNS = ("redaction-own", "redaction")
KEEPS = ("redaction-keeps", "redaction-own-keeps")


def redacted(report: Report, catalog: Catalog) -> Report:
    """`report` with masks for secrets, people and machines, and with the list of what was masked."""
    return redact_report(report, redactor_for(catalog))


def redactor_for(catalog: Catalog) -> Redactor:
    """What hides things by the tables of `catalog`, and the names of this machine and its user."""
    patterns, keeps = ([row for name in names for row in _rows(catalog, name)] for names in (PATTERNS, KEEPS))
    redactor = Redactor(patterns, keeps)
    here = identity()
    for name in here.users:
        redactor.know("user", name, "the name of a user")
    for name in here.hosts:
        redactor.know("host", name, "the name of a machine")
    return redactor


def _rows(catalog: Catalog, name: str) -> tuple[dict[str, object], ...]:
    table = catalog.table(name)
    return table.rows if table else ()
