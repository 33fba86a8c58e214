"""Attempts at a job that follow each other in one log without any message that says so."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

BANNER = (
    "{0} INFO Loading configuration from config.yaml\n{0} INFO Using device cuda:0\n"
    "{0} INFO Building model with 124M parameters\n{0} INFO Loaded 10000 samples\n"
)
TRACE = 'Traceback (most recent call last):\n  File "train.py", line 88, in <module>\n    main()\n'
MISSING = TRACE + "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard-7.tar'\n"
FULL = TRACE + "OSError: [Errno 28] No space left on device: '/ckpt/step.pt'\n"
PORT = TRACE + (
    "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. The server "
    "socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).\n"
)


def at(second: int) -> str:
    return f"2026-11-02 03:{second // 60:02d}:{second % 60:02d},123"


def banner(second: int) -> str:
    return BANNER.format(at(second))


def steps(first: int, last: int, second: int) -> str:
    reports = range(first, last, 10)
    return "".join(
        f"{at(second + n)} INFO step {step} loss {2.5 - step / 1000:.3f}\n" for n, step in enumerate(reports)
    )


def read(text: str) -> tuple[str, list[str]]:
    """The first cause, and those of the other attempts."""
    report = report_on(text)
    return report.diagnoses[0].cause, [one.cause for one in report.attempts]


def restarts(report: Report) -> list[str]:
    """The causes of the other attempts at the job."""
    return [one.cause for one in report.attempts if one.what == "attempt"]


def report_on(text: str) -> Report:
    return explain_text(text.encode(), load_catalog())


def test_lines_that_begin_a_run_come_again() -> None:
    text = banner(0) + steps(0, 300, 9) + MISSING + banner(100) + steps(0, 300, 109) + FULL
    report = report_on(text)
    assert report.diagnoses[0].cause == "storage.disk-full"
    assert [one.cause for one in report.attempts] == ["storage.file-missing"]
    assert report.progress
    assert report.progress.after_s == 38.0


def test_an_attempt_that_never_trained_does_not_hide_the_failure() -> None:
    text = banner(0) + steps(0, 300, 9) + MISSING + "".join(banner(100 + 20 * n) + PORT for n in range(3))
    assert read(text) == ("storage.file-missing", ["distributed.port-in-use"] * 3)


def test_a_restart_that_still_runs_tells_what_failed_before_it() -> None:
    found = "GPU available: True (mps), used: True\n"
    report = report_on(banner(0) + steps(0, 300, 9) + MISSING + banner(100) + found + steps(0, 300, 109))
    assert (report.outcome, report.diagnoses) == ("running", ())
    assert [(one.cause, one.what) for one in report.attempts] == [("storage.file-missing", "failure")]


def test_a_run_that_went_well_is_no_attempt() -> None:
    text = banner(0) + steps(0, 300, 9) + "Training completed. \n" + banner(100) + PORT
    assert read(text) == ("distributed.port-in-use", [])


@pytest.mark.parametrize("resumed", [0, 200])
def test_steps_that_go_back(resumed: int) -> None:
    text = steps(0, 300, 9) + MISSING + steps(resumed, 500, 109) + FULL
    assert read(text) == ("storage.disk-full", ["storage.file-missing"])


def test_steps_that_go_on_are_of_one_run_that_survived() -> None:
    report = report_on(steps(0, 300, 9) + MISSING + steps(300, 500, 109) + FULL)
    assert report.diagnoses[0].cause == "storage.disk-full"
    assert not restarts(report)
    assert any("the run went on" in one.says for one in report.noise)


def test_bars_that_are_drawn_once_more_at_the_end_survive_nothing() -> None:
    bars = "".join(f"\rbatch:  {n}%|█    | {n}/100 [00:{n:02d}<01:00,  1.0it/s]" for n in range(10, 30))
    closing = "\repoch:  10%|█         | 2/20 [22:41<3:24:13, 680.75s/it]\n"
    closing += "\rbatch:  30%|███       | 30/100 [00:30<01:10,  1.0it/s]\n"
    report = report_on(f"{bars}\n{FULL}{closing}")
    assert (report.outcome, report.diagnoses[0].cause) == ("failed", "storage.disk-full")
    assert not report_on(f"{bars}\n{FULL}{closing}\rbatch:  31%|███       | 31/100 [00:31<01:09,  1.0it/s]\n").diagnoses


def test_steps_that_begin_anew_in_each_epoch_are_no_restart() -> None:
    epochs = "".join(steps(0, 100, 9 + 20 * epoch) for epoch in range(3))
    assert not restarts(report_on(epochs + MISSING + epochs + FULL))


def test_a_rank_that_is_only_late_is_no_restart() -> None:
    first, second = ("".join(f"{rank}: {line}\n" for line in banner(0).splitlines()) for rank in (0, 1))
    failure = "".join(f"0: {line}\n" for line in MISSING.splitlines())
    text = first + failure + second + "".join(f"1: {line}\n" for line in PORT.splitlines())
    assert not restarts(report_on(text))


def test_a_failure_that_ends_the_log_has_no_other_attempt() -> None:
    assert read(banner(0) + steps(0, 300, 9) + MISSING) == ("storage.file-missing", [])


def test_lines_behind_a_failure_at_the_top_are_no_second_start() -> None:
    assert not restarts(report_on(FULL + banner(0) + MISSING))


def test_a_refused_call_behind_a_run_is_not_the_attempt_that_ran() -> None:
    usage = "usage: train.py [-h] [--lr LR]\ntrain.py: error: unrecognized arguments: --epochs 15--lr 0.1\n"
    full = (
        TRACE
        + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 472.00 MiB. GPU 0 has a total capacity of "
        "15.75 GiB of which 18.38 MiB is free. Of the allocated memory 14.03 GiB is allocated by PyTorch, and 597.02 MiB "
        "is reserved by PyTorch but unallocated.\n"
    )
    log = banner(0) + steps(0, 300, 5) + banner(60) + usage + banner(70) + full + banner(80) + full
    assert read(log)[0] == "gpu-memory.capacity"


def test_the_same_short_opening_in_front_of_each_traceback() -> None:
    opening = "Loaded module: python/3.9\nLoaded dependency [cudnn/8.4]: cuda/11.7\nLoaded module: cudnn/8.4\n"
    report = report_on(opening + MISSING + opening + FULL)
    assert report.diagnoses[0].cause == "storage.disk-full"
    assert restarts(report) == ["storage.file-missing"]


def test_options_that_are_refused_one_after_the_other() -> None:
    usage = "usage: train.py [-h] [--lr LR] [--fp16]\n"
    text = usage + "train.py: error: argument --lr: expected one argument\n"
    report = report_on(text + usage + "train.py: error: unrecognized arguments: --fp8\n")
    assert report.diagnoses[0].evidence[0].line == 4
    assert restarts(report) == ["code.config"]


def test_ranks_that_refuse_the_same_option_are_one_run() -> None:
    refused = "train.py: error: unrecognized arguments: --local-rank="
    report = report_on("".join(f"usage: train.py [-h]\n{refused}{rank}\n" for rank in range(4)))
    assert report.diagnoses[0].evidence[0].line == 2
    assert restarts(report) == []


def test_what_a_program_remarks_about_an_error_is_none() -> None:
    remark = f"{at(5)} INFO Unable to read the notebook's name: 'NoneType' object has no attribute 'get'\n"
    assert report_on(banner(0) + remark + steps(0, 20, 9)).diagnoses == ()
    assert report_on(banner(0) + remark.replace("INFO", "ERROR")).diagnoses


def test_a_schedulers_sums_behind_a_traceback_begin_no_run() -> None:
    raised = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'lr'\n"
    sums = "Job ID: 37\nCluster: i5\nUser/Group: ana/fp\nState: FAILED (exit code 1)\nJob Wall-clock time: 00:00:05\n"
    report = report_on("Job started\n" + raised + sums)
    assert (report.outcome, report.attempts) == ("failed", ())


def test_lines_of_a_schedulers_epilog_begin_no_run() -> None:
    cancelled = "slurmstepd: error: *** JOB 37 ON n1 CANCELLED AT 2026-11-02T03:10:00 ***\n"
    epilog = "Begin Slurm Epilog: Nov-02-2026 03:10:01\nJob ID:        37\nUser ID:       ana\nNodes:         n1\n"
    report = report_on("Job ID: 37\n" + banner(0) + steps(0, 300, 9) + cancelled + epilog)
    assert report.diagnoses[0].cause == "scheduler.cancelled"


def test_steps_that_were_written_late_do_not_survive_a_cancelled_job() -> None:
    cancelled = "slurmstepd: error: *** JOB 37 ON n1 CANCELLED AT 2026-11-02T03:10:00 ***\n"
    report = report_on(banner(0) + steps(0, 300, 9) + cancelled + steps(300, 330, 40))
    assert report.diagnoses[0].cause == "scheduler.cancelled"


BROKEN = "  File \"/home/me/prepare.py\", line 71\n    data = load(path))\n                    ^\nSyntaxError: unmatched ')'\n"
ABSENT = (
    'Traceback (most recent call last):\n  File "/home/me/prepare.py", line 3, in <module>\n    import lmdb\n'
    "ModuleNotFoundError: No module named 'lmdb'\n"
)
WORKED = (
    'Traceback (most recent call last):\n  File "/home/me/prepare.py", line 90, in <module>\n    main()\n'
    '  File "/home/me/prepare.py", line 40, in main\n    write(rows)\nValueError: no rows\n'
)


def test_a_file_that_could_not_be_parsed_has_been_mended() -> None:
    assert read(BROKEN + ABSENT) == ("env.package-missing", ["code.python-exception"])
    assert read(BROKEN + BROKEN) == ("code.python-exception", [])


def test_a_script_that_had_worked_is_loaded_again() -> None:
    assert read(WORKED + ABSENT) == ("env.package-missing", ["data.empty-or-short"])


def test_a_script_that_could_not_be_loaded_got_past_the_import() -> None:
    assert read(ABSENT + WORKED) == ("data.empty-or-short", ["env.package-missing"])
    earlier = ABSENT.replace("line 3,", "line 95,")
    assert read(earlier + WORKED)[1] == []


def test_ranks_that_fail_at_different_places_are_one_run() -> None:
    first, other = (
        "".join(f"[rank{n}]: {line}\n" for line in text.splitlines()) for n, text in ((0, WORKED), (1, ABSENT))
    )
    assert read(first + other)[1] == []


def test_a_line_of_the_script_has_changed_between_two_tracebacks() -> None:
    edited = WORKED.replace("write(rows)", "write(rows, path)").replace("ValueError: no rows", FULL.splitlines()[-1])
    assert read(WORKED + edited) == ("storage.disk-full", ["data.empty-or-short"])
    assert read(WORKED + WORKED)[1] == []


def loop(number: int, rest: str) -> str:
    """What a loop in a shell prints around a run of few and short lines."""
    return f"START job {number}\nloading\nEpoch 1/3 loss 0.3\n{rest}END job {number}\n"


def test_a_loop_in_a_shell_starts_runs_of_short_lines() -> None:
    assert read(loop(1, MISSING) + loop(2, FULL)) == ("storage.disk-full", ["storage.file-missing"])


def test_all_that_failed_before_a_run_that_went_on_is_told() -> None:
    report = report_on(loop(1, MISSING) + loop(2, FULL) + loop(3, "Epoch 2/3 loss 0.2\nEpoch 3/3 loss 0.1\n"))
    assert not report.diagnoses
    assert [one.cause for one in report.attempts] == ["storage.file-missing", "storage.disk-full"]


def test_workers_that_print_the_same_lines_first() -> None:
    faiss = "INFO:faiss.loader:Loading faiss with AVX2 support.\n"
    workers = (faiss + "INFO:faiss.loader:Successfully loaded faiss with AVX2 support.\n") * 8
    shapes = "".join(f"layer {chr(97 + n)}: Linear({n}x{n})\n" for n in range(26))
    shapes += shapes.upper()
    text = workers + banner(0) + steps(0, 300, 9) + MISSING + workers + banner(100)
    tested = report_on(text + shapes + "INFO:root:avg. accuracy 79.4\n")
    assert not tested.diagnoses
    assert [one.cause for one in tested.attempts] == ["storage.file-missing"]
    assert read(text)[0] == "storage.file-missing"
    assert read(text + steps(0, 300, 109) + FULL) == ("storage.disk-full", ["storage.file-missing"])
