"""What a message means joins the rules of causes: its arguments, evidence, fixes and checks, from its own file."""

from __future__ import annotations

from pathlib import Path

from logsense.catalog.load import load_catalog
from logsense.model.rule import STRENGTHS, Comparison, Found
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import DEVICE, FILES, signature

MEANS = """\
means:
  - cause: memory.capacity
    when: [{slot: wanted, above: 2}, {fact: mem.free, known: false}]
    strength: states
    says: "{wanted} are too many"
    explain: "The program wanted {wanted} things."
    fixes:
      - {do: "Want fewer than {wanted}.", risk: none}
      - {do: Or none., risk: none, place: last}
    decide:
      - {do: Count them.}
weighs:
  - {cause: hardware.lost, strength: weakens, says: it only wants too much}
"""
GREEDY = {"corpus/demo/greedy.yaml": signature("greedy", "failure", "wanted {wanted:int} things", MEANS)}
RULE = "rules/memory/capacity.yaml"


def test_a_message_adds_to_the_rule_of_a_cause(write_catalog: Write) -> None:
    rule = write_catalog({**FILES, **GREEDY}).rule("memory.capacity")
    assert rule
    wanted = Found(("demo.greedy",), (("wanted", (Comparison("above", 2),)),))
    assert [one.weight for one in rule.arguments] == [STRENGTHS["states"], STRENGTHS["suggests"]]
    assert rule.arguments[0].when[0] == wanted
    assert [(one.of, one.place) for one in rule.fixes] == [
        ("demo.greedy", ""), ("demo.greedy", "last"), ("", ""), ("", ""),
    ]  # fmt: skip
    assert [one.of for one in rule.decide] == ["demo.greedy", ""]


def test_its_own_sentences_and_fixes_come_first(write_catalog: Write) -> None:
    catalog = write_catalog({**FILES, **GREEDY})
    (first,) = explain_text(b"wanted 7 things", catalog).diagnoses
    assert first.explanation == "The program wanted 7 things."
    assert first.evidence[0].says == "7 are too many"
    assert first.fixes[0].do == "Want fewer than 7."
    assert first.fixes[-1].do == "Or none."
    assert [one.do for one in first.decide] == ["Count them."]
    assert not explain_text(b"wanted 2 things", catalog).diagnoses


def test_a_fix_of_the_cause_may_go_before_them(write_catalog: Write) -> None:
    rule = FILES[RULE].replace("    when: [{framework: other}]\n", "    place: first\n")
    (first,) = explain_text(b"wanted 7 things", write_catalog({**FILES, **GREEDY, RULE: rule})).diagnoses
    assert [one.do for one in first.fixes][:2] == ["Only for another framework.", "Want fewer than 7."]


def test_a_fix_that_stands_alone_is_for_messages_without_any(write_catalog: Write) -> None:
    rule = FILES[RULE].replace("    when: [{framework: other}]\n", "    place: alone\n")
    catalog = write_catalog({**FILES, **GREEDY, RULE: rule})
    (first,) = explain_text(b"wanted 7 things", catalog).diagnoses
    assert "Only for another framework." not in [one.do for one in first.fixes]
    lone = DEVICE.replace("{do: Reset it., ", "{do: Reset it., place: alone, ")
    (lost,) = explain_text(b"lost the device 1", write_catalog({**FILES, "rules/hardware/lost.yaml": lone})).diagnoses
    assert [one.do for one in lost.fixes] == ["Reset it."]


def test_it_speaks_against_another_cause(write_catalog: Write) -> None:
    catalog = write_catalog({**FILES, **GREEDY})
    alone = explain_text(b"lost the device 1", catalog).diagnoses[0]
    beside = explain_text(b"lost the device 1\nwanted 2 things", catalog).diagnoses[0]
    assert alone.cause == beside.cause == "hardware.lost"
    assert [one.says for one in beside.against] == ["it only wants too much"]


def test_how_often_it_was_seen(write_catalog: Write) -> None:
    often = MEANS.replace("{slot: wanted, above: 2}", "{times_seen: 3}")
    catalog = write_catalog(
        {**FILES, "corpus/demo/greedy.yaml": signature("greedy", "failure", "wanted {wanted:int} things", often)}
    )
    assert not explain_text(b"wanted 1 things\n" * 2, catalog).diagnoses
    assert explain_text(b"wanted 1 things\n" * 3, catalog).diagnoses[0].cause == "memory.capacity"


def test_what_is_wrong_is_left_out_and_named(write_catalog: Write) -> None:
    wrong = MEANS.replace("strength: states", "strength: much")
    catalog = write_catalog(
        {**FILES, "corpus/demo/greedy.yaml": signature("greedy", "failure", "wanted {wanted:int} things", wrong)}
    )
    assert [one.sentence for one in catalog.problems] == [
        "strength must be one of states, shows, points_to, suggests, allows"
    ]
    rule = catalog.rule("memory.capacity")
    assert rule
    assert [one.weight for one in rule.arguments] == [STRENGTHS["suggests"]]
    assert "demo.greedy" in catalog.ids


def test_a_teams_message_may_mean_a_cause_that_is_built_in(write_catalog: Write, tmp_path: Path) -> None:
    write_catalog(FILES)
    own = tmp_path / "own" / "corpus" / "ours" / "greedy.yaml"
    own.parent.mkdir(parents=True)
    own.write_text(GREEDY["corpus/demo/greedy.yaml"].replace("demo.greedy", "ours.greedy"))
    catalog = load_catalog(corpus=str(tmp_path / "own" / "corpus"))
    assert explain_text(b"wanted 7 things", catalog).diagnoses[0].fixes[0].do == "Want fewer than 7."
