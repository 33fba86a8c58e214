"""Compiles regexes, and keeps what they compile to for the next run: compiling is most of what a short run would do.

`re` keeps nothing between runs. What its compiler makes of a regex is a list of numbers, which `_sre.compile` checks
(https://github.com/python/cpython/blob/main/Modules/_sre/sre.c, `_validate`) before it makes a pattern of them. All
this is private to Python, so wherever it is otherwise, regexes are compiled as usual.
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

# All that are kept are taken in at each start. One run may bring so many, or a single log with all sorts of messages
# would drive out what each run needs.
MOST_KEPT, MOST_NEW = 300, 100
# What is raised where Python's private parts are not what is known here.
_OTHERWISE = (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OverflowError)

_compiled: dict[tuple[str | bytes, int], re.Pattern[Any]] = {}
# A regex, and how it begins: its flags, groups, their names by number and numbers by name, where its code lies, and the
# checksum of that.
_index: dict[str, list[Any]] = {}
_codes = memoryview(b"")
_made: dict[str, tuple[list[Any], list[int]]] = {}
_used: set[str] = set()  # of those in the index


def compiled(source: Text, flags: int = 0) -> re.Pattern[Text]:
    """What `re.compile(source, flags)` gives."""
    pattern = _compiled.get((source, flags))
    if pattern is None:
        pattern = _compiled[(source, flags)] = _kept(source, flags) or _make(source, flags)
    return pattern


class Lazy:
    """Stands for `re.compile(source)`; `match`, `search`, `fullmatch`, `sub` and `finditer` compile on first use."""

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


def stamp() -> str:
    """What kept code depends on: the Python that made it."""
    return f"{sys.implementation.cache_tag}-{getattr(sys.modules.get('_sre'), 'MAGIC', 0)}"


def restore(packed: bytes | None) -> None:
    """Take in what `pack` gave in an earlier run; what is broken counts as nothing."""
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
    """What is known by now, for the next run; None where nothing has come to what was restored.

    What this run used comes first, and what no room is left for is given up.
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
    except _OTHERWISE:
        return None


def tree(source: str) -> Any:
    """What Python's own parser makes of a regex; None where that parser is not what is known here.

    Raises re.error for what is none.
    """
    parts = _private()
    return parts[0].parse(source) if parts else None


def _private() -> tuple[Any, Any] | None:
    """The parser and the compiler of `re`."""
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
    except _OTHERWISE:
        return re.compile(source, flags)
    if all(0 <= number < 1 << 32 for number in code):
        _made[_key(source, flags)] = (about, code)
    return pattern


def _pattern(source: Text, about: Sequence[Any], code: list[int]) -> re.Pattern[Text]:
    """The pattern that `code` stands for. Raises one of _OTHERWISE."""
    import _sre  # type: ignore[import-not-found]

    flags, groups, names, numbers = about
    return _sre.compile(source, flags, code, groups, numbers, tuple(names))  # type: ignore[no-any-return]
