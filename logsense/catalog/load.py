"""Load the catalog: from the YAML files, or from a cache that is as old as they are."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Sequence
from functools import cache

from logsense.catalog.files import Folder, TooLargeError, built_in, listing, shipped
from logsense.catalog.scoring_parts import ScoringParts
from logsense.catalog.stored import DamagedError, FileBytes, NumberLists, Store
from logsense.model.knowledge import Catalog, Literals, Problem
from logsense.model.rule import Rule, Table
from logsense.model.signature import Signature
from logsense.util import regexes
from logsense.util.checksums import key_of
from logsense.util.version import __version__

FORMAT = 37  # raise when the cache's shape changes
KEPT_S = 86_400
# What reading a catalog of another shape than this code writes may end in.
_OTHER_SHAPE = (DamagedError, LookupError, TypeError, ValueError, AttributeError)
_CODE = ("catalog", "model", "util")  # packages that write a catalog, and read it


def load_catalog(
    rules: str | None = None,
    corpus: str | None = None,
    on_build: Callable[[], object] | None = None,
    trusted: Sequence[Folder] = (),
) -> Catalog:
    """Return the built-in catalog with the user's own folders `rules` and `corpus` added.

    `trusted` are folders of a project: they add to what is known and replace nothing. `on_build` is called before the
    catalog is compiled, which takes a second and happens once after a change.

    Files that can't be read or decoded are left out and named in `problems`; nothing is raised.
    """
    key, store = _store(_roots(rules, corpus, trusted), on_build)
    folder = cache_folder()
    if folder:
        regexes.restore(_read_cache(_regexes(folder)))
    try:
        return catalog_in(store, key, folder)
    except _OTHER_SHAPE:  # sound, and written by another state of the code
        store.renew()
        return catalog_in(store, key, folder)


def is_kept(rules: str | None = None, corpus: str | None = None, trusted: Sequence[Folder] = ()) -> bool:
    """Return whether this catalog is in the cache already, or can't be: create the folder to find out."""
    roots = _roots(rules, corpus, trusted)
    if _is_built_in(roots) and os.path.exists(shipped()):
        return True
    folder = cache_folder()
    return folder is None or os.path.exists(_place(folder, _key_of(roots))) or not can_keep(folder)


def can_keep(folder: str) -> bool:
    """Return whether files can be written to `folder`; create it to find out."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def packed_catalog(rules: str | None = None, corpus: str | None = None, trusted: Sequence[Folder] = ()) -> bytes:
    """Return the same catalog in one piece, to send to another machine."""
    return _built(_roots(rules, corpus, trusted))


def catalog_from(key: str, packed: bytes) -> Catalog:
    """Return the catalog of this `key` that another process of the same version compiled."""
    return catalog_in(Store(packed), key, cache_folder())


def _store(roots: list[Folder], on_build: Callable[[], object] | None) -> tuple[str, Store]:
    """Return the key of the catalog, and all of it, from the cache if it is there and sound."""
    key = _key_of(roots)
    folder = cache_folder()
    path = _place(folder, key) if folder else None

    def build() -> bytes:
        if on_build:
            on_build()
        packed = _built(roots)
        if folder and path:
            _write_cache(folder, path, packed)
        return packed

    places = (shipped() if _is_built_in(roots) else None, path)
    stored = (_stored(place, build) for place in places if place)
    return key, next(filter(None, stored), None) or Store(build(), build)


def _place(folder: str, key: str) -> str:
    return os.path.join(folder, f"catalog-{key}.bin")


def _key_of(roots: list[Folder]) -> str:
    return _key([stamp for root in roots for stamp in (*_stamps(root.path), (root.origin, root.kind, 0, 0))])


def _stored(path: str, build: Callable[[], bytes]) -> Store | None:
    try:
        return Store(FileBytes(path), build)
    except (OSError, DamagedError):
        return None


def _roots(rules: str | None, corpus: str | None, trusted: Sequence[Folder]) -> list[Folder]:
    """Return the folders of all knowledge, the most trusted first."""
    roots = [Folder("corpus", built_in("corpus")), Folder("rules", built_in("rules"))]
    roots += [Folder("corpus", corpus)] if corpus else []
    roots += [Folder("rules", rules)] if rules else []
    return [*roots, *trusted]


def _is_built_in(roots: list[Folder]) -> bool:
    return all(root.path == built_in(root.kind) for root in roots)


def _built(roots: list[Folder]) -> bytes:
    from logsense.catalog.build import build

    files: list[tuple[Folder, str]] = []
    problems = []
    for root in roots:
        found = _files_of(root)
        if isinstance(found, Problem):
            problems.append(found)
        else:
            files += found
    return build(files, problems)


def _files_of(root: Folder) -> list[tuple[Folder, str]] | Problem:
    try:
        return [(root, name) for name, _ in listing(root.path)]
    except TooLargeError as error:
        return Problem(root.path, 1, 1, str(error))


def keep_regexes() -> None:
    """Keep the regexes that were compiled for the next run, if there is a place for them."""
    folder = cache_folder()
    packed = regexes.pack() if folder else None
    if folder and packed:
        _write_cache(folder, _regexes(folder), packed)


def _regexes(folder: str) -> str:
    return os.path.join(folder, f"regexes-{regexes.cache_version()}.bin")


def cache_folder() -> str | None:
    """Return the folder of the cache, which need not exist; None without a home folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home in ("~", "/", ""):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "logsense")


