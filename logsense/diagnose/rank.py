"""Ranks the causes of an incident: which could be right, and how probable each is."""

from __future__ import annotations

from logsense.diagnose.conditions import Conditions
from logsense.diagnose.score import Candidate, calibrated, candidates, capped, confidences
from logsense.facts.facts import Facts
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.reading import FAILING, Incident
from logsense.model.rule import UNKNOWN
from logsense.util.noun import NamedTuple

SHOWN = 5
LEAST = 0.01  # the least probability of a cause that is shown besides the first


class Ranking(NamedTuple):
    """An incident with its causes, each with its probability, best first, and the conditions that were evaluated.

    It has no causes if the run completed, or if the cause `unknown` ranks first.
    """

    incident: Incident
    causes: tuple[tuple[Candidate, float], ...]
    conditions: Conditions

    @property
    def first(self) -> Candidate | None:
        """The most probable cause."""
        return self.causes[0][0] if self.causes else None

    @property
    def anchor(self) -> Finding | None:
        """The finding that the most probable cause rests on."""
        return self.first.anchor if self.first else None

    @property
    def confidence(self) -> float:
        """The probability of the most probable cause; 0 if there is none."""
        return self.causes[0][1] if self.causes else 0.0

    @property
    def outcome(self) -> str:
        """The outcome of the run: failed if its cause rests on a failure, or is an error that no message explains."""
        of_failure = self.anchor is not None and self.anchor.signature.kind in FAILING
        unknown = not self.causes and self.incident.ends_in_alarm and self.incident.outcome != "completed"
        return "failed" if of_failure or unknown else self.incident.outcome


def rank_causes(incident: Incident, catalog: Catalog, live: Live | None = None) -> Ranking:
    """Return the ranking of the causes of `incident`, also by what was learned of the machine (`live`)."""
    facts = Facts(catalog, incident, live)
    conditions = Conditions(catalog, incident, facts)
    found: list[Candidate] = []
    if incident.outcome != "completed":
        found = candidates(catalog.rules_for(conditions.ids(), facts.names()), conditions, incident)
    ranked = list(zip(found, confidences(found), strict=True))
    unknown = sum(share for one, share in ranked if one.rule.cause == UNKNOWN)
    known = [one for one in ranked if one[0].rule.cause != UNKNOWN]
    shown = [*known[:1], *(one for one in known[1:] if one[1] >= LEAST)][:SHOWN]
    whole = [_with_texts(candidate, catalog) for candidate, _ in shown]
    likely = [capped(one, share) for one, (_, share) in zip(whole, shown, strict=True)]
    # Weak causes prove right more often than they claim, so they compete with an unknown one by calibrated shares.
    *shares, of_unknown = calibrated([*likely, unknown]) if likely else [unknown]
    if shares and of_unknown > shares[0]:
        whole, shares = [], []
    return Ranking(incident, tuple(zip(whole, (round(share, 3) for share in shares), strict=True)), conditions)


def ranked_again(ranking: Ranking, incident: Incident, catalog: Catalog, live: Live | None) -> Ranking:
    """Return the ranking for `incident`, which may be what `ranking` is about."""
    return ranking if incident == ranking.incident else rank_causes(incident, catalog, live)


def _with_texts(candidate: Candidate, catalog: Catalog) -> Candidate:
    """Return `candidate`, which was scored without its texts, with them."""
    brief, rule = candidate.rule, catalog.rule(candidate.rule.cause)
    assert rule, "what was scored is in the catalog"
    arguments = {id(item): whole for item, whole in zip(brief.arguments, rule.arguments, strict=True)}
    evidence = {id(item): whole for item, whole in zip(brief.evidence, rule.evidence, strict=True)}
    return candidate._replace(
        rule=rule,
        argument=arguments[id(candidate.argument)],
        evidence=tuple((evidence[id(item)], witness) for item, witness in candidate.evidence),
    )
