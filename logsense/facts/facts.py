"""Facts: what findings state, what follows from it, and what the engine knows about the log."""

from __future__ import annotations

from functools import cached_property

from logsense.facts.derivable import arithmetic, derivable
from logsense.facts.exceptions import EXCEPTION_FACTS, exception_fact
from logsense.facts.rank_places import Places
from logsense.facts.run_progress import RunProgress, plain_lines_after
from logsense.facts.setting import framework_of, python_of, system_of
from logsense.facts.tables import NEWER, best_row, newer_than
from logsense.facts.waits import Waits
from logsense.model.finding import Fact, Finding
from logsense.model.knowledge import Catalog
from logsense.model.live import Live
from logsense.model.reading import Incident
from logsense.model.record import Record
from logsense.model.rule import FactSpec, Lookup
from logsense.model.system import DEVICE, LANGUAGE, MACHINE, System
from logsense.model.values import fact_value

# The engine's own facts, with their types; docs/writing-rules.md describes them.
ENGINE_FACTS = {
    "log.lines": "int", "log.bytes": "bytes", "log.ends_after": "text", "log.ends_abruptly": "bool",
    "log.last_step": "int", "log.total_steps": "int", "log.last_epoch": "float", "log.total_epochs": "int",
    "log.last_loss": "float", "log.loss_rises": "bool", "log.elapsed": "seconds", "log.silent": "seconds",
    "log.pace": "seconds", "log.last_time": "text", "log.checkpoint_step": "int",
    "log.checkpoint_path": "text", "log.memory_growth": "float", "log.memory_climbs": "bool",
    "log.plain_lines_after": "int", "log.failing_ranks": "int", "log.awaited_ranks": "text",
    "log.alarm_before_status": "bool", "log.mismatched_ranks": "text", "log.sizes_differ": "bool", "log.ranks": "int",
    "log.system": "text", "log.device": "text", "log.language": "text", "log.python": "version", "framework": "text",
    **EXCEPTION_FACTS,
    "place.rank": "int", "place.host": "text", "place.gpu": "int", "place.by": "text", "place.awaited": "bool",
    "place.last_before": "seconds", "place.last_after": "seconds",
}  # fmt: skip
MOST_DEPTH = 6
_SYSTEM_KINDS = {"system": MACHINE, "device": DEVICE, "language": LANGUAGE}


