"""What is passed on holds no secrets and no names, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logsense.cli.options import FORMATS
from tests.cli.command_line import call, own_settings, python_path, spawn
from tests.render.redact.planted import grown

ROOT = Path(__file__).parents[2]
SECRETS = [grown("hf_{34}"), "alovelace", "gpu-12", "203.0.113.7"]
LOG = f"""\
(base) alovelace@gpu-12:~/run$ HF_TOKEN={SECRETS[0]} torchrun --rdzv-endpoint 203.0.113.7:29500 train.py
torch 2.5.1+cu124, cuDNN version 9.1.0.70
step 1 loss 0.5
Traceback (most recent call last):
  File "/home/alovelace/run/train.py", line 12, in <module>
    data = open("/home/alovelace/data/shard.bin")
FileNotFoundError: [Errno 2] No such file or directory: '/home/alovelace/data/shard.bin'
srun: error: gpu-12: task 0: Exited with exit code 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "train.log").write_text(LOG)
    return tmp_path


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_redacted(format: str, folder: Path) -> None:
    done = call("train.log", "--redact", "--verbose", "--format", format, cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert [one for one in SECRETS if one in done.stdout] == []
    assert "shard.bin" in done.stdout
    assert "user-1" in done.stdout


def test_the_list_of_what_was_hidden(folder: Path) -> None:
    report = json.loads(call("train.log", "--redact", "--format", "json", cwd=folder).stdout)
    masked = {one["mask"]: one for one in report["masked"]}
    assert masked["<user-1>"]["says"] == "the name of a user"
    assert masked["<user-1>"]["seen"] > 2
    assert json.loads(call("train.log", "--format", "json", cwd=folder).stdout)["masked"] is None
    text = call("train.log", "--redact", cwd=folder).stdout
    assert "/home/<user-1>/data/shard.bin doesn't exist" in " ".join(text.split())
    assert "Hidden  <user-1> (the name of a user, " in text


def test_settings_can_ask_for_it_and_name_what_is_private(folder: Path) -> None:
    settings = own_settings(folder, f"redact = true\nrules = '{folder / 'own'}'\n")
    (folder / "own" / "_tables").mkdir(parents=True)
    (folder / "own" / "_tables" / "redaction-own.yaml").write_text(
        "title: ours\ndated: 2026-11-21\nsource: https://example.com\n"
        "columns: {kind: text, says: text, hints: text, pattern: text}\n"
        "rows:\n  - {kind: project, says: a project, hints: shard, pattern: 'shard'}\n"
    )
    done = call("train.log", cwd=folder, XDG_CONFIG_HOME=settings)
    assert "/home/<user-1>/data/<project-1>.bin" in " ".join(done.stdout.split())
    assert done.stderr == ""


@pytest.mark.parametrize("format", ["text", "json"])
def test_what_the_machine_shows_is_redacted_too(format: str, folder: Path) -> None:
    words = ["--redact", "--format", format]
    done = spawn(
        "doctor", "--quick", "--verbose", *words, cwd=folder, PYTHONPATH=python_path(ROOT, "/home/alovelace/lib")
    )
    assert "alovelace" not in done.stdout
    assert "/home/<user-1>/lib" in "".join(done.stdout.split())
    assert call("gpus", *words, cwd=folder).returncode == 0


def test_the_log_keeps_its_name(tmp_path: Path) -> None:
    (tmp_path / "gpu-12.log").write_text(LOG)
    done = call("gpu-12.log", "--redact", cwd=tmp_path)
    assert "gpu-12.log:" in done.stdout
    assert "gpu-12" not in done.stdout.replace("gpu-12.log", "")


def test_the_path_of_the_log_is_redacted_too(tmp_path: Path) -> None:
    path = tmp_path / "home" / "alovelace" / f"{SECRETS[0]}.log"
    path.parent.mkdir(parents=True)
    path.write_text(LOG)
    for words in (["--redact"], ["--redact", "--verbose"]):
        shown = call(str(path), *words, cwd=tmp_path).stdout
        assert [one for one in SECRETS if one in shown] == []
    assert "facts: logsense -v FILE…" in call(str(path), "--redact", cwd=tmp_path).stdout


def test_context_lines_reveal_split_secrets(tmp_path: Path) -> None:
    secret = grown("{hex:40}")
    (tmp_path / "train.log").write_text(
        f'wandb login {secret}\nTraceback (most recent call last):\n  File "/w/a.py", line 3, in f\n'
        f"    g()\nValueError: not a key: {secret}\n"
    )
    done = call("train.log", "--redact", cwd=tmp_path)
    assert secret not in done.stdout
    assert "not a key: <token-1>" in done.stdout
