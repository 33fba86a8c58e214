"""Named tuples declared like `typing.NamedTuple`, whose import and annotations cost ten milliseconds of start-up."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import namedtuple

    class _Meta(type):
        def __new__(cls, name, bases, namespace):
            if "__annotations__" not in namespace:  # without the __future__ import, Python may store them as code
                import typing

                return type(typing.NamedTuple)(name, (typing.NamedTuple,), namespace)
            fields = namespace["__annotations__"]
            defaults = [namespace.pop(field) for field in fields if field in namespace]
            plain = namedtuple(name, fields, defaults=defaults, module=namespace["__module__"])  # noqa: PYI024
            return type(name, (plain,), {"__slots__": (), **namespace})

    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})
