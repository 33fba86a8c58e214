"""Databases of texts that Hyperscan compiled, and where they are kept between runs."""

from __future__ import annotations

import os

import hyperscan

from logsense.util.checksums import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from logsense.model.knowledge import Literals

    Buffer = bytes | bytearray | memoryview
    OnMatch = Callable[[int, int, int, int, object], None]  # takes a text's number, 0, the end of the hit, 0 and None

KINDS = 4  # of processors, whose compiled databases are kept in one folder


class Database:
    """Compiled texts, which several threads may look for at once."""

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self._spare: list[hyperscan.Scratch] = []  # each serves one search at a time

    def search(self, block: Buffer, on_match: OnMatch) -> None:
        """Call `on_match` with the first hit of each text in `block`, by ascending ends."""
        scratch = self._spare.pop() if self._spare else self._compiled.scratch.clone()
        try:
            self._compiled.scan(block, match_event_handler=on_match, scratch=scratch)
        finally:
            self._spare.append(scratch)


def compiled(texts: Sequence[tuple[bytes, bool]], path: str | None) -> Database:
    """The texts, of which some ignore case, compiled, and kept at `path`."""
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[text for text, _ in texts],
        ids=list(range(len(texts))),
        elements=len(texts),
        flags=[
            hyperscan.HS_FLAG_SINGLEMATCH | (hyperscan.HS_FLAG_CASELESS if ignore_case else 0)
            for _, ignore_case in texts
        ],
        literal=True,
    )
    _keep(path, hyperscan.dumpb(database))
    return Database(database)


def path_for(literals: Literals, folder: str | None) -> str | None:
    """Return where the database of `literals` is kept."""
    if folder is None:
        return None
    version = str(getattr(hyperscan, "__version__", ""))
    name = "\0".join([version, os.name, "first hits", *literals.texts, *map(str, sorted(literals.folded))]).encode()
    return os.path.join(folder, f"literals-{key_of(name)}.hsdb")


def kept(path: str | None) -> tuple[Database | None, str | None]:
    """The database that was kept at `path`, or None, and where to keep it.

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
        return Database(database), place
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
