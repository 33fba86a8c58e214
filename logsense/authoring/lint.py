"""Check the whole catalog: every file by itself, and what they say of each other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from logsense.authoring.commands import check_commands
from logsense.authoring.exclusions import check_exclusions
from logsense.authoring.meanings import check_cause, check_meanings, check_selection, offered_by
from logsense.authoring.openings import check_openings
from logsense.authoring.redaction import TABLES, check_redaction
from logsense.authoring.references import check_facts, check_references
from logsense.authoring.selftest import check_samples
from logsense.authoring.skeleton import check_placeholders
from logsense.authoring.slow_regex import check_time
from logsense.authoring.style import TABLE as STYLE
from logsense.authoring.style import Phrases, check_style
from logsense.authoring.systems import check_system
from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.load import load_catalog
from logsense.catalog.rules import decode_examples, decode_rule, with_shared
from logsense.catalog.signatures import decode_samples, decode_signature
from logsense.catalog.yaml_files import duplicate_keys, place, read_yaml
from logsense.model.knowledge import Catalog, Problem
from logsense.model.signature import Signature


@dataclass(slots=True)
class Seen:
    """What the files said so far."""

    ids: dict[str, str] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    causes: set[str] = field(default_factory=set)
    shared: dict[str, object] = field(default_factory=dict)
    texts: dict[Text, set[str]] = field(default_factory=dict)
    phrases: Phrases = field(default_factory=lambda: Phrases(None))


def lint(paths: list[str] | None = None, *, rules: str | None = None, corpus: str | None = None) -> list[Problem]:
    """Return every problem of the built-in catalog and of the folders `rules` and `corpus`, in the order of the files.

    With `paths` (files or folders), only problems of files below them are given; the rest is still read.
    """
    catalog = load_catalog(rules, corpus)
    problems = list(catalog.problems)
    seen = Seen(texts=by_text(catalog), phrases=Phrases(catalog.table(STYLE)))
    wanted = tuple(os.path.abspath(path) for path in paths or ())
    for kind, root in _roots(rules, corpus):
        for path, _ in listing(root):
            full = os.path.join(root, path)
            if not wanted or os.path.abspath(full).startswith(wanted):
                problems += _file(kind, full, path, catalog, seen)
            else:
                _note(kind, full, path, seen)
    if not paths and not rules and not corpus:
        problems += _missing_rules(catalog, seen)
    chosen = [p for p in problems if not wanted or os.path.abspath(p.file).startswith(wanted)]
    return sorted(set(chosen), key=lambda p: (p.file, p.line, p.column, p.sentence))


def outside(paths: list[str], rules: str | None = None, corpus: str | None = None) -> list[str]:
    """Return those of `paths` that neither lie in a folder of the catalog nor hold one."""
    roots = [os.path.abspath(root) + os.sep for _, root in _roots(rules, corpus)]
    whole = {path: os.path.abspath(path) + os.sep for path in paths}
    return [path for path in paths if not any(whole[path].startswith(o) or o.startswith(whole[path]) for o in roots)]


def _roots(rules: str | None, corpus: str | None) -> Iterator[tuple[str, str]]:
    yield "corpus", built_in("corpus")
    yield "rules", built_in("rules")
    if corpus:
        yield "corpus", corpus
    if rules:
        yield "rules", rules


def _note(kind: str, full: str, path: str, seen: Seen) -> None:
    """Take in what a file says that others may say again, without looking at the rest of it."""
    parts = path.rsplit(".", 1)[0].split("/")
    if kind == "rules" and path.startswith("_fixes/"):
        seen.shared[parts[-1]] = read_yaml(full)[0]
    elif kind == "rules" and path.startswith("_facts"):
        data, _ = read_yaml(full)
        for fact in data if isinstance(data, dict) else ():
            seen.facts.setdefault(str(fact), full)
    elif kind == "corpus" and not any(part.startswith("_") for part in parts):
        seen.ids.setdefault(".".join(parts), full)


def _file(kind: str, full: str, path: str, catalog: Catalog, seen: Seen) -> list[Problem]:
    parts = path.rsplit(".", 1)[0].split("/")
    data, failed = read_yaml(full)
    if failed:
        return []
    problems = Problems()
    if kind == "rules" and path.startswith("_fixes/"):
        seen.shared[parts[-1]] = data
    elif kind == "rules" and path.startswith("_facts"):
        check_facts(data, catalog, problems)
        for fact in data if isinstance(data, dict) else ():
            earlier = seen.facts.setdefault(str(fact), full)
            if earlier != full:
                problems.add((str(fact),), f"{fact} stands also in {earlier}")
    elif kind == "rules" and path in TABLES:
        kept = catalog.table("redaction-keeps")
        check_redaction(data, problems, kept.rows if kept else ())
    elif kind == "rules" and path.startswith("_systems/"):
        check_system(parts[-1], data, catalog, problems)
    elif not any(part.startswith("_") for part in parts):
        name = ".".join(parts)
        check_style(data, seen.phrases, problems)
        check_placeholders(data, problems)
        if kind == "corpus":
            signature = decode_signature(data, Problems())
            if signature:
                _check_signature(signature, name, data, catalog, problems)
                _check_texts(signature, name, seen, problems)
            earlier = seen.ids.setdefault(name, full)
            if earlier != full:
                problems.add(("id",), f"{name} stands also in {earlier}")
        else:
            _rule(name, with_shared(data, seen.shared, problems), catalog, problems)
            seen.causes.add(name)
    return [*duplicate_keys(full), *(place(full, problems.found) if problems.found else ())]


def _check_signature(signature: Signature, name: str, data: object, catalog: Catalog, problems: Problems) -> None:
    if signature.id != name:
        problems.add(("id",), f"id must be {name}, as the path says")
    for old, now in catalog.renamed.items():
        if now == name and catalog.find(old):
            problems.add(("was",), f"{old} is the id of another message")
    facts = catalog.facts()
    for fact in signature.facts:
        if fact not in facts:
            problems.add(("facts", fact), f"{fact} is not listed in rules/_facts/")
    for one in signature.consequence_of:
        if not any(map(catalog.find, catalog.expand((one,)))):
            problems.add(("consequence_of",), f"there is no signature {one}")
    check_meanings(signature, data, catalog, problems)
    decode_examples(data, problems)
    positive, negative = decode_samples(data, problems)
    if isinstance(data, dict) and "pattern" in data:
        texts = [sample.text for sample in positive]
        regex, folded = signature.match[0].regex, signature.ignore_case
        check_time(regex, ("pattern",), problems, ignore_case=folded, samples=texts)
    check_samples(signature, positive, negative, problems)


def _check_texts(signature: Signature, name: str, seen: Seen, problems: Problems) -> None:
    """Note each other message of the same kind that looks for the same text."""
    others = {one for text in texts(signature) for one in seen.texts.get(text, ())} - {name}
    for other in sorted(others):
        problems.add(("match",), f"{other} looks for the same text: one message has one file")


def _rule(name: str, data: object, catalog: Catalog, problems: Problems) -> None:
    rule = decode_rule(data, Problems())
    if rule is None:
        return
    if rule.cause != name:
        problems.add(("cause",), f"cause must be {name}, as the path says")
    if rule.cause not in catalog.causes:
        problems.add(("cause",), f"{rule.cause} is not listed in rules/_causes.yaml")
    if not rule.references:
        problems.add((), "references are missing")
    whole = catalog.rule(name) or rule
    if not whole.arguments:
        problems.add((), "no message means it, and it has no arguments")
    if not whole.fixes:
        problems.add((), "has no fixes, and no message has any for it")
    check_references(data, [whole], catalog, problems)
    check_cause(rule, catalog, problems)
    check_commands(offered_by(rule), catalog, problems)
    check_exclusions(name, offered_by(rule), problems)
    check_openings(name, offered_by(rule), catalog, problems)
    check_selection([((), data)], catalog, problems)
    expectations = {example.expect for example in decode_examples(data, problems)}
    if "first" not in expectations:
        problems.add(("examples",), "needs an example with expect: first")
    if not expectations & {"silent", "listed"}:
        problems.add(("examples",), "needs an example with expect: silent or listed")


def _missing_rules(catalog: Catalog, seen: Seen) -> list[Problem]:
    path = os.path.join(built_in("rules"), "_causes.yaml")
    return [
        Problem(path, 1, 1, f"{cause} has no rule")
        for cause in catalog.causes
        if cause not in seen.causes and not cause.startswith("benign.")
    ]


Text = tuple[str, bool, str]
# What is shorter belongs to a hand-written pattern, whose words are in its groups.
LEAST_LETTERS = 10
# What carries values or tells the course of a run may share its text with what speaks for a cause.
ARGUING = frozenset({"failure", "consequence", "hint", "noise"})


def texts(signature: Signature) -> set[Text]:
    """Return what the signature's spellings say apart from their slots, each with its kind and whether case counts."""
    if signature.kind not in ARGUING:
        return set()
    said = {_outside_groups(pattern.regex) for pattern in signature.match}
    return {
        (signature.kind, signature.ignore_case, text) for text in said if sum(map(str.isalpha, text)) >= LEAST_LETTERS
    }


def by_text(catalog: Catalog) -> dict[Text, set[str]]:
    """Return the ids of the catalog's messages by the text that they look for."""
    found: dict[Text, set[str]] = {}
    for number in range(len(catalog.ids)):
        signature = catalog.signature(number)
        for text in texts(signature):
            found.setdefault(text, set()).add(signature.id)
    return found


def _outside_groups(regex: str) -> str:
    """Return what of a regex is in no group, with a mark for each group between."""
    kept, depth, escaped = [], 0, False
    for letter in regex:
        if not escaped and letter == "(":
            kept.append("\0" if depth == 0 else "")
            depth += 1
        elif not escaped and letter == ")":
            depth -= 1
        elif depth == 0:
            kept.append(letter)
        escaped = letter == "\\" and not escaped
    return "".join(kept).removesuffix("\\.").strip("\0")
