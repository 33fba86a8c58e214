"""A message with fixes of its own does not get the list for every message of its cause as well."""

from __future__ import annotations

import pytest

from logsense.catalog.load import load_catalog
from logsense.pipeline import explain_text

GENERAL = ("Take what is never used", "After adding tokens")


def fixes(log: str) -> list[str]:
    """What the first diagnosis of `log` advises."""
    return [fix.do for fix in explain_text(log.encode(), load_catalog()).diagnoses[0].fixes]


@pytest.mark.parametrize(
    ("log", "own"),
    [
        (
            "RuntimeError: Expected to mark a variable ready only once. This error is caused by one of the following reasons",
            "Use non-reentrant gradient checkpointing",
        ),
        ("/tmp/Indexing.cu:1: block: [1,0,0], thread: [9,0,0] Assertion `srcIndex < srcSelectDimSize` failed.", "Compare the token ids"),
        ("/tmp/IndexKernel.cu:1: block: [1,0,0], thread: [9,0,0] Assertion `-sizes[i] <= index && index < sizes[i] && \"index out of bounds\"` failed.", "Run one batch on the CPU"),
    ],
)  # fmt: skip
def test_two_of_its_own_are_enough(log: str, own: str) -> None:
    shown = fixes(log)
    assert shown[0].startswith(own)
    assert len(shown) <= 2
    assert not any(one.startswith(GENERAL) for one in shown)


@pytest.mark.parametrize(
    ("log", "general"),
    [
        ("OSError: AF_UNIX path too long", "pip list"),
        ("ValueError: Sample larger than population or is negative", "len(dataset)"),
        ("OSError: AF_UNIX path too long", "Correct the setting"),
        ("ValueError: unsupported pickle protocol: 5", "tested with"),
    ],
)
def test_complete_fixes_stand_alone(log: str, general: str) -> None:
    shown = fixes(log)
    assert shown
    assert not any(general in one for one in shown)


@pytest.mark.parametrize(
    ("log", "filler"),
    [
        ("ValueError: The world_size(4) > 1 but dataloader does not use DistributedSampler.", "Correct the setting"),
        (
            "RuntimeError: Ninja is required to load C++ extensions (pip install ninja to get it)",
            "Move old build files",
        ),
        ("RuntimeError: grad can be implicitly created only for scalar outputs", "anomaly"),
        (
            "RuntimeError: CUDA error: part or all of the requested memory range is already mapped",
            "Search the library's issues",
        ),
    ],
)
def test_what_helps_without_anything_better_is_not_shown_beside_it(log: str, filler: str) -> None:
    shown = fixes(log)
    assert shown
    assert not any(filler in one for one in shown)


@pytest.mark.parametrize(
    ("log", "foreign"),
    [
        ("OSError: Cannot find empty port in range: 7861-7861", "torchrun"),
        ("ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 9000): address already in use", "torchrun"),
        ("UnavailableInvalidChannel: HTTP 404 NOT FOUND for channel lab-tools <https://conda.anaconda.org/lab-tools>", "hf download"),
        ("ConnectionError: Failed to connect to Ollama. Please check that Ollama is downloaded, running and accessible.", "num_workers"),
    ],
)  # fmt: skip
def test_no_general_fix_without_its_reason(log: str, foreign: str) -> None:
    report = explain_text(log.encode(), load_catalog()).diagnoses[0]
    assert report.fixes
    commands = [*(fix.run for fix in report.fixes), *(check.run for check in report.decide)]
    assert not any(foreign in (run or "") for run in commands)


def test_a_port_of_the_rendezvous_has_torchrun_s_options() -> None:
    log = "RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: true, code: -98, name: EADDRINUSE, message: address already in use"
    assert "--master-port" in (explain_text(log.encode(), load_catalog()).diagnoses[0].fixes[0].run or "")


def test_other_operations_are_no_question_of_shapes() -> None:
    log = "\n".join(
        f"[rank{rank}]:[E1122 06:40:0{rank}.504052851 ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation "
        f"timeout: WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600080 milliseconds "
        "before timing out."
        for rank, seq, op in ((0, 122, "_REDUCE_SCATTER_BASE"), (1, 126, "_ALLGATHER_BASE"))
    )
    shown = fixes(log)
    assert shown[0].startswith("Make the same calls in the same order on every rank")
    assert not any("same shape" in one for one in shown)


def test_a_command_is_offered_once() -> None:
    log = "step 1 loss 2.3\nstep 2 loss 2.1\nstep 3 loss nan\nFloatingPointError: loss is nan"
    runs = [fix.run for fix in explain_text(log.encode(), load_catalog()).diagnoses[0].fixes if fix.run]
    assert "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)" in runs
    assert len(runs) == len(set(runs))
