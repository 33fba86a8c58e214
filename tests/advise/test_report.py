"""From findings and rules to diagnoses with their sentences filled in."""

from __future__ import annotations

import json

import pytest

from logsense.advise.proof import LONGEST_LINE
from logsense.catalog.load import load_catalog
from logsense.diagnose.score import EFFECT_ALONE, calibrated
from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog(FILES)


def explain(catalog: Catalog, log: str) -> Report:
    return explain_text(log.encode(), catalog)


FULL = "memory full: asked 2 GiB of 8 GiB, free 512 MiB\n"


def test_a_diagnosis_is_filled_in(catalog: Catalog) -> None:
    (first,) = explain(catalog, f"hello\n{FULL}").diagnoses
    assert (first.cause, first.title) == ("memory.capacity", "Memory is full")
    assert first.explanation == "There were 512 MiB left."
    assert [(e.says, e.line, e.text) for e in first.evidence] == [
        ("2 GiB was asked for", 2, FULL.strip()),
        ("7.50 GiB of 8 GiB was used", 2, FULL.strip()),
    ]
    assert [(f.do, f.run, f.why, f.risk) for f in first.fixes] == [
        ("Ask for less than 2 GiB.", "demo --memory '512 MiB'", "it fits then", "none")
    ]
    assert [(c.do, c.run) for c in first.decide] == [("Look at the memory.", "demo --memory-report")]
    assert 0.9 < first.confidence < 1


def test_evidence_against_lowers_the_confidence(catalog: Catalog) -> None:
    plain = explain(catalog, FULL).diagnoses[0]
    doubted = explain(catalog, f"driver 470.57 is old\n{FULL}").diagnoses[0]
    assert doubted.confidence < plain.confidence
    assert [e.says for e in doubted.against] == ["the driver 470.57 knows only CUDA 11.4"]


def test_an_argument_gives_the_headline(write_catalog: Write) -> None:
    rule = FILES["rules/memory/capacity.yaml"]
    told = {**FILES, "rules/memory/capacity.yaml": f"{rule}titled_by_argument: true\n"}
    (first,) = explain(write_catalog(told), FULL).diagnoses
    assert (first.title, first.evidence[0].says) == ("2 GiB was asked for", "demo says full")
    plain = rule.replace('"{mem.asked} was asked for"', "too much was asked for")
    told = {**FILES, "rules/memory/capacity.yaml": f"{plain}titled_by_argument: true\n"}
    assert explain(write_catalog(told), FULL).diagnoses[0].title == "Too much was asked for"
    own = plain.replace("    strength: suggests\n", "    strength: suggests\n    title: Greedy\n")
    (first,) = explain(write_catalog({**FILES, "rules/memory/capacity.yaml": own}), FULL).diagnoses
    assert (first.title, first.evidence[0].says) == ("Greedy", "too much was asked for")


def test_what_goes_on_from_a_fix_begins_where_it_stands_first(write_catalog: Write) -> None:
    rule = FILES["rules/memory/capacity.yaml"].replace('do: "Ask for less', 'do: "Or ask for less')
    (first,) = explain(write_catalog({**FILES, "rules/memory/capacity.yaml": rule}), FULL).diagnoses
    assert first.fixes[0].do == "Ask for less than 2 GiB."


def test_an_argument_claims_no_more_than_it_may(write_catalog: Write) -> None:
    rule = FILES["rules/memory/capacity.yaml"].replace("suggests", "suggests\n    effect_only: true")
    catalog = write_catalog({**FILES, "rules/memory/capacity.yaml": rule})
    half = "memory full: asked 2 GiB of 8 GiB, free 4 GiB\n"
    assert explain(catalog, half).diagnoses[0].confidence == round(calibrated([EFFECT_ALONE])[0], 3)
    assert explain(catalog, FULL).diagnoses[0].confidence > 0.9  # evidence adds to it


def test_a_consequence_loses_to_a_failure(catalog: Catalog) -> None:
    report = explain(catalog, f"{FULL}peer 3 went away\n")
    assert report.diagnoses[0].cause == "memory.capacity"
    assert [(c.says, c.ranks) for c in report.consequences] == [("demo says peer", (3,))]


