"""Decode the fields of knowledge files, with every problem at its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from logsense.catalog.yaml_files import Path as Path
from logsense.model.rule import FactSpec, Lookup
from logsense.model.values import FACT_TYPES

T = TypeVar("T")

_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "a mapping", list: "a list"}


class Problems:
    """What is wrong with one file: pairs of a path into its data and a sentence."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[tuple[Path, str]] = []

    def add(self, path: Path, sentence: str) -> None:
        """Note that the value at `path` is wrong."""
        self.found.append((path, sentence))


class Fields:
    """The keys of one mapping; `close` reports those that were not read."""

    __slots__ = ("_asked", "_data", "_path", "problems")

    def __init__(self, data: object, path: Path, problems: Problems) -> None:
        if not isinstance(data, dict):
            problems.add(path, "must be a mapping")
            data = {}
        self._data: dict[str, object] = data
        self._path = path
        self.problems = problems
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def raw(self, key: str) -> object:
        """Return the unchecked value; None if it is absent."""
        self._asked.add(key)
        return self._data.get(key)

    def path(self, key: str) -> Path:
        """Return the path of `key`."""
        return (*self._path, key)

    def problem(self, key: str, sentence: str) -> None:
        """Note that the value of `key` is wrong."""
        self.problems.add(self.path(key) if key in self._data else self._path, sentence)

    def get(self, key: str, kind: type[T], default: T, *, required: bool = False) -> T:
        """Return the value of `key`, which must be a `kind`; `default` if it is absent or wrong."""
        value = self.raw(key)
        if value is None:
            if required:
                self.problems.add(self._path, f"{key} is missing")
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            self.problem(key, f"{key} must be {_NAMES.get(kind, kind.__name__)}")
            return default
        return value

    def text(self, key: str, default: str = "", *, required: bool = False) -> str:
        """Return the text of `key`; numbers and dates count as they are written."""
        value = self.raw(key)
        if value is None or isinstance(value, (dict, list)):
            return self.get(key, str, default, required=required)
        return str(value)

    def one_of(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """Return the text of `key`, which must be one of `choices`."""
        value = self.text(key, default)
        if value not in choices:
            self.problem(key, f"{key} must be one of {', '.join(choices)}")
            return default
        return value

    def texts(self, key: str, *, required: bool = False) -> tuple[str, ...]:
        """Return the text or the list of texts of `key`."""
        value = self.raw(key)
        if value is None:
            if required:
                self.problems.add(self._path, f"{key} is missing")
            return ()
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, (dict, list)) or item is None for item in items):
            self.problem(key, f"{key} must be a text or a list of texts")
            return ()
        return tuple(str(item) for item in items)

    def items(self, key: str, *, required: bool = False) -> Iterator[tuple[Path, object]]:
        """Yield the items of the list `key`, each with its path; a single value counts as a list of one."""
        value = self.raw(key)
        if value is None:
            if required:
                self.problems.add(self._path, f"{key} is missing")
            return
        if isinstance(value, list):
            for number, item in enumerate(value):
                yield (*self.path(key), number), item
        else:
            yield self.path(key), value

    def each(self, key: str, decode: Callable[[Fields], T], *, required: bool = False) -> tuple[T, ...]:
        """Return what `decode` returns for each item of the list `key`."""
        items = self.items(key, required=required)
        return tuple(decoded(item, path, self.problems, decode) for path, item in items)

    def close(self) -> None:
        """Report the keys that were not read."""
        for key in self._data:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                self.problems.add(self.path(str(key)), f"unknown key {key!r}; there are {known}")


def decoded(data: object, path: Path, problems: Problems, decode: Callable[[Fields], T]) -> T:
    """Return what `decode` returns for the mapping `data`; keys that it does not read are problems."""
    fields = Fields(data, path, problems)
    found = decode(fields)
    fields.close()
    return found


def attempt(problems: Problems, path: Path, make: Callable[[], T], *errors: type[Exception]) -> T | None:
    """Return what `make` returns; None, with its error noted at `path`, if it raises one of `errors`."""
    try:
        return make()
    except errors as error:
        problems.add(path, str(error))
        return None


DERIVATIONS = ("sum", "difference", "product", "ratio", "max", "min", "first", "distinct")


def decode_facts(data: object, problems: Problems) -> dict[str, FactSpec]:
    """Return the facts listed in `data`, the content of one file of rules/_facts/."""
    items = data.items() if isinstance(data, dict) else ()
    return {str(name): decoded(item, (name,), problems, partial(_fact, str(name))) for name, item in items}


def _fact(name: str, fields: Fields) -> FactSpec:
    derive, lookup = None, None
    if "derive" in fields:
        derive, lookup = decoded(fields.raw("derive"), fields.path("derive"), fields.problems, _derivation)
    return FactSpec(
        name=name,
        type=fields.one_of("type", FACT_TYPES, "text"),
        title=fields.text("title"),
        derive=derive,
        lookup=lookup,
        own=fields.get("own", bool, False),
        zero_is_unknown=fields.get("zero_is_unknown", bool, False),
    )


def _derivation(fields: Fields) -> tuple[tuple[str, tuple[object, ...]] | None, Lookup | None]:
    if "lookup" in fields:
        where = fields.get("where", dict, {}, required=True)
        match = fields.one_of("match", ("equal", "exactly", "dotted", "at_most", "release", "within", "newer"), "equal")
        pairs = tuple((str(column), str(fact)) for column, fact in where.items())
        return None, Lookup(fields.text("lookup"), pairs, fields.text("give", required=match != "newer"), match)
    for how in DERIVATIONS:
        if how in fields:
            operands = fields.raw(how)
            return (how, tuple(operands) if isinstance(operands, list) else (operands,)), None
    fields.problem("", f"derive has one of {', '.join(DERIVATIONS)}, lookup")
    return None, None
