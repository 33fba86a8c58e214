"""Fixes and checks are offered for the setting that they apply to, and of a choice only the first that fits."""

from __future__ import annotations

import pytest

from logsense.pipeline import explain_text
from tests.authoring.test_lint import about, problems
from tests.conftest import Write
from tests.demo import FILES

FULL = "memory full: asked 2 GiB of 8 GiB, free 1 GiB"
FIXES = FILES["rules/memory/capacity.yaml"].partition("fixes:\n")[2].partition("decide:\n")[0]
SETTINGS = """
framework: {demonet: {framework: demonet}, usual: {fact: framework, known: false}}
scheduler: {summary: {found: demo.summary}}
"""


def files(fixes: str) -> dict[str, str]:
    """Return the small catalog with other fixes for full memory."""
    rule = FILES["rules/memory/capacity.yaml"].replace(FIXES, fixes)
    return {**FILES, "rules/_applies.yaml": SETTINGS, "rules/memory/capacity.yaml": rule}


@pytest.mark.parametrize(
    ("applies", "log", "offered"),
    [
        ("{framework: demonet}", FULL, True),
        ("{framework: usual}", FULL, False),
        ("{framework: [usual, demonet]}", FULL, True),
        ("{scheduler: summary}", FULL, False),
        ("{scheduler: summary}", f"{FULL}\nlauncher: all ranks failed", True),
        ("{framework: demonet, scheduler: summary}", FULL, False),
    ],
)
def test_a_fix_is_offered_in_the_setting_that_it_applies_to(
    write_catalog: Write, applies: str, log: str, offered: bool
) -> None:
    catalog = write_catalog(files(f"  - {{do: Ask for less., risk: none, applies: {applies}}}\n"))
    assert bool(explain_text(log.encode(), catalog).diagnoses[0].fixes) is offered


@pytest.mark.parametrize(("asked", "expected"), [("2 GiB", "two"), ("3 GiB", "three"), ("4 GiB", "more")])
def test_of_a_choice_the_first_that_fits_is_offered(write_catalog: Write, asked: str, expected: str) -> None:
    choice = """\
  - {do: two, risk: none, when: [{fact: mem.asked, at_most: 2 GiB}]}
  - {do: three, risk: none, when: [{fact: mem.asked, at_most: 3 GiB}], otherwise: true}
  - {do: more, risk: none, otherwise: true}
"""
    log = f"memory full: asked {asked} of 8 GiB, free 1 GiB"
    shown = [fix.do for fix in explain_text(log.encode(), write_catalog(files(choice))).diagnoses[0].fixes]
    assert shown == [expected]


@pytest.mark.parametrize(
    ("fix", "expected"),
    [
        ("applies: {colour: red}", "colour is none of framework, scheduler"),
        ("applies: {framework: red}", "red is none of demonet, usual"),
        ("otherwise: true", "there is none before it that it could replace"),
    ],
)
def test_lint_refuses_what_can_t_be_selected(write_catalog: Write, fix: str, expected: str) -> None:
    found = about("capacity.yaml", problems(write_catalog, files(f"  - {{do: Ask for less., risk: none, {fix}}}\n")))
    assert [line for line in found if line.endswith(expected)]


MESSAGE = FILES["corpus/demo/full.yaml"]
OWN = "    decide:\n      - {do: Read the message again.}\n"


@pytest.mark.parametrize(("own", "expected"), [("", "Look at the memory."), (OWN, "Read the message again.")])
def test_a_general_check_is_offered_where_the_message_has_none(write_catalog: Write, own: str, expected: str) -> None:
    means = f"means:\n  - cause: memory.capacity\n    strength: states\n    says: the memory is full\n{own}"
    catalog = write_catalog({**FILES, "corpus/demo/full.yaml": MESSAGE + means})
    assert [check.do for check in explain_text(FULL.encode(), catalog).diagnoses[0].decide] == [expected]


@pytest.mark.parametrize(("other", "expected"), [("", ["alone"]), ("  - {do: better, risk: none}\n", ["better"])])
def test_what_stands_alone_is_offered_where_nothing_else_is(
    write_catalog: Write, other: str, expected: list[str]
) -> None:
    fixes = f"  - {{do: alone, risk: none, place: alone}}\n{other}"
    shown = [fix.do for fix in explain_text(FULL.encode(), write_catalog(files(fixes))).diagnoses[0].fixes]
    assert shown == expected


@pytest.mark.parametrize(
    ("when", "refused"),
    [
        ("{not_found: demo.summary}", True),
        ("{none: [{found: demo.summary}]}", True),
        ("{none: [{not_found: demo.summary}]}", False),
        ("{any: [{not_found: demo.summary}, {found: demo.lost}]}", True),
        ('{not_found: "demo.*"}', False),
    ],
)
def test_lint_refuses_what_excludes_messages(write_catalog: Write, when: str, refused: bool) -> None:
    fixes = f"  - {{do: Ask for less., risk: none, when: [{when}]}}\n"
    found = about("capacity.yaml", problems(write_catalog, files(fixes)))
    assert any("excludes demo.summary" in line for line in found) is refused


