"""Lines of two runs are alike where only what changes from run to run differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.records.fingerprint import fingerprint, is_bar, is_message


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "2026-01-02 10:11:12,123 INFO step 12 loss 0.5 lr 1.0e-05",
            "2026-11-22 01:01:02,003 INFO step 9 loss 10 lr 3e-4",
        ),
        ("saved to /ckpt/run-ab12/step_100.pt in 1.2 GiB", "saved to /scratch/u/x/step_7.pt in 800 MiB"),
        ("[rank3]: comm 0x7fab12 ready", "[rank12]: comm 0x1 ready"),
        ("Fri Nov 21 10:00:00 2026 hello", "Sat Dec  5 11:30:59 2026 hello"),
        ("shapes [1, 2, 3] and (4, 5)", "shapes [7, 8] and (1, 2)"),
        ("commit 1f2e3d4c5b6a7f8e9d0c", "commit aaaabbbb1cccdddd0000"),
        ("\x1b[31mERROR\x1b[0m 7 bad", "ERROR 8 bad"),
        ("see https://wandb.ai/a/b/runs/x1", "see https://wandb.ai/c/d/runs/y2"),
        ("downloading\rdownloaded 5", "downloaded 6"),
    ],
)
def test_alike(one: str, other: str) -> None:
    assert fingerprint(one.encode()) == fingerprint(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("step 1 loss 0.5", "step 1 loss nan"),
        ("INFO step 1", "WARNING step 1"),
        ("read shard 1", "lost shard 1"),
        ("the cafe is full", "the dead beef is full"),
    ],
)
def test_not_alike(one: str, other: str) -> None:
    assert fingerprint(one.encode()) != fingerprint(other.encode())


def test_bars() -> None:
    for bar in ("Epoch 1:  45%|███▌    | 45/100 [00:10<00:12, 4.42it/s]", "7/9 [====>......] - ETA: 3s", "12.5MB/s"):
        assert is_bar(bar.encode())
    for line in ("step 12 of 100", "accuracy 45%", "loss=[0.5]"):
        assert not is_bar(line.encode())


def test_what_says_something_by_itself() -> None:
    for line in ("Traceback (most recent call last):", "[rank3]: ValueError: no", "2026-01-02 INFO done"):
        assert is_message(line.encode())
    for line in ('  File "x.py", line 3', '[rank3]:   File "x.py", line 3', "    ^^^^^", "1 2 3", "", "----"):
        assert not is_message(line.encode())


@given(st.binary(max_size=200), st.integers(0, 10**9), st.integers(0, 10**9))
def test_any_bytes(line: bytes, one: int, other: int) -> None:
    assert b"\n" not in fingerprint(line.replace(b"\n", b""))
    assert fingerprint(b"at %d " % one) == fingerprint(b"at %d " % other)
