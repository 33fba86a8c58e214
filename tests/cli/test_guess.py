"""Messages for wrong use say what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import call
from tests.cli.test_sharing import LOG


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["explian", "train.log"], "'explian' is neither a command nor a file; did you mean logsense explain?"),
        (["gpu"], "a known message; did you mean logsense gpus?"),
        (["trian.log"], "no such file: trian.log; did you mean train.log?"),
        (["-train.log"], "there is no option -train.log; the file is ./-train.log"),
        (["-v.log"], "there is no option -v.log; the file is ./-v.log"),
        (["nothing-like-it.log"], "no such file: nothing-like-it.log\n"),
        (
            ["--fromat", "json", "train.log"],
            "there is no option --fromat; did you mean --format? (see logsense explain",
        ),
        (["--format", "JSN", "train.log"], "did you mean json? (see logsense explain --help)"),
        (["--exit-code=verdct", "train.log"], "--exit-code takes no value, or one of failure, verdict after ="),
        (["gpus", "--format"], "--format needs one of text, json (see logsense gpus --help)"),
        (["train.log", "--output"], "--output needs FILE (see logsense explain --help)"),
        (["survey", "--jobs"], "--jobs needs N (see logsense survey --help)"),
        (["--zzz", "train.log"], "there is no option --zzz (see logsense explain --help)"),
        (["survey", "--jbs", "3"], "there is no option --jbs; did you mean --jobs? (see logsense survey --help)"),
        (["rules", "lnit"], "there is no command 'lnit'; did you mean lint? (see logsense rules --help)"),
        (["rules", "new"], "(see logsense rules new --help)"),
        (["rules", "lint", "train.log"], "train.log is not part of the catalog; add its folder with --rules DIR or"),
        (["doctor", "--python", "/bin/no-python"], "--python takes a Python interpreter; /bin/no-python can't be run"),
        (["--newest", "train.log"], "--newest takes a folder; train.log is not one"),
    ],
)
def test_what_was_meant(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "-train.log").write_text(LOG)
    (tmp_path / "-v.log").write_text(LOG)
    done = call(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train.log", "./trian.log"], "no such file: ./trian.log; did you mean ./train.log?\n"),
        (["nofile", "train.log"], "no such file: nofile\n"),
        (["train.log", "trainlog"], "no such file: trainlog; did you mean train.log?\n"),
    ],
)
def test_what_is_missing_does_not_hide_the_rest(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    done = call(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert "shard.bin" in done.stdout
    assert done.stderr == f"logsense: {says}"


def test_a_folder_of_rules_that_is_missing(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "team-rules").mkdir()
    done = call("train.log", "--rules", "team-rule", cwd=tmp_path)
    assert done.returncode == 0
    assert "shard.bin" in done.stdout
    assert done.stderr == "logsense: ignored: folder team-rule does not exist; did you mean team-rules?\n"


def test_words_of_a_message_are_not_commands(tmp_path: Path) -> None:
    done = call("CUDA", "error:", "an", "illegal", "memory", "access", "was", "encountered", cwd=tmp_path)
    assert "did you mean" not in done.stderr
    assert "illegal memory access" in done.stdout
    (tmp_path / "watc").write_text(LOG)
    assert "shard.bin" in call("watc", cwd=tmp_path).stdout
