"""The lint of tables of what is hidden: a good row, and one for each thing that can be wrong."""

from __future__ import annotations

import pytest

from logsense.authoring.redaction import check_redaction, grown
from logsense.catalog.decode import Problems

GOOD = {
    "kind": "token",
    "says": "x",
    "hints": "abc_",
    "pattern": r"\babc_\w{20}\b",
    "sample": "abc_{20}",
    "near_miss": "abc_x",
}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({}, None),
        ({"pattern": "("}, "no regular expression"),
        ({"pattern": None}, "pattern must be there"),
        ({"kind": 3, "says": None}, "kind, says must be there"),
        ({"sample": "abd_{20}"}, "does not find its sample"),
        ({"hints": "xyz"}, "does not find its sample"),
        ({"hints": "ABC_ abc_"}, "lower case"),
        ({"near_miss": "see abc_{20} there"}, "finds its near miss"),
    ],
)
def test_rows(change: dict[str, object], says: str | None) -> None:
    problems = Problems()
    check_redaction({"rows": [{**GOOD, **change}]}, problems)
    if says is None:
        assert problems.found == []
    else:
        assert says in problems.found[0][1]


def test_what_is_no_table() -> None:
    nothings: list[object] = [None, [], {"rows": 3}, {"rows": [3]}]
    for data in nothings:
        problems = Problems()
        check_redaction(data, problems)
        assert problems.found == []


def test_samples_grow() -> None:
    assert len(grown("{40}")) == 40
    assert set(grown("{hex:32}")) <= set("0123456789abcdef")
    assert grown("a{b}{}") == "a{b}{}"
