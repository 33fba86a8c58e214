"""Evaluates the conditions of rules on an incident, from the perspective of an anchor."""

from __future__ import annotations

from logsense.facts.facts import Facts
from logsense.model.finding import Finding
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident
from logsense.model.rule import (
    Applies,
    Before,
    Combined,
    Comparison,
    Condition,
    EndsAfter,
    FactIs,
    Found,
    FrameworkIs,
    InFrame,
    NotFound,
)
from logsense.model.values import fact_value, version_key


class Conditions:
    """Evaluates conditions on one incident."""

    def __init__(self, catalog: Catalog, incident: Incident, facts: Facts) -> None:
        self.catalog, self._incident, self.facts = catalog, incident, facts
        self._by_id: dict[str, list[Finding]] = {}
        self._found: dict[Found, list[Finding]] = {}  # shared by rules
        for finding in sorted((*incident.failing, *incident.context), key=incident.order):
            self._by_id.setdefault(finding.signature.id, []).append(finding)

    def ids(self) -> frozenset[str]:
        """Return the ids of all signatures that conditions can match."""
        return frozenset(self._by_id) | frozenset(self._incident.last)

    def findings(self, condition: Found) -> list[Finding]:
        """Return the findings that satisfy a Found condition, in order; an empty list if there are too few."""
        if condition not in self._found:
            self._found[condition] = self._search(condition)
        return self._found[condition]

    def _search(self, condition: Found) -> list[Finding]:
        found = [
            finding
            for one in self.catalog.expand(condition.ids)
            for finding in self._by_id.get(one, ())
            if all(self._slot_fits(finding, slot, tests) for slot, tests in condition.where)
        ]
        if condition.times > 1:
            seen = sum(self._incident.counts.get(one, 0) for one in self.catalog.expand(condition.ids))
            if max(seen, len(found)) < condition.times:
                return []
        return sorted(found, key=lambda one: (*self._incident.order(one), one.signature.id))

    def all_hold(self, conditions: tuple[Condition, ...], anchor: Finding | None) -> bool:
        """Return whether all `conditions` hold."""
        return all(self.holds(condition, anchor) for condition in conditions)

    def applies(self, needs: Applies, anchor: Finding | None) -> bool:
        """Return whether the run's setting is one of those asked for, for every key of `needs`."""
        settings = self.catalog.settings() if needs else {}
        return all(any(self._shown(settings.get(key, {}).get(word), anchor) for word in words) for key, words in needs)

    def _shown(self, conditions: tuple[Condition, ...] | None, anchor: Finding | None) -> bool:
        return conditions is not None and self.all_hold(conditions, anchor)

    def holds(self, condition: Condition, anchor: Finding | None) -> bool:
        """Return whether `condition` holds for `anchor`."""
        if isinstance(condition, Found):
            return bool(self.findings(condition))
        if isinstance(condition, FactIs):
            return self._fact_holds(condition, anchor)
        if isinstance(condition, NotFound):
            return not any(one in self._by_id for one in self.catalog.expand(condition.ids))
        if isinstance(condition, Combined):
            answers = (self.holds(part, anchor) for part in condition.parts)
            return (
                any(answers)
                if condition.how == "any"
                else not any(answers)
                if condition.how == "none"
                else all(answers)
            )
        if isinstance(condition, EndsAfter):
            return not self.catalog.expand(condition.ids).isdisjoint(self._incident.last)
        if isinstance(condition, Before):
            first, second = self.findings(Found(condition.first)), self.findings(Found(condition.second))
            return bool(first and second) and self._incident.order(first[0]) < self._incident.order(second[-1])
        if isinstance(condition, InFrame):
            return _in_frame(condition.texts, anchor)
        assert isinstance(condition, FrameworkIs)
        return self.facts.framework() in condition.names

    def _slot_fits(self, finding: Finding, slot: str, tests: tuple[Comparison, ...]) -> bool:
        value = finding.captures.get(slot)
        kind = _kind_of(value)
        return all(self._compare(value, kind, test, finding) for test in tests)

    def _fact_holds(self, condition: FactIs, anchor: Finding | None) -> bool:
        fact = self.facts.get(condition.name, anchor)
        kind = self.facts.type_of(condition.name)
        return all(self._compare(fact.value if fact else None, kind, test, anchor) for test in condition.tests)

    def _compare(self, value: object, kind: str, test: Comparison, anchor: Finding | None) -> bool:
        if test.operator == "known":
            return (value is not None) == bool(test.operand)
        if value is None:
            return False
        operand = test.operand
        if isinstance(operand, str) and self.facts.is_fact(operand):
            fact = self.facts.get(operand, anchor)
            if fact is None:
                return False
            operand = fact.value
        if isinstance(operand, (int, float)) and not isinstance(operand, bool) and test.times != 1.0:
            operand = operand * test.times
        elif test.times != 1.0:
            typed = fact_value(kind, operand)
            operand = typed * test.times if isinstance(typed, (int, float)) else operand
        return _compare(value, kind, test.operator, operand)


