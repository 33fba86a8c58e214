"""Loads the catalog: from the YAML files, or from a cache that is as old as they are."""

from __future__ import annotations

import json
import os

from logsense.catalog.decoder import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.rules import decode_facts, decode_rule, decode_table
from logsense.catalog.signatures import decode_signature
from logsense.model.catalog import Catalog, Literal, Problem, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from logsense.model.rule import FactSpec, Rule, Table
    from logsense.model.signature import Signature

FORMAT = 6  # raise when the cache's shape changes


def load_catalog(rules: str | None = None, corpus: str | None = None) -> Catalog:
    """The built-in catalog, with the folders `rules` and `corpus` of the user's own added to it.

    Files that can't be read or decoded are left out and named in `problems`; nothing is raised.
    """
    roots = [("corpus", built_in("corpus")), ("rules", built_in("rules"))]
    roots += [("corpus", corpus)] if corpus else []
    roots += [("rules", rules)] if rules else []
    files = [(kind, root, path, stat) for kind, root in roots for path, stat in listing(root)]
    key = _key([(root, path, stat.st_mtime_ns, stat.st_size) for _, root, path, stat in files])
    folder = cache_folder()
    data = _read_cache(folder, key) if folder else None
    if data is None:
        from logsense.catalog.build import build

        data = build([(kind, root, path) for kind, root, path, _ in files])
        if folder:
            _write_cache(folder, key, data)
    return _catalog(key, data, folder)


def cache_folder() -> str | None:
    """Where compiled knowledge is kept between runs; None where there is no home. It need not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home in ("~", "/", ""):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "logsense")


def _key(stamps: list[tuple[str, str, int, int]]) -> str:
    from zlib import crc32  # hashlib would cost 4 ms of start-up, and nobody gains from forging this

    text = repr((FORMAT, stamps)).encode()
    return f"{crc32(text):08x}{crc32(text[::-1]):08x}"


def _read_cache(folder: str, key: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(folder, f"catalog-{key}.json"), "rb") as file:
            data = json.loads(file.read())
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) and data.get("format") == FORMAT else None


def _write_cache(folder: str, key: str, data: dict[str, Any]) -> None:
    path = os.path.join(folder, f"catalog-{key}.json")
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump({**data, "format": FORMAT}, file)
        os.replace(temporary, path)
        for entry in os.scandir(folder):
            if entry.name.startswith("catalog-") and entry.stat().st_mtime < os.stat(path).st_mtime - 86_400:
                os.unlink(entry.path)
    except OSError:
        return


def _catalog(key: str, data: dict[str, Any], folder: str | None) -> Catalog:
    signatures: dict[int, Signature] = {}
    rules: dict[str, Rule] = {}
    tables: dict[str, Table] = {}
    memo: dict[str, Any] = {}

    def signature(index: int) -> Signature:
        if index not in signatures:
            decoded = decode_signature(json.loads(data["signatures"][index]), Problems())
            assert decoded is not None, "the cache holds only what decoded before"
            signatures[index] = decoded
        return signatures[index]

    def rule(cause: str) -> Rule | None:
        if cause not in rules and cause in data["rules"]:
            decoded = decode_rule(json.loads(data["rules"][cause]), Problems())
            if decoded:
                rules[cause] = decoded
        return rules.get(cause)

    def rules_for(ids: frozenset[str]) -> list[Rule]:
        causes = set(data["always"])
        for one in ids:
            causes.update(data["rules_by_signature"].get(one, ()))
        return [found for cause in sorted(causes) if (found := rule(cause))]

    def facts() -> dict[str, FactSpec]:
        if "facts" not in memo:
            memo["facts"] = decode_facts(json.loads(data["facts"]), Problems())
        found: dict[str, FactSpec] = memo["facts"]
        return found

    def table(name: str) -> Table | None:
        if name not in data["tables"]:
            return None
        if name not in tables:
            tables[name] = decode_table(name, json.loads(data["tables"][name]), Problems())
        return tables[name]

    def programs() -> dict[str, Program]:
        return {
            name: Program(item["title"], item["framework"], tuple(item["paths"]))
            for name, item in data["programs"].items()
        }

    return Catalog(
        key=key,
        ids=tuple(data["ids"]),
        literals=tuple(map(Literal._make, data["literals"])),
        progress=tuple((index, tuple(texts)) for index, texts in data["progress"]),
        signature=signature,
        rules_for=rules_for,
        rule=rule,
        facts=facts,
        table=table,
        programs=programs,
        causes=data["causes"],
        verdicts=data["verdicts"],
        problems=tuple(Problem(*problem) for problem in data["problems"]),
        cache_folder=folder,
    )
