"""What ends a request, a trial, a step, or a program that is over, ends no run; its like that does end the run counts."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.model.report import Report
from logsense.pipeline import explain_text

STEPS = "".join(f"epoch {number}/3 loss {1 - number / 9:.3f}\n" for number in (1, 2, 3))
EARLY = "".join(f"step {number}/1000 loss {2 - number / 999:.3f}\n" for number in (100, 200))
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB."
ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered"


def report_on(log: str, catalog: Catalog) -> Report:
    return explain_text(log.encode(), catalog)


def request(method_and_path: str, status: str) -> str:
    return f'INFO:     10.0.0.8:50124 - "{method_and_path} HTTP/1.1" {status}\n'


def raised(head: str, error: str) -> str:
    return (
        f'{head}\nTraceback (most recent call last):\n  File "/opt/uvicorn/httptools_impl.py", line 411, in run_asgi\n'
        f'    result = await app(\n  File "/srv/app.py", line 31, in embed\n    return model.encode(texts)\n{error}\n'
    )


SERVER = (
    "INFO:     Started server process [4242]\nINFO:     Application startup complete.\n"
    "INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)\n" + request("POST /embed", "200 OK")
)
ANSWERED = request("POST /embed", "200 OK")
FAILED = request("POST /embed", "500 Internal Server Error")
UVICORN, VLLM = (
    "ERROR:    Exception in ASGI application",
    "ERROR 11-02 03:01:00 serving_chat.py:190] Error in preprocessing",
)


FLASK = '127.0.0.1 - - [29/Oct/2025 19:04:2{}] "POST /predict HTTP/1.1" {} -\n'
IN_FLASK = FLASK.format(0, 200) + raised("[2025-10-29 19:04:21,000] ERROR in app: Exception on /predict [POST]", OOM)
IN_FLASK += FLASK.format(1, 500)


@pytest.mark.parametrize(
    "log",
    [
        IN_FLASK + FLASK.format(2, 200),
        SERVER + FAILED + raised(UVICORN, OOM) + ANSWERED,
        SERVER + raised(VLLM, OOM) + FAILED + ANSWERED * 4,
        SERVER + raised(VLLM, OOM) + request("POST /embed", "400 Bad Request") + ANSWERED,
    ],
)
def test_a_server_that_answers_again_did_not_fail(log: str, built_in_catalog: Catalog) -> None:
    report = report_on(log, built_in_catalog)
    assert report.outcome not in ("failed", "stopped")
    assert not report.diagnoses


PAGE = FLASK.replace("POST /predict", "GET /")
IN_THREAD = (
    "----------------------------------------\n"
    "Exception occurred during processing of request from ('127.0.0.1', 50000)\n"
    'Traceback (most recent call last):\n  File "/usr/lib/python3.10/socketserver.py", line 316, in _handle_request\n'
    '    self.process_request(request)\n  File "/srv/app.py", line 20, in do_POST\n    x = data["x"]\nKeyError: \'x\'\n'
    "----------------------------------------\n"
)


@pytest.mark.parametrize("failed", [IN_FLASK, PAGE.format(0, 200) + IN_THREAD], ids=["flask", "thread"])
def test_a_request_that_fails_while_others_are_served(failed: str, built_in_catalog: Catalog) -> None:
    served = PAGE.format(3, 200) * 40
    report = report_on(failed + served, built_in_catalog)
    assert (report.outcome != "failed", report.diagnoses) == (True, ())
    for after in ("", PAGE.format(3, 500) + PAGE.format(4, 500)):
        assert report_on(failed + after, built_in_catalog).diagnoses


@pytest.mark.parametrize(
    "after",
    [
        FAILED * 5,
        request("GET /health", "200 OK") * 40,
        request("GET /v1/models", "200 OK") + FAILED + request("GET /v1/models", "200 OK") * 2,
    ],
)
def test_a_server_that_does_not_answer_the_same_request_failed(after: str, built_in_catalog: Catalog) -> None:
    report = report_on(SERVER + FAILED + raised(UVICORN, ILLEGAL) + after, built_in_catalog)
    assert report.outcome == "failed"
    assert report.diagnoses[0].cause == "code.illegal-memory-access"
    assert report_on(IN_FLASK, built_in_catalog).outcome == "failed"


SHUT_DOWN = (
    "INFO:     Shutting down\nINFO:     Waiting for connections to close. (CTRL+C to force quit)\n"
    "ERROR:    Cancel 2 running task(s), timeout graceful shutdown exceeded\n"
)
CANCELLED = raised(UVICORN, "asyncio.exceptions.CancelledError: Task cancelled, timeout graceful shutdown exceeded")
OVER = "INFO:     Application shutdown complete.\nINFO:     Finished server process [4242]\n"


@pytest.mark.parametrize("end", ["", OVER, CANCELLED, CANCELLED + OVER])
def test_tasks_that_are_cancelled_with_the_server(end: str, built_in_catalog: Catalog) -> None:
    for before in (SERVER, SERVER + ANSWERED * 60):
        report = report_on(before + SHUT_DOWN + end, built_in_catalog)
        assert (report.outcome, report.diagnoses) == ("stopped", ())
    failed = report_on(SERVER + raised("", OOM).strip() + "\n" + SHUT_DOWN + end, built_in_catalog)
    assert failed.diagnoses[0].cause.startswith("gpu-memory.")


BROKEN = "BrokenPipeError: [Errno 32] Broken pipe\n"
AT_EXIT = 'Traceback (most recent call last):\n  File "/srv/log.py", line 31, in _flush\n    self.pipe.write(b"end")\n'
IN_MAIN = 'Traceback (most recent call last):\n  File "/srv/fit.py", line 31, in <module>\n    queue.put(batch)\n'


@pytest.mark.parametrize(
    "shutdown",
    [
        "Error in atexit._run_exitfuncs:\n" + AT_EXIT + BROKEN,
        "Exception ignored in: <_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>\n" + BROKEN,
    ],
)
def test_a_pipe_that_breaks_after_the_work(shutdown: str, built_in_catalog: Catalog) -> None:
    report = report_on(STEPS + "Training complete. Model saved to out/model.pt\n" + shutdown, built_in_catalog)
    assert (report.outcome, report.diagnoses) == ("completed", ())
    assert report_on(STEPS + IN_MAIN + BROKEN, built_in_catalog).outcome == "failed"


def test_a_bare_interrupt(built_in_catalog: Catalog) -> None:
    own = report_on(EARLY + "^C\nstopping, saving checkpoint\ncheckpoint saved to out/last.pt\n", built_in_catalog)
    assert [one.cause for one in own.diagnoses] == ["scheduler.cancelled"]
    glued = report_on(EARLY + "^Cstopping, saving checkpoint\ncheckpoint saved to out/last.pt\n", built_in_catalog)
    assert (glued.outcome, glued.diagnoses) == ("stopped", ())
    bare = report_on(EARLY + "^C\n", built_in_catalog)
    assert bare.diagnoses[0].cause == "host-memory.oom-killed"


PREEMPTED = "slurmstepd: error: *** JOB 3726778 ON n026 CANCELLED AT 2025-01-24T00:58:12 DUE TO PREEMPTION ***\n"
RESUMED = "Job 3726778 requeued\nLoading dataset\nResuming from checkpoint step 200\nstep 300/1000 loss 1.900\n"


def test_a_job_that_was_preempted_and_resumed(built_in_catalog: Catalog) -> None:
    before = "Loading dataset\nStarting training\n" + EARLY + PREEMPTED + RESUMED
    done = report_on(before + "step 1000/1000 loss 1.000\nTraining complete\n", built_in_catalog)
    assert (done.outcome, done.diagnoses) == ("completed", ())
    assert report_on(before + PREEMPTED, built_in_catalog).diagnoses[0].cause == "scheduler.preempted"


SCONTROL = (
    "JobId=3726778 JobName=fit\n   JobState={} Dependency=(null)\n   Requeue=1 Restarts=0 Reboot=0 ExitCode={}:0\n"
    "   RunTime=00:01:10 TimeLimit=1-00:00:00\n"
)


def test_the_record_of_the_job(built_in_catalog: Catalog) -> None:
    failed = report_on(EARLY + SCONTROL.format("FAILED Reason=NonZeroExitCode", 2), built_in_catalog)
    assert failed.outcome == "failed"
    assert failed.facts["process.exit_code"].value == 2
    for well in (
        STEPS + SCONTROL.format("COMPLETED Reason=None", 0),
        SCONTROL.format("RUNNING Reason=None", 0) + STEPS,
    ):
        assert report_on(well, built_in_catalog).outcome == "completed"


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("wandb: Waiting for W&B process to finish... (failed 1). Press Control-C to abort syncing.", "failed"),
        ("wandb: Run golden-sun-4 exited with code 1", "failed"),
        ("wandb: Waiting for W&B process to finish... (success).", "completed"),
    ],
)
def test_what_a_tracker_says_of_the_program(said: str, outcome: str, built_in_catalog: Catalog) -> None:
    summary = "wandb: Run summary:\nwandb:   loss 0.667\nwandb: Synced 5 W&B file(s), 0 media file(s)\n"
    assert report_on(f"{STEPS}{said}\n{summary}", built_in_catalog).outcome == outcome
    assert report_on(f"{STEPS}{summary}{said}\n", built_in_catalog).outcome == outcome


def test_a_tracker_that_fails_in_its_hook_for_exceptions(built_in_catalog: Catalog) -> None:
    hook = 'Error in sys.excepthook:\nTraceback (most recent call last):\n  File "/opt/swanlab/callback.py", line 8, in _ex'
    assert report_on(STEPS + "swanlab: Error happened while training\n" + hook, built_in_catalog).outcome == "failed"
    skipped = "swanlab: Error happened while training fold 3, skipped\n"
    assert report_on(STEPS + skipped + STEPS + "Training finished\n", built_in_catalog).outcome == "completed"


JSON = '{{"level": "{}", "msg": "{}"}}\n'


@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        ((("warning", "no connection to the tracker: Connection refused, retrying"), ("info", "step 30 loss 0.7")), ""),
        ((("error", "upload failed, retrying"), ("info", "step 30 loss 0.7"), ("info", "training complete")), ""),
        ((("error", "training failed: shard 3 has no labels"),), "failed"),
        ((("error", "CUDA out of memory. Tried to allocate 2.00 GiB"),), "failed"),
    ],
)
def test_levels_of_json_without_times(
    lines: tuple[tuple[str, str], ...], outcome: str, built_in_catalog: Catalog
) -> None:
    steps = "".join(JSON.format("info", f"step {number} loss 0.9") for number in (10, 20))
    report = report_on(steps + "".join(JSON.format(*line) for line in lines), built_in_catalog)
    assert report.outcome == outcome or (not outcome and report.outcome not in ("failed", "stopped"))


@pytest.mark.parametrize(
    ("status", "outcome"), [(": 0", "completed"), ("", "completed"), (": 1", "failed"), (": 2", "failed")]
)
def test_an_exit_in_a_cell(status: str, outcome: str, built_in_catalog: Catalog) -> None:
    told = f"An exception has occurred, use %tb to see the full traceback.\n\nSystemExit{status}\n\n"
    advice = (
        "/opt/IPython/core/interactiveshell.py:3445: UserWarning: To exit: use 'exit', 'quit', or Ctrl-D.\n"
        """  warn("To exit: use 'exit', 'quit', or Ctrl-D.", stacklevel=1)\n"""
    )
    for log in (told, STEPS + told, told + advice):
        assert report_on(log, built_in_catalog).outcome == outcome


STEP_KILLED = "srun: error: n026: task 0: Killed\nsrun: launch/slurm: _step_signal: Terminating StepId=3726778.0\n"


def test_who_had_nothing_to_work_on_did_not_end_well(built_in_catalog: Catalog) -> None:
    nothing = "preparing shards\n" + STEP_KILLED + "loaded 0 samples\nTraining finished in 0.1 s\n"
    assert report_on(nothing, built_in_catalog).outcome == "failed"
    something = "preparing shards\n" + STEP_KILLED + "loaded 50000 samples\n" + STEPS + "Training finished in 81 s\n"
    assert report_on(something, built_in_catalog).outcome == "completed"
    one_split = "validation: found 0 samples in data/val\n" + STEPS + "Training finished in 81 s\n"
    assert report_on(one_split, built_in_catalog).outcome == "completed"


AGENT = "wandb: Agent Starting Run: {} with config:\nwandb: \tlr: 1.0\nepoch 1 loss 2.3\nepoch 2 loss {}\n"


def test_wrong_values_of_trials(built_in_catalog: Catalog) -> None:
    swept = "".join(AGENT.format(name, loss) for name, loss in (("a1", "nan"), ("a2", 2.1), ("a3", "nan")))
    assert not report_on(swept + "wandb: Agent Finished Run: a3\n", built_in_catalog).diagnoses
    lines = "Trial 0 lr=0.1: loss={}\nTrial 1 lr=0.01: loss={}\nSweep finished\n"
    assert report_on(lines.format("nan", 0.41), built_in_catalog).outcome == "completed"
    assert report_on(lines.format("nan", "nan"), built_in_catalog).diagnoses[0].cause == "numerics.non-finite"
    runs = "run 1/3 lr=0.1\nepoch 1 loss nan\nrun 2/3 lr=0.01\nepoch 1 loss 2.1\nrun 3/3 lr=0.001\n"
    crashed = report_on(runs + IN_MAIN + "KeyError: 'loss'\n", built_in_catalog)
    assert crashed.diagnoses[0].cause == "code.python-exception"
    again = "seed=42,\nepoch 1 loss 2.3\nepoch 2 loss 2.1\nseed=42,\nepoch 1 loss 2.3\nepoch 2 loss nan\n"
    assert report_on(again, built_in_catalog).diagnoses[0].cause == "numerics.non-finite"


TRIAL = "Trial 0 completed: val_loss=0.41\nTrial 1 errored: RuntimeError: CUDA error: device-side assert triggered\n"
RETRY = "Retrying trial 1 (attempt {} of 3)\n"


def test_a_trial_that_is_retried(built_in_catalog: Catalog) -> None:
    well = (
        TRIAL + RETRY.format(2) + "Trial 1 completed: val_loss=0.39\nTrial 2 completed: val_loss=0.40\nSweep finished\n"
    )
    report = report_on(well, built_in_catalog)
    assert (report.outcome, report.diagnoses) == ("completed", ())
    assert report_on(TRIAL + "Trial 1 done\n", built_in_catalog).outcome == "failed"
    errored = TRIAL.splitlines(keepends=True)[1]
    badly = (
        TRIAL + RETRY.format(2) + errored + RETRY.format(3) + errored + "Trial 1 failed after 3 attempts, giving up\n"
    )
    assert report_on(badly, built_in_catalog).outcome == "failed"


def test_the_table_of_errored_trials(built_in_catalog: Catalog) -> None:
    table = (
        "Trial status: 3 TERMINATED | 1 ERROR\nNumber of errored trials: 1\n| Trial name | # failures | error file |\n"
    )
    table += "|------------+------------+------------|\n| fit_00003  |          1 | /tmp/e.txt |\n"
    report = report_on(table + "Best hyperparameters found were: {'lr': 0.01}\n", built_in_catalog)
    assert (report.outcome, report.unexplained) == ("unknown", ())
    assert report_on(table + "fatal: the head node is gone\n", built_in_catalog).outcome == "failed"


def test_a_warning_does_not_explain_a_run_that_works(built_in_catalog: Catalog) -> None:
    log = "2026-11-02 03:00:0{} INFO {}\n"
    warned = (
        "2026-11-02 03:00:02 bitsandbytes.cextension WARNING: The installed version of bitsandbytes was compiled without "
        "GPU support. 8-bit optimizers, 8-bit multiplication, and GPU quantization are unavailable.\n"
    )
    report = report_on(log.format(1, "fine-tuning") + warned + log.format(3, "Starting epoch 1/13"), built_in_catalog)
    assert (report.outcome, report.diagnoses) == ("running", ())
    assert report_on(warned, built_in_catalog).diagnoses[0].cause == "env.cpu-only-build"
