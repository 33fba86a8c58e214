"""`--notify`: who is told of a failure, by a real server on this machine, and what never keeps a job."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import logsense
from logsense.callbacks import Alert
from logsense.cli.settings import stored_settings, stored_settings_without_notify
from tests.cli.command_line import call, spawn

pytest.importorskip("apprise")
SECRET = "hf_" + "aBcDeFgHiJ" * 3 + "kLmN"
LINES = f"step 1 loss 2.5\nModuleNotFoundError: No module named 'flash_attn'  token={SECRET}\n"
PRINTS = f"print({LINES!r}, end='')"


class Hook(ThreadingHTTPServer):
    """Keeps what it is sent; answers with `status`, after `wait_s` seconds."""

    status, wait_s = 200, 0.0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.got: list[tuple[str, dict[str, str]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?key=a%20b"


class _Answer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Hook)
        data = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(server.wait_s)
        server.got.append((self.path, json.loads(data)))
        try:
            self.send_response(server.status)
            self.end_headers()
        except OSError:
            pass

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("LOGSENSE_NOTIFY", raising=False)
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    path = tmp_path / "train.log"
    path.write_text(LINES)
    return path


def test_explain_sends_the_cause_and_the_first_fix_without_secrets(hook: Hook, log: Path) -> None:
    done = call(str(log), "--notify", hook.url, cwd=log.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert SECRET in done.stdout  # only what leaves is redacted
    [(path, message)] = hook.got
    assert path == "/hook?key=a+b"
    assert message["title"] == "Run failed: The Python package flash_attn is not installed"
    assert message["type"] == "failure"
    assert "Slurm job 4711, train.log" in message["message"]
    assert "env.package-missing" in message["message"]
    assert " % sure" in message["message"]
    assert "pip install" in message["message"]
    assert SECRET not in json.dumps(hook.got)


def test_nothing_is_sent_unless_asked_or_where_all_is_well(hook: Hook, log: Path) -> None:
    call(str(log), cwd=log.parent)
    log.write_text("step 1 loss 2.5\nTraining completed.\n")
    call(str(log), "--notify", hook.url, cwd=log.parent)
    assert hook.got == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
def test_run_watch_and_the_pipe(hook: Hook, log: Path) -> None:
    done = spawn("run", "--notify", hook.url, "--", sys.executable, "-c", PRINTS + "; exit(3)", cwd=log.parent)
    assert done.returncode == 3
    spawn("watch", str(log), cwd=log.parent, LOGSENSE_NOTIFY=hook.url)
    piped = subprocess.run(
        [sys.executable, "-m", "logsense", "--notify", hook.url],
        input=LINES.encode(), capture_output=True, timeout=60, check=False, cwd=log.parent,
    )  # fmt: skip
    assert piped.stdout.decode() == LINES
    assert [message["title"] for _, message in hook.got] == [
        "Run failed: The Python package flash_attn is not installed"
    ] * 3


def test_an_unknown_failure_is_sent_too(hook: Hook, log: Path) -> None:
    program = "print('the frob is @everyone <!here>'); exit(3)"
    spawn("run", "--notify", hook.url, "--", sys.executable, "-c", program, cwd=log.parent)
    [(_, message)] = hook.got
    assert "new to logsense" in message["title"]
    assert "exit status 3" in message["message"]
    assert "@everyone" not in message["message"]


def test_an_unreachable_address_is_one_line_and_the_others_are_notified(hook: Hook, log: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        to = f"json://user:geheim@127.0.0.1:{port}/x nope://geheim {hook.url}"
        done = call(str(log), "--notify", to, cwd=log.parent)
    lines = done.stderr.splitlines()
    assert lines[0] == "logsense: --notify: no service has addresses like this one: nope:…"
    assert lines[1].startswith("logsense: 127.0.0.1 could not be notified: ")
    assert len(lines) == 2
    assert "geheim" not in done.stderr
    assert done.returncode == 0
    assert len(hook.got) == 1


def test_a_refusal(hook: Hook, log: Path) -> None:
    hook.status = 403
    done = call(str(log), "--notify", hook.url, cwd=log.parent)
    assert "could not be notified" in done.stderr
    assert "403" in done.stderr


@pytest.mark.slow
def test_an_unresponsive_service_delays_nobody(hook: Hook, log: Path) -> None:
    hook.wait_s = 30.0
    began = time.monotonic()
    done = call(str(log), "--notify", hook.url, cwd=log.parent)
    assert time.monotonic() - began < 25
    assert " within " in done.stderr
    hook.wait_s = 0.0


@pytest.mark.skipif(os.name == "nt", reason="POSIX")
def test_an_invalid_address_is_reported_when_the_job_starts(log: Path) -> None:
    command = [sys.executable, "-m", "logsense", "run", "--no-record", "--notify", "nope://x", "--", "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as job:
        assert job.stdin
        assert job.stderr
        said = job.stderr.readline()  # the job still waits for its input
        job.stdin.close()
        assert job.wait() == 0
    assert said == "logsense: --notify: no service has addresses like this one: nope:…\n"


@pytest.mark.skipif(sys.platform != "linux", reason="notify-send")
def test_the_desktop(log: Path, tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "notify-send"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/said\n')
    tool.chmod(0o755)
    path = os.pathsep.join([str(tool.parent), os.environ["PATH"]])
    done = call(str(log), "--notify", "desktop", cwd=log.parent, PATH=path)
    assert done.stderr == ""
    assert "Run failed: The Python package flash_attn" in (tmp_path / "said").read_text()


def test_settings(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = log.parent
    (folder / "config" / "logsense").mkdir(parents=True)
    (folder / "config" / "logsense" / "config.toml").write_text('notify = "ntfy://mine"\n')
    assert stored_settings(str(folder)) == {"notify": "ntfy://mine"}
    assert stored_settings_without_notify() == {}
    monkeypatch.setenv("LOGSENSE_NOTIFY", "ntfy://other")
    assert stored_settings(str(folder)) == {"notify": "ntfy://other"}
    (folder / "pyproject.toml").write_text('[tool.logsense]\nnotify = "json://evil"\n')
    found = stored_settings(str(folder))
    assert found["notify"] == "ntfy://other"
    assert "notify (a project sets" in str(found["ignored"])


def test_from_python_without_waiting(hook: Hook, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGSENSE_NOTIFY", hook.url)
    logsense.notify(logsense.explain(log))
    logsense.notify(Alert("loss", f"The loss is NaN at step 7. The token was {SECRET}.", 7), hook.url)
    until = time.monotonic() + 30
    while len(hook.got) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    titles = sorted(message["title"] for _, message in hook.got)
    assert titles == ["Run failed: The Python package flash_attn is not installed", "The loss is NaN at step 7"]
    assert SECRET not in json.dumps(hook.got)
    monkeypatch.delenv("LOGSENSE_NOTIFY")
    with pytest.raises(ValueError, match="no address to notify"):
        logsense.notify("The loss is NaN")
