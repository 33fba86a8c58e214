"""How far a run had come when it failed."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.knowledge import Catalog
from logsense.model.report import Progress, Saved
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES, signature

LOST = "lost the device 1\n"


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog(FILES)


def progress(catalog: Catalog, log: str) -> Progress | None:
    return explain_text(log.encode(), catalog, name="log").progress


def test_step_time_and_checkpoint(catalog: Catalog) -> None:
    log = (
        "2026-05-04 00:12:01,100 INFO hello\n"
        "2026-05-04 00:13:01,100 INFO saved step 3 to /ckpt/3\n"
        "2026-05-04 00:14:01,100 INFO step 4 loss 0.5\n"
        f"2026-05-04 00:15:01,100 ERROR {LOST}"
    )
    assert progress(catalog, log) == Progress(
        "training", "during training", 4, None, None, None, 0.5, 180.0, Saved(3, None, "/ckpt/3", "log", 2, 120.0)
    )


def test_the_step_that_fails_on_its_own_line_is_the_last(write_catalog: Write) -> None:
    files = {**FILES, "corpus/demo/nan.yaml": signature("nan", "failure", "loss nan")}
    found = progress(write_catalog(files), "step 3 loss 0.5\nstep 4 loss 0.7\nstep 5 loss nan\n")
    assert found is not None
    assert found.step == 5


def test_a_clock_that_only_the_failure_shows_tells_no_duration(catalog: Catalog) -> None:
    steps = "".join(f"2026-05-04 00:{minute:02d}:00,100 INFO step {minute} loss 1\n" for minute in range(10, 20))
    found = progress(catalog, f"{steps}E0504 00:40:00.000000 99 main.cc:7] {LOST}")
    assert found is not None
    assert found.after_s is None


def test_the_pace_tells_when_a_checkpoint_without_a_time_was_written(catalog: Catalog) -> None:
    steps = "".join(f"2026-05-04 00:{minute:02d}:00,100 INFO step {minute * 10} loss 1\n" for minute in range(10, 20))
    found = progress(catalog, f"{steps}saved step 170 to /ckpt\n{LOST}")
    assert found is not None
    assert found.checkpoint is not None
    assert found.checkpoint.before_end_s == 120.0


def test_a_closing_message_tells_its_own_time(write_catalog: Write) -> None:
    files = {**FILES, "corpus/demo/stopped.yaml": signature("stopped", "failure", "stopped at {at:word} by the queue")}
    log = "2026-05-04 00:12:01,100 INFO hello\nstopped at 2026-05-04T06:12:01 by the queue\n"
    found = progress(write_catalog(files), log)
    assert found is not None
    assert found.after_s == pytest.approx(6 * 3600, abs=1)


def test_nothing_is_told_of_a_pasted_message(catalog: Catalog) -> None:
    assert progress(catalog, LOST) is None


def test_a_checkpoint_after_the_failure_does_not_count(catalog: Catalog) -> None:
    found = progress(catalog, f"step 1 loss 1\n{LOST}saved step 9 to /emergency\n")
    assert found is not None
    assert found.checkpoint is None


def test_a_bar_that_began_anew_does_not_tell_when_the_run_began(catalog: Catalog) -> None:
    first = progress(catalog, f"loop 7/455 [00:40<\n{LOST}")
    assert first is not None
    assert first.after_s == 40.0
    anew = progress(catalog, f"loop 455/455 [05:36<\nloop 7/455 [00:40<\n{LOST}")
    assert anew is not None
    assert anew.after_s is None


def test_a_bar_that_counted_before_the_log_begins_tells_how_long_the_run_took(catalog: Catalog) -> None:
    found = progress(
        catalog,
        f"loop 7/455 [31:08:58<\n2026-05-04 00:00:00,100 INFO hello\n2026-05-04 00:00:18,100 INFO hello\n{LOST}",
    )
    assert found is not None
    assert found.after_s == 31 * 3600 + 8 * 60 + 58


def test_the_main_bar_is_told_from_an_inner_one(catalog: Catalog) -> None:
    found = progress(catalog, f"loop 120/4000 [01:00<\nloop 4/4 [00:02<\nloop 3/40 [00:02<\n{LOST}")
    assert found is not None
    assert (found.step, found.steps, found.after_s) == (120, 4000, 60.0)


def test_the_last_of_several_runs_has_its_own_beginning(catalog: Catalog) -> None:
    log = (
        "2026-05-04 00:00:00,100 INFO demo begins a run\n"
        "2026-05-04 01:00:00,100 INFO demo is done\n"
        "2026-05-04 02:00:00,100 INFO demo begins a run\n"
        f"2026-05-04 02:00:30,100 ERROR {LOST}"
    )
    found = progress(catalog, log)
    assert found is not None
    assert found.after_s == 30.0


def test_progress_far_from_the_end_is_found_in_front_of_the_failure(catalog: Catalog) -> None:
    log = "anything\n" * 50_000 + "step 41 loss 1\n" + LOST + ("x" * 20_000 + "\n") * 20
    found = progress(catalog, log)
    assert found is not None
    assert found.step == 41


def test_memory_that_climbs(catalog: Catalog) -> None:
    climbing = "".join(f"using {2 + number / 10:.1f} GiB in epoch {number}\n" for number in range(20))
    steady = "".join(f"using {3 if number else 2} GiB in epoch {number}\n" for number in range(20))
    facts = explain_text((climbing + LOST).encode(), catalog).facts
    assert (facts["log.memory_climbs"].value, facts["log.memory_growth"].value) == (True, 1.95)
    assert explain_text((steady + LOST).encode(), catalog).facts["log.memory_climbs"].value is False


@pytest.mark.parametrize(("losses", "rises"), [("54321232", False), ("54321239", True), ("59", False)])
def test_a_loss_that_rises(catalog: Catalog, losses: str, rises: bool) -> None:
    steps = "".join(f"step {number} loss {loss}\n" for number, loss in enumerate(losses))
    assert explain_text((steps + LOST).encode(), catalog).facts["log.loss_rises"].value is rises


def test_the_verdict_on_running_again_may_depend_on_the_course(catalog: Catalog) -> None:
    late = explain_text(f"step 9 loss 1\n{LOST}".encode(), catalog).rerun
    assert late is not None
    assert (late.verdict, late.why) == ("retry", "it went well until step 9")


def test_the_bar_in_front_of_the_failure_counts_whatever_its_pace() -> None:
    from logsense.catalog.load import load_catalog
    from logsense.pipeline import explain_text

    bars = "  0%|          | 0/500 [00:00<?, ?it/s]\n 52%|#####     | 259/500 [11:55<11:44,  2.92s/it]\r"
    last = " 52%|#####2    | 260/500 [11:57<11:22,  2.84s/it]"
    raised = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\n    save()\n'
    told = f"{bars}{last}{raised}OSError: [Errno 28] No space left on device\n"
    progress = explain_text(told.encode(), load_catalog()).progress
    assert progress
    assert (progress.step, progress.steps, progress.after_s) == (260, 500, 717.0)


@pytest.mark.parametrize(
    ("after", "path"), [("", None), ("step 4 loss 1\n", "/ckpt/3"), ("saving step 4 to /ckpt/4\n", "/ckpt/3")]
)
def test_an_announced_checkpoint_counts_once_the_program_went_on(write_catalog: Write, after: str, path: str) -> None:
    files = {
        **FILES,
        "corpus/demo/saving.yaml": signature("saving", "checkpoint", "saving step {step:int} to {path:path}"),
    }
    found = progress(write_catalog(files), f"step 3 loss 1\nsaving step 3 to /ckpt/3\n{after}{LOST}")
    assert found is not None
    assert (found.checkpoint and found.checkpoint.path) == path


@pytest.mark.parametrize(
    "form", [" 1%| | {0}/900 [00:0{0}<9:00, 1.00it/s, loss=1] | mem {1} GiB", "step {0} loss 1 max_mem: {1}G"]
)
@pytest.mark.parametrize(
    ("memory", "climbs"), [((21, 30, 42, 50, 61, 70, 78), True), ((21, 70, 70, 71, 70, 71, 70), False)]
)
def test_memory_that_a_line_of_progress_states(form: str, memory: tuple[int, ...], climbs: bool) -> None:
    log = "".join(f"{form.format(number, size)}\n" for number, size in enumerate(memory, 1))
    assert explain_text(f"{log}Killed\n".encode(), load_catalog()).facts["log.memory_climbs"].value is climbs


@pytest.mark.parametrize(("end", "silent"), [("03:50:00", 3000.0), ("03:05:00", None)])
def test_a_silence_far_longer_than_any_before(end: str, silent: float | None) -> None:
    log = "".join(f"2026-01-02 02:{minute:02d}:00 INFO step {minute}/900 loss 1\n" for minute in range(60))
    log += "".join(f"2026-01-02 03:00:0{second} INFO step {60 + second}/900 loss 1\n" for second in range(1))
    verdict = f"slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T{end} DUE TO TIME LIMIT ***\n"
    found = explain_text(f"{log}{verdict}".encode(), load_catalog()).facts.get("log.silent")
    assert (found and found.value) == silent


@pytest.mark.parametrize(("reports", "climbs"), [(3, False), (6, True)])
def test_progress_at_the_end_counts_once(catalog: Catalog, reports: int, climbs: bool) -> None:
    log = "anything\n" * 200_000 + "".join(f"using {2 + number} GiB in epoch {number}\n" for number in range(reports))
    assert explain_text((log + LOST).encode(), catalog).facts["log.memory_climbs"].value is climbs
