"""What scoring needs of the rules, packed: their parts (arguments, evidence), and what must have been seen for each.

The texts of a rule are most of it, and are wanted only of the few that are shown. Of thousands of parts a run needs
a hundred: each is listed under the things of which at least one must have been seen for it to hold.
"""

from __future__ import annotations

import json
from bisect import bisect_right

from logsense.catalog.conditions import pack_conditions, unpack_conditions
from logsense.catalog.prerequisites import FACT, expanded, may_hold, prerequisites
from logsense.model.rule import NEVER, Argument, EvidenceRule, Rule, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from logsense.catalog.packed import Packed, Packer

_NOTHING = Text()
_NO_ARGUMENT = Argument("", NEVER, 0.0, _NOTHING, _NOTHING)
_NO_EVIDENCE = EvidenceRule(NEVER, 0.0, _NOTHING)


def scoring_parts(rules: Iterable[Rule], ids: Sequence[str], stated_only: Collection[str]) -> dict[str, Any]:
    """The briefs of `rules` as plain data; `ids` are those of all signatures, which go by their numbers in it.

    `stated_only` are the facts that are known only where a message or the machine states them.
    """
    numbers: dict[str, tuple[int, ...]] = {one: (number,) for number, one in enumerate(ids)}

    def group(names: Sequence[str]) -> list[str | int]:
        for name in names:
            if "*" in name and name not in numbers:
                numbers[name] = tuple(numbers[one][0] for one in expanded(name, ids))
        known = {number for name in names for number in numbers.get(name, ())}
        return [*sorted(known), *(name for name in names if name.startswith(FACT))]

    sizes: list[tuple[str, int, int]] = []
    parts: list[str] = []
    of_signature: list[list[int]] = [[] for _ in ids]
    of_fact: dict[str, list[int]] = {}
    always: list[int] = []
    for rule in rules:
        sizes.append((rule.cause, len(rule.arguments), len(rule.evidence)))
        own: list[Argument | EvidenceRule] = [*rule.arguments, *rule.evidence]
        for part in own:
            groups = sorted((group(names) for names in prerequisites(part.when, stated_only)), key=len)
            name = part.id if isinstance(part, Argument) else ""
            for one in groups[0] if groups else ():
                (of_signature[one] if isinstance(one, int) else of_fact.setdefault(one, [])).append(len(parts))
            always += [] if groups else [len(parts)]
            parts.append(json.dumps([groups[1:], pack_conditions(part.when), part.weight, name]))
    return {"rules": sizes, "parts": parts, "of_signature": of_signature, "of_fact": of_fact, "always": always}


def pack_scoring_parts(data: dict[str, Any], pack: Packer) -> None:
    """Adds what `briefs` gave to `pack`."""
    for name in ("rules", "of_fact"):
        pack.index[f"briefs.{name}"] = pack.put(json.dumps(data[name]).encode())
    pack.items("briefs.parts", [text.encode() for text in data["parts"]])
    pack.lists("briefs.of_signature", data["of_signature"])
    pack.numbers("briefs.always", data["always"])


class ScoringParts:
    """The rules of a packed catalog without their texts, as far as they are asked for."""

    def __init__(self, packed: Packed) -> None:
        self._packed = packed
        self._rules: list[tuple[str, int, int]] = packed.data("briefs.rules")
        self._begins: list[int] = []  # the first part of each rule
        self._number: dict[str, int] = {}
        total = 0
        for cause, arguments, evidence in self._rules:
            self._number[cause] = len(self._begins)
            self._begins.append(total)
            total += arguments + evidence
        self._begins.append(total)
        self._of_fact: dict[str, list[int]] = packed.data("briefs.of_fact")
        self._flat = packed.numbers("briefs.of_signature.flat")
        self._cuts = packed.numbers("briefs.of_signature.cuts")
        self._always = packed.numbers("briefs.always")
        # A process that reads many logs asks for the same parts again and again.
        self._parts: dict[int, tuple[list[list[str | int]], Argument | EvidenceRule]] = {}

    def whole(self, causes: Iterable[str]) -> list[Rule]:
        """The rules of these causes, and those that need no signature, with all of their parts; by cause."""
        places = {self._number[cause] for cause in causes if cause in self._number}
        for number in (*self._always, *(number for found in self._of_fact.values() for number in found)):
            if self._is_argument(number):
                places.add(self._rule_of(number))
        spans = (range(self._begins[at], self._begins[at + 1]) for at in sorted(places))
        return list(self._made(number for span in spans for number in span))

    def holding(self, signatures: Collection[int], facts: Collection[str]) -> list[Rule]:
        """The rules of which an argument could hold where just these signatures and facts were seen.

        Parts of them that could not hold have the conditions NEVER. They come in the order of causes.
        """
        numbers = set(self._always)
        for one in signatures:
            numbers.update(self._flat[self._cuts[one] : self._cuts[one + 1]])
        names = [FACT + name for name in facts]
        for name in names:
            numbers.update(self._of_fact.get(name, ()))
        seen: frozenset[str | int] = frozenset([*signatures, *names])
        return list(self._made(number for number in sorted(numbers) if may_hold(self._part(number)[0], seen)))

    def _part(self, number: int) -> tuple[list[list[str | int]], Argument | EvidenceRule]:
        if number not in self._parts:
            groups, packed, weight, name = self._packed.data("briefs.parts", number)
            when = unpack_conditions(packed)
            part = (
                Argument(name, when, weight, _NOTHING, _NOTHING)
                if self._is_argument(number)
                else EvidenceRule(when, weight, _NOTHING)
            )
            self._parts[number] = groups, part
        return self._parts[number]

    def _is_argument(self, number: int) -> bool:
        at = self._rule_of(number)
        return number - self._begins[at] < self._rules[at][1]

    def _rule_of(self, number: int) -> int:
        return bisect_right(self._begins, number) - 1

    def _made(self, numbers: Iterable[int]) -> Iterator[Rule]:
        """The rules that have these parts, which come in order, where an argument is among them."""
        held: dict[int, list[int]] = {}
        for number in numbers:
            held.setdefault(self._rule_of(number), []).append(number)
        for at, parts in held.items():
            cause, many, more = self._rules[at]
            begin = self._begins[at]
            if parts[0] - begin >= many:
                continue
            arguments, evidence = [_NO_ARGUMENT] * many, [_NO_EVIDENCE] * more
            for number in parts:
                part = self._part(number)[1]
                if isinstance(part, Argument):
                    arguments[number - begin] = part
                else:
                    evidence[number - begin - many] = part
            yield Rule(cause, _NOTHING, tuple(arguments), tuple(evidence), _NOTHING, (), ())
