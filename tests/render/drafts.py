"""Reports written by hand, to test renderers without the engine."""

from __future__ import annotations

from logsense.model.report import (
    Check,
    Consequence,
    Culprit,
    Diagnosis,
    Evidence,
    FactValue,
    Fix,
    NearMiss,
    Noise,
    Progress,
    Report,
    Rerun,
    Saved,
)

OOM_LINE = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB "
    "of which 1.20 GiB is free. Including non-PyTorch memory, this process has 61.50 GiB memory in use. Of the "
    "allocated memory 48.20 GiB is allocated by PyTorch, and 12.30 GiB is reserved by PyTorch but unallocated."
)

FRAGMENTED = Diagnosis(
    cause="gpu-memory.fragmentation",
    confidence=0.81,
    title="GPU 3's memory is fragmented",
    explanation=(
        "GPU 3 had 12.30 GiB in PyTorch's cache, but no single free block of 2 GiB: the memory is fragmented rather "
        "than full."
    ),
    evidence=(
        Evidence(
            "12.30 GiB is reserved by PyTorch but unused, more than the 2 GiB asked for",
            "train.log",
            1204,
            OOM_LINE,
            3,
            "node7",
            "2026-05-04T03:12:55",
            (24, 75),
        ),
        Evidence("the request grew from 1.50 GiB to 2 GiB in the last 40 steps"),
    ),
    against=(
        Evidence("other processes hold 16 GiB on this GPU", "train.log", 1190, "| 3  N/A  4242  C  python  16384MiB |"),
    ),
    fixes=(
        Fix(
            "Let PyTorch grow its segments instead of splitting fixed ones.",
            "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            "a growing segment needs no single free block of the full size",
        ),
        Fix("Use a smaller batch and accumulate gradients.", None, None, "changes-training"),
        Fix("End the other process on this GPU.", "kill 4242", None, "data-loss"),
    ),
    decide=(
        Check(
            "Compare reserved and allocated memory just before the failure.",
            'python -c "import torch; print(torch.cuda.memory_summary())"',
        ),
    ),
    references=("https://docs.pytorch.org/docs/stable/notes/cuda.html",),
)

CAPACITY = Diagnosis(
    cause="gpu-memory.capacity",
    confidence=0.24,
    title="The model and its batch need more memory than the GPU has",
    explanation="The peak of a step is above 79.15 GiB.",
    decide=(Check("Run one step with half the batch.", "python train.py --batch-size 4"),),
)

FAILED = Report(
    outcome="failed",
    diagnoses=(FRAGMENTED, CAPACITY),
    progress=Progress(
        "training",
        "during training",
        4120,
        10_000,
        None,
        None,
        2.3,
        11_520.0,
        Saved(4000, None, "/ckpt/4000", "train.log", 1100),
    ),
    rerun=Rerun("fix-first", "the same step asks for the same block again"),
    culprits=(Culprit(3, "node7", "train.log", 1204),),
    consequences=(
        Consequence("The NCCL watchdog timed out", (0, 1, 2), 3),
        Consequence("torchrun stopped the other ranks", (), 1, "The NCCL watchdog timed out"),
    ),
    noise=(Noise("tensorflow.numa-node", 2, "NUMA information is missing; one node is assumed, which is right here"),),
    facts={
        "torch.version": FactValue("2.5.1", "train.log", 3, "2.5.1"),
        "oom.requested": FactValue(2147483648, "train.log", 1204, "2 GiB"),
    },
    inputs=("train.log",),
    bytes_read=123456,
    lines_read=1300,
)

UNEXPLAINED = Report(
    outcome="failed",
    unexplained=(
        Evidence("the exception that ended the run", "train.log", 7, "FrobnicationError: the frob is out of band"),
    ),
    near=(NearMiss("python.out-of-band", "The frob left its band", 0.18),),
    inputs=("train.log",),
    lines_read=7,
)

COMPLETED = Report(outcome="completed", inputs=("train.log",), lines_read=1204)
UNKNOWN = Report(outcome="unknown", inputs=("a.log", "b.log"), lines_read=1)
