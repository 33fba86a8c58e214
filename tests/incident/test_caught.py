"""What a program catches, item by item or once, ends nothing, unless every item fails."""

from __future__ import annotations

import pytest

from logsense.incident.signs import Signs
from logsense.model.knowledge import Catalog
from logsense.model.reading import FailedItems
from logsense.model.report import Report
from logsense.pipeline import explain_text

TRACEBACK = (
    'Traceback (most recent call last):\n  File "/srv/clips/cut.py", line 40, in {place}\n    cut(name)\n'
    '  File "/srv/clips/cut.py", line 12, in cut\n    raise ValueError("no key frame in " + name)\n'
    "ValueError: no key frame in clip {number}\n"
)
STEPS = "".join(f"iter {number}/900 objective {9 / (number + 3):.4f}\n" for number in range(30))
OUT_OF_MEMORY = "CUDA out of memory. Tried to allocate 3.00 GiB"


def report_on(log: str, catalog: Catalog) -> Report:
    return explain_text(log.encode(), catalog)


def clips(bad: set[int], place: str = "<module>", count: int = 24) -> str:
    return "".join(
        TRACEBACK.format(place=place, number=number) if number in bad else f"cut clip {number} into 4 parts\n"
        for number in range(count)
    )


def trials(bad: set[int], count: int = 9) -> str:
    failed = (
        "[W 2026-03-0{0} 08:00:0{0},551] Trial {0} failed with parameters: {{'width': 64}} because of the following "
        "error: RuntimeError('" + OUT_OF_MEMORY + "').\nTraceback (most recent call last):\n"
        '  File "/opt/venv/lib/python3.11/site-packages/optuna/study/_optimize.py", line 206, in _run_trial\n'
        "    value_or_values = func(trial)\n" + f"RuntimeError: {OUT_OF_MEMORY}\n"
        "[W 2026-03-0{0} 08:00:0{0},552] Trial {0} failed with value None.\n"
    )
    good = "[I 2026-03-0{0} 08:00:0{0},551] Trial {0} finished with value: 0.4{0} and parameters: {{'width': 8}}.\n"
    return "".join((failed if number in bad else good).format(number) for number in range(count))


