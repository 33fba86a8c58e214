"""Consoles of any width and encoding, that of Windows among them: everything can be printed, nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.render.clean import AS_ASCII
from logsense.render.layout import width_of
from tests.cli.command_line import call, spawn

ROOT = Path(__file__).parents[2]
LOG = str(ROOT / "tests" / "failing" / "torch--key_error.log")
CAUSE = "gpu-memory.fragmentation"


@pytest.fixture(scope="module")
def odd_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A failure whose path no 8-bit encoding has."""
    path = tmp_path_factory.mktemp("odd") / "ł 日誌.log"
    message = "FileNotFoundError: [Errno 2] No such file or directory: '/data/größe/日本/ł.bin'"
    path.write_text(
        f'Traceback (most recent call last):\n  File "train.py", line 4, in f\n    f()\n{message}\n', "utf-8"
    )
    return path


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "cp932"])
@pytest.mark.parametrize("format", ["text", "markdown", "github", "json"])
def test_an_encoding_that_lacks_characters(encoding: str, format: str, odd_log: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "logsense", str(odd_log), "--format", format, "--verbose"],
        capture_output=True, check=False, cwd=ROOT, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert ".bin" in text
    if encoding in ("cp1252", "cp437") and format in ("text", "markdown"):
        assert "größe" in text


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["causes"], ["causes", CAUSE], ["signatures", "nccl"], ["runs"], ["gpus"], ["rules", "--help"]],
    ids=" ".join,
)
def test_every_command_speaks_ascii(arguments: list[str], tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    done = spawn(*arguments, cwd=ROOT, PYTHONIOENCODING="ascii", XDG_STATE_HOME=state)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    assert "?" not in done.stdout.replace("?id=", "")


def test_pages_state_their_own_encoding(odd_log: Path) -> None:
    for shape in ("html", "junit"):
        pages = []
        for encoding in ("utf-8", "cp1252"):
            done = subprocess.run(
                [sys.executable, "-m", "logsense", str(odd_log), "--format", shape],
                capture_output=True, check=True, cwd=ROOT, env={**os.environ, "PYTHONIOENCODING": encoding},
            )  # fmt: skip
            pages.append(done.stdout)
        assert "日本" in pages[0].decode("utf-8")
        assert pages[1].isascii()
        assert pages[1] == pages[0].decode("utf-8").encode("ascii", "xmlcharrefreplace")


def test_words_of_the_user_that_can_not_be_printed(tmp_path: Path) -> None:
    for encoding, shown in (("ascii", "? gro?e"), ("utf-8", "ł große")):
        done = spawn("rules", "new", "Error: ł große", cwd=tmp_path, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, "")
        assert shown in done.stdout
    done = spawn("causes", "größe-ł", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert done.stderr.startswith("logsense: nothing matches ")


@pytest.mark.parametrize(
    ("text", "encoding", "spelled"),
    [
        ("‹a› → b…", "ascii", b"<a> -> b..."),
        ("‹a› → b…", "cp1252", "‹a› -> b…".encode("cp1252")),
        ("größer, naïve", "ascii", b"gro?er, naive"),
        ("日本", "cp1252", b"??"),
        ("\udcff", "utf-8", b"\\udcff"),
        ("fi x²", "ascii", b"fi x2"),
    ],
)
def test_spelling(text: str, encoding: str, spelled: bytes) -> None:
    assert text.encode(encoding, AS_ASCII) == spelled


@pytest.mark.parametrize("width", [20, 27, 40, 80, 300])
def test_only_what_is_copied_is_wider_than_the_terminal(width: int, tmp_path: Path) -> None:
    for arguments in (["causes", CAUSE], ["causes", "nccl"], [LOG, "--verbose"], [LOG], ["signatures", "nccl."]):
        wide = call(*arguments, cwd=tmp_path, COLUMNS="1000").stdout
        copied = {line.strip() for line in wide.splitlines() if line.startswith("    ")}
        for line in call(*arguments, cwd=tmp_path, COLUMNS=str(width)).stdout.splitlines():
            # Commands, addresses, names of causes and facts are never broken.
            is_copied = line.strip() in copied or line.strip().startswith("logsense ")
            assert width_of(line) <= width or is_copied or " " not in line.strip(), line
