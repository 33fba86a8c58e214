"""A job that was tried several times."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain, explain_text
from logsense.records.rank_by_name import attempt_of
from logsense.render.words import attempts_in_words
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
