"""The parts of rules that scoring needs: arguments and evidence without their texts, found by what they require.

The texts of a rule are most of it, and only those of the few causes that are shown are needed. Of thousands of parts, a
run needs a hundred: each is listed under the messages and facts of which at least one must have been seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

from logsense.catalog.prerequisites import FACT, expanded, prerequisites
from logsense.catalog.stored import NumberLists, Store, StoreWriter
from logsense.model.rule import NEVER, Argument, EvidenceRule, Rule, Text

_NO_TEXT = Text()
_NO_ARGUMENT = Argument("", NEVER, 0.0, _NO_TEXT, _NO_TEXT)
_NO_EVIDENCE = EvidenceRule(NEVER, 0.0, _NO_TEXT)


def write_scoring_parts(
    rules: Iterable[Rule], ids: Sequence[str], stated_only: Collection[str], to: StoreWriter
) -> None:
    """Write the parts of `rules`; `ids` are those of all signatures.

    `stated_only` are the facts that are known only if a message or the machine states them.
    """
    sizes: list[tuple[str, int, int]] = []
    parts: list[Argument | EvidenceRule] = []
    needing: dict[str, list[int]] = {}
    always: list[int] = []
    for rule in rules:
        sizes.append((rule.cause, len(rule.arguments), len(rule.evidence)))
        parts += [one._replace(says=_NO_TEXT, explain=_NO_TEXT, title=_NO_TEXT) for one in rule.arguments]
        parts += [one._replace(says=_NO_TEXT) for one in rule.evidence]
        for number in range(sum(map(sum, (size[1:] for size in sizes[:-1]))), len(parts)):
            groups = prerequisites(parts[number].when, stated_only)
            known = [{one for name in group for one in expanded(name, ids)} for group in groups]
            for one in min(known, key=len, default=()):
                needing.setdefault(one, []).append(number)
            always += [] if known else [number]
    of_signature = NumberLists.pack(needing.get(one, ()) for one in ids)
    of_fact = {name: tuple(numbers) for name, numbers in sorted(needing.items()) if name.startswith(FACT)}
    to.put_all("scoring parts", parts)
    to.index["scoring"] = to.put((tuple(sizes), of_signature, of_fact, tuple(always)))


class ScoringParts:
    """The rules of a stored catalog without their texts, read on demand."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sizes, of_signature, self._of_fact, self._always = store.value("scoring")
        self._of_signature = NumberLists(of_signature)
        self._begins = [0, *accumulate(arguments + evidence for _, arguments, evidence in self._sizes)]
        # A process that reads many logs needs the same parts again and again.
        self._parts: dict[int, Argument | EvidenceRule] = {}

    def rules_for(self, signatures: Iterable[int], facts: Iterable[str]) -> list[Rule]:
        """Return the rules of which an argument could hold if only these signatures and facts were seen.

        Parts of them that can't hold have the conditions NEVER. The rules are in the order of their causes.
        """
        numbers = set(self._always)
        for one in signatures:
            numbers.update(self._of_signature[one])
        for name in facts:
            numbers.update(self._of_fact.get(FACT + name, ()))
        of_rule: dict[int, list[int]] = {}
        for number in sorted(numbers):
            of_rule.setdefault(bisect_right(self._begins, number) - 1, []).append(number)
        return [
            self._rule(at, parts) for at, parts in of_rule.items() if parts[0] - self._begins[at] < self._sizes[at][1]
        ]

    def _rule(self, at: int, numbers: list[int]) -> Rule:
        cause, count, more = self._sizes[at]
        arguments, evidence = [_NO_ARGUMENT] * count, [_NO_EVIDENCE] * more
        for number in numbers:
            part, place = self._part(number), number - self._begins[at]
            if isinstance(part, Argument):
                arguments[place] = part
            else:
                evidence[place - count] = part
        return Rule(cause, _NO_TEXT, tuple(arguments), tuple(evidence), _NO_TEXT, (), ())

    def _part(self, number: int) -> Argument | EvidenceRule:
        if number not in self._parts:
            self._parts[number] = self._store.value("scoring parts", number)
        return self._parts[number]
