"""Named tuples declared like `typing.NamedTuple`, at a tenth of its cost: a start declares more than a hundred."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter
    from functools import cache
    from types import FunctionType

    class _Noun(tuple):
        """The methods of `collections.namedtuple`, once for all classes."""

        __slots__ = ()

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        __replace__ = _replace

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)

    @cache
    def _code_of_new(count):
        """Return the code of `__new__` for this number of fields; compiling it for each class would take 5 ms."""
        names = "".join(f"_{number}, " for number in range(count))
        return eval(f"lambda _cls, {names}: _new(_cls, ({names}))").__code__  # noqa: S307

    class _Meta(type):
        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace["__annotations__"])  # there is none without the __future__ import
            defaults = {field: namespace[field] for field in fields if field in namespace}
            if list(defaults) != list(fields[len(fields) - len(defaults) :]):
                raise TypeError(f"a field of {name} without a default follows one with a default")
            code = _code_of_new(len(fields)).replace(co_varnames=("_cls", *fields), co_name="__new__")
            new = FunctionType(code, {"_new": tuple.__new__}, "__new__", tuple(defaults.values()))
            new.__qualname__ = f"{name}.__new__"
            getters = {field: _tuplegetter(number, None) for number, field in enumerate(fields)}
            own = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            return type(name, (_Noun,), {**namespace, **own, **getters, "__new__": new})

    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})