@pytest.mark.parametrize(
    "log",
    [
        clips({4, 9, 23}) + "21 clips converted, 3 failed\nindex at clips/index.csv\n",
        clips({4, 9}, "cut_all") + "left out 2 clips\n",
        STEPS + TRACEBACK.format(place="preview", number=3) + "preview skipped\nepoch 1 done\n",
        trials({3}),
        trials({3, 8}) + "Best: 0.47\n",
        "".join(f"case {n}: {'right' if n % 4 else 'raised IndexError: pop from empty list'}\n" for n in range(50)),
        "".join(f"run {n}: {'auc 0.7' if n != 4 else 'FAILED (ValueError: Input contains NaN)'}\n" for n in range(9))
        + "mean auc 0.7\n",
    ],
)
def test_a_failure_that_the_program_survives_is_none(log: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert not report.diagnoses
    assert report.outcome != "failed"
    assert not report.unexplained


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        (clips({*range(6)}, count=6) + "0 of 6 clips converted\n", ""),
        (trials({*range(9)}) + "no trial is left\n", "gpu-memory.capacity"),
        ("".join(f"INFO reply {n}: {OUT_OF_MEMORY}\n" for n in range(20)) + "INFO end\n", "gpu-memory.capacity"),
        (STEPS + TRACEBACK.format(place="<module>", number=3), ""),
        (STEPS + TRACEBACK.format(place="<module>", number=3) + "Job done at 10:04\n", ""),
        (STEPS + TRACEBACK.format(place="<module>", number=3) + "log saved to out/run.log\n", ""),
        (STEPS + TRACEBACK.format(place="<module>", number=3) + "3 files written, 1 failed\n", ""),
        (("$ python cut.py\n" + TRACEBACK.format(place="<module>", number=3)) * 2 + "$ \n", ""),
        (("loading clips\n" + TRACEBACK.format(place="<module>", number=3)) * 3 + "loading clips\n", ""),
        (STEPS + "ERROR Training failed\n" + TRACEBACK.format(place="main", number=3) + "closing\nend\nbye\n", ""),
        (STEPS + TRACEBACK.format(place="main", number=3) + "Job failed\nlogs written to out/log.txt\n", ""),
        (STEPS + TRACEBACK.format(place="main", number=3) + "emergency state in dump.pt\naborting\n", ""),
    ],
)
def test_a_failure_of_every_item_or_of_the_program_is_one(log: str, cause: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause == cause or not cause


def test_the_report_counts_the_items_that_failed(built_in_catalog: Catalog) -> None:
    report = report_on(clips({4, 9, 23}) + "21 clips converted, 3 failed\n", built_in_catalog)
    assert report.attempts[-1].title.startswith("3 of 24 items, the last with: ")


@pytest.mark.parametrize(
    ("line", "tally"),
    [
        ("7 of 30 prompts failed", FailedItems(7, 30)),
        ("stored 23 rows, skipped 7", None),
        ("23 rows imported, 7 rejected", FailedItems(7, 30)),
        ("0 of 30 prompts answered", FailedItems(1, 1)),
        ("30 prompts answered", None),
        ("2 errors", None),
        ("handled 30, failed 7", None),
        ("processed 30, failed 7", FailedItems(7, 30)),
        ("30 prompts processed, 7 failed", FailedItems(7, 30)),
        ("processed 7, failed 30", FailedItems(30, 37)),
        ("Total: 30, failed: 7", FailedItems(7, 30)),
        ("Failed: 7/30", FailedItems(7, 30)),
        ("ok=23 failed=7", FailedItems(7, 30)),
        ("total 30 errors 7", FailedItems(7, 30)),
        ("Success: 0, failed: 7", FailedItems(1, 1)),
        ("passed 0, failed 0", None),
    ],
)
def test_counts_of_items(line: str, tally: FailedItems | None, built_in_catalog: Catalog) -> None:
    assert Signs(built_in_catalog).tally([line]) == tally


@pytest.mark.parametrize(
    "end",
    [
        "SIGTERM came in: state goes to disk\nstate is on disk\nleaving\n",
        "signal 10 caught, keeping the weights\n",
        "preemption notice from the cluster, 25 s left\nweights kept\n",
        "^C: ending after this iteration\nweights kept\n",
        "run.sh: line 7: 5512 User defined signal 1   python fit.py\n",
    ],
)
def test_a_program_that_names_a_signal_as_it_ends_was_stopped(end: str, built_in_catalog: Catalog) -> None:
    assert report_on(STEPS + end, built_in_catalog).outcome == "stopped"


@pytest.mark.parametrize("line", ["Press Ctrl-C to stop\n", "SIGUSR1 handler registered\n", "--signal=USR1@60\n"])
def test_a_signal_that_is_only_mentioned_stops_nothing(line: str, built_in_catalog: Catalog) -> None:
    assert report_on(line + STEPS, built_in_catalog).outcome in ("running", "unknown")


@pytest.mark.parametrize("text", ["", " \n\n", "\r\n\t\n"])
def test_an_empty_log_is_called_empty(text: str, built_in_catalog: Catalog) -> None:
    assert report_on(text, built_in_catalog).empty
    assert not report_on("step 1\n", built_in_catalog).empty


def test_a_value_that_is_wrong_to_the_end_is_a_failure_whatever_the_program_says(built_in_catalog: Catalog) -> None:
    values = "".join(f'{{"step": "{n}", "loss": "0.{9 - n}"}}\n' for n in range(5))
    wrong = '{"step": "5", "loss": "NaN"}\n'
    assert (
        report_on(values + wrong + "Training finished\n", built_in_catalog).diagnoses[0].cause == "numerics.non-finite"
    )
    assert not report_on(values + "Training finished\n", built_in_catalog).diagnoses