def test_a_shell_goes_on_and_the_job_lived_until_it_was_ended() -> None:
    missing = "/var/spool/slurmd/job7/slurm_script: line 5: module: command not found\n"
    limit = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-05-03T10:00:58 DUE TO TIME LIMIT ***\n"
    exited = "srun: error: n1: task 0: Exited with exit code 127\n"
    causes = [explain(load_catalog(), missing + end).diagnoses[0].cause for end in (limit, exited, "")]
    assert causes[0] == "scheduler.time-limit"
    assert "scheduler.time-limit" not in causes[1:]
    raised = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nMemoryError\n'
    assert explain(load_catalog(), raised + limit).diagnoses[0].cause != "scheduler.time-limit"
    without = explain(load_catalog(), raised).diagnoses[0].cause
    assert explain(load_catalog(), missing + raised).diagnoses[0].cause == without
    of_rank = {rank: "".join(f"[rank{rank}]: {line}\n" for line in raised.splitlines()) for rank in (1, 3)}
    shell = explain(load_catalog(), missing).diagnoses[0].cause
    told = {
        rank: [d.cause for d in explain(load_catalog(), f"[rank1]: {missing}{of_rank[rank]}").diagnoses]
        for rank in of_rank
    }
    assert shell in told[3]
    assert shell not in told[1]


def test_a_consequence_alone_is_all_there_is(catalog: Catalog) -> None:
    report = explain(catalog, "peer 3 went away\n")
    assert report.diagnoses[0].cause == "hardware.lost"
    assert [c.rank for c in report.culprits] == [3]


def test_an_exception_that_only_tells_of_a_consequence_is_no_failure_of_its_own() -> None:
    head = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    raise e\n'
    told = "RuntimeError: mpirun failed with exit code 134\n"
    first = {log: explain(load_catalog(), log).diagnoses[0].cause for log in (told, head + told)}
    assert first[head + told] == first[told] == "code.native-crash"
    chained = f"{head}MyError: no widget\n\nDuring handling of the above exception, another exception occurred:\n\n"
    assert explain(load_catalog(), chained + head + told).diagnoses[0].cause != "code.native-crash"


def test_a_title_without_its_value_falls_back_to_the_cause(catalog: Catalog) -> None:
    assert explain(catalog, "peer 3 went away\n").diagnoses[0].title == "hardware.lost"


def test_the_verdict_on_running_again(catalog: Catalog) -> None:
    report = explain(catalog, "lost the device 1\n")
    assert report.rerun is not None
    assert (report.rerun.verdict, report.rerun.why) == ("other-node", "go elsewhere")


def test_the_class_gives_its_reason_by_how_far_the_run_came(catalog: Catalog) -> None:
    report = explain(catalog, "step 3 loss 1.0\nlost the device 1\n")
    assert report.rerun is not None
    assert (report.rerun.verdict, report.rerun.why) == ("other-node", "go elsewhere after step 3")


def test_a_healthy_run_has_no_diagnosis(catalog: Catalog) -> None:
    report = explain(catalog, f"harmless chatter\n{FULL}step 1 loss 0.1\nstep 2 loss 0.1\ndemo is done\n")
    assert (report.outcome, report.diagnoses) == ("completed", ())
    assert [noise.signature for noise in report.noise] == ["demo.chatter", "demo.full"]


def test_an_unknown_failure_shows_the_lines_that_matter(catalog: Catalog) -> None:
    report = explain(catalog, "start\nFATAL: something odd happened here\n")
    assert (report.outcome, report.diagnoses) == ("failed", ())
    assert [(line.line, line.text) for line in report.unexplained] == [(2, "FATAL: something odd happened here")]


def test_the_proof_of_a_long_line_is_the_part_with_the_message(catalog: Catalog) -> None:
    proof = explain(catalog, "x " * 5000 + "lost the device 1" + " y" * 5000 + "\n").diagnoses[0].evidence[0]
    assert proof.text
    assert proof.focus
    assert proof.text[slice(*proof.focus)].startswith("lost the device 1")
    assert len(proof.text) <= LONGEST_LINE + 1


def test_an_unknown_failure_has_its_lines_and_the_nearest_known_message_and_no_cause(catalog: Catalog) -> None:
    report = explain(catalog, "start\nFATAL: lost my devices\n")
    assert (report.outcome, report.diagnoses) == ("failed", ())
    assert [(line.line, line.text) for line in report.unexplained] == [(2, "FATAL: lost my devices")]
    assert report.near[0].signature == "demo.lost"


def test_a_warning_at_the_end_is_not_a_failure(catalog: Catalog) -> None:
    line = "2026-11-21 10:00:00,000 {} could not read the device that was lost\n"
    outcomes = [explain(catalog, "start\n" + line.format(level)).outcome for level in ("ERROR", "WARNING")]
    assert outcomes == ["failed", "unknown"]


