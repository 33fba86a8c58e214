"""Compile the YAML files of a catalog."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from logsense.catalog.conditions import decode_settings
from logsense.catalog.decode import Problems, decode_facts
from logsense.catalog.files import Folder, built_in
from logsense.catalog.meanings import Meanings, decode_meanings
from logsense.catalog.prerequisites import expanded, required
from logsense.catalog.rules import decode_phases, decode_reruns, decode_rule, decode_table, with_shared
from logsense.catalog.scoring_parts import write_scoring_parts
from logsense.catalog.signatures import decode_signature
from logsense.catalog.stored import NumberLists, StoreWriter
from logsense.catalog.systems import decode_system
from logsense.catalog.trust import is_guarded, without_claims
from logsense.catalog.yaml_files import place, read_yaml
from logsense.model.knowledge import Problem, Program, unusual_texts
from logsense.model.rule import FactSpec, Rule, Table
from logsense.model.signature import Signature
from logsense.model.system import System

Value = TypeVar("Value")


# Files of rules/ with one list or mapping: what it is called, and how it is decoded.
_WHOLE: dict[str, tuple[str, Callable[[object, Problems], object]]] = {
    "_applies.yaml": ("settings", decode_settings),
    "_phases.yaml": ("phases", decode_phases),
    "_reruns.yaml": ("reruns", decode_reruns),
}


class Builder:
    """Collect what the files say. A user's own may replace what is built in, a project's only adds to both."""

    def __init__(self) -> None:
        self.signatures: dict[str, Signature] = {}
        self.rules: dict[str, object] = {}  # the content of each cause's file
        self.meanings: dict[str, Meanings] = {}  # what each message adds to them
        self.facts: dict[str, FactSpec] = {}
        self.shared: dict[str, object] = {}  # fixes of several rules
        self.tables: dict[str, Table] = {}
        self.systems: dict[str, System] = {}
        self.commands_of: dict[str, str] = {}  # systems that take commands as another one does
        self.programs: dict[str, Program] = {}
        self.causes: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.whole: dict[str, object] = {"phases": (), "reruns": (), "settings": {}}
        self.problems: list[Problem] = []
        self.own = False
        self.origin = ""

    def add(self, folder: Folder, path: str) -> None:
        """Add one file of `folder`."""
        kind, root, self.origin = folder
        self.own = root != built_in(kind)
        full = os.path.join(root, path)
        data, failed = read_yaml(full)
        self.problems += failed
        if failed:
            return
        if self.own and self.renamed:
            data = _renewed(data, self.renamed)
        if self.origin:
            data = without_claims(data, self.origin)
        problems = Problems()
        name = os.path.basename(path).rsplit(".", 1)[0]
        if kind == "corpus":
            self._corpus(path, name, data, problems)
        else:
            self._rules(path, name, data, problems)
        if problems.found:
            self.problems += place(full, problems.found)

    def _corpus(self, path: str, name: str, data: object, problems: Problems) -> None:
        if name == "_program":
            fields = _mapping(data)
            program = Program(
                title=str(fields.get("title", "")),
                framework=str(fields.get("framework") or ""),
                paths=_several(fields.get("paths")),
                shared=fields.get("shared") is True,
                commands=_several(fields.get("commands")),
            )
            self._put(self.programs, path.split("/")[0], program, problems)
            return
        signature = decode_signature(data, problems)
        if signature and self._may_name(self.signatures, signature.id, problems):
            if self.own and isinstance(data, dict) and "pattern" in data:
                signature = signature._replace(timed=True)
            self.signatures[signature.id] = signature
            self.meanings[signature.id] = decode_meanings(signature.id, data, problems)
            was = data.get("was") if isinstance(data, dict) else None
            self.renamed.update({str(old): signature.id for old in (was if isinstance(was, list) else [was]) if old})

    def _rules(self, path: str, name: str, data: object, problems: Problems) -> None:
        if path == "_causes.yaml":
            for family, causes in _mapping(data).items():
                for cause, text in _mapping(causes).items():
                    self._put(self.causes, f"{family}.{cause}", str(text), problems)
        elif path in _WHOLE:
            key, decode = _WHOLE[path]
            decoded = decode(data, problems)
            if self._may_name((name,), name, problems) and not problems.found:
                self.whole[key] = decoded
        elif path.startswith("_fixes/"):
            self._put(self.shared, name, data, problems)
        elif path.startswith("_facts"):
            for fact, spec in decode_facts(data, problems).items():
                self._put(self.facts, fact, spec, problems)
        elif path.startswith("_tables/"):
            self._table(name, data, problems)
        elif path.startswith("_systems/"):
            self._system(name, data, problems)
        elif path == "_unknown.yaml" or not os.path.basename(path).startswith("_"):
            self._rule(with_shared(data, self.shared, problems), problems)

    def _rule(self, data: object, problems: Problems) -> None:
        rule = decode_rule(data, problems)
        if rule and self._may_name(self.rules, rule.cause, problems):
            self.rules[rule.cause] = {key: value for key, value in _mapping(data).items() if key != "examples"}

    def _whole_rules(self) -> list[Rule]:
        """Return the rules with what messages add to them, by cause."""
        own: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for one, meanings in sorted(self.meanings.items()):
            for cause, parts in meanings.items():
                own.setdefault(cause, []).append((one, parts))
        rules = (decode_rule(data, Problems(), own.get(cause, ())) for cause, data in sorted(self.rules.items()))
        return [rule for rule in rules if rule]

    def _table(self, name: str, data: object, problems: Problems) -> None:
        table = decode_table(name, data, problems)
        if self.own and is_guarded(name, self.origin):
            problems.add((), f"the table {name} decides what is hidden, and is not replaced")
        if not problems.found:
            self._put(self.tables, name, table, problems)

    def _system(self, name: str, data: object, problems: Problems) -> None:
        system = decode_system(data, problems)
        if system:
            self._put(self.systems, system.name, system._replace(timed=self.own), problems)
            self.commands_of[system.name] = str(_mapping(data).get("commands_of") or "")

    def _put(self, known: dict[str, Value], name: str, value: Value, problems: Problems) -> None:
        if self._may_name(known, name, problems):
            known[name] = value

    def _may_name(self, known: Collection[str], name: str, problems: Problems) -> bool:
        """Return whether the file may say what `name` is; a project's may not if something more trusted does."""
        if not self.origin or name not in known:
            return True
        problems.add((), f"{name} is known already, and a project's file replaces nothing")
        return False

    def compiled(self) -> bytes:
        """Return everything in one piece, with the indices that make finding quick."""
        ids = tuple(sorted(self.signatures))
        rules = self._whole_rules()
        stated = {name for name, spec in self.facts.items() if not spec.derive and not spec.lookup}
        out = StoreWriter()
        progress = tuple(
            (number, tuple(pattern.literal for pattern in self.signatures[one].match))
            for number, one in enumerate(ids)
            if self.signatures[one].kind == "progress"
        )
        causes, renamed = dict(sorted(self.causes.items())), dict(sorted(self.renamed.items()))
        out.index["catalog"] = out.put((ids, self._literals(ids), progress, causes, renamed, tuple(self.problems)))
        out.put_all("signatures", (self.signatures[one] for one in ids))
        out.index["rules"] = {rule.cause: out.put(rule) for rule in rules}
        out.index["tables"] = {name: out.put(table) for name, table in sorted(self.tables.items())}
        others = {name: self.systems[other] for name, other in self.commands_of.items() if other in self.systems}
        systems = {
            name: system._replace(commands=others[name].commands) if name in others else system
            for name, system in sorted(self.systems.items())
        }
        for name, value in (
            ("facts", dict(sorted(self.facts.items()))),
            *self.whole.items(),
            ("systems", systems),
            ("programs", dict(sorted(self.programs.items()))),
        ):
            out.index[name] = out.put(value)
        out.index["causes of"] = out.put(_causes_of(rules, ids))
        write_scoring_parts(rules, ids, stated, out)
        return out.whole()

    def _literals(self, ids: Sequence[str]) -> tuple[object, ...]:
        """Return what `Literals` is made of."""
        found: dict[tuple[str, bool], set[int]] = {}
        for number, signature in enumerate(self.signatures[one] for one in ids):
            fold = signature.ignore_case
            for pattern in signature.match if signature.kind != "progress" else ():
                found.setdefault((pattern.literal.lower() if fold else pattern.literal, fold), set()).add(number)
        keys = sorted(found)
        texts = tuple(text for text, _ in keys)
        folded = frozenset(number for number, (_, fold) in enumerate(keys) if fold)
        return texts, folded, tuple(unusual_texts(texts)), NumberLists.pack(sorted(found[key]) for key in keys)


