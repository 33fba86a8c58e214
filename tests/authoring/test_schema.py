"""The schemas hold every file that is shipped, and refuse what the decoder refuses."""

from __future__ import annotations

import os

import pytest
from jsonschema import Draft202012Validator

from logsense.authoring.schema import rule_schema, signature_schema
from logsense.catalog.decode import Problems
from logsense.catalog.files import built_in, listing
from logsense.catalog.meanings import decode_meanings
from logsense.catalog.rules import decode_rule
from logsense.catalog.signatures import decode_signature
from logsense.catalog.yaml_files import read_yaml


def shipped(folder: str) -> list[str]:
    root = built_in(folder)
    return [
        os.path.join(root, path) for path, _ in listing(root) if not any(p.startswith("_") for p in path.split("/"))
    ]


@pytest.mark.parametrize(("folder", "schema"), [("corpus", signature_schema()), ("rules", rule_schema())])
def test_every_file_that_is_shipped_fits(folder: str, schema: dict[str, object]) -> None:
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = [
        f"{path}: {error.message[:200]}"
        for path in shipped(folder)
        for error in validator.iter_errors(read_yaml(path)[0])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "data", [{}, {"id": "a.b", "nonsense": 1}, {"id": "a.b", "title": "t", "printed_by": "x", "match": {}}, []]
)
def test_schema_and_decoder_refuse_the_same_signatures(data: object) -> None:
    problems = Problems()
    assert decode_signature(data, problems) is None
    assert not Draft202012Validator(signature_schema()).is_valid(data)


MESSAGE = {
    "id": "a.b", "title": "t", "printed_by": "x", "match": "some message",
    "samples": {"positive": [{"text": "some message"}, {"text": "some message"}], "negative": [{"text": "x", "because": "y"}]},
    "means": [{
        "cause": "a.b", "when": [{"slot": "s", "above": 1}, {"times_seen": 3}, {"fact": "x", "known": True}],
        "strength": "shows", "says": "x", "fixes": [{"do": "x", "risk": "none", "place": "last"}],
    }],
    "weighs": [{"cause": "a.b", "strength": "doubts", "says": "x"}],
    "examples": [{"name": "n", "log": "l", "first": "a.b"}],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"means": [{"cause": "a.b", "strength": "much", "says": "x"}]},
        {"means": [{"strength": "shows", "says": "x"}]},
        {"means": [{"cause": "a.b", "fixes": [{"do": "x"}]}]},
        {"means": [{"cause": "a.b", "strength": "shows", "when": [{"slot": "s"}, {"sought": "x"}]}]},
        {"weighs": [{"cause": "a.b", "says": "x"}]},
    ],
)
def test_schema_and_decoder_refuse_the_same_meanings(change: dict[str, object]) -> None:
    problems = Problems()
    decode_meanings("a.b", {**MESSAGE, **change}, problems)
    assert bool(problems.found) == bool(change)
    assert Draft202012Validator(signature_schema()).is_valid({**MESSAGE, **change}) != bool(change)


RULE = {
    "cause": "a.b", "title": "t", "explain": "e", "references": ["r"], "fixes": [{"do": "x", "risk": "none"}],
    "arguments": [{"when": [{"found": "a.b"}], "strength": "shows"}],
}  # fmt: skip


def test_risks_are_joined_by_a_comma() -> None:
    joined = {**RULE, "fixes": [{"do": "x", "risk": "reboots, needs-admin"}]}
    assert Draft202012Validator(rule_schema()).is_valid(joined)
    rule = decode_rule(joined, Problems())
    assert rule
    assert rule.fixes[0].risk == "needs-admin,reboots"


@pytest.mark.parametrize(
    "change",
    [
        {"fixes": [{"do": "x", "risk": "mortal"}]},
        {"fixes": [{"do": "x", "risk": "none, reboots"}]},
        {"arguments": [{"when": [{"sought": "a.b"}], "strength": "shows"}]},
        {"arguments": [{"when": [{"found": "a.b"}], "strength": "much"}]},
        {"rerun": "maybe"},
        {"unknown": 1},
        {"title": None},
    ],
)
def test_schema_and_decoder_refuse_the_same_rules(change: dict[str, object]) -> None:
    assert decode_rule(RULE, Problems()) is not None
    assert Draft202012Validator(rule_schema()).is_valid(RULE)
    assert decode_rule({**RULE, **change}, Problems()) is None
    assert not Draft202012Validator(rule_schema()).is_valid({**RULE, **change})