def test_facts_are_told_with_their_place(catalog: Catalog) -> None:
    facts = explain(catalog, f"driver 550.1 is old\n{FULL}").facts
    assert (facts["driver.version"].value, facts["driver.version"].line) == ("550.1", 1)
    assert facts["driver.cuda"].value == "12.4"
    assert (facts["mem.used"].value, facts["mem.used"].shown) == (15 << 29, "7.50 GiB")
    assert facts["framework"].value == "demonet"
    assert facts["log.lines"].value == 2


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        ([{"found": "demo.full", "where": {"asked": {"at_least": "1 GiB"}}}], True),
        ([{"found": "demo.full", "where": {"asked": {"above": "2 GiB"}}}], False),
        ([{"found": "demo.*"}, {"not_found": "demo.lost"}], True),
        ([{"found": "demo.full"}, {"not_found": ["demo.lost", "demo.old"]}], False),
        ([{"found": "demo.full", "times": 2}], False),
        ([{"found": "demo.full"}, {"fact": "mem.asked", "above": "mem.free"}], True),
        ([{"found": "demo.full"}, {"fact": "mem.asked", "above": "mem.free", "times": 5}], False),
        ([{"found": "demo.full"}, {"fact": "mem.free", "at_most": "1 GiB", "times": 0.25}], False),
        ([{"found": "demo.full"}, {"fact": "mem.total", "equals": "8 GiB"}], True),
        ([{"found": "demo.full"}, {"fact": "mem.total", "one_of": ["4 GiB", "16 GiB"]}], False),
        ([{"found": "demo.full"}, {"fact": "driver.version", "below": "525.60"}], True),
        ([{"found": "demo.full"}, {"fact": "driver.version", "at_least": "470"}], True),
        ([{"found": "demo.full"}, {"fact": "driver.version", "equals": "470"}], True),
        ([{"found": "demo.full"}, {"fact": "driver.cuda", "known": False}], False),
        ([{"found": "demo.full"}, {"fact": "mem.nothing", "known": False}], True),
        ([{"found": "demo.full"}, {"fact": "framework", "contains": ["NET", "x"]}], True),
        ([{"found": "demo.full"}, {"fact": "framework", "starts_with": "net"}], False),
        ([{"found": "demo.full"}, {"fact": "framework", "ends_with": "net"}], True),
        ([{"found": "demo.full"}, {"fact": "framework", "equals": "DemoNet"}], True),
        ([{"found": "demo.full"}, {"fact": "framework", "exactly": "DemoNet"}], False),
        ([{"found": "demo.full"}, {"fact": "framework", "exactly": ["other", "demonet"]}], True),
        ([{"found": "demo.full"}, {"fact": "framework", "not": "demonet"}], False),
        ([{"found": "demo.full"}, {"framework": ["demonet"]}], True),
        ([{"found": "demo.full"}, {"before": ["demo.old", "demo.full"]}], True),
        ([{"found": "demo.full"}, {"before": ["demo.full", "demo.old"]}], False),
        ([{"found": "demo.full"}, {"ends_after": ["demo.full"]}], True),
        ([{"found": "demo.full"}, {"any": [{"found": "demo.lost"}, {"found": "demo.old"}]}], True),
        ([{"found": "demo.full"}, {"none": [{"found": "demo.old"}]}], False),
        ([{"found": "demo.full"}, {"all": [{"found": "demo.old"}, {"found": "demo.lost"}]}], False),
        ([{"found": "demo.full"}, {"frame": ["trainer.py"]}], True),
        ([{"found": "demo.full"}, {"frame": "fit"}], True),
        ([{"found": "demo.full"}, {"frame": ["other.py"]}], False),
        ([{"fact": "log.lines", "at_least": 3}], True),
        ([{"found": "demo.full"}, {"fact": "exception.line", "equals": 7}], True),
        ([{"found": "demo.full"}, {"fact": "exception.own_line", "known": True}], False),
    ],
)  # fmt: skip
def test_conditions(write_catalog: Write, when: list[object], holds: bool) -> None:
    rule = {
        "cause": "memory.capacity", "title": "t", "explain": "e", "references": ["https://example.org"],
        "arguments": [{"when": when, "strength": "suggests"}], "fixes": [{"do": "x", "risk": "none"}],
    }  # fmt: skip
    catalog = write_catalog({**FILES, "rules/memory/capacity.yaml": json.dumps(rule), "rules/hardware/lost.yaml": "{}"})
    log = (
        "driver 470.57 is old\nTraceback (most recent call last):\n"
        '  File "/x/site-packages/demo/trainer.py", line 7, in fit\n    go()\n'
        "RuntimeError: memory full: asked 2 GiB of 8 GiB, free 512 MiB\n"
    )
    assert [d.cause for d in explain(catalog, log).diagnoses] == (["memory.capacity"] if holds else [])


