"""The engine on Hyperscan, and where the database that it compiles is kept between runs."""

from __future__ import annotations

import os

import hyperscan

from logsense.match.pieces import Buffer, Engine
from logsense.model.knowledge import Literals
from logsense.util.checksums import key_of

KINDS = 4  # of processors, whose compiled databases are kept in one folder


class HyperscanEngine(Engine):
    """Searches with Hyperscan; several threads may search at once. The compiled database is kept in `cache_folder`.

    One that is missing, damaged or from another machine is compiled again.
    """

    def __init__(self, literals: Literals, cache_folder: str | None = None) -> None:
        super().__init__(literals)
        self._database, path = kept(path_for(literals, cache_folder))
        self._spare: list[hyperscan.Scratch] = []  # each serves one search at a time
        if self._database is None and literals:
            self._database = compiled(literals, path)

    def __call__(self, data: Buffer) -> list[tuple[int, int]]:
        """Return the number and first index of each literal in `data`."""
        ends: dict[int, int] = {}

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            ends[number] = end

        if self._database:
            scratch = self._spare.pop() if self._spare else self._database.scratch.clone()
            try:
                self._database.scan(data, match_event_handler=on_match, scratch=scratch)  # type: ignore[type-var]
            finally:
                self._spare.append(scratch)
        size_bytes = self.literals.size_bytes
        return [(number, end - size_bytes(number)) for number, end in ends.items()]


def compiled(literals: Literals, path: str | None) -> hyperscan.Database:
    """Return the database of `literals`, which reports the first hit of each, and keep it at `path`."""
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[text.encode() for text in literals.texts],
        ids=list(range(len(literals))),
        elements=len(literals),
        flags=[
            hyperscan.HS_FLAG_SINGLEMATCH | (hyperscan.HS_FLAG_CASELESS if number in literals.folded else 0)
            for number in range(len(literals))
        ],
        literal=True,
    )
    _keep(path, hyperscan.dumpb(database))
    return database


def path_for(literals: Literals, folder: str | None) -> str | None:
    """Return where the database of `literals` is kept."""
    if folder is None:
        return None
    version = str(getattr(hyperscan, "__version__", ""))
    name = "\0".join([version, os.name, "first hits", *literals.texts, *map(str, sorted(literals.folded))]).encode()
    return os.path.join(folder, f"literals-{key_of(name)}.hsdb")


def kept(path: str | None) -> tuple[hyperscan.Database | None, str | None]:
    """Return the database that was kept at `path`, or None, and where to keep it.

    Nodes with other processors may share the folder; each kind of them has a file of its own. One that is damaged
    counts as missing.
    """
    if path is None:
        return None, None
    foreign = getattr(hyperscan, "DatabasePlatformError", ())
    for place in (path, *(path.replace(".hsdb", f"-{number}.hsdb") for number in range(2, KINDS + 1))):
        try:
            with open(place, "rb") as file:
                database = hyperscan.loadb(file.read(), hyperscan.HS_MODE_BLOCK)
            database.scratch = hyperscan.Scratch(database)
        except foreign:
            continue
        except (OSError, hyperscan.error, ValueError):
            return None, place
        return database, place
    return None, place


def _keep(path: str | None, data: bytes) -> None:
    if path is None:
        return
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        try:
            os.unlink(temporary)
        except OSError:
            return
