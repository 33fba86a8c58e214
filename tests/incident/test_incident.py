"""What ended the run is told from what was survived, from noise, and from earlier runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from logsense.incident.incident import correlate
from logsense.incident.signs import Signs
from logsense.match.engines import PlainEngine
from logsense.match.progress import progress_in
from logsense.match.scanner import Scanner
from logsense.model.knowledge import Catalog
from logsense.model.reading import Incident, SourceEnd
from logsense.pipeline import explain_text
from logsense.records.records import records, records_in
from tests.conftest import Write
from tests.demo import CORPUS, signature

ROOT = Path(__file__).parents[2]


@pytest.fixture
def catalog(write_catalog: Write) -> Catalog:
    return write_catalog(CORPUS)


def incident(catalog: Catalog, *logs: str) -> Incident:
    readings = []
    for number, log in enumerate(logs):
        scanner = Scanner(catalog, PlainEngine(catalog.literals), records, f"log{number}")
        scanner.feed(log.encode())
        reading = scanner.finish()
        last = records_in(reading, reading.tail)
        readings.append(reading._replace(end=SourceEnd(tuple(last), tuple(progress_in(catalog, last)))))
    return correlate(readings, Signs(catalog))


def failing(found: Incident) -> list[str]:
    return [finding.signature.id for finding in found.failing]


FULL = "memory full: asked 2 GiB of 8 GiB, free 1 GiB\n"
STEPS = "step 1 loss 0.5\nstep 2 loss 0.4\nstep 3 loss 0.3\n"


def test_the_last_failure_and_what_led_to_it(catalog: Catalog) -> None:
    found = incident(catalog, f"{STEPS}{FULL}peer 3 went away\nlauncher: all ranks failed\n")
    assert found.outcome == "failed"
    assert failing(found) == ["demo.full", "demo.peer", "demo.summary"]


def test_a_failure_that_progress_follows_was_survived(catalog: Catalog) -> None:
    found = incident(catalog, f"{FULL}{STEPS}")
    assert found.outcome == "running"
    assert failing(found) == []
    assert [finding.signature.id for finding in found.survived] == ["demo.full"]


def test_steps_between_a_schedulers_signal_and_its_kill_prove_nothing(catalog: Catalog) -> None:
    found = incident(catalog, f"{STEPS}scheduler: time is up\npeer 3 went away\nstep 4 loss 0.2\nstep 5 loss 0.2\n")
    assert failing(found) == ["demo.ended", "demo.peer"]


@pytest.mark.parametrize("between", ["", "a line of the next start\n" * 30])
def test_a_run_that_was_started_again_after_its_time_goes_on(catalog: Catalog, between: str) -> None:
    again = STEPS if not between else "step 4 loss 0.2\nstep 5 loss 0.2\n"
    found = incident(catalog, f"{STEPS}scheduler: time is up\n{between}{again}")
    assert (found.outcome, failing(found)) == ("running", [])


@pytest.mark.parametrize(
    ("later", "outcome"), [("step 2 loss 0.4\n", "running"), ("loop 3/9 [0:10<\n", "failed"), ("", "failed")]
)
def test_a_value_is_finite_again_where_one_report_names_it(write_catalog: Write, later: str, outcome: str) -> None:
    diverged = signature("diverged", "failure", "reported {metric:ident} as nan")
    catalog = write_catalog({**CORPUS, "corpus/demo/diverged.yaml": diverged})
    assert incident(catalog, f"step 1 reported loss as nan\n{later}").outcome == outcome


def test_a_failure_that_a_good_end_follows_was_survived(catalog: Catalog) -> None:
    assert incident(catalog, f"{FULL}demo is done\n").outcome == "completed"


def test_a_failure_far_from_the_end_was_survived(catalog: Catalog) -> None:
    assert incident(catalog, FULL + "anything else\n" * 500).outcome == "unknown"


def test_a_shell_that_goes_on_for_a_while_got_over_its_complaint(built_in_catalog: Catalog) -> None:
    complaint = "run.sh: line 2: module: command not found\n"
    assert incident(built_in_catalog, complaint + "anything else\n" * 150).outcome == "unknown"
    assert incident(built_in_catalog, complaint + "anything else\n" * 50).outcome == "failed"


def test_an_earlier_failure_before_progress_is_another_matter(catalog: Catalog) -> None:
    found = incident(catalog, f"{FULL}{STEPS}lost the device 1\n")
    assert failing(found) == ["demo.lost"]


def test_of_several_runs_the_last_counts(catalog: Catalog) -> None:
    log = f"demo begins a run\n{FULL}launcher: all ranks failed\ndemo begins a run\nlost the device 1\n"
    assert failing(incident(catalog, log)) == ["demo.lost"]


def test_banners_of_one_run_do_not_part_it(catalog: Catalog) -> None:
    log = f"demo begins a run\ndriver 470.1 is old\ndemo begins a run\n{FULL}"
    found = incident(catalog, log)
    assert "demo.old" in [finding.signature.id for finding in found.context]


def test_noise_does_not_claim_what_is_glued_to_its_line(catalog: Catalog) -> None:
    found = incident(catalog, "  3%|3     | 3/9 [0:10<0:20, lost the device 1]harmless chatter: again\n")
    assert failing(found) == ["demo.lost"]


def test_noise_claims_what_follows_it_in_its_record(catalog: Catalog) -> None:
    found = incident(catalog, "harmless chatter: lost the device 1\n")
    assert found.outcome == "unknown"
    assert [finding.signature.id for finding in found.noise] == ["demo.chatter"]


def test_the_first_failure_counts_over_all_logs(catalog: Catalog) -> None:
    found = incident(catalog, "peer 1 went away\n", f"demo is done\n{FULL}")
    assert found.outcome == "failed"
    assert [(f.record.source, f.signature.id) for f in found.failing] == [("log0", "demo.peer"), ("log1", "demo.full")]


def test_what_the_log_ends_after(catalog: Catalog) -> None:
    assert incident(catalog, "driver 470.1 is old\nharmless chatter\nsomething\n").last == ("demo.old",)
    assert incident(catalog, "driver 470.1 is old\na\nb\nc\n").last == ()


def test_an_unknown_exception_at_the_end_is_a_failure(catalog: Catalog) -> None:
    log = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\nOddError: strange\n'
    assert incident(catalog, log).outcome == "failed"


def test_nothing_is_unknown(catalog: Catalog) -> None:
    assert incident(catalog, "").outcome == "unknown"


def test_a_failure_before_a_good_end_is_of_another_run(catalog: Catalog) -> None:
    assert failing(incident(catalog, f"{FULL}demo is done\nlost the device 1\n")) == ["demo.lost"]
    # A launcher's last words alone are no failure of their own.
    found = incident(catalog, f"{FULL}demo is done\npeer 3 went away\nlauncher: all ranks failed\n")
    assert failing(found) == ["demo.full", "demo.peer", "demo.summary"]


def test_noise_claims_what_belongs_to_it_and_not_the_line_below() -> None:
    from logsense.catalog.load import load_catalog

    noise = (
        "2019-01-15 05:49:31.297537: I tensorflow/stream_executor/cuda/cuda_gpu_executor.cc:964] successful NUMA node read "
        "from SysFS had negative value (-1), but there must be at least one NUMA node, so returning NUMA node zero\n"
    )
    report = explain_text((noise * 3 + "main container failed with exit code 139\n").encode(), load_catalog())
    assert report.diagnoses[0].cause == "code.native-crash"
    assert [one.signature for one in report.noise] == ["tensorflow.numa-node"]


def test_a_warning_does_not_claim_the_traceback_below_it() -> None:
    from logsense.catalog.load import load_catalog

    log = (
        "WARNING:tensorflow:From train.py:12: The name tf.Session is deprecated. Please use tf.compat.v1.Session instead.\n"
        'Traceback (most recent call last):\n  File "train.py", line 12, in <module>\n    main()\n'
        '  File "train.py", line 9, in main\n    raise FrobError("no")\nfrob.FrobError: no\n'
    )
    report = explain_text(log.encode(), load_catalog())
    assert [one.cause for one in report.diagnoses] == ["code.python-exception"]
    assert [one.signature for one in report.noise]


def test_a_hint_in_the_line_of_noise_explains_nothing() -> None:
    from logsense.catalog.load import load_catalog

    log = "mkdir -p failed for path /srv/.config/matplotlib: [Errno 13] Permission denied: '/srv/.config'\nstarted 4 chains\n"
    report = explain_text(log.encode(), load_catalog())
    assert not report.diagnoses
    assert [one.signature for one in report.noise] == ["matplotlib.folder-replaced"]


def test_each_noise_of_a_record_claims_its_own_line() -> None:
    from logsense.catalog.load import load_catalog

    prefix = "E0106 16:56:22.640000 2158755 torch/_inductor/select_algorithm.py:2100] [7/0] "
    told = "No valid triton configs. OutOfResources: out of resource: shared memory, Required: 245760, Hardware limit: 232448."
    log = f"{prefix}Runtime error during autotuning: \n{prefix}{told}\n{prefix}Ignoring this choice.\nscore 0.18\n"
    assert not explain_text(log.encode(), load_catalog()).diagnoses
    assert explain_text(f"RuntimeError: {told}\n".encode(), load_catalog()).diagnoses


def test_noise_claims_only_what_is_indented_further(catalog: Catalog) -> None:
    below = incident(catalog, "output:\n  harmless chatter\n    warn()\n  lost the device 1\n    warn()\n")
    assert failing(below) == ["demo.lost"]
    within = incident(catalog, "output:\n  harmless chatter\n    lost the device 1\n")
    assert failing(within) == []


def test_an_exception_that_python_ignored_is_no_failure() -> None:
    from logsense.catalog.load import load_catalog

    raised = (
        'Traceback (most recent call last):\n  File "/venv/torch/utils/data/dataloader.py", line 1479, in __del__\n'
        "    self._shutdown_workers()\nRuntimeError: DataLoader worker (pid 71) is killed by signal: Aborted. \n"
    )
    log = f"done\nException ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f15>\n{raised}"
    assert not explain_text(log.encode(), load_catalog()).diagnoses
    assert explain_text(f"done\n{raised}".encode(), load_catalog()).diagnoses


def test_a_warning_that_is_claimed_begins_no_other_run() -> None:
    from logsense.catalog.load import load_catalog

    status = (
        "== Status ==\nMemory usage on this node: 6.5/187.1 GiB\nResult logdir: /results/Train\nNumber of trials: 2\n\n"
    )
    warned = (
        "/venv/torch/nn/functional.py:2016: UserWarning: Using a target size (torch.Size([8])) that is different to the "
        "input size (torch.Size([8, 1])) is deprecated. Please ensure they have the same size.\n"
    )
    log = f"{status}{warned}{status}{warned}{status}\nSuccessfully completed.\n\nResource usage summary:\n"
    report = explain_text(log.encode(), load_catalog())
    assert (report.outcome, report.diagnoses, report.attempts) == ("completed", (), ())


LOGGED = "2026-01-01 10:00:00,000 INFO trainer: "


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (f"{STEPS}{LOGGED}it ended, {FULL}", True),
        (f"{STEPS}{LOGGED}it ended, {FULL}shutting down\n", True),
        (f"{STEPS}{LOGGED}it may end with {FULL}step 4 loss 0.2\n", False),
        (f"{STEPS}{FULL}step 4 loss 0.2\n", True),
        (f"{STEPS}If you get {FULL}", False),
        (f"{STEPS}Warning: two were found.\n  In case there is a {FULL}", False),
        (f"{STEPS}If you like it, tell us. {FULL}", True),
    ],
)
def test_a_failure_that_is_only_mentioned(catalog: Catalog, log: str, expected: bool) -> None:
    assert (failing(incident(catalog, log)) != []) == expected


@pytest.mark.parametrize(
    ("warned", "ended", "expected"),
    [
        ("Warning: failed to load 'a'. Error: [Errno 2] No such file or directory: '/data/a.png'", "'Net' object has no attribute 'go'", "AttributeError"),
        ("Warning: failed to load 'a'. Error: [Errno 2] No such file or directory: '/data/a.png'", "'Net' object has no attribute 'data'", "doesn't exist"),
        ("failed to load 'a'. Error: [Errno 2] No such file or directory: '/data/a.png'", "'Net' object has no attribute 'go'", "doesn't exist"),
        ("WARNING: no apex, falling back. ModuleNotFoundError: No module named 'apex'", "'Net' object has no attribute 'go'", "AttributeError"),
        ("WARNING: no apex, falling back. ModuleNotFoundError: No module named 'apex'", "module 'apex' has no attribute 'go'", "apex"),
    ],
)  # fmt: skip
def test_what_a_program_only_warned_of(warned: str, ended: str, expected: str) -> None:
    from logsense.catalog.load import load_catalog

    log = f'{warned}\nTraceback (most recent call last):\n  File "train.py", line 3, in <module>\n    net.x()\nAttributeError: {ended}\n'
    assert expected in explain_text(log.encode(), load_catalog()).diagnoses[0].title


def test_an_exception_that_noise_announces_does_not_end_the_run() -> None:
    from logsense.catalog.load import load_catalog

    told = (
        "2026-11-02 03:00:00,123 ERROR   wandb-AsyncioManager-main:43 [asyncio_manager.py:fn_wrap_exceptions():183] "
        "Uncaught exception in run_soon callback.\n"
        'Traceback (most recent call last):\n  File "/env/wandb/sdk/lib/asyncio_manager.py", line 181, in fn_wrap_exceptions\n'
        "    await fn()\nConnectionResetError: Connection lost\n"
    )
    report = explain_text(told.encode(), load_catalog())
    assert (report.outcome, report.diagnoses) == ("unknown", ())


def test_an_exception_that_a_frame_of_noise_announces_does_not_end_the_run(built_in_catalog: Catalog) -> None:
    told = (
        'Traceback (most recent call last):\n  File "/env/lib/python3.10/site-packages/xformers/__init__.py", line 57, in '
        "_is_triton_available\n    import triton\nModuleNotFoundError: No module named 'triton'\n"
    )
    assert not explain_text(told.encode(), built_in_catalog).diagnoses


@pytest.mark.parametrize("steps", [30, 200, 900])
def test_a_loss_that_stays_nan_began_at_the_first_of_many_reports(steps: int) -> None:
    from logsense.catalog.load import load_catalog

    log = "".join(f"Epoch: {n}/900 Loss {0.5 if n < 4 else 'nan'} Time taken: 0:00:45\n" for n in range(1, steps))
    report = explain_text(log.encode(), load_catalog())
    assert report.diagnoses[0].cause == "numerics.non-finite"
    assert report.diagnoses[0].evidence[0].line == 4


@pytest.mark.parametrize(("epoch", "outcome"), [(29, "running"), (30, "completed")])
def test_a_run_whose_last_epoch_is_told_is_no_longer_under_way(
    epoch: int, outcome: str, built_in_catalog: Catalog
) -> None:
    log = "".join(f"Epoch [{number}/30], Train Loss: 2.74, Validation Loss: 2.84\n" for number in range(1, epoch + 1))
    assert explain_text(log.encode(), built_in_catalog).outcome == outcome


def test_a_result_that_counts_nothing_says_not_that_more_is_to_come(built_in_catalog: Catalog) -> None:
    report = explain_text(b"**** Final test accuracy: 94.07. ****\nweights saved\n", built_in_catalog)
    assert report.outcome == "completed"


@pytest.mark.parametrize(
    ("outermost", "after", "failed"),
    [("objective", 3, False), ("objective", 2, True), ("<module>", 3, True)],
    ids=["caught", "too little follows", "uncaught"],
)
def test_an_exception_that_a_function_caught_and_outlived_is_survived(
    built_in_catalog: Catalog, outermost: str, after: int, failed: bool
) -> None:
    log = (
        f'Traceback (most recent call last):\n  File "study.py", line 12, in {outermost}\n    score = fit(trial)\n'
        '  File "study.py", line 5, in fit\n    raise ValueError("loss diverged: nan at step 1")\n'
        "ValueError: loss diverged: nan at step 1\n\n"
    ) + "".join(f"Trial {number} of the study has value 0.3\n\n" for number in range(after))
    assert (explain_text(log.encode(), built_in_catalog).outcome == "failed") == failed


def test_a_table_pasted_behind_an_error_is_not_the_program_going_on(built_in_catalog: Catalog) -> None:
    error = 'Traceback (most recent call last):\n  File "run.py", line 8, in load\n    return 1 / 0\nZeroDivisionError: division by zero\n'
    row = "|   0  NVIDIA L4           Off | 00000000:00:03.0 Off |                    0 |\n"
    table = (
        "+----------------+\n| NVIDIA-SMI 570.86.15    Driver Version: 570.86.15    CUDA Version: 12.8 |\n|======+======|\n"
        + row * 8
    )
    assert (
        explain_text(f"{error}$ nvidia-smi\n{table}".encode(), built_in_catalog).diagnoses[0].cause
        == "code.python-exception"
    )


@pytest.mark.parametrize("end", ["", "RuntimeError: CUDA error: device-side assert triggered\n"])
def test_a_level_that_a_collector_gives_to_every_line_is_no_alarm(end: str, built_in_catalog: Catalog) -> None:
    lines = [*(ROOT / "tests/healthy/ulimit.log").read_text().splitlines(keepends=True), *([end] if end else [])]
    log = "".join(f"2026-11-02T10:00:{number:02}Z ERROR {line}" for number, line in enumerate(lines))
    assert (explain_text(log.encode(), built_in_catalog).outcome == "failed") == bool(end)
