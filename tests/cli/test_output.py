"""Where the answer goes and how it may look there."""

from __future__ import annotations

import io
import os
import pty
import subprocess
from pathlib import Path

import pytest

from logsense.cli.main import main
from logsense.cli.options import Settings
from logsense.cli.output import ProgressBar, is_terminal, look_of, note, shell_words, write
from logsense.render.clean import one_line


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def stream(encoding: str = "utf-8") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


@pytest.mark.parametrize(
    ("wish", "environment", "terminal", "color"),
    [
        ("auto", {}, False, False),
        ("auto", {}, True, True),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_color(
    wish: str, environment: dict[str, str], terminal: bool, color: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    out = stream()
    monkeypatch.setattr(out, "isatty", lambda: terminal, raising=False)
    assert look_of(out, Settings(color=wish)).color is color


def test_width(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look_of(stream(), Settings()).width == 80
    monkeypatch.setenv("COLUMNS", "57")
    assert look_of(stream(), Settings()).width == 57
    monkeypatch.setenv("COLUMNS", "wide")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        import fcntl
        import struct
        import termios

        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 71, 0, 0))
        assert is_terminal(terminal)
        assert look_of(terminal, Settings()).width == 71
        assert look_of(terminal, Settings(output="file")) == look_of(stream(), Settings())
    os.close(ours)


def test_a_closed_stream_is_not_a_terminal() -> None:
    closed = stream()
    closed.close()
    assert not is_terminal(closed)
    assert not is_terminal(None)


def test_encodings() -> None:
    assert look_of(stream("utf-8"), Settings()).unicode
    assert not look_of(stream("ascii"), Settings()).unicode
    assert look_of(stream("ascii"), Settings(output="file")).unicode
    out = stream("ascii")
    write("größer\n", out, Settings())
    assert out.buffer.getvalue() == b"gro?er\n"  # type: ignore[attr-defined]
    text = io.StringIO()
    write("größer\n", text, Settings())
    assert text.getvalue() == "größer\n"


def test_file(tmp_path: Path) -> None:
    write("größer\n", stream("ascii"), Settings(output=str(tmp_path / "out")))
    assert (tmp_path / "out").read_bytes() == "größer\n".encode()


def test_note(capsys: pytest.CaptureFixture[str]) -> None:
    note("two\nlines \x1b[31mred")
    note("hidden", Settings(quiet=True))
    assert capsys.readouterr().err == "logsense: two lines red\n"


def test_progress(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    with ProgressBar() as progress:
        progress(1, 10)
    assert capsys.readouterr().err == ""
    with ProgressBar(patience_s=0) as progress:
        progress(1 << 30, 2 << 30)
        progress(2 << 30, None)
    err = capsys.readouterr().err
    assert "reading" in err
    assert "1.0/2.0 GiB" in err or "2.0" in err


@pytest.mark.parametrize(
    ("environment", "links"),
    [
        ({}, False),
        ({"TERM_PROGRAM": "vscode"}, True),
        ({"TERM": "xterm-kitty"}, True),
        ({"VTE_VERSION": "7200"}, True),
        ({"VTE_VERSION": "4200"}, False),
        ({"WT_SESSION": "x"}, True),
        ({"TERM": "screen-256color", "TERM_PROGRAM": "vscode"}, False),
        ({"TERM": "dumb", "VTE_VERSION": "7200"}, False),
        ({"FORCE_HYPERLINK": "1"}, True),
        ({"FORCE_HYPERLINK": "0", "TERM_PROGRAM": "vscode"}, False),
    ],
)
def test_links(environment: dict[str, str], links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TERM_PROGRAM", "VTE_VERSION", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM", "FORCE_HYPERLINK"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        assert look_of(terminal, Settings()).links is links
        assert not look_of(terminal, Settings(output="file")).links
    os.close(ours)
    assert not look_of(stream(), Settings()).links


@pytest.mark.parametrize("command", ["runs", "gpus", "doctor", "causes", "signatures"])
@pytest.mark.parametrize("format", ["github", "prompt", "sarif", "junit"])
def test_a_command_refuses_a_format_that_it_does_not_have(
    command: str, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--format", format]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert f"'{format}' is not one of 'text', 'json'" in err


@pytest.mark.parametrize(
    "name", ["train.log", "my run.log", "-x.log", "a\nb.log", "a  b.log", "é 'q' $x.log", "\x1b[31m.log", "\udcff.log"]
)
def test_a_suggested_command_names_the_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("found")
    words = shell_words([name])
    assert one_line(words) == words
    done = subprocess.run(["bash", "-c", f"cat {words}"], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == b"found"
