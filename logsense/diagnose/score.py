"""Scores causes by their strongest argument and its evidence, first as a weight, then as a probability."""

from __future__ import annotations

import math
from collections.abc import Iterable

from logsense.diagnose.conditions import Conditions
from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Incident
from logsense.model.rule import NEVER, Argument, Combined, Condition, EvidenceRule, FactIs, Found, Rule
from logsense.util.noun import NamedTuple

# Weights common to all rules, fitted to labeled cases by benchmarks/calibrate.py.
FIRST_FAILURE = 1.0
ONLY_CONSEQUENCE = -4.0
ONLY_HINT = -1.5
HINT_BEFORE_PROGRESS = -4.0
TEMPERATURE = 0.7
# Without a failure, a hint explains a log that just stops only if at most so many unknown lines follow it.
PLAIN_LINES_AFTER_HINT = 12
PLAIN_LINES_AFTER_SHELL = 3  # a shell goes on by itself, and so much is the output of a program
# A hint followed by so many progress reports before the failure did not stop the run. Bars must be more, since they may
# belong to downloads or loading.
REPORTS_AFTER_HINT, BARS_AFTER_HINT = 3, 60
ANCHORS = 8
EFFECT_ALONE = 0.75  # the highest probability for what was seen by its effect alone
# What the first cause claimed in eight rounds of unseen cases, and how often it was right (docs/confidence.md): low
# claims were too low, the highest too high. This line through their log odds removes most of the difference.
CLAIM_OFFSET, CLAIM_SLOPE = 0.65, 0.65
HIGHEST_CLAIM = 0.9999


class Candidate(NamedTuple):
    """A cause with its best argument, and the anchor of that argument."""

    rule: Rule
    argument: Argument
    anchor: Finding | None
    score: float
    evidence: tuple[tuple[EvidenceRule, Finding | None], ...]


def candidates(rules: list[Rule], conditions: Conditions, incident: Incident) -> list[Candidate]:
    """Return the causes with at least one argument that holds, strongest first, then by their anchors."""
    found = [best for rule in rules if (best := _best(rule, conditions, incident))]
    last = (len(incident.sources), 0, 0)
    return sorted(found, key=lambda c: (-c.score, incident.order(c.anchor) if c.anchor else last, c.rule.cause))


def confidences(found: list[Candidate]) -> list[float]:
    """Return the probability of each candidate."""
    powers = [math.exp(c.score / TEMPERATURE) for c in found]
    total = sum(powers)
    return [power / total for power in powers]


def capped(candidate: Candidate, share: float) -> float:
    """Return the probability `share` limited to what the argument may claim; any evidence for it lifts the limit."""
    if any(item.weight > 0 for item, _ in candidate.evidence):
        return share
    return min(share, EFFECT_ALONE) if candidate.argument.effect_only else share


def calibrated(shares: list[float]) -> list[float]:
    """Return `shares`, best first, with the first as high as such claims proved right; the others share the rest."""
    if not shares:
        return []
    first = min(shares[0], HIGHEST_CLAIM)
    odds = CLAIM_OFFSET + CLAIM_SLOPE * math.log(first / (1 - first))
    likely = 1 / (1 + math.exp(-odds))
    return [likely, *(share * (1 - likely) / (1 - first) for share in shares[1:])]


def _best(rule: Rule, conditions: Conditions, incident: Incident) -> Candidate | None:
    best: Candidate | None = None
    echoed = not _states_own_failure(incident)
    for argument in rule.arguments:
        if argument.when is NEVER:
            continue
        for anchor in _anchors(argument.when, conditions):
            if not conditions.all_hold(argument.when, anchor) or not _can_explain(anchor, conditions, incident):
                continue
            evidence = tuple(
                (item, _proof(item.when, conditions, anchor))
                for item in rule.evidence
                if item.when is not NEVER and conditions.all_hold(item.when, anchor)
            )
            score = (
                argument.weight
                + sum(item.weight for item, _ in evidence)
                + _position_weight(anchor, argument, conditions, incident)
            )
            echoed = echoed or _is_from_job_log(
                (anchor, *(seen for item, seen in evidence if item.weight > 0)), incident
            )
            if best is None or score > best.score:
                best = Candidate(rule, argument, anchor, score, evidence)
    return best if best and best.score > 0 and (echoed or not _is_from_machine_log(best.anchor, incident)) else None


def _states_own_failure(incident: Incident) -> bool:
    """Return whether both the job's log and the machine's log state a failure.

    Then the machine's log explains the failure only if the job's log echoes it.
    """
    failures = (one for one in incident.failing if one.signature.kind == "failure")
    return bool(incident.machine_log) and any(not _is_from_machine_log(one, incident) for one in failures)


def _is_from_job_log(found: Iterable[Finding | None], incident: Incident) -> bool:
    return any(one is not None and not _is_from_machine_log(one, incident) for one in found)


def _is_from_machine_log(finding: Finding | None, incident: Incident) -> bool:
    """Return whether the finding is in the machine's own log."""
    return bool(incident.machine_log) and finding is not None and finding.record.source == incident.machine_log


