"""Scores causes: the strongest argument that holds, with its evidence, as a weight and then as a probability."""

from __future__ import annotations

import math
from collections.abc import Iterable

from logsense.diagnose.conditions import Conditions
from logsense.model.finding import Finding
from logsense.model.reading import FAILING, Incident
from logsense.model.rule import NEVER, Argument, Combined, Condition, EvidenceRule, FactIs, Found, Rule
from logsense.util.noun import NamedTuple

# Weights of what every rule has in common. benchmarks/calibrate.py fits them to labelled cases.
FIRST_FAILURE = 1.0
ONLY_CONSEQUENCE = -4.0
ONLY_HINT = -1.5
OUTLIVED_HINT = -4.0
UNKNOWN_CAUSE = 2.0
TEMPERATURE = 0.7
# Where nothing failed, a hint explains a log that just stops only if so few unknown lines follow it.
PLAIN_LINES_AFTER_HINT = 12
# A hint that so many reports on the training follow, up to the failure, did not keep the run from its work. A bar may
# be that of a download or of files that are loaded: of these it takes more.
REPORTS_AFTER_HINT, BARS_AFTER_HINT = 3, 60
ANCHORS = 8


class Candidate(NamedTuple):
    """A cause that an argument speaks for, with the anchor that the argument stands on."""

    rule: Rule
    argument: Argument
    anchor: Finding | None
    score: float
    evidence: tuple[tuple[EvidenceRule, Finding | None], ...]


def candidates(rules: list[Rule], judge: Conditions, incident: Incident) -> list[Candidate]:
    """The causes that at least one argument speaks for, strongest first; equals in the order of their anchors."""
    found = [best for rule in rules if (best := _best(rule, judge, incident))]
    last = (len(incident.sources), 0, 0)
    return sorted(found, key=lambda c: (-c.score, incident.order(c.anchor) if c.anchor else last, c.rule.cause))


def confidences(found: list[Candidate]) -> list[float]:
    """The probability of each candidate; what is missing to one is that of a cause that nobody has written down."""
    powers = [math.exp(c.score / TEMPERATURE) for c in found]
    total = sum(powers) + math.exp(UNKNOWN_CAUSE / TEMPERATURE)
    return [power / total for power in powers]


def stated(candidate: Candidate, share: float) -> float:
    """The probability `share` of `candidate` as far as its argument may claim it; any evidence for it lifts that."""
    if any(item.weight > 0 for item, _ in candidate.evidence):
        return share
    return min(share, candidate.argument.sure_at_most)


def _best(rule: Rule, judge: Conditions, incident: Incident) -> Candidate | None:
    best: Candidate | None = None
    echoed = not _has_last_words(incident)
    for argument in rule.arguments:
        if argument.when is NEVER:
            continue
        for anchor in _anchors(argument.when, judge):
            if not judge.all_hold(argument.when, anchor) or not _may_speak(anchor, judge, incident):
                continue
            evidence = tuple(
                (item, _witness(item.when, judge, anchor))
                for item in rule.evidence
                if item.when is not NEVER and judge.all_hold(item.when, anchor)
            )
            score = (
                argument.weight
                + sum(item.weight for item, _ in evidence)
                + _standing(anchor, argument, judge, incident)
            )
            echoed = echoed or _is_of_log((anchor, *(seen for item, seen in evidence if item.weight > 0)), incident)
            if best is None or score > best.score:
                best = Candidate(rule, argument, anchor, score, evidence)
    return best if best and best.score > 0 and (echoed or not _is_beside(best.anchor, incident)) else None


def _has_last_words(incident: Incident) -> bool:
    """Whether the log itself says of what it failed, and the machine's log something, too.

    What the machine says then explains the failure only where the log echoes it.
    """
    failures = (one for one in incident.failing if one.signature.kind == "failure")
    return bool(incident.machine_log) and any(not _is_beside(one, incident) for one in failures)


def _is_of_log(found: Iterable[Finding | None], incident: Incident) -> bool:
    return any(one is not None and not _is_beside(one, incident) for one in found)


def _is_beside(finding: Finding | None, incident: Incident) -> bool:
    """Whether the machine's own log says it."""
    return bool(incident.machine_log) and finding is not None and finding.record.source == incident.machine_log