def _causes_of(rules: Iterable[Rule], ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the causes that each message has arguments for."""
    found: dict[str, set[str]] = {}
    for rule in rules:
        for name in {name for argument in rule.arguments for name in required(argument.when)}:
            for one in expanded(name, ids):
                found.setdefault(one, set()).add(rule.cause)
    return {one: tuple(sorted(causes)) for one, causes in sorted(found.items())}


def _mapping(data: object) -> dict[Any, Any]:
    return data if isinstance(data, dict) else {}


def _several(data: object) -> tuple[str, ...]:
    return tuple(str(one) for one in (data if isinstance(data, list) else [data] if data else []))


def build(files: Iterable[tuple[Folder, str]], problems: Iterable[Problem] = ()) -> bytes:
    """Return the compiled catalog of `files`, each a folder and a path below it, the most trusted first.

    `problems` are those that were found with the folders themselves.
    """
    builder = Builder()
    builder.problems += problems
    for folder, path in sorted(files, key=lambda one: not one[1].startswith("_fixes/")):  # rules share what is in them
        builder.add(folder, path)
    return builder.compiled()


def _renewed(data: Any, renamed: dict[str, str]) -> Any:
    """Return `data`, of a user's file, with renamed ids replaced by the current ones."""
    if isinstance(data, dict):
        return {key: value if key in ("id", "was") else _renewed(value, renamed) for key, value in data.items()}
    if isinstance(data, list):
        return [_renewed(item, renamed) for item in data]
    return renamed.get(data, data) if isinstance(data, str) else data