def _anchors(when: tuple[Condition, ...], conditions: Conditions) -> list[Finding | None]:
    first = _first_found(when, conditions)
    if first is None:
        return [None]
    return list(first if len(first) <= ANCHORS else [*first[: ANCHORS - 2], *first[-2:]])


def _first_found(when: tuple[Condition, ...], conditions: Conditions) -> list[Finding] | None:
    """Return the findings of the first Found condition that has any; None if there is no Found condition."""
    answer: list[Finding] | None = None
    for condition in when:
        if isinstance(condition, Found):
            answer = conditions.findings(condition)
        elif isinstance(condition, Combined) and condition.how != "none":
            answer = _first_found(condition.parts, conditions)
        if answer:
            return answer
    return answer or None


def _proof(when: tuple[Condition, ...], conditions: Conditions, anchor: Finding | None) -> Finding | None:
    """Return the finding that proves an item of evidence: the first of its conditions, or the origin of its fact."""
    found = _first_found(when, conditions)
    if found:
        return found[0]
    for condition in when:
        if isinstance(condition, FactIs):
            fact = conditions.facts.get(condition.name, anchor)
            if fact and fact.finding:
                return fact.finding
    return None


def _can_explain(anchor: Finding | None, conditions: Conditions, incident: Incident) -> bool:
    if incident.outcome == "failed":
        return True
    if incident.outcome == "completed":
        return False
    if anchor is None or anchor.signature.kind in FAILING:
        return True
    fact = conditions.facts.get("log.plain_lines_after", anchor)
    after = fact.value if fact and isinstance(fact.value, int) else 0
    number = incident.order(anchor)[0]
    # A bare epoch number only shows that the epoch began.
    progress = sum(
        p.offset > anchor.offset and not p.captures.keys() <= {"epoch", "epochs"}
        for p in incident.ends[number].progress
    )
    # An earlier warning did not stop a run that makes progress in its last lines.
    most = PLAIN_LINES_AFTER_SHELL if "goes_on" in anchor.signature.traits else PLAIN_LINES_AFTER_HINT
    return after <= most and progress < (1 if incident.outcome == "running" else 2)


def _position_weight(anchor: Finding | None, argument: Argument, conditions: Conditions, incident: Incident) -> float:
    """Return the weight of the anchor's position: the first failure, only a consequence, or only a hint.

    An argument without conditions has no position.
    """
    if not argument.when:
        return 0.0
    if anchor is not None and anchor.signature.kind == "hint" and _has_progress_after(anchor, incident):
        return HINT_BEFORE_PROGRESS
    if not incident.failing:
        return 0.0
    if anchor is None or anchor.signature.kind not in FAILING:
        others = [f for c in argument.when if isinstance(c, Found) for f in conditions.findings(c)]
        failing = [f for f in others if f.signature.kind in FAILING]
        if not failing:
            return ONLY_HINT
        anchor = failing[0]
    failures = [f for f in incident.failing if f.signature.kind == "failure"]
    if _was_survived(anchor, failures, incident):
        return ONLY_HINT
    failures = [f for f in failures if not _was_survived(f, failures, incident)]
    if anchor.signature.kind == "consequence":
        # A traceback cut off before its exception explains no more than a consequence.
        roots = [f for f in failures if not _restates(f, anchor)]
        return ONLY_CONSEQUENCE if any(f.record.raised is None or f.record.raised.type for f in roots) else 0.0
    return FIRST_FAILURE if failures and failures[0].offset == anchor.offset else 0.0


def _restates(failure: Finding, consequence: Finding) -> bool:
    """Return whether `failure` only repeats the consequence: both are of one entry, in which no exception came before.

    Of two messages for any exception, or a message for any and one for a particular one, the failure says more.
    """
    raised = failure.record.raised
    says_more = "generic" in consequence.signature.traits and "generic" not in failure.signature.traits
    return failure.record == consequence.record and not says_more and (raised is None or not raised.chained)


def _has_progress_after(hint: Finding, incident: Incident) -> bool:
    """Return whether the run made progress for a while between the hint and its failure."""
    here = incident.order(hint)
    if here[0] >= len(incident.ends):
        return False
    ends = (incident.order(one) for one in incident.failing)
    until = next((offset for number, offset, _ in ends if number == here[0]), incident.size)
    reports = [
        one.captures.keys()
        for one in (*incident.progress_before, *incident.ends[here[0]].progress)
        if here[1] < one.offset <= until and one.record.source == hint.record.source
    ]
    trained = sum("loss" in slots or "epoch" in slots for slots in reports)
    return trained >= REPORTS_AFTER_HINT or len(reports) >= BARS_AFTER_HINT


def _was_survived(finding: Finding, failures: list[Finding], incident: Incident) -> bool:
    """Return whether the message says that the program continues, and it did: a later exception or the batch system
    ended it."""
    if "goes_on" not in finding.signature.traits:
        return False
    place = finding.rank, finding.host
    later = (f for f in failures if incident.order(f) > incident.order(finding))
    return any(f.signature.ends_run or (f.record.raised and (f.rank, f.host) == place) for f in later)
