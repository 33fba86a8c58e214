"""Loads the catalog: from the YAML files, or from a cache that is as old as they are."""

from __future__ import annotations

import os
from bisect import bisect_left

from logsense.catalog.decoder import Problems
from logsense.catalog.facts import unpack_facts
from logsense.catalog.files import built_in, listing, shipped
from logsense.catalog.needs import FACT
from logsense.catalog.packed import DamagedError, Packed, Packer, Stored
from logsense.catalog.rules import decode_brief, decode_phases, decode_rule, decode_table
from logsense.catalog.signatures import unpack_signature
from logsense.model import regexes
from logsense.model.catalog import Catalog, Likeness, Literals, Problem, Program
from logsense.model.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from logsense.model.rule import Condition, FactSpec, Phase, Rule, Table
    from logsense.model.signature import Signature
    from logsense.model.system import System

FORMAT = 21  # raise when the cache's shape changes
KEPT_S = 86_400


def load_catalog(
    rules: str | None = None, corpus: str | None = None, on_build: Callable[[], object] | None = None
) -> Catalog:
    """The built-in catalog, with the folders `rules` and `corpus` of the user's own added to it.

    `on_build` is called before the catalog is compiled, which takes a second and happens once after a change.

    Files that can't be read or decoded are left out and named in `problems`; nothing is raised.
    """
    key, packed = _packed(rules, corpus, on_build)
    folder = cache_folder()
    if folder:
        regexes.restore(_read_cache(_regexes(folder)))
    return _catalog(key, packed, folder)


def packed_catalog(rules: str | None = None, corpus: str | None = None) -> bytes:
    """The same catalog in one piece, fit to go to another machine."""
    return _built(_roots(rules, corpus))


def catalog_from(key: str, packed: bytes) -> Catalog:
    """The catalog of this `key` that another process of the same version packed."""
    return _catalog(key, Packed(packed), cache_folder())


def _packed(rules: str | None, corpus: str | None, on_build: Callable[[], object] | None) -> tuple[str, Packed]:
    """The key of the catalog, and all of it, from the cache where it is there and sound."""
    roots = _roots(rules, corpus)
    key = _key([stamp for _, root in roots for stamp in _stamps(root)])
    folder = cache_folder()
    path = os.path.join(folder, f"catalog-{key}.bin") if folder else None

    def build() -> bytes:
        if on_build:
            on_build()
        packed = _built(roots)
        if folder and path:
            _write_cache(folder, path, packed)
        return packed

    places = (None if rules or corpus else shipped(), path)
    stored = (_stored(place, build) for place in places if place)
    return key, next(filter(None, stored), None) or Packed(build(), build)


def _stored(path: str, build: Callable[[], bytes]) -> Packed | None:
    try:
        return Packed(Stored(path), build)
    except (OSError, DamagedError):
        return None


def _roots(rules: str | None, corpus: str | None) -> list[tuple[str, str]]:
    roots = [("corpus", built_in("corpus")), ("rules", built_in("rules"))]
    roots += [("corpus", corpus)] if corpus else []
    roots += [("rules", rules)] if rules else []
    return roots


def _built(roots: list[tuple[str, str]]) -> bytes:
    from logsense.catalog.build import build

    return _pack(build([(kind, root, name) for kind, root in roots for name, _ in listing(root)]))


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
    """The compiled catalog in one piece."""
    import json

    pack = Packer()
    for name in ("always", "causes", "verdicts", "renamed", "problems"):
        pack.index[name] = data[name]
    for name in ("facts", "phases"):
        pack.index[name] = pack.put(data[name].encode())
    for name in ("rules", "briefs", "tables", "systems"):
        pack.index[name] = {key: pack.put(text.encode()) for key, text in data[name].items()}
    pack.index["programs"] = pack.put(json.dumps(data["programs"]).encode())
    pack.index["progress"] = pack.put(json.dumps(data["progress"]).encode())
    pack.items("signatures", [text.encode() for text in data["signatures"]])
    pack.texts("ids", data["ids"])
    causes = {cause: number for number, cause in enumerate(data["briefs"])}
    found = data["rules_by_signature"]
    pack.lists("causes_of", [[causes[cause] for cause in found.get(one, ())] for one in data["ids"]])
    texts, folds, signatures = zip(*data["literals"], strict=True) if data["literals"] else ((), (), ())
    pack.texts("literals", texts)
    pack.numbers("folds", [number for number, fold in enumerate(folds) if fold])
    pack.lists("literals_of", signatures)
    alike = data["likeness"]
    for name in ("causes", "words"):
        pack.texts(f"alike.{name}", alike[name])
    for name in ("cause_of", "lengths"):
        pack.numbers(f"alike.{name}", alike[name])
    pack.lists("alike.texts", alike["texts_with"])
    return pack.whole()


