"""A message gets the fix that an expert would name first, and beside it none for another message of its cause."""

from __future__ import annotations

import pytest

from tests.answers import assert_first_fix, assert_left_out, first


@pytest.mark.parametrize(
    ("log", "fix", "command", "unfit"),
    [
        (
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 14.9 GiB for an array with shape (2000000, 1000) and data type float64",
            "Reduce the array's size ((2000000, 1000) of float64)",
            "open_memmap",
            ("num_workers", "fewer samples"),
        ),
        ("RuntimeError: Not enough GPUs: need 4, have 2", "Ask for at most 2 GPUs", "nvidia-smi -L", ("valid index",)),
        (
            'level=WARN source=cuda_compat.go:40 msg="NVIDIA driver too old" version=470.82',
            "Update the NVIDIA driver to 531 or newer",
            "ubuntu-drivers",
            ("pip install",),
        ),
        (
            "Notebook Timeout: Your submission notebook exceeded the allowed runtime. Review the competition's Code Requirements page for the time limits.",
            "Train in another notebook",
            "",
            ("--time", "partition"),
        ),
        ("ValueError: filedescriptor out of range in select()", "Keep fewer files open", "", ("ulimit -n", "nofile")),
        (
            "tensorboard 2.15.1 requires google-auth-oauthlib<2,>=0.5, which is not installed.",
            "Install what tensorboard needs",
            "google-auth-oauthlib",
            ("pip install tensorboard",),
        ),
        (
            "ImportError: module was compiled for Python 3.7, but the interpreter version is 3.9",
            "Reinstall the package with the Python that runs the program",
            "--force-reinstall",
            ("torchvision",),
        ),
        (
            "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00",
            "Log from one process",
            "MLFLOW_SQLALCHEMYSTORE_POOL_SIZE",
            ("WANDB",),
        ),
        (
            "AssertionError: MMEngine==0.4.0 is used but incompatible. Please install mmengine>=0.7.1, <1.0.0.",
            "Install the required MMEngine",
            "mmengine",
            ("mim install mmcv", "mmcv>="),
        ),
        ('Error: NotEnoughCUDADevices("4")', "Set the number of shards", "--num-shard", ("torchrun",)),
    ],
)  # fmt: skip
def test_first_fix(log: str, fix: str, command: str, unfit: tuple[str, ...]) -> None:
    assert_first_fix(log, fix, command)
    assert_left_out(first(log).fixes, unfit)


@pytest.mark.parametrize(
    ("log", "fix"),
    [
        ("TypeError: unsupported operand type(s) for |: 'type' and 'NoneType'", "Run it with Python 3.10"),
        ("Input prompt is too big compared to KV size. Please try increasing KV size.", "Raise the context"),
    ],
)
def test_a_fix_of_the_cause_that_asks_for_the_message_stands_alone(log: str, fix: str) -> None:
    one = first(log)
    assert len(one.fixes) == 1
    assert one.fixes[0].do.startswith(fix)
