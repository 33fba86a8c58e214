"""The compiled catalog: how it is packed into one piece, and how its parts are unpacked as they are asked for."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection

from logsense.catalog.decode import Problems, unpack_facts
from logsense.catalog.packed import Packed, Packer
from logsense.catalog.rules import decode_phases, decode_reruns, decode_rule, decode_table
from logsense.catalog.scoring_parts import ScoringParts, pack_scoring_parts
from logsense.catalog.settings import unpack_systems
from logsense.catalog.signatures import unpack_signature
from logsense.model.knowledge import Catalog, Literals, Problem, Program, unusual_texts
from logsense.model.rule import FactSpec, Phase, RerunRule, Rule, Table
from logsense.model.signature import Signature
from logsense.model.system import System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def pack_catalog(data: dict[str, Any]) -> bytes:
    """What was built, in one piece."""
    import json

    pack = Packer()
    for name in ("causes", "renamed", "problems"):
        pack.index[name] = data[name]
    for name in ("facts", "phases", "reruns"):
        pack.index[name] = pack.put(data[name].encode())
    for name in ("rules", "tables", "systems"):
        pack.index[name] = {key: pack.put(text.encode()) for key, text in data[name].items()}
    pack.index["programs"] = pack.put(json.dumps(data["programs"]).encode())
    pack.index["progress"] = pack.put(json.dumps(data["progress"]).encode())
    pack.items("signatures", [text.encode() for text in data["signatures"]])
    pack.texts("ids", data["ids"])
    pack_scoring_parts(data["briefs"], pack)
    causes = {cause: number for number, cause in enumerate(data["rules"])}
    found = data["rules_by_signature"]
    pack.lists("causes_of", [[causes[cause] for cause in found.get(one, ())] for one in data["ids"]])
    texts, folds, signatures = zip(*data["literals"], strict=True) if data["literals"] else ((), (), ())
    pack.texts("literals", texts)
    pack.numbers("folds", [number for number, fold in enumerate(folds) if fold])
    pack.numbers("odd", unusual_texts(texts))
    pack.lists("literals_of", signatures)
    return pack.whole()


class _Compiled:
    """Decodes the parts of a compiled catalog when they are first asked for."""

    def __init__(self, packed: Packed) -> None:
        self._packed = packed
        self.ids = tuple(packed.texts("ids"))
        self._signatures: dict[int, Signature] = {}
        self._rules: dict[str, Rule | None] = {}
        self._tables: dict[str, Table] = {}
        self._briefs: ScoringParts | None = None
        self._facts: dict[str, FactSpec] | None = None
        self._programs: dict[str, Program] | None = None
        self._systems: dict[str, System] | None = None

    def literals(self) -> Literals:
        packed = self._packed
        folded = frozenset(packed.numbers("folds"))
        flat, cuts = packed.numbers("literals_of.flat"), packed.numbers("literals_of.cuts")
        return Literals(packed.texts("literals"), folded, packed.numbers("odd"), flat, cuts)

    def signature(self, number: int) -> Signature:
        if number not in self._signatures:
            self._signatures[number] = unpack_signature(self._packed.data("signatures", number))
        return self._signatures[number]

    def rule(self, cause: str) -> Rule | None:
        if cause not in self._rules:
            known = cause in self._packed.index["rules"]
            data, own = self._packed.data("rules", cause) if known else (None, ())
            self._rules[cause] = decode_rule(data, Problems(), own) if known else None
        return self._rules[cause]

    def rules_for(self, ids: frozenset[str], stated: Collection[str] | None = None) -> list[Rule]:
        self._briefs = self._briefs or ScoringParts(self._packed)
        numbers = [number for one in ids if (number := self._number(one)) is not None]
        if stated is not None:
            return self._briefs.holding(numbers, stated)
        flat, cuts = self._packed.numbers("causes_of.flat"), self._packed.numbers("causes_of.cuts")
        names = list(self._packed.index["rules"])
        return self._briefs.whole({names[cause] for one in numbers for cause in flat[cuts[one] : cuts[one + 1]]})

    def _number(self, one: str) -> int | None:
        at = bisect_left(self.ids, one)
        return at if at < len(self.ids) and self.ids[at] == one else None

    def facts(self) -> dict[str, FactSpec]:
        if self._facts is None:
            self._facts = unpack_facts(self._packed.data("facts"))
        return self._facts

    def phases(self) -> tuple[Phase, ...]:
        return decode_phases(self._packed.data("phases"), Problems())

    def reruns(self) -> tuple[RerunRule, ...]:
        return decode_reruns(self._packed.data("reruns"), Problems())

    def table(self, name: str) -> Table | None:
        if name not in self._tables and name in self._packed.index["tables"]:
            self._tables[name] = decode_table(name, self._packed.data("tables", name), Problems())
        return self._tables.get(name)

    def systems(self) -> dict[str, System]:
        if self._systems is None:
            self._systems = unpack_systems(self._packed.data("systems", name) for name in self._packed.index["systems"])
        return self._systems

    def programs(self) -> dict[str, Program]:
        if self._programs is None:
            self._programs = {
                name: Program(
                    item["title"], item["framework"], tuple(item["paths"]), item["shared"], tuple(item["commands"])
                )
                for name, item in self._packed.data("programs").items()
            }
        return self._programs


def unpack_catalog(key: str, packed: Packed, folder: str | None) -> Catalog:
    """The catalog of this `key` that `pack_catalog` packed, which keeps what it compiles in `folder`."""
    compiled, index = _Compiled(packed), packed.index
    return Catalog(
        key=key,
        ids=compiled.ids,
        literals=compiled.literals(),
        progress=tuple((number, tuple(literals)) for number, literals in packed.data("progress")),
        signature=compiled.signature,
        rules_for=compiled.rules_for,
        rule=compiled.rule,
        facts=compiled.facts,
        phases=compiled.phases,
        reruns=compiled.reruns,
        table=compiled.table,
        systems=compiled.systems,
        programs=compiled.programs,
        causes=index["causes"],
        renamed=index.get("renamed", {}),  # a cache of before may lack it
        problems=tuple(Problem(*problem) for problem in index["problems"]),
        cache_folder=folder,
    )
