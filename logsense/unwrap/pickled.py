"""Reads a pickle that holds nothing but plain values, without running any code that it names.

The opcodes are those of https://docs.python.org/3/library/pickletools.html. `pickle.Unpickler` is not used: even if it
refuses all classes, a damaged memo index makes it allocate gigabytes.
"""

from __future__ import annotations

import pickletools

MOST_BYTES = 256 << 20


class PickleError(ValueError):
    """Why a pickle can't be read."""


_VALUES = {
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "INT", "LONG", "BINFLOAT", "FLOAT"),
    *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8", "STRING", "BINSTRING", "SHORT_BINSTRING"),
    *("SHORT_BINBYTES", "BINBYTES", "BINBYTES8"),
}
_CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_EMPTY = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple, "EMPTY_SET": set}
_MARK = object()


def load_plain_pickle(data: bytes) -> object:
    """Return the value in `data`: numbers, texts, bytes, lists, tuples, sets and dictionaries.

    Raises PickleError if the pickle is broken, too large, or holds anything else.
    """
    if len(data) > MOST_BYTES:
        raise PickleError(f"more than {MOST_BYTES} bytes")
    try:
        return _read(data)
    except PickleError:
        raise
    except Exception as error:  # noqa: BLE001  (broken bytes raise many kinds)
        raise PickleError(f"broken: {error}") from None


def _read(data: bytes) -> object:
    stack: list[object] = []
    memo: dict[int, object] = {}
    for opcode, argument, _ in pickletools.genops(data):
        name = opcode.name
        if name in _VALUES:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("PUT", "BINPUT", "LONG_BINPUT"):
            memo[int(argument)] = stack[-1]  # type: ignore[arg-type]
        elif name == "MEMOIZE":
            memo[len(memo)] = stack[-1]
        elif name in ("GET", "BINGET", "LONG_BINGET"):
            stack.append(memo[int(argument)])  # type: ignore[arg-type]
        elif name == "STOP":
            return stack.pop()
        elif name not in ("PROTO", "FRAME"):
            _gather(name, stack)
    raise PickleError("broken: it has no end")


def _gather(name: str, stack: list[object]) -> None:
    """Apply an opcode that collects values from the stack into a container."""
    if name in ("TUPLE1", "TUPLE2", "TUPLE3"):
        count = int(name[-1])
        stack[-count:] = [tuple(stack[-count:])]
        return
    if name == "APPEND":
        items: list[object] = [stack.pop()]
    elif name == "SETITEM":
        items = stack[-2:]
        del stack[-2:]
    elif name in ("APPENDS", "SETITEMS", "TUPLE", "LIST", "DICT", "ADDITEMS"):
        items = []
        while (item := stack.pop()) is not _MARK:
            items.append(item)
        items.reverse()
    else:
        raise PickleError(f"it holds more than plain values ({name})")
    if name == "TUPLE":
        stack.append(tuple(items))
    elif name == "LIST":
        stack.append(items)
    elif name == "DICT":
        stack.append(dict(zip(items[::2], items[1::2], strict=True)))
    else:
        _extend(name, stack[-1], items)


def _extend(name: str, held: object, items: list[object]) -> None:
    if name in ("APPEND", "APPENDS") and isinstance(held, list):
        held += items
    elif name in ("SETITEM", "SETITEMS") and isinstance(held, dict):
        held.update(zip(items[::2], items[1::2], strict=True))
    elif name == "ADDITEMS" and isinstance(held, set):
        held.update(items)
    else:
        raise PickleError("broken: values without a container")
