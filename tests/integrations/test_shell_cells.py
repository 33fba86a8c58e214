"""What a shell cell of a notebook prints, without a kernel."""

from __future__ import annotations

import sys

import pytest

from logsense.integrations.notebook.magics import run_shell

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")


def test_a_letter_that_comes_in_two_pieces(capsys: pytest.CaptureFixture[str]) -> None:
    status, output = run_shell(r"printf '\303'; sleep 0.2; printf '\251\n'; exit 3")
    assert (status, output) == (3, "é\n".encode())
    assert capsys.readouterr().out == "é\n"
