"""A paste on a terminal ends with one Ctrl-D, wherever it is pressed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudoterminal", allow_module_level=True)

import pty

from logsense.model.source import Stdin

END = b"\x04"


@pytest.fixture
def ends() -> Iterator[tuple[int, Stdin]]:
    """What a terminal is typed into, and what reads it."""
    ours, theirs = pty.openpty()
    with open(theirs, "rb") as stream:
        yield ours, Stdin(stream)
    os.close(ours)


@pytest.mark.parametrize("text", [b"RuntimeError: x", b"RuntimeError: x\n", b"step 1\nRuntimeError: x", b""])
def test_one_is_enough(ends: tuple[int, Stdin], text: bytes) -> None:
    ours, stdin = ends
    os.write(ours, text + END)
    seen = b""
    while count := stdin.readinto(buffer := bytearray(1 << 16)):
        seen += buffer[:count]
    assert seen == text
    assert stdin.readinto(bytearray(9)) == 0
