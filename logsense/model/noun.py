"""Named tuples whose classes cost little to make.

A run that explains ten lines makes some sixty classes of nouns. `typing.NamedTuple` compiles a function for each, and
takes longer for them and for its own import than the explanation does. A class that is made here behaves alike.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from operator import itemgetter

    try:
        from _collections import _tuplegetter
    except ImportError:

        def _tuplegetter(index, doc):
            return property(itemgetter(index), doc=doc)

    class _Noun(tuple):
        __slots__ = ()

        def __new__(cls, /, *args, **named):
            if named or len(args) != len(cls._fields):
                args = _filled(cls, args, named)
            return _new(cls, args)

        @classmethod
        def _make(cls, values):
            made = _new(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {len(cls._fields)} values, {len(made)} were given")
            return made

        def _replace(self, /, **changes):
            made = _new(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            pairs = zip(self._fields, self, strict=True)
            return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

        def __getnewargs__(self):
            return tuple(self)

    _new = tuple.__new__

    def _filled(cls, args, named):
        """The values of all fields, in their order; takes those it uses out of `named`."""
        fields, defaults = cls._fields, cls._field_defaults
        values = [*args]
        for name in fields[len(values) :]:
            if name in named:
                values.append(named.pop(name))
            elif name in defaults:
                values.append(defaults[name])
            else:
                raise TypeError(f"{cls.__name__} lacks {name!r}")
        if named or len(values) != len(fields):
            raise TypeError(f"{cls.__name__} takes {', '.join(fields)}, once each")
        return values

    class _Meta(type):
        def __new__(cls, name, bases, namespace):
            if "__annotations__" not in namespace:  # without the import from __future__, they may be kept as code
                import typing

                return type(typing.NamedTuple)(name, (typing.NamedTuple,), namespace)
            fields = tuple(namespace["__annotations__"])
            defaults = {field: namespace[field] for field in fields if field in namespace}
            getters = {field: _tuplegetter(index, None) for index, field in enumerate(fields)}
            own = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            return type(name, (_Noun,), {**namespace, **getters, **own})

    NamedTuple = type.__new__(_Meta, "NamedTuple", (), {})