def _anchors(conditions: tuple[Condition, ...], judge: Conditions) -> list[Finding | None]:
    first = _first_found(conditions, judge)
    if first is None:
        return [None]
    return list(first if len(first) <= ANCHORS else [*first[: ANCHORS - 2], *first[-2:]])


def _first_found(conditions: tuple[Condition, ...], judge: Conditions) -> list[Finding] | None:
    """The findings of the first Found among the conditions that has any; None where none asks for a finding."""
    answer: list[Finding] | None = None
    for condition in conditions:
        if isinstance(condition, Found):
            answer = judge.findings(condition)
        elif isinstance(condition, Combined) and condition.how != "none":
            answer = _first_found(condition.parts, judge)
        if answer:
            return answer
    return answer or None


def _witness(conditions: tuple[Condition, ...], judge: Conditions, anchor: Finding | None) -> Finding | None:
    """The finding that shows an item of evidence: the first that its conditions ask for, or their fact's origin."""
    found = _first_found(conditions, judge)
    if found:
        return found[0]
    for condition in conditions:
        if isinstance(condition, FactIs):
            fact = judge.facts.get(condition.name, anchor)
            if fact and fact.finding:
                return fact.finding
    return None


def _may_speak(anchor: Finding | None, judge: Conditions, incident: Incident) -> bool:
    if incident.outcome == "failed":
        return True
    if incident.outcome == "completed":
        return False
    if anchor is None or anchor.signature.kind in FAILING:
        return True
    fact = judge.facts.get("log.plain_lines_after", anchor)
    after = fact.value if fact and isinstance(fact.value, int) else 0
    number = incident.order(anchor)[0]
    # An epoch that is only named has begun, and nothing more.
    progress = sum(
        p.offset > anchor.offset and not p.captures.keys() <= {"epoch", "epochs"}
        for p in incident.ends[number].progress
    )
    # What still makes progress in its last lines was not stopped by what a warning said before.
    return after <= PLAIN_LINES_AFTER_HINT and progress < (1 if incident.outcome == "running" else 2)


def _standing(anchor: Finding | None, argument: Argument, judge: Conditions, incident: Incident) -> float:
    """What the anchor's place in the incident is worth: the first failure, a mere consequence, or a mere hint."""
    if anchor is not None and anchor.signature.kind == "hint" and _is_worked_on(anchor, incident):
        return OUTLIVED_HINT
    if not incident.failing:
        return 0.0
    if anchor is None or anchor.signature.kind not in FAILING:
        others = [f for c in argument.when if isinstance(c, Found) for f in judge.findings(c)]
        failing = [f for f in others if f.signature.kind in FAILING]
        if not failing:
            return ONLY_HINT
        anchor = failing[0]
    failures = [f for f in incident.failing if f.signature.kind == "failure"]
    if _is_outlived(anchor, failures, incident):
        return ONLY_HINT
    failures = [f for f in failures if not _is_outlived(f, failures, incident)]
    if anchor.signature.kind == "consequence":
        # A traceback that was cut off before it says what failed explains nothing that a consequence does not.
        roots = [f for f in failures if not _restates(f, anchor)]
        return ONLY_CONSEQUENCE if any(f.record.raised is None or f.record.raised.type for f in roots) else 0.0
    return FIRST_FAILURE if failures and failures[0].offset == anchor.offset else 0.0


def _restates(failure: Finding, consequence: Finding) -> bool:
    """Whether `failure` stands for any exception, and the one that it found is the consequence itself."""
    raised = failure.record.raised
    return (
        "generic" in failure.signature.traits
        and failure.record == consequence.record
        and (raised is None or not raised.chained)
    )


def _is_worked_on(hint: Finding, incident: Incident) -> bool:
    """Whether the run made progress for a while between the hint and its failure."""
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
    trained = sum("loss" in told or "epoch" in told for told in reports)
    return trained >= REPORTS_AFTER_HINT or len(reports) >= BARS_AFTER_HINT


def _is_outlived(finding: Finding, failures: list[Finding], incident: Incident) -> bool:
    """Whether what said it goes on, and did: there an exception was raised later, or a batch system ended the job."""
    if "goes_on" not in finding.signature.traits:
        return False
    place = finding.rank, finding.host
    later = (f for f in failures if incident.order(f) > incident.order(finding))
    return any(f.signature.ends_run or (f.record.raised and (f.rank, f.host) == place) for f in later)
