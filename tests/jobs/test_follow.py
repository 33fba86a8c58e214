"""Files that grow, are cut, replaced, and come late."""

from __future__ import annotations

import os
from pathlib import Path

from logsense.jobs.follow import LEAST_S, MOST_S, UNKNOWN_S, Follower, Silence


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def test_a_file_that_comes_late_and_grows(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    follower = Follower(str(path))
    assert follower.read() == b""
    path.write_bytes(b"one\n")
    assert follower.read() == b"one\n"
    assert follower.read() == b""
    _append(path, b"tw")
    _append(path, b"o\n")
    assert follower.read() == b"two\n"
    assert follower.restarts == 0
    follower.close()


def test_truncation(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"a long first run\n")
    follower = Follower(str(path))
    follower.read()
    path.write_bytes(b"new\n")
    assert follower.read() == b"new\n"
    assert follower.restarts == 1
    follower.close()


def test_rotation_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    path.write_bytes(b"one\n")
    follower = Follower(str(path))
    assert follower.read() == b"one\n"
    os.rename(path, tmp_path / "train.log.1")
    _append(tmp_path / "train.log.1", b"last words\n")
    assert follower.read() == b"last words\n"
    assert follower.read() == b""
    path.write_bytes(b"two\n")
    assert follower.read() == b"two\n"
    assert follower.restarts == 1
    follower.close()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    follower = Follower(str(tmp_path))
    assert follower.read() == b""
    follower.close()
    follower.close()


def test_a_rhythm_has_to_be_learnt() -> None:
    rhythm = Silence(0.0)
    assert rhythm.limit_s == UNKNOWN_S
    for second in range(100):
        rhythm.received(float(second))
    assert rhythm.usual_s == 1.0
    assert rhythm.limit_s == LEAST_S
    assert rhythm.stall_s(99.0 + LEAST_S - 1) is None
    assert rhythm.stall_s(199.0) == 100.0
    assert rhythm.stall_s(200.0) is None  # it is reported once
    rhythm.still(300.0)
    assert rhythm.stall_s(400.0) == 100.0


def test_a_long_pause_that_was_seen_before_is_no_stall() -> None:
    rhythm = Silence(0.0)
    now = 0.0
    for number in range(60):
        now += 400.0 if number == 30 else 1.0  # one evaluation in between
        rhythm.received(now)
    assert rhythm.limit_s == 800.0


def test_slow_logs_and_limits_of_the_user() -> None:
    slow = Silence(0.0)
    for number in range(1, 40):
        slow.received(900.0 * number)
    assert slow.limit_s == MOST_S
    assert Silence(0.0, 5.0).limit_s == 5.0