def _stamps(root: str) -> list[tuple[str, str, int, int]]:
    """Return what changes when a file below `root` does; those of an installed package change only with its version."""
    if os.path.basename(os.path.dirname(root)) == "_data":
        return [(root, __version__, os.stat(root).st_mtime_ns, 0)] if os.path.isdir(root) else []
    try:
        return [*_code(root), *((root, path, stat.st_mtime_ns, stat.st_size) for path, stat in listing(root))]
    except TooLargeError as error:
        return [(root, str(error), 0, 0)]


def _code(root: str) -> list[tuple[str, str, int, int]]:
    """Return what changes when the code that writes and reads the catalog does, as a checkout keeps its version.
    Determine it once: later, it would be that of code that this process does not run."""
    if root != built_in("corpus"):
        return []
    if not _code_seen:
        for package in _CODE:
            folder = os.path.join(os.path.dirname(root), "logsense", package)
            try:
                found = sorted((one.name, one.stat()) for one in os.scandir(folder) if one.name.endswith(".py"))
            except OSError:
                continue
            _code_seen.extend((folder, name, stat.st_mtime_ns, stat.st_size) for name, stat in found)
    return _code_seen


_code_seen: list[tuple[str, str, int, int]] = []


def _key(stamps: list[tuple[str, str, int, int]]) -> str:
    return key_of(repr((FORMAT, stamps)).encode())


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
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(("catalog-", "literals-")) and entry.stat().st_mtime < oldest:
                    os.unlink(entry.path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            return


def catalog_in(store: Store, key: str, cache_folder: str | None) -> Catalog:
    """Return the catalog of this `key` in `store`, which keeps what it compiles in `cache_folder`."""
    ids, (texts, folded, odd, signatures), progress, causes, renamed, problems = store.value("catalog")
    rules, tables = store.index["rules"], store.index["tables"]

    @cache
    def signature(number: int) -> Signature:
        found: Signature = store.value("signatures", number)
        return found

    @cache
    def rule(cause: str) -> Rule | None:
        return store.value("rules", cause) if cause in rules else None

    @cache
    def table(name: str) -> Table | None:
        return store.value("tables", name) if name in tables else None

    @cache
    def scoring() -> ScoringParts:
        return ScoringParts(store)

    def rules_for(seen: frozenset[str], stated: Collection[str]) -> list[Rule]:
        places = ((one, bisect_left(ids, one)) for one in seen)
        return scoring().rules_for([at for one, at in places if ids[at : at + 1] == (one,)], stated)

    return Catalog(
        key=key,
        ids=ids,
        literals=Literals(texts, folded, odd, NumberLists(signatures)),
        progress=progress,
        signature=signature,
        rules_for=rules_for,
        rule=rule,
        causes_of=cache(lambda: store.value("causes of")),
        facts=cache(lambda: store.value("facts")),
        phases=cache(lambda: store.value("phases")),
        reruns=cache(lambda: store.value("reruns")),
        settings=cache(lambda: store.value("settings")),
        table=table,
        systems=cache(lambda: store.value("systems")),
        programs=cache(lambda: store.value("programs")),
        causes=causes,
        renamed=renamed,
        problems=problems,
        cache_folder=cache_folder,
    )