def _kind_of(value: object) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int"
    return "float" if isinstance(value, float) else "text"


def _compare(value: object, kind: str, operator: str, operand: object) -> bool:
    if operator in ("contains", "starts_with", "ends_with"):
        text = str(value).lower()
        wanted = [str(one).lower() for one in (operand if isinstance(operand, tuple) else (operand,))]
        if operator == "contains":
            return any(one in text for one in wanted)
        return any(text.startswith(one) if operator == "starts_with" else text.endswith(one) for one in wanted)
    if operator == "exactly":
        return str(value) in map(str, operand if isinstance(operand, tuple) else (operand,))
    if operator in ("equals", "not", "one_of"):
        wanted_all = operand if isinstance(operand, tuple) else (operand,)
        same = any(_equal(value, kind, one) for one in wanted_all)
        return not same if operator == "not" else same
    if kind == "text" and version_key(str(value)) and isinstance(operand, str):
        kind = "version"
    left: object = version_key(str(value)) if kind == "version" else value
    right: object = version_key(str(operand)) if kind == "version" else _number(kind, operand)
    if isinstance(left, tuple) and isinstance(right, tuple):
        size = max(len(left), len(right))
        left, right = left + (0,) * (size - len(left)), right + (0,) * (size - len(right))
    elif not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return False
    if operator == "at_least":
        return left >= right  # type: ignore[operator]
    if operator == "at_most":
        return left <= right  # type: ignore[operator]
    return left > right if operator == "above" else left < right  # type: ignore[operator]


def _number(kind: str, operand: object) -> object:
    if isinstance(operand, (int, float)):
        return operand
    for one in (kind, "bytes", "seconds", "float"):
        value = fact_value(one, operand)
        if isinstance(value, (int, float)):
            return value
    return None


def _equal(value: object, kind: str, operand: object) -> bool:
    if kind == "version":
        have, wanted = version_key(str(value)), version_key(str(operand))
        return bool(wanted) and have[: len(wanted)] == wanted
    if kind == "text":
        return str(value).lower() == str(operand).lower()
    return value == (fact_value(kind, operand) if isinstance(operand, str) else operand)


def _in_frame(texts: tuple[str, ...], anchor: Finding | None) -> bool:
    if anchor is None:
        return False
    raised = anchor.record.raised
    every = [*(raised.frames if raised else ()), *(f for one in (raised.chained if raised else ()) for f in one.frames)]
    if not every:
        return any(text.strip("*") in anchor.record.text for text in texts)
    parts = [text.strip("*") for text in texts if text[:1] == "*"]
    if parts and any(part in frame.function for part in parts for frame in every):
        return True
    return any(text in frame.file or text == frame.function for text in texts for frame in every)
