"""Lint tells everything that is wrong, at once, with its place; and nothing where all is well."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.authoring.lint import lint
from logsense.authoring.selftest import run_examples
from logsense.authoring.skeleton import skeleton
from logsense.authoring.style import TABLE, Phrases, check_style
from logsense.catalog.decode import Problems
from logsense.catalog.load import load_catalog
from tests.conftest import Write
from tests.demo import FILES

GOOD = """\
id: demo.good
title: something good is wrong
kind: failure
printed_by: https://example.org/good
match: "wanted {wanted:int} of {all:int} things"
also: "on device {device:int}"
facts: {mem.total: all}
samples:
  positive:
    - {text: "wanted 3 of 4 things on device 1", captures: {wanted: 3, all: 4, device: 1}, from: demo 1}
    - {text: "wanted 30 of 40 things", captures: {wanted: 30, all: 40}, from: demo 2}
  negative:
    - {text: "wanted things", because: without numbers}
"""


def problems(write_catalog: Write, changes: dict[str, str]) -> list[str]:
    write_catalog({**FILES, "corpus/demo/good.yaml": GOOD, **changes})
    found = lint()
    return [f"{p.file.rsplit('/', 2)[1]}/{p.file.rsplit('/', 1)[1]}:{p.line}:{p.column}: {p.sentence}" for p in found]


def about(name: str, found: list[str]) -> list[str]:
    return [line.partition(name)[2] for line in found if name in line]


def test_a_good_signature_has_no_problems(write_catalog: Write) -> None:
    assert about("good.yaml", problems(write_catalog, {})) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("id: demo.good", "id: demo.other", ":1:1: id must be demo.good, as the path says"),
        ("kind: failure", "kind: mishap", ":3:1: kind must be one of"),
        ("{wanted:int}", "{wanted:colour}", ":5:1: unknown slot type 'colour'"),
        ("captures: {wanted: 3,", "captures: {wanted: 5,", ":10:61: wanted is 3, not 5"),
        ("{wanted: 30, all: 40}", "{wanted: 30}", ":11:7: captures leaves out all, which is 40"),
        ("wanted 30 of 40 things", "wished 30 of 40 things", ":11:7: the scanner looks for"),
        ("text: \"wanted things\"", 'text: "wanted 1 of 2 things"', ":13:7: the signature matches this near miss"),
        (" on device 1", "", ":9:3: no sample exercises the slot device"),
        ("mem.total: all", "mem.total: nothing", ":7:9: there is no slot 'nothing'"),
        ("mem.total: all", "mem.odd: all", ":7:9: mem.odd is not listed in rules/_facts/"),
        ("title: something good is wrong", "titel: x", ":2:1: unknown key 'titel'"),
        ("kind: failure", "kind: [", ":5:6: not YAML: "),
        ("kind: failure", "kind: noise", ":3:1: noise needs says"),
        ("kind: failure", "kind: failure\nfixes: enough", ":4:1: fixes must be one of"),
        ("kind: failure", "kind: failure\nfixes: complete", ":4:1: complete, but the message has none"),
        ("kind: failure", "title: again\nkind: failure", ":3:1: title stands twice"),
        ("{wanted: 30, all: 40}", "{wanted: 30, all: 40, wanted: 30}", ":11:72: wanted stands twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_signature(write_catalog: Write, old: str, new: str, expected: str) -> None:
    assert old in GOOD
    found = about("good.yaml", problems(write_catalog, {"corpus/demo/good.yaml": GOOD.replace(old, new)}))
    assert any(line.startswith(expected) for line in found), found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("cause: memory.capacity", "cause: memory.other", ":2:1: cause must be memory.capacity, as the path says"),
        ("{found: demo.full}]\n    strength", "{found: demo.nil}]\n    strength", ":6:13: there is no signature demo.nil"),
        ("{found: demo.full}]", "{found: demo.full, where: {asked: {above: 1, beyond: 3}}}]", ":6:57: unknown key 'beyond'; there are"),
        ("{found: demo.full}]", "{found: demo.full, where: {nil: {above: 3}}}]", ":6:39: demo.full has no slot nil, so this never holds"),
        ("fact: mem.share", "fact: mem.nil", ":10:13: there is no fact mem.nil"),
        ("{anchor.asked}", "{anchor.nil}", ":18:5: {anchor.nil} is neither a fact nor a slot of an anchor"),
        ("run: \"demo --memory", "run: \"demo \\r --memory", ":19:5: holds a control character"),
        ("    risk: none\n  - do: Only", "  - do: Only", ":18:5: risk is missing"),
        ("risk: none\n  - do: Only", "risk: mortal\n  - do: Only", ":21:5: risk must be one of"),
        ("expect: first", "expect: listed", ":29:1: needs an example with expect: first"),
        ("expect: silent", "expect: first", ":29:1: needs an example with expect: silent or listed"),
        ("suggests", "much", ":7:5: strength must be one of"),
        ("suggests", "suggests\n    effect_only: 90", ":8:5: effect_only must be true or false"),
        ("[{found: demo.full}]\n", "[{found: demo.full, fact: x}]\n", ":6:12: a condition has exactly one of"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_rule(write_catalog: Write, old: str, new: str, expected: str) -> None:
    rule = FILES["rules/memory/capacity.yaml"]
    assert old in rule
    found = about("capacity.yaml", problems(write_catalog, {"rules/memory/capacity.yaml": rule.replace(old, new)}))
    assert any(line.startswith(expected) for line in found), found


def test_a_cause_without_a_rule_is_reported(write_catalog: Write) -> None:
    found = problems(write_catalog, {"rules/_causes.yaml": "memory: {capacity: x, leak: y}\nhardware: {lost: z}\n"})
    assert about("_causes.yaml", found) == [":1:1: memory.leak has no rule"]


def test_derivations_name_what_exists(write_catalog: Write) -> None:
    facts = "a.b: {type: int, derive: {sum: [a.nil, 1]}}\nc.d: {type: int, derive: {lookup: nil, where: {x: y.z}, give: q}}\n"
    found = problems(write_catalog, {"rules/_facts/more.yaml": facts})
    assert about("more.yaml", found) == [":1:18: there is no fact a.nil", ":2:18: there is no table nil"]


def test_a_table_says_up_to_which_version_it_is_known(write_catalog: Write) -> None:
    table = "title: T\ndated: 2030-01-02\nsource: s\ncolumns: {v: version, p: text}\nrows: [{v: '1.0', p: a}]\n"
    lookup = "derive: {lookup: nil, where: {v: a.b}, match: release, give: p}"
    facts = f"a.b: {{type: version, title: b}}\nc.d: {{type: text, title: d, {lookup}}}\n"
    files = {"rules/_tables/nil.yaml": table, "rules/_facts/more.yaml": facts}
    (found,) = about("more.yaml", problems(write_catalog, files))
    assert "nil does not say up to which v it is known_until" in found
    files["rules/_tables/nil.yaml"] = table.replace("columns:", "known_until: {v: '1.0'}\ncolumns:")
    assert not about("more.yaml", problems(write_catalog, files))


def test_a_fact_stands_in_one_file(write_catalog: Write) -> None:
    found = problems(write_catalog, {"rules/_facts/more.yaml": "mem.total: {type: bytes, title: total}\n"})
    assert [line.split("stands")[0] for line in about("_facts/more.yaml", found)] == [":1:1: mem.total "]


def test_one_message_has_one_file(write_catalog: Write) -> None:
    same = GOOD.replace("demo.good", "demo.same").replace("{all:int} things", "{total:float} things")
    same = same.replace("mem.total: all", "mem.total: total").replace("all:", "total:")
    same_text = "looks for the same text: one message has one file"
    assert about("same.yaml", problems(write_catalog, {"corpus/demo/same.yaml": same})) == [
        f":5:1: demo.good {same_text}"
    ]
    for change in ({"kind: failure": "kind: hint"}, {"wanted {": "wished {", "wanted ": "wished "}):
        other = same
        for old, new in change.items():
            other = other.replace(old, new)
        assert not [one for one in problems(write_catalog, {"corpus/demo/same.yaml": other}) if same_text in one]


def test_only_what_is_asked_for(write_catalog: Write, tmp_path_factory: pytest.TempPathFactory) -> None:
    write_catalog({**FILES, "corpus/demo/good.yaml": GOOD.replace("kind: failure", "kind: mishap")})
    assert lint([str(tmp_path_factory.getbasetemp() / "nowhere")]) == []


def test_a_single_file_gets_the_same_problems(write_catalog: Write, tmp_path: Path) -> None:
    write_catalog({**FILES, "rules/_facts/more.yaml": "mem.total: {type: bytes, title: total}\n"})
    everything = lint()
    for part in ("rules/_facts/more.yaml", "rules/memory", "corpus"):
        alone = lint([str(tmp_path / part)])
        assert alone == [one for one in everything if one.file.startswith(str(tmp_path / part))]
        assert alone


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("the file cannot be opened", "'cannot': can't"),
        ("the image is rejected by the server", "'is rejected by the': the active voice"),
        ("the optimiser needs `cannot` and {oom.requested}", "'optimiser': American spelling"),
        (" ".join(["word"] * 35), "a sentence has 35 words, more than 34"),
        ("'cannot' is quoted, `is rejected by the` server, and there is no error", ""),
        ("Read it again. " + " ".join(["word"] * 30), ""),
    ],
)
def test_prose_is_plain_english(says: str, expected: str) -> None:
    found = Problems()
    data = {"means": [{"says": [{"text": says}]}], "samples": {"positive": [{"text": "cannot", "why": "cannot"}]}}
    check_style(data, Phrases(load_catalog().table(TABLE)), found)
    assert [path for path, _ in found.found] == [("means", 0, "says", 0, "text")] * bool(expected)
    assert all(expected in sentence for _, sentence in found.found)


def test_examples_run_through_the_whole_pipeline(write_catalog: Write) -> None:
    write_catalog(FILES)
    outcomes = list(run_examples())
    assert [(o.example.cause, o.example.expect, o.passed) for o in outcomes] == [
        ("hardware.lost", "first", True), ("hardware.lost", "silent", True),
        ("memory.capacity", "first", True), ("memory.capacity", "silent", True),
    ]  # fmt: skip


def test_a_failing_example_is_reported(write_catalog: Write) -> None:
    rule = FILES["rules/hardware/lost.yaml"].replace("lost the device 1", "harmless chatter")
    write_catalog({**FILES, "rules/hardware/lost.yaml": rule})
    assert [o.passed for o in run_examples() if o.example.cause == "hardware.lost"] == [False, True]


def test_a_skeleton_has_slots_for_what_varies() -> None:
    name, corpus = skeleton(
        "RuntimeError: could not map 2.50 GiB at 0x7f00 from /data/shard-3/x.bin (rank 12, 0.25 done)"
    )
    assert (
        'match: "could not map {size:size} at {hex:hex} from {path:path} (rank {int:int}, {float:float} done)"'
        in corpus
    )
    assert 'captures: {size: "2.50 GiB", hex: "0x7f00"' in corpus
    assert name == "corpus/PROGRAM/could-not-map-at-from.yaml"


def test_a_skeleton_that_is_not_filled_in_is_refused(write_catalog: Write) -> None:
    name, text = skeleton("ValueError: the frob of 12 MiB is out of band")
    found = problems(write_catalog, {name: text})
    wanted = ("WHAT THE MESSAGE SAYS, IN A FEW WORDS", "ADDRESS OF THE SOURCE FILE THAT PRINTS IT", "A COMMAND")
    assert all(any(line.endswith(f"replace {one}") for line in found) for one in wanted)


def test_a_wrong_cause_is_one_problem_with_the_nearest_one(write_catalog: Write) -> None:
    means = """
