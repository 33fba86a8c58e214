"""`CMD | logsense`: all bytes go through, whatever happens to the explanation."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from logsense.cli.explain_stream import stream_for
from logsense.cli.options import Settings
from logsense.jobs.signals import catchable

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
    assert done.stderr.startswith(b"The log is empty")


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


BROKEN = """
import sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            raise {error}
sys.meta_path.insert(0, Broken())
"""


@pytest.mark.parametrize(
    ("module", "error"),
    [("logsense.pipeline", "ImportError('no\\nway')"), ("logsense.cli.options", "SystemExit(0)")],
)
def test_what_is_broken_is_said_and_the_bytes_pass(tmp_path: Path, module: str, error: str) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN.format(module=module, error=error))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(EXAMPLE.parents[1])])}
    command = [sys.executable, "-m", "logsense"]
    data = EXAMPLE.read_bytes()
    done = subprocess.run(command, input=data, capture_output=True, check=False, env=env, cwd="/")
    assert (done.returncode, done.stdout) == (0, data)
    said = done.stderr.decode()
    assert "Traceback" not in said
    assert said.count("logsense: ") == 1 or said.startswith("✗ ")


@pytest.mark.parametrize("command", [[], ["run", "--", "cat"]], ids=["pipe", "run"])
def test_without_any_layer_of_ours_the_bytes_pass(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "sitecustomize.py").write_text(BROKEN.format(module="logsense.jobs.passing", error="ImportError"))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(EXAMPLE.parents[1])])}
    data = EXAMPLE.read_bytes()
    done = subprocess.run(
        [sys.executable, "-m", "logsense", *command], input=data, capture_output=True, check=False, env=env, cwd="/"
    )
    assert (done.returncode, done.stdout) == (0, data)
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who reads a pipe")
def test_what_the_shell_still_reads_is_left_to_it() -> None:
    loop = f"while read -r word; do {sys.executable} -m logsense causes storage >&2; echo $word; done"
    done = subprocess.run(["sh", "-c", f"{loop}; :"], input=b"one\ntwo\n", capture_output=True, check=False)
    assert done.stdout == b"one\ntwo\n"
    assert b"storage." in done.stderr


@pytest.mark.parametrize("arguments", [["--nope"], ["--nope", "value"], ["--format", "prose"], ["--output"]])
def test_a_wrong_option_is_said_and_the_bytes_pass(arguments: list[str]) -> None:
    data = EXAMPLE.read_bytes()
    done = piped(data, *arguments)
    assert (done.returncode, done.stdout) == (0, data)
    assert done.stderr.startswith(b"logsense: ignored: ")
    assert b"stack expects each tensor" in done.stderr


def test_settings_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "logsense").mkdir()
    (tmp_path / "logsense" / "config.toml").write_bytes(b"format = '\xff")
    data = EXAMPLE.read_bytes()
    env = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    for arguments in ([], ["explain"]):
        command = [sys.executable, "-m", "logsense", *arguments]
        done = subprocess.run(command, input=data, capture_output=True, check=False, env=env)
        assert done.returncode == 0
        assert done.stderr.startswith(b"logsense: ignored: ")
        assert b"stack expects each tensor" in done.stdout + done.stderr


def test_an_answer_that_can_not_be_written_is_shown(tmp_path: Path) -> None:
    done = piped(EXAMPLE.read_bytes(), "-o", str(tmp_path / "none" / "report"), "--exit-code")
    assert done.returncode == 1
    assert b"stack expects each tensor" in done.stderr
    assert b"logsense: can't write " in done.stderr


def test_what_passed_is_kept(tmp_path: Path) -> None:
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "logsense"]
    done = subprocess.run(command, input=EXAMPLE.read_bytes(), capture_output=True, check=True, env=env)
    assert done.stderr.endswith(b"facts: logsense last -v\n")
    last = subprocess.run([*command, "last"], capture_output=True, check=True, env=env, text=True)
    assert "stack expects each tensor" in last.stdout
    assert last.stderr == ""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
def test_signals_do_not_end_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "logsense"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"step 1\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"step 1\n"
        for number in sorted(catchable()):
            process.send_signal(number)
        process.stdin.write(EXAMPLE.read_bytes())
        process.stdin.close()
        assert process.stdout.read() == EXAMPLE.read_bytes()
        assert b"stack expects each tensor" in process.stderr.read()
        assert process.wait() == 0


STARTING = """
import os, sys
class Signalled:
    def find_spec(self, name, path=None, target=None):
        if name == "logsense.cli.fallback":
            os.kill(os.getpid(), {number})
sys.meta_path.insert(0, Signalled())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize(("command", "status"), [([], 0), (["run", "--", "sleep", "60"], 128 + signal.SIGTERM)])
def test_signals_that_come_while_it_starts(tmp_path: Path, command: list[str], status: int) -> None:
    """They do not end a pipe, and reach a job that is about to run."""
    (tmp_path / "sitecustomize.py").write_text(STARTING.format(number=int(signal.SIGTERM)))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(EXAMPLE.parents[1])])}
    done = subprocess.run(
        [sys.executable, "-m", "logsense", *command], input=b"step 1\n", capture_output=True, check=False, env=env
    )
    assert (done.returncode, done.stdout) == (status, b"" if command else b"step 1\n")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
def test_a_second_ctrl_c_ends_the_explanation_alone() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "logsense"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        for line in (b"step 1\n", b"step 2\n"):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline() == line
            process.send_signal(signal.SIGINT)
        process.stdin.write(EXAMPLE.read_bytes())
        process.stdin.close()
        assert process.stdout.read() == EXAMPLE.read_bytes()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize(("kept", "apart"), [("cache", True), ("null/x", False)])
def test_what_is_known_is_compiled_by_another_process(tmp_path: Path, kept: str, apart: bool) -> None:
    (tmp_path / "null").touch()
    code = (
        "import sys; from logsense.cli.options import Settings; from logsense.cli.explain_stream import stream_for;"
        "reader = stream_for(Settings()); reader.feed(sys.stdin.buffer.read()); report = reader.finish();"
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
    monkeypatch.setattr("logsense.match.hyperscan_engine.compiled", _refused)
    reader = stream_for(Settings())
    reader.feed(b"step 1\n" * 200_000 + EXAMPLE.read_bytes())
    report = reader.finish()
    assert report
    assert report.outcome == "failed"
    assert {path.name.split("-")[0] for path in tmp_path.rglob("*.hsdb")} == {"literals"}


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
    monkeypatch.setattr("logsense.cli.compiling.SideProcess", beside)
    monkeypatch.setattr("logsense.cli.compiling._TIMEOUT_S", 0.1)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    reader = stream_for(Settings())
    reader.feed(EXAMPLE.read_bytes())
    report = reader.finish()
    assert report
    assert report.outcome == "failed"
