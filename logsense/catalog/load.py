"""Loads the catalog: from the YAML files, or from a cache that is as old as they are."""

from __future__ import annotations

import json
import os

from logsense.catalog.decoder import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.needs import FACT
from logsense.catalog.rules import decode_brief, decode_facts, decode_phases, decode_rule, decode_table
from logsense.catalog.signatures import unpack_signature
from logsense.model import regexes
from logsense.model.catalog import Catalog, Literal, Problem, Program
from logsense.model.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from logsense.model.rule import Condition, FactSpec, Phase, Rule, Table
    from logsense.model.signature import Signature

FORMAT = 12  # raise when the cache's shape changes
KEPT_S = 86_400
CHECKSUM_BYTES = 9


def load_catalog(rules: str | None = None, corpus: str | None = None) -> Catalog:
    """The built-in catalog, with the folders `rules` and `corpus` of the user's own added to it.

    Files that can't be read or decoded are left out and named in `problems`; nothing is raised.
    """
    key, _, found = _packed(rules, corpus)
    folder = cache_folder()
    if folder:
        regexes.restore(_read_cache(_regexes(folder)))
    return _catalog(key, *found, folder)


def packed_catalog(rules: str | None = None, corpus: str | None = None) -> bytes:
    """The same catalog in one piece, fit to go to another machine."""
    return _packed(rules, corpus)[1]


def catalog_from(key: str, packed: bytes) -> Catalog:
    """The catalog of this `key` that another process of the same version packed."""
    found = _unpack(packed)
    assert found is not None, "what the same version packed can be unpacked"
    return _catalog(key, *found, cache_folder())


def _packed(rules: str | None, corpus: str | None) -> tuple[str, bytes, tuple[dict[str, Any], bytes]]:
    """The key of the catalog, all of it in one piece, and that unpacked."""
    roots = [("corpus", built_in("corpus")), ("rules", built_in("rules"))]
    roots += [("corpus", corpus)] if corpus else []
    roots += [("rules", rules)] if rules else []
    stamps = [stamp for _, root in roots for stamp in _stamps(root)]
    key = _key(stamps)
    folder = cache_folder()
    path = os.path.join(folder, f"catalog-{key}.json") if folder else None
    packed = _read_cache(path) if path else None
    found = _unpack(packed)
    if packed is None or found is None:
        from logsense.catalog.build import build

        packed = _pack(build([(kind, root, name) for kind, root in roots for name, _ in listing(root)]))
        if folder and path:
            _write_cache(folder, path, packed)
        found = _unpack(packed)
        assert found is not None, "what was just packed can be unpacked"
    return key, packed, found


def keep_regexes() -> None:
    """Keep what regexes compiled to, since the catalog was loaded, for the next run, where there is a place for it."""
    folder = cache_folder()
    packed = regexes.pack() if folder else None
    if folder and packed:
        _write_cache(folder, _regexes(folder), packed)


def _regexes(folder: str) -> str:
    return os.path.join(folder, f"regexes-{regexes.stamp()}.bin")