def test_advice_that_a_rule_gives_twice_stands_once(write_catalog: Write) -> None:
    first = [{"fact": "log.lines", "at_least": 1}]
    rule = {
        "cause": "memory.capacity", "title": "t", "explain": "e", "references": ["https://example.org"],
        "arguments": [{"when": [{"found": "demo.full"}], "strength": "suggests"}],
        "fixes": [
            {"do": "x", "run": "demo", "when": first, "risk": "none"}, {"do": "y", "risk": "none"},
            {"do": "x", "run": "demo", "risk": "none"}, {"do": "x", "run": "other", "risk": "none"},
        ],
    }  # fmt: skip
    catalog = write_catalog({**FILES, "rules/memory/capacity.yaml": json.dumps(rule), "rules/hardware/lost.yaml": "{}"})
    fixes = explain(catalog, FULL).diagnoses[0].fixes
    assert [(fix.do, fix.run) for fix in fixes] == [("x", "demo"), ("y", None), ("x", "other")]


def test_a_process_of_the_same_job_is_never_ended() -> None:
    log = """\
node1:41111:41111 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 1000 commId 0x2 - Init COMPLETE
node1:41207:41207 [1] NCCL INFO ncclCommInitRank comm 0x1 rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 2000 commId 0x2 - Init COMPLETE
[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of \
47.53 GiB of which 903.81 MiB is free. Process {} has 20.10 GiB memory in use. Including non-PyTorch memory, this \
process has 26.52 GiB memory in use. Of the allocated memory 25.00 GiB is allocated by PyTorch, and 500.00 MiB is \
reserved by PyTorch but unallocated.
"""
    runs = {}
    for pid in ("41207", "41209"):
        diagnoses = explain_text(log.format(pid).encode(), load_catalog()).diagnoses
        other = next(one for one in diagnoses if one.cause == "gpu-memory.other-process")
        runs[pid] = {fix.run for fix in other.fixes}
    assert "kill 41209" in runs["41209"]
    assert "kill 41207" not in runs["41207"]
    assert any("-p 41207" in (run or "") for run in runs["41207"])


@pytest.mark.parametrize(
    ("bars", "outcome"),
    [
        (" 50%|█████     | 5/10 [00:05<00:05, 1.00it/s]\n", "running"),
        ("100%|██████████| 10/10 [00:10<00:00, 1.00it/s]\nBLEU 31.2\n", "completed"),
        (" 30%|███       | 3/10 [00:03<00:07, 1.00it/s]\n100%|██████████| 4/4 [00:10<00:00, 1.00it/s]\n", "running"),
    ],
)
def test_a_run_whose_bars_are_full_is_not_said_to_go_on(bars: str, outcome: str) -> None:
    assert explain_text(bars.encode(), load_catalog()).outcome == outcome


def test_a_traceback_is_proved_by_the_line_that_names_the_exception() -> None:
    log = b"""Traceback (most recent call last):
  File "/home/amy/train.py", line 88, in <module>
    main()
ScheduleError: no such schedule
"""
    proof = explain_text(log, load_catalog()).diagnoses[0].evidence[0]
    assert (proof.line, proof.text) == (4, "ScheduleError: no such schedule")


def test_a_message_that_begins_at_a_frame_is_proved_by_the_exception_behind_it() -> None:
    log = b"""Traceback (most recent call last):
  File "/home/amy/train.py", line 88, in <module>
    main()
  File "/opt/env/lib/python3.11/site-packages/trl/trainer/sft_trainer.py", line 402, in __init__
    raise ValueError("Padding-free training needs an attention kernel for it")
ValueError: Padding-free training needs an attention kernel for it
"""
    proof = explain_text(log, load_catalog()).diagnoses[0].evidence[0]
    assert (proof.line, proof.text) == (6, "ValueError: Padding-free training needs an attention kernel for it")


def test_an_error_that_is_measured_is_no_failure() -> None:
    steps = "".join(f"epoch {n}, minibatch 120/120, validation error {9 - n / 100:.6f} %\n" for n in range(60))
    assert explain_text(steps.encode(), load_catalog()).outcome == "running"
    log = b"reconstruction error: 0.013\nframe rate 30\nframing failed: 3 frames lost\n"
    assert explain_text(log, load_catalog()).outcome == "failed"
