"""What no signature knows is told as a failure only where the log sounds like one."""

from __future__ import annotations

import pytest

from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.conftest import Write
from tests.demo import FILES, signature

CALM = {
    "counts that are zero": (
        "Epoch 4: train_error=0.5 | failed=0 | exceptions: 0 | nan_count=0 | oom_retries=0\n"
        "WER 12.3 | killed words: 0 | Aborted utterances: 0\n0 errors, 0 warnings\n"
    ),
    "a result": "Saving into: logs/medians.\nindex created!\nMedians saved.\n",
    "numbers": "node4\n48\n[[12.4, 402.03], [8.8, 641.64], [13.4, 1661.64]]\n",
    "numbers of which some are infinite": "tensor([[-inf, -inf, 1.9398, 2.6681],\n        [-inf, 1.2102, 2.5513, 3.0]])\n",
    "a row of measurements": "[Finetune] Epoch 001 | Loss: 79.88 | Eval: 83.75 | Corr: nan | AUC: 0.6330\n",
    "a goal that was not reached": "Mean Length: 20.0\n" * 20
    + "Targets:\n\u274c Not solved (Target: 475.0, Best: 27.00)\n",
    "a count of failures": (
        "| Attack Results                |        |\n| Number of successful attacks: | 594    |\n"
        "| Number of failed attacks:     | 345    |\n"
    ),
    "a bar that counts": "[Succeeded / Failed / Skipped / Total] 594 / 345 / 61 / 1000\n",
    "what went well and what did not": "[34/35] skipping\nDone: 15 ok, 0 failed\nAll done: 480 made, 30 failed\n",
    "items of which some failed": "reading 60 clips\nprocessed 48, failed 12\n",
    "a share that failed": "reading 12 clips\nFailed: 3/12\n",
    "fields of counts": "ok=9 failed=3\n",
    "where errors are written": "starting\nError message goes to output.err\n",
    "a remark without a level": "step 3 of the reconstruction\nWarning: image_path not found for reconstruction\n",
    "information of a logger": (
        "2024-01-01 11:04:49, INFO: Not randomize the radius and preferred speed\n"
        "2024-01-01 11:33:17, INFO: Timeout cases: 28 150 235 239\n"
    ),
    "prose": "The choice for another release may\ncause problems that we cannot fix and may require updating.\n",
    "what is tried again": "Failed to log the audio of an agent to the bucket: timeout; retrying with regular files\n",
    "what is done without": "Could not gather input dimensions of the tensors, falling back to the shapes of the data\n",
    "what training goes on behind": (
        "Epoch 1/3 loss 0.3\nError: shapes of the input tensors are incompatible\nEpoch 2/3 loss 0.2\n"
    ),
    "an end without errors": "step 3 of 3\nTraining finished without errors\n",
    "an end with no errors counted": "Training finished with 0 errors, 0 failed\n",
    "a good status": "Run finished with status: SUCCESS, rc=0\n",
    "a count of cases": "Failure cases: 12\n",
    "an analysis": "Error analysis report\naccuracy 0.93\n",
    "a data set": "Fatal accidents dataset: 1200 rows, 'failure' column dropped\nFailed login detection AUC: 0.981\n",
    "words that are scored": "Word: abort score 0.2\nWord: error score 0.9\nsentiment done\n",
    "names of classes": "classes: ['crash', 'timeout', 'oom', 'ok']\nconfusion[crash,oom]=3\nwrote report.html\n",
    "quoted prompts": (
        'prompt: "How do I fix RuntimeError: CUDA error: device-side assert triggered?"\n'
        'response: "An index is out of bounds."\n'
        'prompt: "What does Segmentation fault (core dumped) mean?"\nscore: 0.81\neval finished: 2 prompts\n'
    ),
    "a warning before training": (
        "WARNING - The installed version of bitsandbytes was compiled without GPU support. 8-bit optimizers and GPU "
        "quantization are unavailable.\nepoch 1: train loss 0.41\n"
    ),
}


@pytest.mark.parametrize("log", CALM.values(), ids=CALM.keys())
def test_what_sounds_like_no_failure_is_not_explained(log: str, built_in_catalog: Catalog) -> None:
    report = explain_text(log.encode(), built_in_catalog)
    assert not report.diagnoses
    assert report.outcome != "failed"


VERDICTS = [
    "Job 8123 finished with state: NODE_FAIL\n",
    "2026-11-21 10:00:00 INFO train: Run finished with status: FAILED\n",
    "Training finished: FAILED\n",
    "Training finished with errors\n",
    "Pipeline completed unsuccessfully\n",
    "3 of 4 jobs completed; job 3 crashed\n",
    "All 100 requests failed.\ndone\n",
    "Downloaded 0/120 files (120 failed)\nPipeline finished in 3.1s\n",
    "Done. 0 succeeded, 100 failed.\n",
    "Summary: 0 passed, 14 failed\n",
    "".join(f"2026-11-21 10:00:00 INFO worker: item {item} failed: KeyError('label')\n" for item in range(5))
    + "2026-11-21 10:00:00 INFO worker: processed 0 of 5 items, 5 failed\n2026-11-21 10:00:00 INFO worker: finished\n",
    "accuracy: 0.0 (0/1000), 1000 requests failed with 401 Unauthorized\ndone\n",
    "RESULT: FAIL\n",
    "Error reading row: 17\n",
    "{'state': 'failed'}\n",
    "[ERROR] bad configuration: lr must be positive\n",
    "start\nend, rc=1\n",
    "TRAIN_EXIT=137\n",
]