def cache_folder() -> str | None:
    """Where compiled knowledge is kept between runs; None where there is no home. It need not exist."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home in ("~", "/", ""):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "logsense")


def _stamps(root: str) -> list[tuple[str, str, int, int]]:
    """What changes when a file below `root` does. The files of an installed package change only with its version."""
    if os.path.basename(os.path.dirname(root)) == "_data":
        return [(root, __version__, os.stat(root).st_mtime_ns, 0)] if os.path.isdir(root) else []
    return [(root, path, stat.st_mtime_ns, stat.st_size) for path, stat in listing(root)]


def _key(stamps: list[tuple[str, str, int, int]]) -> str:
    from zlib import crc32  # hashlib would cost 4 ms of start-up, and nobody gains from forging this

    text = repr((FORMAT, stamps)).encode()
    return f"{crc32(text):08x}{crc32(text[::-1]):08x}"


def _read_cache(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _write_cache(folder: str, path: str, packed: bytes) -> None:
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(packed)
        os.replace(temporary, path)
        oldest = os.stat(path).st_mtime - KEPT_S
        for entry in os.scandir(folder):
            if entry.name.startswith(("catalog-", "literals-")) and entry.stat().st_mtime < oldest:
                os.unlink(entry.path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            return


def _pack(data: dict[str, Any]) -> bytes:
    """The compiled catalog in one piece: its checksum, a line with an index, then the texts that it points into."""
    texts: list[bytes] = []
    at = 0

    def put(text: str) -> list[int]:
        nonlocal at
        texts.append(text.encode())
        at += len(texts[-1])
        return [at - len(texts[-1]), at]

    index = {**data, "format": FORMAT, "facts": put(data["facts"]), "phases": put(data["phases"])}
    index["signatures"] = [put(text) for text in data["signatures"]]
    for name in ("rules", "briefs", "tables"):
        index[name] = {key: put(text) for key, text in data[name].items()}
    index["texts"] = at
    packed = json.dumps(index).encode() + b"\n" + b"".join(texts)
    return _checksum(packed) + packed


def _checksum(packed: bytes | memoryview) -> bytes:
    from zlib import crc32

    return b"%08x\n" % crc32(packed)


def _unpack(packed: bytes | None) -> tuple[dict[str, Any], bytes] | None:
    if packed is None or packed[:CHECKSUM_BYTES] != _checksum(memoryview(packed)[CHECKSUM_BYTES:]):
        return None
    line = packed.find(b"\n", CHECKSUM_BYTES)
    head, texts = packed[CHECKSUM_BYTES:line], packed[line + 1 :]
    try:
        index = json.loads(head)
    except ValueError:
        return None
    whole = isinstance(index, dict) and index.get("format") == FORMAT and index.get("texts") == len(texts)
    return (index, texts) if whole else None


class _Compiled:
    """Decodes the parts of a compiled catalog when they are first asked for."""

    def __init__(self, index: dict[str, Any], texts: bytes) -> None:
        self._index, self._texts = index, texts
        self._signatures: dict[int, Signature] = {}
        self._rules: dict[str, Rule | None] = {}
        self._tables: dict[str, Table] = {}
        # A process that reads many logs asks for the same rules again and again.
        self._briefs: dict[int, Any] = {}
        self._conditions: dict[int, tuple[Condition, ...]] = {}
        self._facts: dict[str, FactSpec] | None = None

    def _data(self, place: list[int]) -> Any:
        return json.loads(self._texts[place[0] : place[1]])

    def signature(self, number: int) -> Signature:
        if number not in self._signatures:
            self._signatures[number] = unpack_signature(self._data(self._index["signatures"][number]))
        return self._signatures[number]

    def rule(self, cause: str) -> Rule | None:
        if cause not in self._rules:
            place = self._index["rules"].get(cause)
            self._rules[cause] = decode_rule(self._data(place), Problems()) if place else None
        return self._rules[cause]

    def rules_for(self, ids: frozenset[str], stated: Collection[str] | None = None) -> list[Rule]:
        causes = set(self._index["always"])
        for one in ids:
            causes.update(self._index["rules_by_signature"].get(one, ()))
        places = self._index["briefs"]
        seen = None if stated is None else ids | {FACT + name for name in stated}
        return [rule for cause in sorted(causes) if cause in places and (rule := self._brief(places[cause], seen))]

    def _brief(self, place: list[int], seen: frozenset[str] | None) -> Rule | None:
        data = self._briefs.get(place[0])
        if data is None:
            data = self._briefs[place[0]] = self._data(place)
        return decode_brief(data, seen, self._conditions)

    def facts(self) -> dict[str, FactSpec]:
        if self._facts is None:
            self._facts = decode_facts(self._data(self._index["facts"]), Problems())
        return self._facts

    def phases(self) -> tuple[Phase, ...]:
        return decode_phases(self._data(self._index["phases"]), Problems())

    def table(self, name: str) -> Table | None:
        place = self._index["tables"].get(name)
        if place and name not in self._tables:
            self._tables[name] = decode_table(name, self._data(place), Problems())
        return self._tables.get(name)

    def programs(self) -> dict[str, Program]:
        return {
            name: Program(item["title"], item["framework"], tuple(item["paths"]))
            for name, item in self._index["programs"].items()
        }


def _catalog(key: str, index: dict[str, Any], texts: bytes, folder: str | None) -> Catalog:
    compiled = _Compiled(index, texts)
    return Catalog(
        key=key,
        ids=tuple(index["ids"]),
        literals=tuple(map(Literal._make, index["literals"])),
        progress=tuple((number, tuple(literals)) for number, literals in index["progress"]),
        signature=compiled.signature,
        rules_for=compiled.rules_for,
        rule=compiled.rule,
        facts=compiled.facts,
        phases=compiled.phases,
        table=compiled.table,
        programs=compiled.programs,
        causes=index["causes"],
        verdicts=index["verdicts"],
        problems=tuple(Problem(*problem) for problem in index["problems"]),
        cache_folder=folder,
    )
