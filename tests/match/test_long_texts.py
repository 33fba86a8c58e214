"""In a long text, a regex written by hand looks around its literal; a template looks everywhere."""

from __future__ import annotations

from logsense.match.verify import LONG_TEXT, NEAR, Verifier
from logsense.model.record import Record
from logsense.model.signature import Pattern, Signature

RECORDS = {
    "first": "code=3 failed" + "x" * LONG_TEXT,
    "last": "code= failed" + "x" * LONG_TEXT + "code=3 failed",
    "before": "code=" + "3" * (NEAR + 9) + " failed" + "x" * LONG_TEXT,
}


def _found(text: str, *words: str) -> bool:
    pattern = Pattern(r"code=\d+ failed", {}, " failed", words)
    signature = Signature("a.b", "", "failure", (pattern,), (), {}, "", False, False, False, ())
    return Verifier().find(signature, [Record(text, "train.log", (1,), 0, len(text))], 0) is not None


def test_where_a_regex_written_by_hand_looks() -> None:
    assert [name for name, text in RECORDS.items() if _found(text)] == ["first", "last"]


def test_a_template_looks_everywhere() -> None:
    assert all(_found(text, "failed") for text in RECORDS.values())
