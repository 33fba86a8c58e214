"""The words that all forms of a report share."""

from __future__ import annotations

import pytest

from logsense.model.report import FactValue, Progress, Report, Rerun, Saved
from logsense.render.words import (
    headline_in_words,
    inputs_in_words,
    ranks_in_words,
    rerun_in_words,
    risk_in_words,
    status_in_words,
    sure_in_words,
    time_in_words,
)
from tests.render.drafts import FAILED, FRAGMENTED


@pytest.mark.parametrize(
    ("confidence", "words"),
    [
        (1.0, "100 % sure"),
        (0.999, "99 % sure"),
        (0.87, "87 % sure"),
    ],
)
def test_sure(confidence: float, words: str) -> None:
    assert sure_in_words(confidence) == words


def test_ranks() -> None:
    assert ranks_in_words([3]) == "rank 3"
    assert ranks_in_words([5, 0, 1, 2, 7, 8]) == "ranks 0–2, 5, 7, 8"


def test_rerun() -> None:
    assert rerun_in_words(Rerun("other-node", "The GPU is bad.", ("n1", "n2"))) == (
        "On another machine, without n1, n2. The GPU is bad."
    )
    assert rerun_in_words(Rerun("retry", "")) == "Worth trying"


@pytest.mark.parametrize(
    ("progress", "words"),
    [
        (Progress(), ""),
        (Progress("saving", "while a checkpoint was being written"), "while a checkpoint was being written"),
        (Progress(step=12, steps=None, epoch=1.25), "epoch 1.25 · step 12"),
        (Progress(epoch=3.0, epochs=10, after_s=75), "epoch 3 of 10 · 75 s after the start"),
        (Progress(checkpoint=Saved(None, 2.0, None, "log", 1)), "last checkpoint: epoch 2"),
        (Progress(step=5000, checkpoint=Saved(None, None, "a.pt", "log", 1)), "step 5,000 · last checkpoint: a.pt"),
    ],
)
def test_progress(progress: Progress, words: str) -> None:
    assert status_in_words(Report("failed", progress=progress)) == words


def test_risks() -> None:
    assert risk_in_words("none") == ""
    assert risk_in_words("needs-admin") == "needs an administrator"
    assert risk_in_words("needs-admin,stops-others,reboots") == (
        "needs an administrator, stops other people's jobs, reboots the machine"
    )


def test_inputs() -> None:
    assert inputs_in_words(Report("unknown", lines_read=0)) == "0 lines read"


def test_the_rank_that_others_waited_for_is_to_be_looked_at() -> None:
    diagnosis = FAILED.diagnoses[0]._replace(
        cause="distributed.collective-timeout", title="ALLGATHER 7 timed out", evidence=()
    )
    report = FAILED._replace(diagnoses=(diagnosis,), facts={"log.awaited_ranks": FactValue("3")})
    assert headline_in_words(report) == "Look at rank 3: ALLGATHER 7 timed out"
    assert (
        headline_in_words(report._replace(facts={"log.awaited_ranks": FactValue("1")}))
        == "Rank 3: ALLGATHER 7 timed out"
    )


@pytest.mark.parametrize(("rank", "headline"), [(3, "Rank 3: GPU 3's memory"), (0, "Look at rank 3: GPU 3's memory")])
def test_a_headline_names_the_rank_at_fault(rank: int, headline: str) -> None:
    first = FRAGMENTED._replace(evidence=tuple(one._replace(rank=rank) for one in FRAGMENTED.evidence))
    said = headline_in_words(FAILED._replace(diagnoses=(first,)))
    assert said.startswith(headline)


@pytest.mark.parametrize(
    ("title", "facts", "headline"),
    [
        ("The shapes differ", {"file": "/home/me/train.py", "line": 12}, "The shapes differ (train.py:12)"),
        (
            "The shapes differ",
            {"own_file": "fit.py", "own_line": 7, "file": "/env/lib/python3.11/site-packages/t.py", "line": 1},
            "The shapes differ (fit.py:7)",
        ),
        (
            "The shapes differ",
            {"file": "/env/lib/python3.11/site-packages/torch/nn/functional.py", "line": 9},
            "The shapes differ (step 4,120)",
        ),
        ("A worker died", {"file": "/usr/lib/python3.10/runpy.py", "line": 9}, "A worker died (step 4,120)"),
        ("The shapes differ", {"file": "/tmp/ipykernel_71/1234.py", "line": 3}, "The shapes differ (cell, line 3)"),
        ("The shapes differ", {"file": "<ipython-input-8-f00>", "line": 2}, "The shapes differ (cell [8], line 2)"),
        ("The shapes differ: 3 and 4", {"file": "train.py", "line": 12}, "The shapes differ: 3 and 4"),
        ("train.yaml is empty", {"file": "train.py", "line": 12}, "train.yaml is empty"),
        ("A title that fills the line without the place, and so has none", {"file": "train.py", "line": 12}, "A title"),
    ],
)
def test_a_title_without_a_name_or_number_gets_the_place(title: str, facts: dict[str, object], headline: str) -> None:
    first = FRAGMENTED._replace(title=title, evidence=())
    known = {f"exception.{name}": FactValue(value) for name, value in facts.items()}
    said = headline_in_words(FAILED._replace(diagnoses=(first,), culprits=(), facts=known))
    assert said == headline or (said == title and title.startswith(headline))


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Native code aborted (step 20)", "3 s after the start"),
        ("Memory ran out after step 20: 2 GiB", "3 s after the start"),
        ("Step 200 failed (step 2)", "step 20 · 3 s after the start"),
    ],
)
def test_a_step_in_the_headline_is_not_said_again(title: str, words: str) -> None:
    progress = Progress("training", "during training", 20, None, None, None, None, 3.0, None)
    assert status_in_words(Report("failed", progress=progress), title) == words


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("2026-11-21T02:46:27.27", "2026-11-21 02:46"),
        ("1121 02:46:27.27", "11-21 02:46"),
        ("0000 00:00:1795229285.257804", "2026-11-21 02:48 UTC"),
        ("Nov 21 02:46:27", "Nov 21 02:46:27"),
    ],
)
def test_times(printed: str, shown: str) -> None:
    assert time_in_words(printed) == shown
