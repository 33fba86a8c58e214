"""Builds the compiled form of a catalog from its YAML files: plain data that fits into the cache."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable

from logsense.catalog.decode import Problems, decode_facts, pack_facts
from logsense.catalog.files import Folder, built_in, place, read_yaml
from logsense.catalog.levels import is_guarded, without_claims
from logsense.catalog.meanings import decode_meanings
from logsense.catalog.prerequisites import asked, expanded
from logsense.catalog.rules import decode_phases, decode_reruns, decode_rule, decode_table, with_shared
from logsense.catalog.scoring_parts import scoring_parts
from logsense.catalog.settings import decode_system, pack_system
from logsense.catalog.signatures import decode_signature, pack_signature
from logsense.model.knowledge import Problem
from logsense.model.rule import FactSpec, Rule
from logsense.model.signature import Signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from logsense.catalog.meanings import Meanings

    Value = TypeVar("Value")


class Builder:
    """Collects what the files say. A user's own may replace what is built in, a project's only adds to both."""

    def __init__(self) -> None:
        self.signatures: dict[str, tuple[Signature, str]] = {}
        self.rules: dict[str, object] = {}  # the content of each cause's file
        self.meanings: dict[str, Meanings] = {}  # what each message adds to them
        self.facts: dict[str, FactSpec] = {}
        self.shared: dict[str, object] = {}  # fixes of several rules
        self.tables: dict[str, str] = {}
        self.systems: dict[str, str] = {}
        self.programs: dict[str, dict[str, object]] = {}
        self.causes: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.phases = "[]"
        self.reruns = "[]"
        self.problems: list[Problem] = []
        self.own = False
        self.origin = ""

    def add(self, folder: Folder, path: str) -> None:
        """Take in one file of `folder`."""
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
            program = {
                "title": str(fields.get("title", "")),
                "framework": str(fields.get("framework") or ""),
                "shared": fields.get("shared") is True,
                "paths": _several(fields.get("paths")),
                "commands": _several(fields.get("commands")),
            }
            self._put(self.programs, path.split("/")[0], program, problems)
            return
        signature = decode_signature(data, problems)
        if signature and self._may_name(self.signatures, signature.id, problems):
            if self.own and isinstance(data, dict) and "pattern" in data:
                signature = signature._replace(timed=True)
            self.signatures[signature.id] = (signature, json.dumps(pack_signature(signature)))
            self.meanings[signature.id] = decode_meanings(signature.id, data, problems)
            was = data.get("was") if isinstance(data, dict) else None
            self.renamed.update({str(old): signature.id for old in (was if isinstance(was, list) else [was]) if old})

    def _rules(self, path: str, name: str, data: object, problems: Problems) -> None:
        if path == "_causes.yaml":
            for family, causes in _mapping(data).items():
                for cause, text in _mapping(causes).items():
                    self._put(self.causes, f"{family}.{cause}", str(text), problems)
        elif path == "_reruns.yaml":
            decode_reruns(data, problems)
            if self._may_name((name,), name, problems) and not problems.found:
                self.reruns = json.dumps(data)
        elif path == "_phases.yaml":
            decode_phases(data, problems)
            if self._may_name((name,), name, problems) and not problems.found:
                self.phases = json.dumps(data)
        elif path.startswith("_fixes/"):
            self._put(self.shared, name, data, problems)
        elif path.startswith("_facts"):
            for fact, spec in decode_facts(data, problems).items():
                self._put(self.facts, fact, spec, problems)
        elif path.startswith("_tables/"):
            self._table(name, data, problems)
        elif path.startswith("_systems/"):
            self._system(name, data, problems)
        elif not os.path.basename(path).startswith("_"):
            self._rule(with_shared(data, self.shared, problems), problems)

    def _rule(self, data: object, problems: Problems) -> None:
        rule = decode_rule(data, problems)
        if rule and self._may_name(self.rules, rule.cause, problems):
            self.rules[rule.cause] = {key: value for key, value in _mapping(data).items() if key != "examples"}

    def _whole_rules(self) -> dict[str, tuple[Rule, str]]:
        """The rules with what messages add to them, and both as they are kept, by cause."""
        own: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        for one, meanings in sorted(self.meanings.items()):
            for cause, parts in meanings.items():
                own.setdefault(cause, []).append((one, {key: items for key, items in parts.items() if items}))
        found = {}
        for cause, data in sorted(self.rules.items()):
            added = own.get(cause, [])
            rule = decode_rule(data, Problems(), added)
            assert rule, "each part was decoded before"
            found[cause] = rule, json.dumps([data, added])
        return found

    def _table(self, name: str, data: object, problems: Problems) -> None:
        decode_table(name, data, problems)
        if self.own and is_guarded(name, self.origin):
            problems.add((), f"the table {name} decides what is hidden, and is not replaced")
        if not problems.found:
            self._put(self.tables, name, json.dumps(data), problems)

    def _system(self, name: str, data: object, problems: Problems) -> None:
        system = decode_system(data, problems)
        if system:
            packed = pack_system(system._replace(timed=self.own), str(_mapping(data).get("commands_of") or ""))
            self._put(self.systems, name, json.dumps(packed), problems)

    def _put(self, known: dict[str, Value], name: str, value: Value, problems: Problems) -> None:
        if self._may_name(known, name, problems):
            known[name] = value

    def _may_name(self, known: Collection[str], name: str, problems: Problems) -> bool:
        """Whether the file may say what `name` is: in a project's, where nothing more trusted says it."""
        if not self.origin or name not in known:
            return True
        problems.add((), f"{name} is known already, and a project's file replaces nothing")
        return False

    def result(self) -> dict[str, Any]:
        """Everything as plain data, with the indices that make finding quick."""
        ids = sorted(self.signatures)
        literals: dict[tuple[str, bool], list[int]] = {}
        progress: list[list[object]] = []
        for index, one in enumerate(ids):
            signature = self.signatures[one][0]
            if signature.kind == "progress":
                progress.append([index, [pattern.literal for pattern in signature.match]])
                continue
            for pattern in signature.match:
                fold = signature.ignore_case
                literals.setdefault((pattern.literal.lower() if fold else pattern.literal, fold), []).append(index)
        rules = self._whole_rules()
        by_signature: dict[str, set[str]] = {}
        stated = {name for name, spec in self.facts.items() if not spec.derive and not spec.lookup}
        for cause, (rule, _) in rules.items():
            for one in {name for argument in rule.arguments for name in asked(argument.when)}:
                for name in expanded(one, ids):
                    by_signature.setdefault(name, set()).add(cause)
        return {
            "ids": ids,
            "signatures": [self.signatures[one][1] for one in ids],
            "literals": [[text, fold, sorted(set(found))] for (text, fold), found in sorted(literals.items())],
            "progress": progress,
            "rules": {cause: text for cause, (_, text) in rules.items()},
            "briefs": scoring_parts([rule for rule, _ in rules.values()], ids, stated),
            "rules_by_signature": {one: sorted(causes) for one, causes in by_signature.items()},
            "facts": json.dumps(pack_facts(self.facts)),
            "tables": self.tables,
            "systems": self.systems,
            "programs": self.programs,
            "causes": self.causes,
            "renamed": self.renamed,
            "phases": self.phases,
            "reruns": self.reruns,
            "problems": [[p.file, p.line, p.column, p.sentence] for p in self.problems],
        }


def _mapping(data: object) -> dict[Any, Any]:
    return data if isinstance(data, dict) else {}


def _several(data: object) -> list[str]:
    return [str(one) for one in (data if isinstance(data, list) else [data] if data else [])]


def build(files: Iterable[tuple[Folder, str]], problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """The compiled catalog of `files`, each a folder and a path below it, the most trusted first.

    `problems` are those that were found with the folders themselves.
    """
    builder = Builder()
    builder.problems += problems
    for folder, path in sorted(files, key=lambda one: not one[1].startswith("_fixes/")):  # rules share what is in them
        builder.add(folder, path)
    return builder.result()


def _renewed(data: Any, renamed: dict[str, str]) -> Any:
    """`data` of a user's file with ids that were renamed as what they are called now."""
    if isinstance(data, dict):
        return {key: value if key in ("id", "was") else _renewed(value, renamed) for key, value in data.items()}
    if isinstance(data, list):
        return [_renewed(item, renamed) for item in data]
    return renamed.get(data, data) if isinstance(data, str) else data
