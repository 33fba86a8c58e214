"""Compile regexes and cache the result for the next run, since compiling dominates short runs.

The compiler of `re` makes a list of numbers, which `_sre.compile` validates
(https://github.com/python/cpython/blob/main/Modules/_sre/sre.c, `_validate`) and turns into a pattern. These parts are
private to Python; where they differ, regexes are compiled as usual.
"""

from __future__ import annotations

import marshal
import re
import sys
from array import array
from collections.abc import Callable
from itertools import islice

from logsense.util.checksums import with_checksum, without_checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Text = TypeVar("Text", str, bytes)
    # Flags, number of groups, names by number, numbers by name, and code of a regex.
    Parts = tuple[int, int, tuple[str | None, ...], dict[str, int], bytes]

# The whole cache is read at each start. A run may add MOST_NEW entries, lest a single log with many kinds of messages
# evict what every run needs.
MOST_KEPT, MOST_NEW = 300, 100
# Raised if Python's private parts have changed.
_CHANGED = (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError)

_compiled: dict[tuple[str | bytes, int], re.Pattern[Any]] = {}
_kept: dict[str, Parts] = {}  # from earlier runs
_used: set[str] = set()  # of those
_made: dict[str, Parts] = {}  # by this run


def compiled(source: Text, flags: int = 0) -> re.Pattern[Text]:
    """Return `re.compile(source, flags)`, from the cache if possible."""
    pattern = _compiled.get((source, flags))
    if pattern is None:
        pattern = _compiled[(source, flags)] = _restored(source, flags) or _make(source, flags)
    return pattern


class Lazy:
    """Act like `re.compile(source)`, but compile on first use."""

    if TYPE_CHECKING:
        match: Callable[..., re.Match[str] | None]
        search: Callable[..., re.Match[str] | None]
        fullmatch: Callable[..., re.Match[str] | None]
        findall: Callable[..., list[Any]]
        finditer: Callable[..., Any]
        sub: Callable[..., str]
        split: Callable[..., list[str]]

    def __init__(self, source: str | bytes, flags: int = 0) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(compiled(self._source, self._flags), name)  # type: ignore[type-var]
        setattr(self, name, method)
        return method


class LazyBytes(Lazy):
    """The same for bytes."""

    if TYPE_CHECKING:
        search: Callable[..., re.Match[bytes] | None]  # type: ignore[assignment]
        sub: Callable[..., bytes]  # type: ignore[assignment]


def cache_version() -> str:
    """Return what cached code depends on: the version of Python."""
    return f"{sys.implementation.cache_tag}-{getattr(sys.modules.get('_sre'), 'MAGIC', 0)}"


def restore(packed: bytes | None) -> None:
    """Load what `pack` returned in an earlier run; ignore damaged data."""
    global _kept
    body = without_checksum(packed or b"")
    if body is not None:
        found = marshal.loads(body)  # noqa: S302 - its checksum is right
        _kept = found if isinstance(found, dict) and len(found) <= MOST_KEPT else {}


def pack() -> bytes | None:
    """Return the cache for the next run; None if it has not changed.

    Regexes that this run used come first; those beyond the limit are dropped.
    """
    if not _made:
        return None
    used = {key: parts for key, parts in _kept.items() if key in _used}
    new = dict(islice(_made.items(), MOST_NEW))
    body = marshal.dumps(dict(islice({**used, **new, **_kept}.items(), MOST_KEPT)))
    return with_checksum(body)


def _key(source: str | bytes, flags: int) -> str:
    return f"{flags}b{source.decode('latin-1')}" if isinstance(source, bytes) else f"{flags}s{source}"


def _restored(source: Text, flags: int) -> re.Pattern[Text] | None:
    key = _key(source, flags)
    if key not in _kept:
        return None
    try:
        pattern = _pattern(source, _kept[key])
    except _CHANGED:
        return None
    _used.add(key)
    return pattern


def tree(source: str) -> Any:
    """Return the parse tree of a regex; None if Python's private parser has changed. Raise re.error if it is
    invalid."""
    parts = _private()
    return parts[0].parse(source) if parts else None


def _private() -> tuple[Any, Any] | None:
    """Return the parser and the compiler of `re`."""
    try:
        from re import _compiler, _parser  # type: ignore[attr-defined]
    except ImportError:
        try:
            import sre_compile as _compiler  # before Python 3.11
            import sre_parse as _parser
        except ImportError:
            return None
    return _parser, _compiler


def _make(source: Text, flags: int) -> re.Pattern[Text]:
    parts = _private() if len(_made) < MOST_NEW else None
    if parts is None:
        return re.compile(source, flags)
    parser, compiler = parts
    try:
        parsed = parser.parse(source, flags)
        state = parsed.state
        numbers = dict(state.groupdict)
        names: list[str | None] = [None] * state.groups
        for name, number in numbers.items():
            names[number] = name
        code = array("I", map(int, compiler._code(parsed, flags))).tobytes()
        made = int(flags | state.flags), state.groups - 1, tuple(names), numbers, code
        pattern: re.Pattern[Text] = _pattern(source, made)
    except _CHANGED:
        return re.compile(source, flags)
    _made[_key(source, flags)] = made
    return pattern


def _pattern(source: Text, parts: Parts) -> re.Pattern[Text]:
    """Return the pattern of `source`, made of `parts`. Raise one of _CHANGED."""
    import _sre  # type: ignore[import-not-found]

    flags, groups, names, numbers, code = parts
    return _sre.compile(source, flags, array("I", code).tolist(), groups, numbers, names)  # type: ignore[no-any-return]
