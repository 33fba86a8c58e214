"""No text makes a search take for ever: not the catalog's messages, nor what the template language can say."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logsense.authoring.slow_regex import baits, too_slow
from logsense.catalog.template import TemplateError, compile_template
from logsense.match import verify
from logsense.match.engines import PlainEngine
from logsense.match.scanner import Scanner
from logsense.model.knowledge import Catalog
from logsense.model.line import LONGEST, shorten_blanks
from logsense.model.values import SLOT_REGEX
from logsense.records.records import records
from tests.conftest import Write
from tests.fuzz.timing import seconds

LIMIT_S = 0.5  # of the processor; what grows with the square of a bait's length takes minutes
SIGNATURES = 30
PLAIN = ("generic.step-loss", "generic.epoch-loss", "generic.crash-status", "python.package-wanted")


def assert_quick(regex: str, flags: int = 0, size: int = 4000) -> None:
    search = re.compile(regex, flags).search
    for bait in baits(regex, size):
        assert seconds(search, bait, LIMIT_S) < LIMIT_S, f"{regex} on {bait[:100]!r}"


def test_the_catalog_has_no_slow_message(built_in_catalog: Catalog) -> None:
    # Others every time the catalog grows, which in time looks at all of them.
    chosen = random.Random(len(built_in_catalog.ids)).sample(range(len(built_in_catalog.ids)), SIGNATURES)
    for index in (*chosen, *(built_in_catalog.ids.index(name) for name in PLAIN)):
        signature = built_in_catalog.signature(index)
        for regex in {pattern.regex for pattern in (*signature.match, *signature.also)}:
            assert_quick(regex, re.IGNORECASE if signature.ignore_case else 0, size=2000)


def test_a_line_that_can_be_crossed_in_many_ways_is_found_by_the_samples() -> None:
    regex = r"right / (?P<by>\w+)\n(?:(?:[^\n]*\^|[^\n]*~)[^\n]*\n){0,6}?\s*ZeroDivisionError"
    sample = "    acc = right / total\n          ~~~~~~^~~~~~~~~~~~~\nZeroDivisionError: division by zero"
    assert too_slow(regex) is None
    assert too_slow(regex, samples=[sample])
    quick = regex.replace(r"[^\n]*\^|[^\n]*~", r"(?=[^\n]*[\^~])")
    assert re.search(quick, sample)
    assert too_slow(quick, samples=[sample]) is None


SLOTS = st.sampled_from([f"{{_:{kind}}}" for kind in SLOT_REGEX])
BETWEEN = st.sampled_from([" ", ": ", " a ", " 1 ", "\n", ", ", " of ", " '", "' "])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(SLOTS, BETWEEN), min_size=1, max_size=5), st.sampled_from(["", "the ", "a"]))
def test_a_template_can_not_be_slow(pieces: list[tuple[str, str]], begin: str) -> None:
    template = begin + "".join(slot + between for slot, between in pieces) + "the end"
    assert_quick(compile_template(template).regex, size=2000)


@pytest.mark.parametrize("template", ["{a:int}{b:size} is wrong", "{a}{b} is wrong", "x {a:word}{b:name} is wrong"])
def test_slots_side_by_side_are_refused(template: str) -> None:
    with pytest.raises(TemplateError, match="side by side"):
        compile_template(template)


@pytest.mark.parametrize("kind", SLOT_REGEX)
def test_every_repeat_in_a_slot_has_an_end(kind: str) -> None:
    # `rest` ends with its line.
    assert kind == "rest" or not re.search(r"(?<!\\)[*+](?![^\[]*\])", re.sub(r"\[[^\]]*\]", "", SLOT_REGEX[kind]))


def test_a_slot_ends_at_the_first_place_where_what_follows_holds() -> None:
    regex = compile_template("from {a} to {n:int} of {b} done").regex
    found = re.search(regex, "from x to y to 3 of 4 of 5 done")
    assert found
    assert (found["a"], found["n"], found["b"]) == ("x to y", "3", "4 of 5")


@pytest.mark.parametrize("regex", ["(?:a+)+done", "(?:a|aa)+done", "a*a*a*a*done", r"(?:\w+ ?)+done"])
def test_a_slow_regex_is_known(regex: str) -> None:
    assert too_slow(regex)


def test_quick_regexes_are_not_refused() -> None:
    assert too_slow(r"loss=(?P<loss>nan)\b") is None
    assert too_slow(r"^[ \t]*(?:[a-z]\w*\.)*(?P<type>[A-Z]\w*Error): (?P<rest>[^\n]*)") is None


SLOW = """
id: demo.slow
title: A slow one
kind: failure
printed_by: https://example.org/slow
pattern: '(?:a+)+ is done'
literal: is done
samples:
  positive: [{text: "aa is done"}, {text: "a is done"}]
  negative: [{text: "b is done", because: "another"}]
"""


def test_a_slow_regex_of_a_user_holds_nobody_up(write_catalog: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "PLAIN_LIMIT_S", 0.05)
    catalog = write_catalog({"corpus/demo/slow.yaml": SLOW})
    signature = catalog.signature(0)._replace(timed=True)
    verifier = verify.Verifier()
    lines = [records(b"a" * 60 + b"b is done %d" % number, source="log")[0] for number in range(50)]

    def all_lines(_text: str) -> None:
        assert not any(verifier.find(signature, [line], 0) for line in lines)

    assert seconds(all_lines, "", 5.0) < 1.0


@pytest.mark.parametrize(
    "unit",
    [
        b"lost 1 GiB on rank 7 ",
        b"lost 1 GiB on rank 7\n",
        b"lost on rank\n",
        b"lost on rank ",
        b"lost 1 GiB on rank 7\r",
    ],
)
def test_a_log_of_nothing_but_hits(write_catalog: Write, unit: bytes) -> None:
    text = "lost {asked:size} on rank {rank:int}"
    catalog = write_catalog({"corpus/demo/lost.yaml": SLOW.replace("slow", "lost").replace(
        "pattern: '(?:a+)+ is done'\nliteral: is done", f'match: "{text}"')})  # fmt: skip

    def reading(text: str) -> None:
        scanner = Scanner(catalog, PlainEngine(catalog.literals), records, "log")
        scanner.feed(text.encode())
        found = scanner.finish()
        assert len(found.findings) <= 48

    # Once, each hit cost as much as the longest line.
    assert seconds(reading, (unit * 30_000).decode(), 20.0) < 10.0


def test_long_runs_of_blanks_are_shortened() -> None:
    assert shorten_blanks("a" + " " * 500 + "b") == "a" + " " * LONGEST + "b"
    assert shorten_blanks("a" + " " * 200 + "b") == "a" + " " * 200 + "b"
    (record,) = records(b"a" + b" \t" * 500 + b"b" * 400, source="log")
    assert len(record.text) < 600