means:
  - cause: memory.capacty
    strength: points_to
    says: "{wanted} things were wanted"
    fixes: [{do: "Ask for less than {wanted}.", risk: none}]
"""
    found = about("good.yaml", problems(write_catalog, {"corpus/demo/good.yaml": GOOD + means}))
    assert found == [":16:5: there is no file rules/memory/capacty.yaml; did you mean memory.capacity?"]


def test_a_skeleton_that_is_filled_in_has_no_problems(write_catalog: Write) -> None:
    name, text = skeleton("ValueError: the frob of 12 MiB is out of band")
    for blank, filled in (
        ("PROGRAM", "demo"),
        ("FAMILY.CAUSE", "memory.capacity"),
        ("ADDRESS OF THE SOURCE FILE THAT PRINTS IT", "https://example.org/frob"),
        ("ANOTHER ONE, WITH OTHER VALUES", "the frob of 3 GiB is out of band"),
        ("captures: {}", "captures: {size: 3 GiB}"),
        ("WHAT THE MESSAGE SAYS, IN A FEW WORDS", "A frob is out of band"),
        ("WHAT THIS LINE PROVES", "the frob of {size} is out of band"),
        ("WHY THE RUN FAILED, IN ONE OR TWO SENTENCES, WITH {slot} OR {fact} PLACEHOLDERS", "The frob takes {size}."),
        ("WHAT TO DO FIRST", "Use a smaller frob."),
        ("A COMMAND", "frob --small"),
        ("A TEXT THAT LOOKS LIKE IT", "the frob is fine"),
        ("WHY IT IS NOT THIS MESSAGE", "without a size"),
        ("THE PLAIN CASE", "plain"),
    ):
        assert blank in text
        text = text.replace(blank, filled)
    path = name.replace("PROGRAM", "demo")
    assert about(path.rpartition("/")[2], problems(write_catalog, {path: text})) == []
    assert [o.passed for o in run_examples() if o.file.endswith(path)] == [True]


MEANT = """\
means:
  - cause: memory.capacity
    when: [{slot: wanted, above: 2}]
    strength: suggests
    says: "{wanted} are too many"
    fixes:
      - {do: "Want fewer than {all}.", run: demo --few, risk: none, when: [{fact: mem.free, known: false}]}
