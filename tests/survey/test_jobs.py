"""Which logs are put together as one job."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logsense.survey.find import find_tasks
from logsense.survey.jobs import group

LAYOUTS = {
    "torchrun --log-dir": (
        "d/run1/attempt_0/0/stderr.log d/run1/attempt_0/1/stderr.log d/run1/attempt_1/0/stdout.log d/run2/attempt_0/0/stderr.log",
        {"d/run1": 3, "d/run2/attempt_0/0/stderr.log": 1},
    ),
    "torchrun with the launcher's own log above": (
        "d/a/launcher.log d/a/run/attempt_0/0/stderr.log d/a/run/attempt_0/1/stderr.log d/b/train.log",
        {"d/a": 3, "d/b/train.log": 1},
    ),
    "Slurm, with and without a log a task": (
        "l/slurm-12.out l/slurm-12.err l/slurm-13_0.out l/slurm-13_1.out l/slurm-14.out",
        {"l/slurm-12.*": 2, "l/slurm-13_*.out": 2, "l/slurm-14.out": 1},
    ),
    "rotated and packed": (
        "l/train.log l/train.log.1 l/train.log.2.gz l/eval.log",
        {"l/train.log*": 3, "l/eval.log": 1},
    ),
    "rank logs and the launcher's": (
        "j/rank_0.log j/rank_1.log j/launcher.log k/rank_0.log k/rank_1.log",
        {"j": 3, "k": 2},
    ),
    "rank logs and many other logs": (
        "j/rank_0.log j/rank_1.log j/a.log j/b.log j/c.log j/d.log j/e.log",
        {"j/rank_*.log": 2, "j/a.log": 1, "j/b.log": 1, "j/c.log": 1, "j/d.log": 1, "j/e.log": 1},
    ),
    "a folder a node, ranks over all": (
        "j/left/rank_0.log j/left/rank_1.log j/right/rank_2.log j/right/rank_3.log",
        {"j": 4},
    ),
    "the same ranks in two folders": (
        "j/left/rank_0.log j/left/rank_1.log j/right/rank_0.log j/right/rank_1.log",
        {"j/left": 2, "j/right": 2},
    ),
    "a folder a numbered node": ("j/node1/train.log j/node2/train.log", {"j": 2}),
    "a folder a job number": ("y/10/train.log y/11/train.log", {"y/10/train.log": 1, "y/11/train.log": 1}),
    "a folder a rank": ("y/0/stderr y/1/stderr y/2/stderr", {"y": 3}),
    "Open MPI": ("j/1/rank.0/stderr j/1/rank.1/stderr", {"j/1": 2}),
    "single logs": ("a.log b.log logs/c.log logs/d.log", {"a.log": 1, "b.log": 1, "logs/c.log": 1, "logs/d.log": 1}),
    "pods": (
        "p/a-worker-0.log p/a-worker-1.log p/a-master-0.log p/b-worker-0.log p/b-master-0.log",
        {"p/a-*er-*.log": 3, "p/b-*er-0.log": 2},
    ),
    "PBS": ("x.o123 x.e123 x.o124", {"x.*123": 2, "x.o124": 1}),
    "numbered logs": (
        "n/log-001.log n/log-003.log n/log-007.log",
        {"n/log-001.log": 1, "n/log-003.log": 1, "n/log-007.log": 1},
    ),
    "an array of jobs": ("n/slurm-7_1.out n/slurm-7_2.out n/slurm-7_2.err", {"n/slurm-7_1.out": 1, "n/slurm-7_2.*": 2}),
    "workers, some of which are missing": ("n/worker0.log n/worker1.log n/worker3.log", {"n": 3}),
    "workers over nodes": ("n/a/worker0.log n/a/worker1.log n/b/worker2.log n/b/worker3.log", {"n": 4}),
    "streams": ("r/stdout.log r/stderr.log s/stdout s/stderr", {"r": 2, "s": 2}),
    "absolute": ("/a/exp1/train.log /a/exp1/eval.log", {"/a/exp1/train.log": 1, "/a/exp1/eval.log": 1}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout(layout: str) -> None:
    paths, jobs = LAYOUTS[layout]
    found = group(paths.split())
    if layout == "pods":  # how two names are drawn together is not what counts
        assert sorted(map(len, found.values())) == sorted(jobs.values())
    else:
        assert {name: len(logs) for name, logs in found.items()} == jobs


NAMES = st.sampled_from(
    [
        "0",
        "1",
        "node1",
        "attempt_0",
        "logs",
        "a",
        "rank_0.log",
        "rank_1.log",
        "stdout",
        "x.log.1",
        "s-7_0.out",
        ".",
        "é*",
    ]
)


@given(st.lists(st.lists(NAMES, min_size=1, max_size=5).map("/".join), unique=True, max_size=25), st.booleans())
def test_every_log_is_in_one_job(paths: list[str], absolute: bool) -> None:
    paths = [f"/{path}" if absolute else path for path in paths]
    found = group(paths)
    assert sorted(log for logs in found.values() for log in logs) == sorted(paths)
    assert found == group(reversed(paths))


def test_an_explanation_beside_a_log_is_no_log(tmp_path: Path) -> None:
    for name in ("slurm-77.out", "slurm-77.out.why"):
        (tmp_path / name).write_text("step 1\n")
    assert [task.paths for task in find_tasks([str(tmp_path)])] == [(str(tmp_path / "slurm-77.out"),)]
