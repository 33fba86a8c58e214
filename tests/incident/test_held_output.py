"""Standard output that waited in a buffer while the program raised an exception is printed below the traceback."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

RAISED = (
    'Traceback (most recent call last):\n  File "/srv/fit.py", line 40, in <module>\n    main()\n'
    '  File "/srv/fit.py", line 12, in main\n    return table[row["kind"]]\nKeyError: \'kind\'\n'
)
OPENING = "reading /srv/rows.csv\n5,120 rows of 14 kinds\n3.1M parameters on cpu\n"
STEPS = "".join(f"epoch {number}/40 loss {2 / number:.3f}\n" for number in range(1, 9))


def report_on(log: str, catalog: Catalog) -> Report:
    return explain_text(log.encode(), catalog)


@pytest.mark.parametrize(
    "before", ["", "fit.py:3: UserWarning: lbfgs is slow here\n", "tokens: 100%|####| 9/9 [00:01<00:00]\n"]
)
def test_what_waited_in_a_buffer_is_no_sign_of_life(before: str, built_in_catalog: Catalog) -> None:
    report = report_on(before + RAISED + OPENING + STEPS, built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause == "code.python-exception"
    assert report.progress
    assert report.progress.epoch == 8


@pytest.mark.parametrize(
    "log",
    [
        RAISED + OPENING + STEPS + "Training finished\n",
        RAISED + OPENING + STEPS + "best model saved to out/best.pt\n",
        RAISED + OPENING + STEPS.replace("/40", "/8"),
        RAISED + "+ python fit.py --rows all\n" + OPENING + STEPS + "+ echo done\ndone\n",
        RAISED + OPENING + "".join(f"epoch {number} loss {9 / number:.3f}\n" for number in range(1, 2000)),
        STEPS + RAISED.replace("<module>", "one_kind") + STEPS,
        RAISED.replace('row["kind"]', "row").replace("    return table", "    from table import rows  #")
        + OPENING
        + STEPS,
        RAISED + "".join(f"2026-03-01 10:00:0{number} epoch {number} loss 0.4\n" for number in range(8)),
    ],
)
def test_what_a_later_program_prints_is_one(log: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome != "failed"
    assert not report.diagnoses


def test_a_batch_systems_report_precedes_the_output_of_its_job(built_in_catalog: Catalog) -> None:
    end = "Job <python fit.py> was submitted from host <n1> by user <jo> in cluster <lab>\n\n{}.\n\n"
    output = (
        "The output (if any) follows:\n\n"
        + OPENING
        + STEPS
        + "\nPS:\n\nRead file <fit.err> for stderr output of this job.\n"
    )
    for said, outcome in (("Exited with exit code 1", "failed"), ("Successfully completed", "completed")):
        assert report_on((end.format(said) + output) * 2, built_in_catalog).outcome == outcome


def test_an_exception_without_a_message_takes_none_from_the_next_line(built_in_catalog: Catalog) -> None:
    log = STEPS + RAISED.replace("KeyError: 'kind'", "TimeoutError") + "closing files\n"
    assert "closing files" not in report_on(log, built_in_catalog).diagnoses[0].title