weighs:
  - {cause: hardware.lost, strength: doubts, says: it only wants too much}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("cause: memory.capacity", "cause: memory.none", ":9:5: there is no file rules/memory/none.yaml"),
        ("slot: wanted", "slot: nil", ":10:12: there is no slot 'nil'"),
        ("above: 2", "beyond: 2", ":10:"),
        ("strength: suggests", "strength: much", ":11:5: strength must be one of"),
        ('says: "{wanted}', 'says: "{nil}', ":12:5: {nil} is neither a fact nor a slot of an anchor"),
        ('    says: "{wanted} are too many"\n', "", ":9:5: needs says"),
        ("risk: none", "risk: mortal", ":14:"),
        ("means:", "fixes: complete\nmeans:", ""),
        ("risk: none, when: [{fact: mem.free, known: false}]", "risk: none, last: true", ":13:5: its list ends here anyway"),
        ("risk: none", "risk: none, place: first", ":9:5: the fixes of a message come first"),
        ("risk: none", "risk: none, place: alone", ":9:5: only a cause's fix can stand alone"),
        ("{fact: mem.free, known: false}", "{found: demo.lost}", ":9:5: asks for demo.lost, too, so it belongs"),
        ("strength: doubts", "strenght: doubts", ":16:5: strength is missing"),
        ("[{slot: wanted, above: 2}]", "[{slot: wanted, above: 2}, {slot: wanted, above: 3}]", ":10:5: the slot wanted is compared"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_what_a_message_means(write_catalog: Write, old: str, new: str, expected: str) -> None:
    assert old in MEANT
    text = GOOD.replace("samples:", MEANT.replace(old, new) + "samples:")
    found = about("good.yaml", problems(write_catalog, {"corpus/demo/good.yaml": text}))
    assert any(line.startswith(expected) for line in found) if expected else not found, found


def test_a_message_can_be_complete_with_the_fixes_of_its_cause(write_catalog: Write) -> None:
    means = "fixes: complete\nmeans:\n  - {cause: memory.capacity, strength: suggests, says: it wants too much}\n"
    rule = FILES["rules/memory/capacity.yaml"].replace(
        "fixes:\n",
        "fixes:\n  - {do: Want less., risk: none, when: [{found: [demo.good, demo.lost]}]}\n",
        1,
    )
    good = GOOD.replace("samples:", means + "samples:")
    for text, complete in ((rule, True), (FILES["rules/memory/capacity.yaml"], False)):
        found = problems(write_catalog, {"corpus/demo/good.yaml": good, "rules/memory/capacity.yaml": text})
        assert any("complete, but the message has none" in one for one in found) != complete


def test_what_one_message_decides_stands_in_its_file(write_catalog: Write) -> None:
    found = about("capacity.yaml", problems(write_catalog, {}))
    assert ":5:5: demo.full alone decides it, so it belongs in corpus/demo/full.yaml" in found
    two = FILES["rules/memory/capacity.yaml"].replace("found: demo.full", "found: [demo.full, demo.lost]")
    assert not [
        one
        for one in about("capacity.yaml", problems(write_catalog, {"rules/memory/capacity.yaml": two}))
        if "demo.full alone" in one
    ]


SYSTEM = """\
system: mars
title: Mars
source: https://example.org/mars
signs:
  - holds: [/crater/]
    pattern: '(?<!\\w)/crater/'
    samples: [/crater/train.py]
    near_misses: [my/crater/train.py]
commands:
  lacks: [docker]
  rewrites: [{match: '^python ', put: "rover "}]
  begins: [{match: '.*', put: "> "}]
examples:
  - {command: python train.py, becomes: "> rover train.py"}
  - {command: docker ps}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("system: mars", "system: venus", ":1:1: system must be mars, as the path says"),
        ("[/crater/train.py]", "[/creater/train.py]", ":7:15: the pattern does not find its sample"),
        ("holds: [/crater/]", "holds: [crater/t]", ""),
        ("holds: [/crater/]", "holds: [/craters/]", ":7:15: a match without any of /craters/"),
        ("[my/crater/train.py]", "[my /crater/train.py]", ":8:19: the pattern finds its near miss"),
        ("'(?<!\\w)/crater/'", "'('", ":6:5: no regular expression: "),
        ("'(?<!\\w)/crater/'", "'(a|aa)+$'", ":6:5: takes more than 0.25 s"),
        ("becomes: \"> rover train.py\"", "becomes: rover train.py", ":14:5: becomes '> rover train.py', not 'rover train.py'"),
        ("{command: docker ps}", "{command: docker ps, becomes: x}", ":15:5: is left out"),
        ("put: \"rover \"", "put: '\\1'", ":11:34: can't take the place of what matches"),
        ("  lacks: [docker]", "  lacks: [docker]\n  sets: 'x {nam}'", ":11:3: sets may hold {name} and {value}"),
        ("source:", "found: demo.nil\nsource:", ":3:1: there is no signature demo.nil"),
        ("examples:", "exmaples:", ":13:1: unknown key 'exmaples'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_system(write_catalog: Write, old: str, new: str, expected: str) -> None:
    assert old in SYSTEM
    found = about("mars.yaml", problems(write_catalog, {"rules/_systems/mars.yaml": SYSTEM.replace(old, new)}))
    assert any(line.startswith(expected) for line in found) if expected else not found, found


@pytest.mark.parametrize("how", ["any", "all", "none"])
def test_a_slot_stands_beside_the_other_conditions(write_catalog: Write, how: str) -> None:
    meaning = "means:\n  - cause: memory.capacity\n    fixes:\n      - {do: Ask for less., risk: none, when: [{%s: [{slot: wanted, above: 2}]}]}\n"
    found = about("good.yaml", problems(write_catalog, {"corpus/demo/good.yaml": GOOD + meaning % how}))
    assert [line for line in found if "not part of any, all or none" in line], found


ARGUES = "means:\n  - cause: memory.capacity\n    strength: shows\n    says: nothing is left\n"
OWN_FIX = "    fixes: [{do: Want less., risk: none}]\n"
ASKED_FOR = "  - {do: Only for another framework., risk: none, when: [{found: %s}]}\ndecide:"


@pytest.mark.parametrize(
    ("kind", "more", "asked", "expected"),
    [
        ("failure", ARGUES, "", ":14:1: argues for memory.capacity and has no fix: write what to do first"),
        ("failure", ARGUES, '"demo.*"', ":14:1: argues for memory.capacity and has no fix: write what to do first"),
        ("failure", ARGUES, '"demo.go*"', ""),
        ("failure", ARGUES, "[demo.good, demo.full]", ""),
        ("failure", ARGUES + OWN_FIX, "", ""),
        ("failure", "fixes: of_cause\n" + ARGUES, "", ""),
        ("failure", "fixes: of_cause\n" + ARGUES + OWN_FIX, "", ":14:1: of_cause, but the message has fixes of its own"),
        ("hint", ARGUES, "", ""),
        ("consequence", ARGUES, "", ""),
    ],
)  # fmt: skip
def test_a_failure_that_argues_has_a_fix(write_catalog: Write, kind: str, more: str, asked: str, expected: str) -> None:
    rule = FILES["rules/memory/capacity.yaml"]
    changes = {
        "corpus/demo/good.yaml": GOOD.replace("kind: failure", f"kind: {kind}") + more,
        "rules/memory/capacity.yaml": rule.replace("decide:", ASKED_FOR % asked, 1) if asked else rule,
    }
    found = about("good.yaml", problems(write_catalog, changes))
    assert [line.startswith(expected) for line in found] == [True] * bool(expected)
