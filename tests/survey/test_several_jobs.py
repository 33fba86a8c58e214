"""Logs that nothing ties together are of different jobs; those of one job are read as one."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from logsense.catalog.load import load_catalog
from logsense.sources.find import resolve
from logsense.survey.several_jobs import explain_apart
from tests.cli.command_line import call

RANKS = Path(__file__).parents[1] / "ranks"
NO_SAMPLES = 'Traceback (most recent call last):\n  File "a.py", line 4, in <module>\nValueError: num_samples should be a positive integer value, but got num_samples=0\n'
FULL = "Saved checkpoint to /data/ckpt/step_1000.pt\nTraceback (most recent call last):\n  File \"b.py\", line 3, in <module>\nOSError: [Errno 28] No space left on device: '/data/ckpt/step_1000.pt'\n"


def jobs_in(folder: Path, logs: dict[str, str]) -> list[set[str]]:
    for name, text in logs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    sources = resolve([str(folder / name) for name in logs], stdin=BytesIO())
    jobs = explain_apart(sources, load_catalog())
    return [{str(Path(source.name).relative_to(folder)) for source in job.sources} for job in jobs]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ({"nofile.log": NO_SAMPLES}, {"disk.log": FULL}, False),
        ({"rank_0.log": NO_SAMPLES}, {"rank_1.log": FULL}, True),
        ({"train.out": NO_SAMPLES}, {"train.err": FULL}, True),
        ({"one.log": "[rank0]: ready\n"}, {"other.log": "[rank1]: KeyError: 'x'\n"}, True),
        ({"one.log": "[rank0]: ready\n"}, {"other.log": "[rank0]: KeyError: 'x'\n"}, False),
        ({"train.log": NO_SAMPLES}, {"node7-dmesg.log": "eth0: link up\n"}, True),
        (
            {"one.log": "slurmstepd: error: *** JOB 881 ON node7 CANCELLED AT 2026-11-21T09:40:09 DUE TO TIME LIMIT ***\n"},
            {"other.log": "slurmstepd: error: *** JOB 882 ON node7 CANCELLED AT 2026-11-21T09:40:09 DUE TO TIME LIMIT ***\n"},
            False,
        ),
        (
            {"one.log": "slurmstepd: error: *** JOB 881 ON node7 CANCELLED AT 2026-11-21T09:40:09 DUE TO TIME LIMIT ***\n"},
            {"other.log": "slurmstepd: error: *** JOB 881 ON node8 CANCELLED AT 2026-11-21T09:40:09 DUE TO TIME LIMIT ***\n"},
            True,
        ),
        (
            {"one.log": "Nov 21 09:40:01 node7 train[11]: ready\nNov 21 09:44:01 node7 train[11]: done\n"},
            {"other.log": "Nov 21 09:42:01 node7 serve[12]: KeyError: 'x'\n"},
            False,
        ),
        (
            {"one.log": "Nov 21 09:40:01 node7 train[11]: ready\nNov 21 09:44:01 node7 train[11]: done\n"},
            {"other.log": "Nov 21 09:42:01 node7 train[11]: KeyError: 'x'\n"},
            True,
        ),
        (
            {"one.log": "2026-11-21 09:40:01 [rank0]: ready\n2026-11-21 09:44:01 [rank0]: done\n"},
            {"other.log": "2026-11-25 09:42:01 [rank1]: KeyError: 'x'\n"},
            False,
        ),
        (
            {"one.log": "Nov 21 09:40:01 node7 train[11]: ready\nNov 21 09:44:01 node7 train[11]: done\n"},
            {"other.log": "Nov 21 11:42:01 node7 serve[12]: KeyError: 'x'\n"},
            False,
        ),
    ],
)  # fmt: skip
def test_what_ties_logs(tmp_path: Path, first: dict[str, str], second: dict[str, str], together: bool) -> None:
    logs = {**first, **second}
    assert jobs_in(tmp_path, logs) == ([set(logs)] if together else [set(first), set(second)])


@pytest.mark.parametrize("folder", sorted(path.name for path in RANKS.iterdir() if path.is_dir()))
def test_a_job_of_several_ranks_stays_one(folder: str) -> None:
    sources = resolve([str(RANKS / folder)], stdin=BytesIO())
    assert len(explain_apart(sources, load_catalog())) == 1


def test_no_fact_crosses_from_one_job_to_another(tmp_path: Path) -> None:
    (tmp_path / "nofile.log").write_text(NO_SAMPLES)
    (tmp_path / "disk.log").write_text(FULL)
    sources = resolve([str(tmp_path / name) for name in ("nofile.log", "disk.log")], stdin=BytesIO())
    first, second = explain_apart(sources, load_catalog())
    assert "/data/ckpt" not in repr(first.report)
    assert "/data/ckpt" in repr(second.report)


def test_a_folder_of_many_jobs(tmp_path: Path) -> None:
    for number, word in enumerate(("alpha", "beta", "gamma", "delta", "epsilon")):
        (tmp_path / f"{word}.log").write_text(NO_SAMPLES if number % 2 else FULL)
    done = call(".", cwd=tmp_path)
    assert done.stdout.startswith("5 logs of what look like 5 jobs")
    assert "beta.log" in done.stdout
    done = call("--format", "json", "alpha.log", "beta.log", cwd=tmp_path)
    assert '"schema": "logsense.report/1"' in done.stdout
    assert "2 logs of what look like 2 jobs" in done.stderr
