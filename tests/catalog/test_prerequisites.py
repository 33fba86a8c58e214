"""Parts of rules that can't hold are not read; all others are."""

from __future__ import annotations

import os

import pytest

from logsense.catalog.conditions import decode_conditions
from logsense.catalog.decode import Problems
from logsense.catalog.load import load_catalog
from logsense.catalog.prerequisites import prerequisites
from logsense.diagnose.conditions import Conditions
from logsense.diagnose.score import candidates
from logsense.facts.facts import Facts
from logsense.model.rule import UNKNOWN
from tests.conftest import incident_of

FAILING = os.path.join(os.path.dirname(os.path.dirname(__file__)), "failing")


@pytest.mark.parametrize(
    ("when", "seen", "holds"),
    [
        ([{"found": ["a.x", "a.y"]}], {"a.y"}, True),
        ([{"found": ["a.x", "a.y"]}], {"b.z"}, False),
        ([{"found": "a.x"}, {"found": "b.z"}], {"a.x"}, False),
        ([{"any": [{"found": "a.x"}, {"fact": "stated", "equals": 1}]}], {"=stated"}, True),
        ([{"any": [{"found": "a.x"}, {"fact": "worked.out", "equals": 1}]}], set(), True),
        ([{"all": [{"found": "a.x"}, {"fact": "stated", "equals": 1}]}], {"a.x"}, False),
        ([{"fact": "stated", "known": False}], set(), True),
        ([{"not_found": "a.x"}], set(), True),
        ([{"none": [{"found": "a.x"}]}], set(), True),
        ([{"frame": "train.py"}], set(), True),
    ],
)
def test_what_must_have_been_seen(when: object, seen: set[str], holds: bool) -> None:
    problems = Problems()
    conditions = decode_conditions(when, (), problems)
    assert not problems.found
    assert all(group & seen for group in prerequisites(conditions, {"stated"})) is holds


def test_leaving_out_what_could_not_hold_changes_no_score() -> None:
    catalog = load_catalog()
    names = sorted(name for name in os.listdir(FAILING) if name.endswith(".log"))[::12]
    assert len(names) > 10
    for name in names:
        with open(os.path.join(FAILING, name), "rb") as file:
            incident = incident_of(file.read(), catalog)
        facts = Facts(catalog, incident)
        judge = Conditions(catalog, incident, facts)
        few = candidates(catalog.rules_for(judge.ids(), facts.names()), judge, incident)
        all_ = candidates(
            [rule for cause in (*catalog.causes, UNKNOWN) if (rule := catalog.rule(cause))], judge, incident
        )
        assert [(c.rule.cause, c.score, c.argument.id) for c in few] == [
            (c.rule.cause, c.score, c.argument.id) for c in all_
        ]
