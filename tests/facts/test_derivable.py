"""Facts that can't be worked out are not asked for; all others are."""

from __future__ import annotations

import os

import pytest

from logsense.catalog.load import load_catalog
from logsense.facts.derivable import derivable
from logsense.facts.facts import ENGINE_FACTS, Facts
from logsense.model.rule import FactSpec, Lookup
from tests.conftest import incident_of

# torch's, by c10/cuda/CUDACachingAllocator.cpp
OUT_OF_MEMORY = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of "
    "which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the allocated "
    "memory 74.10 GiB is allocated by PyTorch, and 2.20 GiB is reserved by PyTorch but unallocated."
)
FAILING = os.path.join(os.path.dirname(os.path.dirname(__file__)), "failing")
SPECS = {
    spec.name: spec
    for spec in (
        FactSpec("a", "int"),
        FactSpec("b", "int"),
        FactSpec("c", "int", derive=("difference", ("a", "b"))),
        FactSpec("d", "int", derive=("first", ("e", "a"))),
        FactSpec("e", "int", derive=("first", ("d", "b"))),
        FactSpec("f", "int", derive=("product", ("c", 8))),
        FactSpec("g", "int", derive=("first", ("b", 1))),
        FactSpec("h", "int", lookup=Lookup("t", (("x", "a"), ("y", "d")), "z")),
    )
}


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ((), {"g"}),
        (("a",), {"a", "d", "e", "g", "h"}),
        (("b",), {"b", "d", "e", "g"}),
        (("a", "b"), set(SPECS)),
    ],
)
def test_what_follows_from_what_is_stated(stated: tuple[str, ...], found: set[str]) -> None:
    assert derivable(SPECS, stated, SPECS) == found


def test_nothing_that_is_known_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = load_catalog()
    names = sorted(name for name in os.listdir(FAILING) if name.endswith(".log"))[::6]
    seen = set()
    logs = [OUT_OF_MEMORY.encode()]
    for name in names:
        with open(os.path.join(FAILING, name), "rb") as file:
            logs.append(file.read())
    for log in logs:
        incident = incident_of(log, catalog)
        few = Facts(catalog, incident)
        anchors = [None, *incident.failing]
        found = {(one, at): few.get(one, anchor) for at, anchor in enumerate(anchors) for one in few.specs}
        every = Facts(catalog, incident)
        monkeypatch.setitem(vars(every), "reach", frozenset({*every.specs, *ENGINE_FACTS}))
        assert found == {(one, at): every.get(one, anchor) for at, anchor in enumerate(anchors) for one in every.specs}
        seen |= {one for (one, _), fact in found.items() if fact and (few.specs[one].derive or few.specs[one].lookup)}
    assert len(seen) > 10, seen
