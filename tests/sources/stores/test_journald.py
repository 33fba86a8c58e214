"""The journal of systemd, read by the real journalctl out of a real file."""

from __future__ import annotations

import lzma
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.sources.stores import journald, printed
from logsense.util.errors import InputError
from tests.sources.stores.reading import read, sources_at, whole

HERE = Path(__file__).parent
journalctl = pytest.mark.skipif(not shutil.which("journalctl"), reason="needs journalctl")


@pytest.fixture
def journal(tmp_path: Path) -> str:
    """Two units of the machine node7 on 2026-10-26: train.service, which runs out of disk, and other.service."""
    path = tmp_path / "train.journal"
    path.write_bytes(lzma.decompress((HERE / "train.journal.xz").read_bytes()))
    return f"file={path}"


@journalctl
def test_a_unit_of_a_journal(journal: str) -> None:
    (lines,) = read(f"journald://train.service?{journal}").values()
    assert len(lines) == 6
    assert lines[0] == "2026-10-26T07:33:21.000000+00:00 node7 train[4242]: step 1 loss 2.0"
    (everything,) = read(f"journald://?{journal}").values()
    assert len(everything) == 7
    (late,) = read(f"journald://train.service?{journal}&since=@1793000006").values()
    assert [line.rpartition("]: ")[2] for line in late] == ["OSError: [Errno 28] No space left on device: '/ckpt/x'"]


@journalctl
def test_it_is_explained(journal: str) -> None:
    command = [sys.executable, "-m", "logsense", f"journald://train.service?{journal}"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "The disk or quota is full: /ckpt/x" in told
    assert "journald://train.service" in told


@journalctl
def test_wrong_use(journal: str, tmp_path: Path) -> None:
    for address, why in (
        (f"journald://?{journal}&unit=x", "unknown option unit; known are boot, directory, dmesg"),
        (f"journald://?file={tmp_path}/none.journal", "can't read journald://: Failed to open files: No such file"),
        (f"journald://?{journal}&since=whenever", "Failed to parse timestamp: whenever"),
    ):
        with pytest.raises(InputError) as caught:
            read(address)
        assert why in str(caught.value)
    assert read(f"journald://--rotate?{journal}") == {"": [""]}  # no option of journalctl


def test_without_journalctl(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (source,) = sources_at("journald://train.service")
    with pytest.raises(InputError, match=r"can't read journald://train\.service: journalctl is not installed here"):
        source.open()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "journalctl"
    line = '{"__REALTIME_TIMESTAMP": "1793000001000000", "MESSAGE": "step 1"}'
    program.write_text(f"#!/bin/sh\necho '{line}'\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(printed, "SILENT_S", 0.5)
    (source,) = sources_at("journald://train.service")
    assert whole(source).endswith("step 1\n")
    assert source.note == "reading stopped: journalctl printed nothing for 0 s"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_a_program_that_fails_in_the_middle_leaves_a_note(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "journalctl"
    line = '{"__REALTIME_TIMESTAMP": "1793000001000000", "MESSAGE": "step 1"}'
    program.write_text(f"#!/bin/sh\necho '{line}'\nseq 100000 >&2\necho 'Failed: the disk went away' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    (source,) = sources_at("journald://train.service")
    reader, buffer, text = source.open(), bytearray(1 << 16), b""
    while count := reader.readinto(buffer):
        text += bytes(buffer[:count])
    reader.close()
    assert text.endswith(b"step 1\n")
    assert source.note == "reading stopped: Failed: the disk went away"


@pytest.mark.parametrize(
    ("option", "value", "given"),
    [("since", "1h", "-1h"), ("until", "30m", "-30m"), ("since", "@1793000006", "@1793000006"), ("unit", "1h", "1h")],
)
def test_times_as_other_stores_take_them(option: str, value: str, given: str) -> None:
    assert journald.as_journalctl(option, value) == given