class Facts:
    """The facts of an incident, from the perspective of an anchor.

    What the log states precedes what follows from it, and both precede the state of the machine (`live`), since the log
    was written when the run failed.
    """

    def __init__(self, catalog: Catalog, incident: Incident, live: Live | None = None) -> None:
        self._catalog, self._incident = catalog, incident
        self._live = live.facts if live else {}
        self.specs: dict[str, FactSpec] = catalog.facts()
        self._stated: dict[str, list[Fact]] = {}
        self._framework: str | None = None
        self._systems: dict[str, System | None] = {}
        self._known: dict[
            tuple[str, int], tuple[Finding | None, Fact | None]
        ] = {}  # keeps the anchor alive, so that its id stays unique
        self.asked: set[str] = set()  # the names that rules asked for
        self.run_progress = RunProgress(incident)
        for finding in sorted((*incident.failing, *incident.context), key=incident.order):
            for name, slot in finding.signature.facts.items():
                raw = slot[1:] if slot.startswith("=") else finding.captures.get(slot)
                value = None if raw is None else fact_value(self.type_of(name), raw)
                if value is not None and (value or not self._hides_zero(name)):
                    self._stated.setdefault(name, []).append(Fact(name, value, finding))

    def type_of(self, name: str) -> str:
        """Return the type of a fact; text if it is not listed."""
        spec = self.specs.get(name)
        return spec.type if spec else ENGINE_FACTS.get(name, "text")

    def _hides_zero(self, name: str) -> bool:
        spec = self.specs.get(name)
        return bool(spec and spec.zero_is_unknown)

    def is_fact(self, name: str) -> bool:
        """Return whether `name` is the name of a fact."""
        return name in self.specs or name in ENGINE_FACTS

    def names(self) -> list[str]:
        """Return the names of all facts that findings or the machine state."""
        return sorted({*self._stated, *self._live})

    def get(self, name: str, anchor: Finding | None, depth: int = 0) -> Fact | None:
        """Return the fact as a rule with this anchor sees it; None if it is unknown."""
        if depth:  # not cached: the depth limit may cut off circular facts
            return self._from_log(name, anchor, depth) or self._from_machine(name)
        self.asked.add(name)
        known = self._known.get((name, id(anchor)))
        if known is None:
            known = anchor, self._from_log(name, anchor, depth) or self._from_machine(name)
            self._known[name, id(anchor)] = known
        return known[1]

    def _from_machine(self, name: str) -> Fact | None:
        read = self._live.get(name)
        value = None if read is None else fact_value(self.type_of(name), read.value)
        return None if read is None or value is None else Fact(name, value, None, read.source)

    def _from_log(self, name: str, anchor: Finding | None, depth: int) -> Fact | None:
        stated, spec = self._stated.get(name), self.specs.get(name)
        if stated:
            return self._nearest(stated, anchor, own=bool(spec and spec.own))
        if name in ENGINE_FACTS:
            value = self._engine(name, anchor)
            return None if value is None else Fact(name, value, anchor)
        if spec is None or depth > MOST_DEPTH or name not in self.derivable:
            return None
        if spec.lookup:
            return self._looked_up(spec, spec.lookup, anchor, depth)
        return self._derived(spec, anchor, depth) if spec.derive else None

    @cached_property
    def derivable(self) -> frozenset[str]:
        """The names of stated facts, of the engine's own, and of those that can be derived from them."""
        stated = (*self._stated, *self._live, *ENGINE_FACTS)
        return derivable(self.specs, stated, {*self.specs, *ENGINE_FACTS})

    def _nearest(self, stated: list[Fact], anchor: Finding | None, *, own: bool) -> Fact | None:
        if anchor is None:
            return stated[-1]
        order = self._incident.order
        here = [f for f in stated if _is_in_entry(f.finding, anchor)]
        if here:
            # Of several in one entry, the anchor's own, or else that of the most specific signature.
            return max(here, key=lambda f: (_is_same(f.finding, anchor), _exactness(f.finding)))
        if own:
            return None
        before = [f for f in stated if f.finding and order(f.finding) <= order(anchor)]
        same = [f for f in before if f.finding and f.finding.rank == anchor.rank]
        chosen = same or before or stated
        # Of several in the last entry, that of the most specific signature: it also states the others of its group.
        return max(
            (f for f in reversed(chosen) if _is_in_entry(f.finding, chosen[-1].finding)),
            key=lambda f: _exactness(f.finding),
        )

    def _derived(self, spec: FactSpec, anchor: Finding | None, depth: int) -> Fact | None:
        assert spec.derive
        how, operands = spec.derive
        if how == "distinct":
            return self._distinct(spec.name, [str(operand) for operand in operands], anchor, depth)
        facts = [self._operand(operand, anchor, depth) for operand in operands]
        if how == "first":
            return next((Fact(spec.name, f.value, f.finding, f.source) for f in facts if f), None)
        numbers = [f.value for f in facts if f and isinstance(f.value, (int, float))]
        if len(numbers) != len(facts) or not numbers:
            return None
        value = arithmetic(how, numbers)
        typed = None if value is None else fact_value(spec.type, value)
        origin = next((f.finding for f in facts if f and f.finding), None)
        source = next((f.source for f in facts if f and f.source), "")
        return None if typed is None else Fact(spec.name, typed, origin, source)

    def _distinct(self, name: str, operands: list[str], anchor: Finding | None, depth: int) -> Fact | None:
        """Count the values of the first operand in the messages whose other operands are the anchor's."""
        counted, *shared = operands
        own = {one: self.get(one, anchor, depth + 1) for one in shared}
        values = {
            fact.value
            for fact in self._stated.get(counted, ())
            if fact.finding and all(own[one] and self._states(fact.finding, one, own[one]) for one in shared)
        }
        return Fact(name, len(values), anchor) if values else None

    def _states(self, finding: Finding, name: str, wanted: Fact | None) -> bool:
        """Return whether `finding` states the fact `name` with the value of `wanted`."""
        return any(
            fact.finding is finding and wanted and fact.value == wanted.value for fact in self._stated.get(name, ())
        )

    def _operand(self, operand: object, anchor: Finding | None, depth: int) -> Fact | None:
        if isinstance(operand, str) and self.is_fact(operand):
            return self.get(operand, anchor, depth + 1)
        for kind in ("bytes", "seconds", "float"):
            value = fact_value(kind, operand)
            if value is not None:
                return Fact("", value)
        return Fact("", operand)

    def _looked_up(self, spec: FactSpec, lookup: Lookup, anchor: Finding | None, depth: int) -> Fact | None:
        keys = {column: self.get(name, anchor, depth + 1) for column, name in lookup.where}
        table = self._catalog.table(lookup.table) if all(keys.values()) else None
        if table is None:
            return None
        if lookup.match == NEWER:
            newer = newer_than(table, {column: fact.value for column, fact in keys.items() if fact})
            return Fact(spec.name, True, anchor) if newer else None
        row = best_row(table, {column: fact.value for column, fact in keys.items() if fact}, lookup.match)
        if row is None or row.get(lookup.give) is None:
            return None
        value = fact_value(spec.type, row[lookup.give])
        origin = next((f.finding for f in keys.values() if f and f.finding), None)
        source = next((f.source for f in keys.values() if f and f.source), "")
        return None if value is None else Fact(spec.name, value, origin, source)

    def _engine(self, name: str, anchor: Finding | None) -> object | None:
        incident = self._incident
        group, _, part = name.partition(".")
        if group == "place":
            return self._place(part, anchor)
        if name == "framework":
            return self.framework() or None
        if group == "exception":
            return exception_fact(part, self._raising(anchor))
        known = {"lines": incident.lines, "bytes": incident.size, "alarm_before_status": incident.alarm_before_status}
        if part in known:
            return known[part] or None
        if part == "ends_after":
            return incident.last[0] if incident.last else None
        if part == "ends_abruptly":
            return incident.outcome in ("unknown", "running")
        if part == "plain_lines_after":
            return plain_lines_after(incident, anchor) if anchor else None
        if part == "python":
            return python_of(incident)
        if part in ("mismatched_ranks", "awaited_ranks"):
            waiting = self.waits.mismatched if part == "mismatched_ranks" else self.waits.awaited(anchor)
            return ", ".join(map(str, waiting)) or None
        if part in _SYSTEM_KINDS:
            return shown.name if (shown := self.system(_SYSTEM_KINDS[part])) else None
        if part == "sizes_differ":
            return self.waits.sizes_differ
        if part not in ("failing_ranks", "ranks"):
            value = self.run_progress.value(part)
            return None if value is None else fact_value(ENGINE_FACTS[name], value)
        ranks = {f.rank for f in incident.failing} - {None}
        if part == "failing_ranks":
            return len(ranks)
        return len((ranks | {f.rank for f in incident.context}) - {None})

    def _place(self, part: str, anchor: Finding | None) -> object | None:
        """Return where it happened; without distinguishable ranks, the machine or GPU that a line names."""
        if anchor is None or self.has_many_ranks:
            return self.places.value(part, anchor) if anchor else None
        if part == "host":
            return anchor.captures.get("host") or anchor.captures.get("node") or anchor.host
        gpu = anchor.captures.get("gpu") if part == "gpu" else None
        return gpu if isinstance(gpu, int) else None

    @cached_property
    def has_many_ranks(self) -> bool:
        """Whether the logs mention more than one rank."""
        ranks = {finding.rank for finding in (*self._incident.failing, *self._incident.context)}
        ranks |= {record.prefix.rank for ending in self._incident.ends for record in ending.records[-1:]}
        return len(ranks - {None}) > 1

    def system(self, kind: str) -> System | None:
        """Return the system of this kind that the run used; None if it is the usual one or unknown."""
        if kind not in self._systems:
            self._systems[kind] = system_of(self._incident, self._catalog, kind)
        return self._systems[kind]

    @cached_property
    def places(self) -> Places:
        """Where the ranks ran."""
        return Places(self._incident, self.waits)

    @cached_property
    def waits(self) -> Waits:
        """Which ranks the others waited for."""
        return Waits(self._incident, self.get, self._catalog)

    def _raising(self, anchor: Finding | None) -> Record | None:
        """Return the record with the exception in question: the anchor's, or else the last one of its process.

        A launcher's exception only says that a process ended.
        """
        if anchor and anchor.record.raised:
            return anchor.record
        found = self._incident.failing
        launchers = {one.record.key for one in found if one.signature.ends_run}
        last = (record for ending in self._incident.ends for record in reversed(ending.records[-5:]))
        rank = anchor.rank if anchor else None
        for record in (*(one.record for one in reversed(found)), *last):
            other = rank is not None and record.prefix.rank not in (None, rank)
            if record.raised and not other and record.key not in launchers:
                return record
        return None

    def framework(self) -> str:
        """Return the framework in use; "" if unknown."""
        if self._framework is None:
            self._framework = framework_of(self._incident, self._catalog.programs())
        return self._framework


def _is_same(finding: Finding | None, anchor: Finding) -> bool:
    return finding is not None and finding.signature.id == anchor.signature.id


def _is_in_entry(finding: Finding | None, other: Finding | None) -> bool:
    """Return whether the two are of one entry of a log."""
    if finding is None or other is None:
        return finding is other
    return finding.offset == other.offset and finding.record.source == other.record.source


def _exactness(finding: Finding | None) -> int:
    return max((len(pattern.literal) for pattern in finding.signature.match), default=0) if finding else 0
