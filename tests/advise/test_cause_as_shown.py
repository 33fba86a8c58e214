"""Titles, explanations and first fixes claim only what the log shows."""

from __future__ import annotations

import pytest

from tests.answers import first


@pytest.mark.parametrize(
    ("log", "explanation"),
    [
        ("sbatch: error: invalid partition specified: a100", "no partition a100"),
        (
            "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
            "doesn't know the account",
        ),
        ("sbatch: error: QOSMaxGRESPerUser", "a limit of the account or QOS"),
        (
            "sbatch: error: Batch job submission failed: Requested node configuration is not available",
            "No node of the partition can ever meet the request",
        ),
        (
            "slurmstepd: error: *** JOB 4471 ON g3 CANCELLED AT 2026-11-29T03:00:12 DUE TO TIME LIMIT ***",
            "doesn't show",
        ),
        ("4471              train OUT_OF_ME+    0:125", "more RAM (not GPU memory) than it requested from Slurm"),
        ("trainer-0   0/1   ImagePullBackOff   0   5m", "misspelled, or the cluster has no access"),
        ("SafetensorError: Error while deserializing header: MetadataIncompleteBuffer", "truncated"),
        ("step 100 | loss 0.7 | val_loss nan\nstep 200 | loss 0.6 | val_loss nan", "validation loss only"),
        ("ValueError: No valid checkpoint found in output directory (out)", "contains no complete checkpoint folder"),
        ("OSError: Error no file named model.safetensors, found in directory final.", "lacks model.safetensors"),
        ("exec /usr/bin/python: exec format error", "The image is for another processor"),
    ],
)
def test_the_explanation_is_that_of_the_reason(log: str, explanation: str) -> None:
    assert explanation in first(log).explanation


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ("RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB", "The GPU ran out of memory: 2 GiB more didn't fit"),
        ("XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 17179869184 bytes.", "ran out of memory"),
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.00 GiB is free.",
            "The GPU is too small for this run: 4 GiB more didn't fit",
        ),
        ("sbatch: error: QOSMaxGRESPerUser", "QOSMaxGRESPerUser"),
        (
            "ValueError: --load_best_model_at_end requires the save and eval strategy to match, but found\n- Evaluation strategy: IntervalStrategy.EPOCH\n- Save strategy: IntervalStrategy.STEPS",
            "evaluates by EPOCH but saves by STEPS",
        ),
        ("ValueError: File not found: filepath=best.keras. Please ensure the file is accessible.", "best.keras doesn't exist"),
        ("docker: Error: Bind for 0.0.0.0:8888 failed: port is already allocated.", "Port 8888 is already in use"),
        ("kubelet Error: OCI runtime create failed: exec: \"trian.sh\": executable file not found in $PATH", "exist"),
    ],
)  # fmt: skip
def test_the_title_says_what_is_known(log: str, title: str) -> None:
    assert title in first(log).title


@pytest.mark.parametrize(
    ("log", "fix"),
    [
        ("train.py: error: unrecognized arguments: --local-rank=0", "Accept both spellings"),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/usr/lib/python3/six'",
            "virtual environment",
        ),
        (
            "PackagesNotFoundError: The following packages are not available from current channels:\n\n  - pytorch-cuda=12.9",
            "Install PyTorch with pip",
        ),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "Git LFS"),
        ("json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", "Look at the beginning"),
        ("unable to open shared memory object </torch_1_4> in read-write mode: Too many open files (24)", "Share tensors"),
        ("pyarrow.lib.ArrowInvalid: Schema at index 1 was different:\na: int64\nvs\nb: int64", "the same columns"),
        ("{'eval_loss': nan, 'epoch': 1.0}\n{'loss': 1.2, 'epoch': 1.1}", "Check the validation data"),
        ("OMP: Error #15: Initializing libomp.so, but found libiomp5.so already initialized.", "from one channel"),
    ],
)  # fmt: skip
def test_the_first_fix_is_that_of_the_case(log: str, fix: str) -> None:
    assert fix in first(log).fixes[0].do


def test_a_status_of_sigterm_alone_names_no_scheduler() -> None:
    found = first("step 120 loss 2.1\nError: Process completed with exit code 143.")
    texts = [found.explanation, *(fix.do for fix in found.fixes), *(fix.run or "" for fix in found.fixes)]
    assert not any("scancel" in text or "sacct" in text for text in texts)
