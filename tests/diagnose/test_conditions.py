"""Which conditions of rules hold on an incident."""

from __future__ import annotations

import pytest

from logsense.diagnose.conditions import Conditions
from logsense.facts.facts import Facts
from logsense.model.rule import Combined, Comparison, Condition, EndsAfter, FactIs, Found, NotFound
from tests.conftest import Write, incident_of
from tests.demo import FILES, signature

CATALOG = {
    **FILES,
    "rules/_facts/demo.yaml": FILES["rules/_facts/demo.yaml"] + "mem.subject: {type: text, title: subject}\n",
    "corpus/demo/subject.yaml": signature(
        "subject", "hint", "it was about {subject:rest}", "facts: {mem.subject: subject}"
    ),
}
LOG = """\
driver 550.54.14 is old
it was about The Gloo Backend
memory full: asked 2 GiB of 8 GiB, free 512 MiB
"""


@pytest.fixture
def conditions(write_catalog: Write) -> Conditions:
    catalog = write_catalog(CATALOG)
    incident = incident_of(LOG.encode(), catalog)
    return Conditions(catalog, incident, Facts(catalog, incident))


def fact(name: str, operator: str, operand: object, times: float = 1.0) -> FactIs:
    return FactIs(name, (Comparison(operator, operand, times=times),))


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (fact("mem.subject", "contains", "gloo"), True),
        (fact("mem.subject", "starts_with", "the gloo"), True),
        (fact("mem.subject", "starts_with", "backend"), False),
        (fact("mem.subject", "ends_with", ("nccl", "backend")), True),
        (fact("mem.subject", "ends_with", "gloo"), False),
        (fact("mem.subject", "exactly", "the gloo backend"), False),
        (fact("mem.subject", "equals", "the gloo backend"), True),
        (fact("mem.subject", "not", "mpi"), True),
        (fact("mem.subject", "above", 3), False),
        (fact("mem.free", "known", True), True),
        (fact("driver.cuda", "known", False), False),
        # Versions: by their parts, and by as many as are named.
        (fact("driver.version", "equals", "550"), True),
        (fact("driver.version", "equals", "55"), False),
        (fact("driver.version", "at_least", "550.54.14"), True),
        (fact("driver.version", "above", "550.9"), True),
        (fact("driver.version", "at_most", "550.54"), False),
        (fact("driver.version", "below", "1000"), True),
        # Sizes: as numbers, as text with a unit, and as another fact, also times a factor.
        (fact("mem.asked", "at_least", "2 GiB"), True),
        (fact("mem.asked", "above", "2 GiB"), False),
        (fact("mem.asked", "at_most", 2 << 30), True),
        (fact("mem.asked", "below", "2049 MiB"), True),
        (fact("mem.asked", "above", "mem.free"), True),
        (fact("mem.asked", "above", "mem.free", times=4.0), False),
        (fact("mem.asked", "at_least", "mem.free", times=4.0), True),
        (fact("mem.asked", "at_least", "mem.total", times=0.25), True),
        (fact("mem.asked", "above", "mem.total", times=0.2), True),
        (fact("mem.asked", "above", "1 GiB", times=1.5), True),
        (fact("mem.asked", "above", "1 GiB", times=2.5), False),
        (fact("mem.asked", "above", "step.unknown"), False),
        # What is unknown compares in no way.
        (fact("mem.nothing", "not", "x"), False),
        (Found(("demo.full",)), True),
        (Found(("demo.full",), times=2), False),
        (Found(("demo.full",), (("asked", (Comparison("above", "1 GiB"),)),)), True),
        (Found(("demo.full",), (("asked", (Comparison("above", "3 GiB"),)),)), False),
        (NotFound(("demo.full", "demo.lost")), False),
        (NotFound(("demo.lost",)), True),
        (Combined("any", (Found(("demo.lost",)), Found(("demo.full",)))), True),
        (Combined("none", (Found(("demo.lost",)), Found(("demo.full",)))), False),
        (Combined("all", (Found(("demo.lost",)), Found(("demo.full",)))), False),
        (EndsAfter(("demo.full",)), True),
        (EndsAfter(("demo.lost",)), False),
    ],
)  # fmt: skip
def test_it_holds(conditions: Conditions, condition: Condition, holds: bool) -> None:
    assert conditions.holds(condition, None) is holds


def test_messages_of_the_same_place_are_in_the_order_of_their_ids(write_catalog: Write) -> None:
    names = [f"alike-{number}" for number in range(9)]
    alike = {f"corpus/demo/{name}.yaml": signature(name, "failure", "lost the device") for name in names}
    catalog = write_catalog({**FILES, **alike})
    incident = incident_of(b"lost the device\n", catalog)
    found = Conditions(catalog, incident, Facts(catalog, incident)).findings(Found(("demo.alike-*",)))
    assert [one.signature.id for one in found] == [f"demo.{name}" for name in names]
