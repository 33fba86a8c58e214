"""What to do about a cause that is known without a log."""

from __future__ import annotations

from logsense.advise.fixes import fixes_of
from logsense.advise.wording import Wording
from logsense.diagnose.conditions import Conditions
from logsense.facts.facts import Facts
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.reading import Incident
from logsense.model.report import Diagnosis

_NOTHING = Incident("failed", (), (), (), (), (), {}, (), 0, 0)


def advise(cause: str, catalog: Catalog, live: Live | None = None) -> Diagnosis | None:
    """Return the explanation and the fixes of `cause`, filled in with what the machine shows; None if it is unknown."""
    rule = catalog.rule(cause)
    if rule is None:
        return None
    conditions = Conditions(catalog, _NOTHING, Facts(catalog, _NOTHING, live))
    wording = Wording(conditions, None)
    return Diagnosis(
        cause=cause,
        confidence=1.0,
        title=wording.write(rule.title) or cause,
        explanation=" ".join((wording.write(rule.explain) or "").split()),
        fixes=tuple(fixes_of(rule, wording, conditions, None)),
        references=rule.references,
    )
