"""How a run ended is judged from what its last records show, before any cause counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from logsense.incident.judge import ENDS, judge
from logsense.incident.last_run import last_run
from logsense.incident.signs import Signs
from logsense.match.read import scan_text, with_ends
from logsense.model.knowledge import Catalog
from logsense.model.live import Ended
from logsense.pipeline import explain_text

PROGRAMS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "ends.yaml").read_text())
TOLD = [one for one in PROGRAMS if not one.get("missed")]  # no feature tells the others apart
WORDS = {"completed": ("completed",), "none": ("unknown", "running"), "failed": ("failed",)}


@pytest.mark.parametrize("program", TOLD, ids=[one["name"] for one in TOLD])
def test_what_became_of_a_program(program: dict[str, Any], built_in_catalog: Catalog) -> None:
    report = explain_text(program["log"].encode(), built_in_catalog)
    if program["end"] == "outside":
        assert report.outcome == "stopped" or report.diagnoses[0].cause.startswith("scheduler.")
    else:
        assert report.outcome in WORDS[program["end"]]
        assert program["end"] == "failed" or not (report.diagnoses or report.unexplained)


def test_words_say_what_their_sign_stands_for(built_in_catalog: Catalog) -> None:
    signs, table = Signs(built_in_catalog), built_in_catalog.table("outcome-words")
    assert table
    for row in table.rows:
        if row["sign"] == "tally":
            assert signs.tally([str(row["sample"])]), row["sample"]
            assert not signs.tally([str(row["near_miss"])]), row["near_miss"]
            continue
        assert signs.says(str(row["sign"]), str(row["sample"])), row["sample"]
        assert not signs.says(str(row["sign"]), str(row["near_miss"])), row["near_miss"]


def test_words_that_report_a_failure(built_in_catalog: Catalog) -> None:
    signs, table = Signs(built_in_catalog), built_in_catalog.table("alarm-words")
    assert table
    for row in table.rows:
        found, near = ([sign for _, sign in signs.alarms(str(row[name]))] for name in ("sample", "near_miss"))
        if row["sign"] == "word":
            assert (found, near) == ([""], []), row
        else:
            assert {*found} == {row["sign"]}, row
            assert "" in near, row


def test_every_message_of_the_table_is_known(built_in_catalog: Catalog) -> None:
    table = built_in_catalog.table("outcome-acts")
    assert table
    assert {str(row["message"]) for row in table.rows} <= {*built_in_catalog.ids}


def told(log: str, catalog: Catalog) -> dict[str, float]:
    (reading,) = with_ends([scan_text(log.encode(), catalog, "log")], catalog)
    return dict(last_run(reading, Signs(catalog)).features)


STEPS = "".join(f"step {step}/1000 loss {3 / (step + 1):.4f}\n" for step in range(40))
KILLED = "run.sh: line 9: 4242 Killed                  python train.py\n"
RAISED = "Traceback (most recent call last):\n  File \"train.py\", line 9, in <module>\n    main()\nKeyError: 'lr'\n"
CANCELLED = "slurmstepd: error: *** JOB 37 ON n1 CANCELLED AT 2026-11-02T03:10:00 ***\n"


@pytest.mark.parametrize(
    ("end", "act"),
    [
        (RAISED, "uncaught"),
        (KILLED, "kernel"),
        (CANCELLED, "outside"),
        ("train.py: error: unrecognized arguments: --lrr 3\n", "uncaught"),
        ("Caught signal 15, saving the model\n", "stop"),
        ("training ended with status 3\n", "status"),
    ],
)
def test_life_behind_an_act_takes_its_strength(end: str, act: str, built_in_catalog: Catalog) -> None:
    last = told(STEPS + end, built_in_catalog)
    assert last[act] > 0.9
    assert last["none"] < 0.1
    before = told(STEPS + end + STEPS, built_in_catalog)
    assert before[act] < 0.2


def test_what_another_rank_says_behind_an_act_proves_nothing(built_in_catalog: Catalog) -> None:
    ranks = [f"[rank{rank}]: " for rank in (0, 1)]
    log = "".join(ranks[0] + line + "\n" for line in (STEPS + RAISED).splitlines())
    goes_on = "".join(ranks[1] + line + "\n" for line in STEPS.splitlines())
    assert told(log + goes_on, built_in_catalog)["uncaught"] > 0.9


def test_what_follows_from_a_request_to_end_is_weaker_and_so_is_a_request_that_follows(
    built_in_catalog: Catalog,
) -> None:
    asked = told(STEPS + CANCELLED + RAISED, built_in_catalog)
    assert asked["outside"] > 0.9 > 0.4 > asked["uncaught"]
    followed = told(STEPS + RAISED + CANCELLED, built_in_catalog)
    assert followed["uncaught"] > 0.9 > 0.4 > followed["outside"]


def test_a_word_of_each_round_of_a_loop_is_no_good_end(built_in_catalog: Catalog) -> None:
    rounds = "".join(f"Saved checkpoint to out/{n}.pt\nEvaluation finished\nacc 0.{n}\n" for n in range(20))
    assert told(rounds, built_in_catalog)["good"] == 0
    assert told(f"{rounds}Training finished\n", built_in_catalog)["good"] == 1


@pytest.mark.parametrize(("first", "whole"), [(0, 1.0), (1, 0.0)])
def test_who_counts_from_0_is_done_one_short_of_the_total(first: int, whole: float, built_in_catalog: Catalog) -> None:
    log = "".join(f"epoch {number}/30 loss 0.4\n" for number in range(first, 30))
    assert told(log, built_in_catalog)["whole"] == whole


def test_the_probabilities_of_all_ends_add_up(built_in_catalog: Catalog) -> None:
    judged = judge(told(STEPS, built_in_catalog), Signs(built_in_catalog))
    assert judged
    assert judged.ends.keys() == {*ENDS}
    assert sum(judged.ends.values()) == pytest.approx(1)
    assert max(judged.ends, key=judged.ends.__getitem__) == "none"


def test_the_same_error_is_explained_in_a_paste_and_silenced_where_the_run_goes_on(built_in_catalog: Catalog) -> None:
    error = "ERROR batch 7: CUDA out of memory. Tried to allocate 2.00 GiB\n"
    assert explain_text(error.encode(), built_in_catalog).diagnoses
    assert not explain_text((STEPS + error + STEPS).encode(), built_in_catalog).diagnoses


def test_levels_of_json_entries(built_in_catalog: Catalog) -> None:
    steps = "".join(f'{{"level": "info", "msg": "epoch {n} loss 0.{n}"}}\n' for n in range(1, 60))
    failed = explain_text((steps + '{"level": "error", "msg": "the flux lost its phase"}\n').encode(), built_in_catalog)
    assert (failed.outcome, [one.text for one in failed.unexplained]) == ("failed", ["the flux lost its phase"])
    warned = (steps + '{"level": "warning", "msg": "the flux lost its phase"}\n').encode()
    assert explain_text(warned, built_in_catalog).outcome != "failed"


SERVED = "".join(
    f"[I 10:{n // 60:02d}:{n % 60:02d} App] Saving file at /Test.ipynb\n[I 10:{n // 60:02d}:{n % 60:02d} App] 200 GET /{n}\n"
    for n in range(120)
)
EXTENSION = (
    "[W 09:24:39 App] Error loading server extension widgets\n    Traceback (most recent call last):\n"
    '      File "/opt/app.py", line 4, in load\n        importlib.import_module(name)\n'
    "    ModuleNotFoundError: No module named 'widgets'\n"
)
CLOSED = "[I 11:49:35 App] Shutting down on /api/shutdown request.\n"


@pytest.mark.parametrize(
    ("log", "outcome"),
    [
        (EXTENSION + SERVED + CLOSED, "stopped"),
        (SERVED + EXTENSION.replace("    ", "").replace("[W", "[E") + CLOSED, "failed"),
    ],
)
def test_a_server_is_stopped_on_request_whatever_it_survived_long_before(
    log: str, outcome: str, built_in_catalog: Catalog
) -> None:
    assert explain_text(log.encode(), built_in_catalog).outcome == outcome


@pytest.mark.parametrize(
    ("lines", "first"), [("  - encoder.{}.weight is missing\n", True), ("now {} of the rest\n", False)]
)
def test_a_message_of_a_thousand_lines_is_one_failure(lines: str, first: bool, built_in_catalog: Catalog) -> None:
    log = (
        STEPS
        + RAISED.replace("KeyError: 'lr'", "ValueError: keys are missing:")
        + "".join(map(lines.format, range(1200)))
    )
    report = explain_text(log.encode(), built_in_catalog)
    assert bool(report.diagnoses) is first


ROUNDS = "".join(f"epoch 0 round {n} loss {1 / (n + 1):.3f}\n" for n in range(20))
TOTALS = "Total batch size 8192\nTotal number of samples: 409600\n"


@pytest.mark.parametrize(
    ("log", "outcome"),
    [
        (ROUNDS + "epoch 0 round 20\n", "running"),  # the beginning of a line
        (ROUNDS + "best loss 0.050\n", "completed"),
        (TOTALS + "step 00000/00050 | loss: 6.93 | total time: 0.00m\n", "running"),
        (TOTALS + "step 00050/00050 | loss: 6.93 | total time: 0.50m\n", "completed"),
        (ROUNDS + "Terminated at Mon Nov 23 23:51:46 2020\nExited with exit code 1.\n", "failed"),  # a report of LSF
    ],
)
def test_a_run_that_stops_in_the_middle_did_not_complete(log: str, outcome: str, built_in_catalog: Catalog) -> None:
    assert explain_text(log.encode(), built_in_catalog).outcome == outcome


@pytest.mark.parametrize(
    ("status", "last", "cause"),
    [
        (1, "", "code.python-exception"),
        (1, "Error: the flux lost its phase\n", ""),
        (137, "", "host-memory.oom-killed"),
        (0, "", ""),
    ],
)
def test_a_process_that_failed_did_not_outlast_its_exception(
    status: int, last: str, cause: str, built_in_catalog: Catalog
) -> None:
    log = STEPS + RAISED + "".join(f"collected shard {n}\n" for n in range(2000)) + last
    report = explain_text(log.encode(), built_in_catalog, ended=Ended(status=status))
    causes = [one.cause for one in report.diagnoses]
    assert causes[:1] == ([cause] if cause else [])
    assert status != 1 or not cause or (report.progress is not None and report.progress.step == 39)


WELL = "Training completed in 0.1 s. Saved model to out/model.pt\nTraining completed.\n"


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("***** Running training *****\n  Num examples = 0", "unknown"),
        ("Found 0 images belonging to 3 classes.", "unknown"),
        ("train images: 0", "unknown"),
        ("Found 240 images belonging to 3 classes.", "completed"),
    ],
)
def test_a_good_end_without_anything_to_work_on_does_not_count(
    built_in_catalog: Catalog, line: str, outcome: str
) -> None:
    assert explain_text(f"INFO start\n{line}\n{WELL}".encode(), built_in_catalog).outcome == outcome


def test_the_only_line_of_a_log_is_no_good_end(built_in_catalog: Catalog) -> None:
    assert explain_text(b"step 1 loss 2.0\n", built_in_catalog).outcome == "running"
    assert explain_text(b"epoch 1 loss 2.0\ntest accuracy 0.93\n", built_in_catalog).outcome == "completed"