@pytest.mark.parametrize("log", VERDICTS)
def test_a_run_that_says_it_failed_did_not_end_well(log: str, built_in_catalog: Catalog) -> None:
    report = explain_text(log.encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert report.unexplained


def test_a_service_that_only_says_failed_gives_no_cause(built_in_catalog: Catalog) -> None:
    log = (
        "2024-03-05 11:20:01 Uploading - Uploading generated training model\n"
        "2024-03-05 11:22:40 Failed - Training job failed\n"
    )
    report = explain_text(log.encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert not report.diagnoses


def test_two_last_words_give_no_cause(built_in_catalog: Catalog) -> None:
    log = "".join(f"elapsed: {n}m | iter {n:04} | nll loss: 7.{n}\n" for n in range(60)) + "stacking failed\n"
    assert not explain_text(log.encode(), built_in_catalog).diagnoses


def test_the_code_in_a_cut_traceback_gives_no_cause(built_in_catalog: Catalog) -> None:
    cut = (
        "Traceback (most recent call last):\n"
        '  File "/home/ana/run.py", line 99, in <module>\n'
        "    fit(config)\n"
        '  File "/home/ana/fit.py", line 79, in fit\n'
        "    self._popen = self._Popen(self)\n"
        '  File "/home/ana/start.py", line 121, in start\n'
        "    cannot_open_file_error = self.check_not_missing(self)\n"
        '  File "/home/ana/context.py", line 224, in _Popen\n'
        "    return _default_context.get_context().Pro\n"
    )
    report = explain_text(cut.encode(), built_in_catalog)
    assert not report.diagnoses


def test_a_cut_traceback_is_a_failure_without_a_cause(built_in_catalog: Catalog) -> None:
    cut = "  0%|          | 0/23260 [00:00<?, ?it/s]Traceback (most recent call last):\n"
    report = explain_text(f'Start to train\n{cut}  File "run.py", line 9, in <module>\n'.encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert not report.diagnoses


@pytest.mark.parametrize(("level", "failed"), [("CRITICAL", True), ("ERROR", True), ("INFO", False)])
def test_a_last_line_at_the_level_of_an_error_is_a_failure(built_in_catalog: Catalog, level: str, failed: bool) -> None:
    lines = ("INFO - the master looks for workers", f"{level} - the master gives up on this run")
    log = "".join(f"2026-11-21 10:00:0{second},000 - {line}\n" for second, line in enumerate(lines))
    report = explain_text(log.encode(), built_in_catalog)
    assert (report.outcome == "failed") == failed
    assert [line.text for line in report.unexplained] == (["the master gives up on this run"] if failed else [])


def test_counts_of_failed_tests_give_no_cause(built_in_catalog: Catalog) -> None:
    report = explain_text(b"===== 3 failed, 8 passed in 12.41s =====\n", built_in_catalog)
    assert not report.diagnoses


def test_what_is_known_to_be_harmless_is_not_shown_as_a_line_that_matters(built_in_catalog: Catalog) -> None:
    harmless = (
        "E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:607] Unable to register cuFFT factory: Attempting to "
        "register factory for plugin cuFFT when one has already been registered\n"
    )
    report = explain_text(f"{harmless}FATAL the frobnicator stopped, aborting\n".encode(), built_in_catalog)
    assert report.outcome == "failed"
    assert all("cuFFT" not in (one.text or "") for one in report.unexplained)


def test_the_heading_of_an_exception_gives_no_cause(built_in_catalog: Catalog) -> None:
    report = explain_text(b"Exception in thread Thread-52:\n", built_in_catalog)
    assert not report.diagnoses


def test_a_line_that_comes_again_and_again_is_shown_once(write_catalog: Write) -> None:
    files = {**FILES, "corpus/demo/broken.yaml": signature("broken", "failure", "the frob broke")}
    report = explain_text(
        b"frob 1\nthe frob broke\nfrob 2\nthe frob broke\nfrob 3\nthe frob broke\n", write_catalog(files)
    )
    assert report.outcome == "failed"
    assert [(one.line, one.text) for one in report.unexplained] == [(2, "the frob broke")]


def test_another_word_makes_another_message(write_catalog: Write) -> None:
    rename = signature("rename", "failure", "Failed to rename the checkpoint")
    catalog = write_catalog({**FILES, "corpus/demo/rename.yaml": rename})
    for line, found in (("Failed to renmae the checkpoint", ["demo.rename"]), ("Failed to read the checkpoint", [])):
        report = explain_text(f"ERROR {line}\n".encode(), catalog)
        assert [one.signature for one in report.near if one.distance < 0.2] == found


def test_of_an_unknown_exception_its_own_line_is_shown_once(built_in_catalog: Catalog) -> None:
    log = (
        'Traceback (most recent call last):\n  File "/job/train.py", line 30, in main\n    box.grow()\n'
        "frob.errors.HTTPError: the frobber is stuck\n"
    )
    report = explain_text(log.encode(), built_in_catalog)
    assert [one.text for one in report.unexplained] == ["frob.errors.HTTPError: the frobber is stuck"]
    assert not report.near


SUMMARY = """train.py FAILED
-----------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
-----------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2025-08-18_07:12:11
  host      : node-1
  rank      : 0 (local_rank: 0)
  exitcode  : -9 (pid: 178)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 178
"""


def test_the_headings_of_a_launchers_report_are_no_unknown_error(built_in_catalog: Catalog) -> None:
    assert explain_text(SUMMARY.encode(), built_in_catalog).diagnoses[0].cause == "host-memory.oom-killed"
