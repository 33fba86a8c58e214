"""Determines the framework and the systems of a run from signs in knowledge files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from logsense.model.knowledge import Catalog, Program
from logsense.model.reading import Incident
from logsense.model.record import Record
from logsense.model.system import Sign, System
from logsense.util import regexes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


LIMIT_S = 0.2


class Searcher:
    """Searches texts for `pattern`. If it is `timed`, each search may raise TimeoutError."""

    __slots__ = ("_compiled", "_limit")

    def __init__(self, pattern: str, *, timed: bool) -> None:
        self._compiled: Any
        self._limit: dict[str, float] = {}
        if timed:
            import regex  # the only engine with a time limit

            self._compiled, self._limit = regex.compile(pattern), {"timeout": LIMIT_S}
        else:
            self._compiled = regexes.compiled(pattern)

    def count(self, text: str) -> int:
        """Return the number of matches."""
        return sum(1 for _ in self._compiled.finditer(text, **self._limit))

    def is_in(self, text: str) -> bool:
        """Return whether it matches anywhere."""
        return self._compiled.search(text, **self._limit) is not None

    def is_all(self, text: str) -> bool:
        """Return whether it matches the whole text."""
        return self._compiled.fullmatch(text, **self._limit) is not None

    def replaced(self, put: str, text: str) -> str:
        """Return `text` with each match replaced by `put`."""
        return str(self._compiled.sub(put, text, **self._limit))


def count_sign(text: str, sign: Sign, *, timed: bool) -> int:
    """Return how often `sign` occurs in `text`; 0 if the search takes too long."""
    if not any(piece in text for piece in sign.holds):
        return 0
    try:
        return Searcher(sign.pattern, timed=timed).count(text)
    except TimeoutError:
        return 0


SHARED_WEIGHT = 0.1  # of a message from a library that other frameworks use too


def framework_of(incident: Incident, programs: Mapping[str, Program]) -> str:
    """Return the framework of most findings and traceback frames; "" if there is none."""
    found = (*incident.failing, *incident.context)
    texts = [_paths_text(finding.record) for finding in found]
    whole = "\n".join(texts)
    named = [one for one in programs.values() if one.framework and any(path in whole for path in one.paths)]
    votes: dict[str, float] = {}
    for finding, text in zip(found, texts, strict=True):
        program = programs.get(finding.signature.program)
        if program and program.framework:
            votes[program.framework] = votes.get(program.framework, 0) + (SHARED_WEIGHT if program.shared else 1)
        for program in named:
            if any(path in text for path in program.paths):
                votes[program.framework] = votes.get(program.framework, 0) + 0.5
    return max(votes, key=lambda name: votes[name]) if votes else ""


def _paths_text(record: Record) -> str:
    """Return where a record may name its program, each part after a blank: files, exception type, logger; its text."""
    raised = record.raised
    parts = (*(frame.file for frame in raised.frames), raised.type) if raised else (record.text[:2000],)
    return " ".join(("", *parts, record.prefix.logger or ""))


# Where an environment keeps its packages, a compiled module of Python, and the first line of the interpreter.
_PYTHON = regexes.Lazy(
    r"(?m)[/\\]python(3\.\d{1,2})[/\\](?:site|dist)-packages|\.cpython-(3)(\d{1,2})-|^Python (3\.\d{1,2})\.\d{1,3} \("
)


def python_of(incident: Incident) -> str | None:
    """Return the version of Python (3.11) that paths of the log name most often; None if they name none."""
    found = [match for text in dict.fromkeys(_texts(incident)) for match in _PYTHON.findall(text)]
    counted = Counter(path or banner or f"{major}.{minor}" for path, major, minor, banner in found)
    return counted.most_common(1)[0][0] if counted else None


LONGEST, MOST = 4000, 100  # characters of a record, and records, that are searched
LATEST = 20  # records at the end of a source


def system_of(incident: Incident, catalog: Catalog, kind: str) -> System | None:
    """Return the system of this kind (see model/system.py) that the log shows; None for the usual one or unknown."""
    text = "\n".join(islice(dict.fromkeys(_texts(incident)), MOST))
    printed = {finding.signature.id for finding in (*incident.failing, *incident.context)}
    systems = [system for system in catalog.systems().values() if system.kind == kind]

    def signs_of(system: System) -> int:
        named = len(printed & catalog.expand(system.found)) if system.found else 0
        return named + sum(count_sign(text, sign, timed=system.timed) for sign in system.signs)

    certain = _first((signs_of(system), system) for system in systems if system.certain)
    if certain[0]:
        return certain[1]
    best, system = _first((signs_of(system), system) for system in systems if not system.certain and not system.usual)
    return system if best and best > sum(signs_of(system) for system in systems if system.usual) else None


def _first(counted: Iterable[tuple[int, System]]) -> tuple[int, System | None]:
    """Return the pair with the highest count."""
    return max(counted, key=lambda pair: pair[0], default=(0, None))


def _texts(incident: Incident) -> Iterator[str]:
    for finding in (*incident.failing, *incident.context):
        yield finding.record.text[:LONGEST]
    for ending in incident.ends:
        for record in ending.records[-LATEST:]:
            yield record.text[:LONGEST]
