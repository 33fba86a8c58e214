"""A job that was tried several times."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.match.read import scan_text
from logsense.model.reading import Reading
from logsense.model.report import Report
from logsense.pipeline import explain, explain_text
from logsense.records.rank_by_name import attempt_of
from logsense.render.outcomes import attempts_in_words
from logsense.runs.attempts import runs_before
from logsense.runs.launchers import run_begins
from logsense.sources.find import resolve

STEPS = "".join(f"step {step} loss {3 / (step + 1):.4f} lr 0.0003\n" for step in range(8))
TRACE = '[rank{0}]: Traceback (most recent call last):\n[rank{0}]:   File "train.py", line 9, in <module>\n'
MISSING = TRACE + "[rank{0}]: FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-7.tar'\n"
PORT = (
    "[E1102 03:14:11.926 socket.cpp:1019] [c10d] The server socket has failed to listen on any local network address. "
    "port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use\n"
)
RESTART = "INFO:torch.distributed.elastic.agent.server.api:[default] Worker group FAILED. {}/3 attempts left; will restart worker group\n"


def tree(folder: Path, tries: list[dict[int, str]]) -> Report:
    """The report on a tree of logs as torchrun leaves it: for each attempt, what each rank printed."""
    for number, ranks in enumerate(tries):
        for rank, text in ranks.items():
            place = folder / "none_ab12" / f"attempt_{number}" / str(rank)
            place.mkdir(parents=True)
            (place / "stderr.log").write_text(text)
    return explain(resolve([str(folder)], stdin=BytesIO()), load_catalog())


def test_the_attempt_that_a_path_names() -> None:
    assert attempt_of("logs/none_ab12/attempt_2/0/stderr.log") == 2
    assert attempt_of("logs\\run\\attempt_11\\0\\stderr.log") == 11
    assert attempt_of("logs/my_attempt_2/stderr.log") is None
    assert attempt_of("attempt_3.log") is None


def test_the_last_attempt_counts_and_the_others_are_summed_up(tmp_path: Path) -> None:
    fails = {0: STEPS, 1: STEPS + MISSING.format(1)}
    report = tree(tmp_path, [fails, fails, fails])
    assert report.diagnoses[0].cause == "storage.file-missing"
    assert "attempt_2" in report.culprits[0].source
    assert [one.cause for one in report.attempts] == ["storage.file-missing"] * 2
    assert attempts_in_words(report) == "2 other attempts failed in the same way, always rank 1"


def test_a_restart_that_never_trained_does_not_hide_the_failure(tmp_path: Path) -> None:
    report = tree(tmp_path, [{0: STEPS, 1: STEPS + MISSING.format(1)}, {0: PORT, 1: ""}])
    assert report.diagnoses[0].cause == "storage.file-missing"
    assert [one.cause for one in report.attempts] == ["distributed.port-in-use"]
    assert attempts_in_words(report).startswith("1 other attempt failed: ")


def test_restarts_in_one_log() -> None:
    text = "".join(STEPS + MISSING.format(3) + RESTART.format(left) for left in (2, 1, 0)) + STEPS + MISSING.format(3)
    report = explain_text(text.encode(), load_catalog())
    assert report.culprits[0].line > text.count("\n") - 5
    assert attempts_in_words(report) == "3 other attempts failed in the same way, always rank 3"


@pytest.mark.parametrize(
    "text",
    [STEPS + MISSING.format(3), STEPS + "Training completed. \n" + RESTART.format(2) + STEPS + MISSING.format(3)],
)
def test_what_did_not_fail_is_no_failed_attempt(text: str) -> None:
    report = explain_text(text.encode(), load_catalog())
    assert report.attempts == ()
    assert attempts_in_words(report) == ""


RAISED = 'Traceback (most recent call last):\n  File "train.py", line 7, in main\n    x = batch["labels"]\nKeyError: \'labels\'\n'


@pytest.mark.parametrize(
    ("tries", "said"), [(12, "11 other attempts"), (2, "1 other attempt"), (40, "at least 32 other attempts")]
)
def test_many_attempts_are_counted(tries: int, said: str) -> None:
    again = f"loading data for the run\nthe model has 12 layers in all\nthe optimizer is ready to go\n{STEPS}{RAISED}"
    report = explain_text((again * tries).encode(), load_catalog())
    assert attempts_in_words(report) == f"{said} failed in the same way"


def scanned(text: str) -> Reading:
    return scan_text(text.encode(), load_catalog(), "log")


def test_several_messages_at_its_start_begin_one_run() -> None:
    log = scanned(STEPS + MISSING.format(3) + RESTART.format(2) + RESTART.format(1) + STEPS + MISSING.format(3))
    assert [log.findings[number].line for number in run_begins(log)] == [12]


def test_far_from_the_last_end_a_run_that_began_is_still_the_same() -> None:
    ended = "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T03:04:05 ***\n"
    rest = "the loader reads on\n" * 400 + MISSING.format(3)
    assert len(run_begins(scanned(STEPS + ended + RESTART.format(2) + rest))) == 1
    assert len(run_begins(scanned(STEPS + ended + rest))) == 1
    assert run_begins(scanned(STEPS + ended + "the loader reads on\n" * 40 + MISSING.format(3))) == []


def test_an_earlier_run_far_from_the_end_of_its_log_keeps_its_last_lines() -> None:
    text = STEPS + MISSING.format(3) + RESTART.format(2) + "the loader reads on\n" * 100_000 + STEPS + MISSING.format(3)
    (before,) = runs_before(scanned(text))
    assert before.tail.text.endswith(f"{STEPS.splitlines()[-1]}\n".encode())
    quiet = "the loader reads on\n" * 100_000 + RESTART.format(2) + STEPS + MISSING.format(3)
    assert runs_before(scanned(quiet)) == []


LAUNCHER = """\
W{0} {1} torch/distributed/run.py:793] *****************************************
W{0} {1} torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, \
to avoid your system being overloaded
{2}E{0} 08:26:02.715000 {1} torch/distributed/elastic/multiprocessing/api.py:882] failed (exitcode: 1) local_rank: 0 \
(pid: 7) of binary: /usr/bin/python3
"""


@pytest.mark.parametrize(("second", "begins"), [("1119 08:20:00.715000", 0), ("1119 08:41:00.715000", 1)])
def test_a_launcher_that_began_before_the_failure_is_of_the_same_run(second: str, begins: int) -> None:
    node = LAUNCHER.format("1119", "100", MISSING.format(0))
    other = LAUNCHER.replace("W{0}", f"W{second}").format("1119", "200", MISSING.format(4))
    assert len(run_begins(scanned(node.replace("W1119", "W1119 08:20:00.715000") + other))) == begins


def test_a_collector_that_repeats_a_traceback_starts_nothing() -> None:
    lines = RAISED.splitlines()
    repeated = "".join(f"(Controller pid=7) {line} [repeated 2x across cluster]\n" for line in lines)
    report = explain_text(
        (STEPS + "".join(f"(Worker pid=9) {line}\n" for line in lines) + repeated).encode(), load_catalog()
    )
    assert report.attempts == ()
