"""Nouns behave as the named tuples of `typing` do."""

from __future__ import annotations

import copy
import pickle
from typing import Any, NamedTuple

import pytest

from logsense.util import noun


class Plain(NamedTuple):
    one: int
    two: str
    three: float = 1.5
    four: tuple[int, ...] = ()

    @property
    def both(self) -> str:
        return f"{self.one}{self.two}"


class Ours(noun.NamedTuple):
    one: int
    two: str
    three: float = 1.5
    four: tuple[int, ...] = ()

    @property
    def both(self) -> str:
        return f"{self.one}{self.two}"


def made(kind: Any, how: str) -> Any:
    """An instance of `kind`."""
    ways = {
        "all": lambda: kind(1, "x", 2.5, (3,)),
        "fewer": lambda: kind(1, "x"),
        "named": lambda: kind(two="x", one=1, four=(9,)),
        "mixed": lambda: kind(1, two="x"),
        "make": lambda: kind._make([1, "x", 2.5, ()]),
        "replace": lambda: kind(1, "x")._replace(three=7.0),
    }
    return ways[how]()


@pytest.mark.parametrize("how", ["all", "fewer", "named", "mixed", "make", "replace"])
def test_an_instance_is_alike(how: str) -> None:
    plain, ours = made(Plain, how), made(Ours, how)
    assert tuple(plain) == ours
    assert hash(plain) == hash(ours)
    assert repr(plain).replace("Plain", "Ours") == repr(ours)
    assert plain._asdict() == ours._asdict()
    assert (plain.one, plain.two, plain.three, plain.four, plain.both) == (
        ours.one, ours.two, ours.three, ours.four, ours.both,
    )  # fmt: skip
    for other in (pickle.loads(pickle.dumps(ours)), copy.copy(ours), copy.deepcopy(ours)):
        assert other == ours
        assert type(other) is Ours
    match ours:
        case Ours(one, two):
            assert (one, two) == (ours.one, ours.two)
    with pytest.raises(AttributeError):
        ours.five = 1


WRONG: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((1,), {}), ((), {"one": 1}), ((1, "x", 2.0, (), 5), {}), ((1, "x"), {"one": 2}), ((1, "x"), {"five": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "named"), WRONG)
def test_what_does_not_fit_is_refused(args: tuple[object, ...], named: dict[str, object]) -> None:
    for kind in (Plain, Ours):
        with pytest.raises(TypeError):
            kind(*args, **named)  # type: ignore[arg-type]


def test_too_few_values_and_unknown_names_are_refused() -> None:
    with pytest.raises(TypeError):
        Ours._make([1])
    with pytest.raises(ValueError, match="five"):
        Ours(1, "x")._replace(five=1)  # type: ignore[call-arg]


def test_the_class_says_what_it_has() -> None:
    for name in ("_fields", "_field_defaults", "__match_args__", "__slots__"):
        assert getattr(Ours, name, ()) == getattr(Plain, name, ())