@pytest.mark.parametrize(
    ("when", "shown"),
    [
        ("[]", False),
        ("[{framework: demonet}]", False),
        ('[{found: "demo.*"}]', False),
        ("[{fact: exception.type, known: false}]", False),
        ("[{found: [demo.full, demo.lost]}]", True),
        ("[{fact: mem.asked, known: true}]", True),
    ],
)
def test_beside_complete_fixes_the_first_of_a_cause_is_shown_if_it_asks_for_the_message(
    write_catalog: Write, when: str, shown: bool
) -> None:
    offered = _offered(write_catalog, f"first, place: first, when: {when}", ("own",), "fixes: complete\n")
    assert offered == [*["first"][: int(shown)], "own"]


def _offered(write_catalog: Write, general: str, own: tuple[str, ...], more: str = "") -> list[str]:
    """Return which fixes are offered of the cause's `general` one and the message's `own`."""
    means = "means:\n  - cause: memory.capacity\n    strength: states\n    says: the memory is full\n    fixes:\n"
    means += "".join(f"      - {{do: {one}, risk: none}}\n" for one in own)
    rule = files(f"  - {{risk: none, do: {general}}}\n")
    catalog = write_catalog({**rule, "corpus/demo/full.yaml": MESSAGE + more + means})
    return [fix.do for fix in explain_text(FULL.encode(), catalog).diagnoses[0].fixes]


OPENINGS = """
title: openings
dated: 2026-11-30
source: docs
columns: {word: text, key: text}
rows: [{word: demonet, key: framework}]
"""


@pytest.mark.parametrize(
    ("fix", "refused"),
    [
        ('do: "In a DemoNet, ask for less."', True),
        ('do: ["Ask for {mem.asked} less.", With demonet ask for less.]', True),
        ("do: With demonet ask for less., applies: {framework: demonet}", False),
        ("do: Ask for less in demonet.", False),
    ],
)
def test_lint_refuses_advice_that_opens_with_a_setting_it_does_not_apply_to(
    write_catalog: Write, fix: str, refused: bool
) -> None:
    changes = {**files(f"  - {{{fix}, risk: none}}\n"), "rules/_tables/setting-openings.yaml": OPENINGS}
    found = about("capacity.yaml", problems(write_catalog, changes))
    assert any("opens with demonet" in line for line in found) is refused


@pytest.mark.parametrize(
    ("when", "offered"),
    [
        ('{found: "demo.*"}', False),
        ("{fact: exception.type, known: false}", False),
        ("{fact: exception.message, known: false}", True),
        ("{found: demo.full}", True),
    ],
)
def test_a_fix_for_a_whole_program_or_any_exception_of_a_type_is_general_beside_those_of_a_message(
    write_catalog: Write, when: str, offered: bool
) -> None:
    shown = _offered(write_catalog, f"any, when: [{when}]", ("first", "second"))
    assert shown == ["first", "second", *["any"][: int(offered)]]


COMMANDS = """
title: commands
dated: 2026-11-30
source: docs
columns: {command: text, key: text, word: text, title: text}
rows:
  - {command: sumctl, key: scheduler, word: summary, title: SummaryD}
  - {command: demo, key: framework, word: demonet, title: DemoNet}
  - {command: other, key: framework, word: other, title: Other}
"""


@pytest.mark.parametrize(
    ("run", "log", "shown"),
    [
        ("sumctl jobs", FULL, False),
        ("sumctl jobs", f"{FULL}\nlauncher: all ranks failed", True),
        ("sumctl jobs", f"{FULL}, says SummaryD", True),
        ("demo train", FULL, True),
        ("other train", FULL, False),
        ("other train; demo train", FULL, True),
        ("less train", FULL, True),
    ],
)
def test_a_command_is_shown_in_its_setting(write_catalog: Write, run: str, log: str, shown: bool) -> None:
    fixes = f"  - {{do: Ask for less., run: {run}, risk: none}}\n"
    catalog = write_catalog({**files(fixes), "rules/_tables/setting-commands.yaml": COMMANDS})
    [fix] = explain_text(log.encode(), catalog).diagnoses[0].fixes
    assert (fix.run is not None) is shown


def test_advice_that_names_another_setting_goes_with_its_command(write_catalog: Write) -> None:
    fixes = "  - {do: Ask SummaryD for less., run: sumctl jobs, risk: none}\n  - {do: Ask for less., risk: none}\n"
    catalog = write_catalog({**files(fixes), "rules/_tables/setting-commands.yaml": COMMANDS})
    assert [fix.do for fix in explain_text(FULL.encode(), catalog).diagnoses[0].fixes] == ["Ask for less."]
