"""Compiles regexes and caches the result for the next run, since compiling dominates short runs.

The compiler of `re` makes a list of numbers, which `_sre.compile` validates
(https://github.com/python/cpython/blob/main/Modules/_sre/sre.c, `_validate`) and turns into a pattern. These parts are
private to Python; where they differ, regexes are compiled as usual.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    Text = TypeVar("Text", str, bytes)

# The whole cache is read at each start. A run may add MOST_NEW entries, lest a single log with many kinds of messages
# evict what every run needs.
MOST_KEPT, MOST_NEW = 300, 100
# Raised if Python's private parts have changed.
_CHANGED = (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError)

_compiled: dict[tuple[str | bytes, int], re.Pattern[Any]] = {}
# For each regex: flags, number of groups, names by number, numbers by name, begin and end of its code, and a checksum.
_index: dict[str, list[Any]] = {}
_codes = memoryview(b"")
_made: dict[str, tuple[list[Any], list[int]]] = {}
_used: set[str] = set()  # of those in the index


def compiled(source: Text, flags: int = 0) -> re.Pattern[Text]:
    """Return `re.compile(source, flags)`, from the cache if possible."""
    pattern = _compiled.get((source, flags))
    if pattern is None:
        pattern = _compiled[(source, flags)] = _kept(source, flags) or _make(source, flags)
    return pattern


class Lazy:
    """Acts like `re.compile(source)`, but compiles on first use."""

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
    global _index, _codes
    from zlib import crc32

    head, _, body = (packed or b"").partition(b"\n")
    check, _, codes = body.partition(b"\n")
    if not check.isdigit() or int(check) != crc32(head):
        return
    try:
        index = json.loads(head)
        _codes = memoryview(codes).cast("I")
    except (ValueError, TypeError):
        return
    _index = index if isinstance(index, dict) and len(index) <= MOST_KEPT else {}


def pack() -> bytes | None:
    """Return the cache for the next run; None if it has not changed.

    Regexes that this run used come first; those beyond the limit are dropped.
    """
    from zlib import crc32

    if not _made:
        return None
    kept = {key: (about[:-3], bytes(_codes[about[-3] : about[-2]])) for key, about in _index.items()}
    used = {key: kept.pop(key) for key in [*kept] if key in _used}
    new = {
        key: (about, b"".join(number.to_bytes(4, sys.byteorder) for number in code))
        for key, (about, code) in islice(_made.items(), MOST_NEW)
    }
    index: dict[str, list[Any]] = {}
    codes = bytearray()
    for key, (about, packed) in islice({**used, **new, **kept}.items(), MOST_KEPT):
        begin = len(codes) // 4
        codes += packed
        index[key] = [*about, begin, len(codes) // 4, crc32(packed)]
    head = json.dumps(index).encode()
    return head + b"\n" + str(crc32(head)).encode() + b"\n" + codes


def _key(source: str | bytes, flags: int) -> str:
    return f"{flags}b{source.decode('latin-1')}" if isinstance(source, bytes) else f"{flags}s{source}"


def _kept(source: Text, flags: int) -> re.Pattern[Text] | None:
    about = _index.get(_key(source, flags))
    if about is None:
        return None
    try:
        from zlib import crc32

        *about, begin, end, checksum = about
        if crc32(_codes[begin:end]) != checksum:
            return None
        _used.add(_key(source, flags))
        return _pattern(source, about, _codes[begin:end].tolist())
    except _CHANGED:
        return None


def tree(source: str) -> Any:
    """Return the parse tree of a regex; None if Python's private parser has changed. Raises re.error if it is
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
        code = [int(number) for number in compiler._code(parsed, flags)]
        names: list[str | None] = [None] * parsed.state.groups
        for name, number in parsed.state.groupdict.items():
            names[number] = name
        about = [flags | parsed.state.flags, parsed.state.groups - 1, names, dict(parsed.state.groupdict)]
        pattern: re.Pattern[Text] = _pattern(source, about, code)
    except _CHANGED:
        return re.compile(source, flags)
    if all(0 <= number < 1 << 32 for number in code):
        _made[_key(source, flags)] = (about, code)
    return pattern


def _pattern(source: Text, about: Sequence[Any], code: list[int]) -> re.Pattern[Text]:
    """Return the pattern of `code`. Raises one of _CHANGED."""
    import _sre  # type: ignore[import-not-found]

    flags, groups, names, numbers = about
    return _sre.compile(source, flags, code, groups, numbers, tuple(names))  # type: ignore[no-any-return]
