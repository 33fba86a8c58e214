"""`CMD | logsense`: all bytes go through, whatever happens to the explanation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.options import Settings
from logsense.cli.pipe import Reader

EXAMPLE = Path(__file__).parents[2] / "examples" / "uneven-batch.log"


def piped(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "logsense", *arguments], input=data, capture_output=True, check=False, cwd="/"
    )


def test_bytes_pass_and_the_report_follows() -> None:
    data = EXAMPLE.read_bytes()
    done = piped(data)
    assert done.returncode == 0
    assert done.stdout == data
    assert done.stderr.decode().startswith("✗ ")
    assert b"stack expects each tensor" in done.stderr


def test_any_bytes() -> None:
    data = bytes(range(256)) * 300
    done = piped(data, "--quiet", "--exit-code")
    assert (done.returncode, done.stdout, done.stderr) == (0, data, b"")


def test_nothing() -> None:
    done = piped(b"")
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"No failure found")


def test_report_to_a_file(tmp_path: Path) -> None:
    done = piped(EXAMPLE.read_bytes(), "--format=json", f"--output={tmp_path / 'report.json'}", "--exit-code")
    assert done.returncode == 1
    assert done.stderr == b""
    assert b'"outcome": "failed"' in (tmp_path / "report.json").read_bytes()


def test_at_once() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "logsense"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin
    assert process.stdout
    with process:
        for line in (b"first\n", b"no newline"):
            process.stdin.write(line)
            process.stdin.flush()
            assert os.read(process.stdout.fileno(), 100) == line
        process.stdin.close()


def test_nobody_reads_on() -> None:
    script = f"yes line | head -c 3000000 | {sys.executable} -m logsense | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "line\n"
    assert "Traceback" not in done.stderr


class Broken:
    """A stream that can't be fed, or can't finish."""

    def __init__(self, _catalog: object, **_more: object) -> None:
        pass

    def feed(self, _data: bytes) -> None:
        raise RuntimeError("no\nway")

    def finish(self, _look: object = None) -> None:
        raise AssertionError("not fed, not asked")


def test_the_explanation_may_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("logsense.pipeline.Stream", Broken)
    reader = Reader(Settings())
    reader.feed(b"one")
    reader.feed(b"two")
    assert reader.finish() is None
    assert capsys.readouterr().err == ("logsense: this log can't be explained (RuntimeError: no way); output goes on\n")
    reader = Reader(Settings())
    assert reader.finish() is None
    assert "AssertionError" in capsys.readouterr().err
    monkeypatch.setattr("logsense.cli.explain.catalog_of", lambda _: 1 / 0)
    assert Reader(Settings()).finish() is None
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize(("kept", "apart"), [("cache", True), ("null/x", False)])
def test_what_is_known_is_compiled_by_another_process(tmp_path: Path, kept: str, apart: bool) -> None:
    (tmp_path / "null").touch()
    code = (
        "import sys; from logsense.cli.options import Settings; from logsense.cli.pipe import Reader;"
        "reader = Reader(Settings()); reader.feed(sys.stdin.buffer.read()); report = reader.finish();"
        "print(report.outcome, 'logsense.catalog.build' in sys.modules)"
    )
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / kept)}
    done = subprocess.run(
        [sys.executable, "-c", code], input=EXAMPLE.read_bytes(), env=env, capture_output=True, check=True
    )
    assert done.stdout.split() == [b"failed", str(not apart).encode()]


def test_what_large_logs_are_searched_with_is_made_by_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("logsense.match.databases.compiled", _refused)
    reader = Reader(Settings())
    reader.feed(b"step 1\n" * 200_000 + EXAMPLE.read_bytes())
    report = reader.finish()
    assert report
    assert report.outcome == "failed"
    assert {path.name.split("-")[0] for path in tmp_path.rglob("*.hsdb")} == {"literals", "sieve"}


class _Hung:
    """A process that never ends."""

    def __init__(self, *_words: object, **_more: object) -> None:
        return

    def ended(self) -> bool:
        return False

    def release(self) -> None:
        return


def _refused(*_words: object, **_more: object) -> None:
    raise OSError


@pytest.mark.parametrize("beside", [_Hung, _refused], ids=["hangs", "cannot be started"])
def test_a_process_that_does_not_compile(beside: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logsense.cli.compiling.Beside", beside)
    monkeypatch.setattr("logsense.cli.compiling._MOST_S", 0.1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    reader = Reader(Settings())
    reader.feed(EXAMPLE.read_bytes())
    report = reader.finish()
    assert report
    assert report.outcome == "failed"