class _Compiled:
    """Decodes the parts of a compiled catalog when they are first asked for."""

    def __init__(self, packed: Packed) -> None:
        self._packed = packed
        self.ids = tuple(packed.texts("ids"))
        self._signatures: dict[int, Signature] = {}
        self._rules: dict[str, Rule | None] = {}
        self._tables: dict[str, Table] = {}
        # A process that reads many logs asks for the same rules again and again.
        self._briefs: dict[str, Any] = {}
        self._conditions: dict[int, tuple[Condition, ...]] = {}
        self._causes: tuple[Sequence[int], Sequence[int]] | None = None
        self._facts: dict[str, FactSpec] | None = None
        self._programs: dict[str, Program] | None = None
        self._systems: dict[str, System] | None = None

    def literals(self) -> Literals:
        packed = self._packed
        folded = frozenset(packed.numbers("folds"))
        flat, cuts = packed.numbers("literals_of.flat"), packed.numbers("literals_of.cuts")
        return Literals(packed.texts("literals"), folded, flat, cuts)

    def signature(self, number: int) -> Signature:
        if number not in self._signatures:
            self._signatures[number] = unpack_signature(self._packed.data("signatures", number))
        return self._signatures[number]

    def rule(self, cause: str) -> Rule | None:
        if cause not in self._rules:
            known = cause in self._packed.index["rules"]
            self._rules[cause] = decode_rule(self._packed.data("rules", cause), Problems()) if known else None
        return self._rules[cause]

    def rules_for(self, ids: frozenset[str], stated: Collection[str] | None = None) -> list[Rule]:
        places = self._packed.index["briefs"]
        names = list(places)
        causes = set(self._packed.index["always"])
        for one in ids:
            number = bisect_left(self.ids, one)
            if number < len(self.ids) and self.ids[number] == one:
                causes.update(names[cause] for cause in self._causes_of(number))
        seen = None if stated is None else ids | {FACT + name for name in stated}
        return [rule for cause in sorted(causes) if cause in places and (rule := self._brief(cause, seen))]

    def _causes_of(self, number: int) -> Sequence[int]:
        if self._causes is None:
            self._causes = self._packed.numbers("causes_of.flat"), self._packed.numbers("causes_of.cuts")
        flat, cuts = self._causes
        return flat[cuts[number] : cuts[number + 1]]

    def _brief(self, cause: str, seen: frozenset[str] | None) -> Rule | None:
        data = self._briefs.get(cause)
        if data is None:
            data = self._briefs[cause] = self._packed.data("briefs", cause)
        return decode_brief(data, seen, self._conditions)

    def facts(self) -> dict[str, FactSpec]:
        if self._facts is None:
            self._facts = unpack_facts(self._packed.data("facts"))
        return self._facts

    def phases(self) -> tuple[Phase, ...]:
        return decode_phases(self._packed.data("phases"), Problems())

    def likeness(self) -> Likeness:
        packed = self._packed
        return Likeness(
            packed.texts("alike.causes"),
            packed.numbers("alike.cause_of"),
            packed.numbers("alike.lengths"),
            {word: number for number, word in enumerate(packed.texts("alike.words"))},
            packed.numbers("alike.texts.flat"),
            packed.numbers("alike.texts.cuts"),
        )

    def table(self, name: str) -> Table | None:
        if name not in self._tables and name in self._packed.index["tables"]:
            self._tables[name] = decode_table(name, self._packed.data("tables", name), Problems())
        return self._tables.get(name)

    def systems(self) -> dict[str, System]:
        if self._systems is None:
            from logsense.catalog.systems import decode_systems

            self._systems = decode_systems(
                {name: self._packed.data("systems", name) for name in self._packed.index["systems"]}
            )
        return self._systems

    def programs(self) -> dict[str, Program]:
        if self._programs is None:
            self._programs = {
                name: Program(item["title"], item["framework"], tuple(item["paths"]), item["shared"])
                for name, item in self._packed.data("programs").items()
            }
        return self._programs


def _catalog(key: str, packed: Packed, folder: str | None) -> Catalog:
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
        likeness=compiled.likeness,
        table=compiled.table,
        systems=compiled.systems,
        programs=compiled.programs,
        causes=index["causes"],
        verdicts=index["verdicts"],
        renamed=index.get("renamed", {}),  # a cache of before may lack it
        problems=tuple(Problem(*problem) for problem in index["problems"]),
        cache_folder=folder,
    )
