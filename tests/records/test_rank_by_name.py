"""The rank in the name of a log."""

from __future__ import annotations

import pytest

from logsense.records.rank_by_name import host_of, place_of, places_of, rank_of
from logsense.records.records import records


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("runs/four-ranks-rank0/rank_3.log", 3),
        ("logs/rank_3.log", 3),
        ("logs/train-rank12.out", 12),
        ("RANK=7/stderr.txt", 7),
        ("global_rank_0004.log.gz", 4),
        ("/tmp/elastic/none_x8s/attempt_0/5/stderr.log", 5),
        ("out/1/rank.3/stderr", 3),
        ("slurm-8812_17.out", 17),
        ("slurm-8812.0_2.err", 2),
        ("stderr_0.txt", 0),
        ("worker-11.log", 11),
        ("job/stdout.3", 3),
        ("train.log", None),
        ("slurm-8812.out", None),
        ("log-2024-11-02.txt", None),
        ("franknet50.log", None),
        ("frank_50.log", None),
        ("run_2.log", None),
        ("rank3b/model.log", None),
        ("C:\\jobs\\rank_2.log", 2),
    ],
)
def test_names(name: str, rank: int | None) -> None:
    assert rank_of(name) == rank


def test_what_a_line_says_goes_before_the_name_of_its_file() -> None:
    first, second = records(b"[rank5]: RuntimeError: x\nplain\n", source="x", place=place_of("logs/rank_3.log"))
    assert (first.prefix.rank, second.prefix.rank) == (5, 3)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("nodes/node7-dmesg.log", "node7"),
        ("dmesg_gpu-a100-03.txt", "gpu-a100-03"),
        ("dmesg.node12.cluster.example.log.gz", "node12.cluster.example"),
        ("logs/node7/kern.log", "node7"),
        ("node7/var/syslog.1", "node7"),
        ("nvidia-smi-node3.txt", "node3"),
        ("nvidia-bug-report.log", None),
        ("dmesg.log", None),
        ("logs/dmesg.txt", None),
        ("node7/train.log", None),
        ("rank_3.log", None),
        ("job-8812/dmesg.txt", None),
        ("data/run_12/logs/kern.log", None),
        ("exp12/nvidia-bug-report.log", None),
        ("lightning_logs/version_3/syslog", None),
        ("worker-gpu7/dmesg.txt", "worker-gpu7"),
    ],
)
def test_logs_of_machines(name: str, host: str | None) -> None:
    assert host_of(name) == host


@pytest.mark.parametrize(
    ("names", "ranks"),
    [
        (["a/log-084.log"], [None]),
        (["a/log-084.log", "a/log-013.log"], [None, None]),
        (["a/out-0.log", "a/out-1.log"], [0, 1]),
        (["a/err_0.txt", "a/err_1.txt"], [0, 1]),
        (["a/train-4711-0.log", "a/train-4711-1.log"], [0, 1]),
        (["a/train-4711-3.log"], [None]),
        (["a/train-2024-07.log", "a/train-2024-08.log"], [None, None]),
        (["a/run-100-0.log", "a/run-100-50.log"], [None, None]),
        (["a/log-0.log", "a/log-1.log", "a/log-2.log"], [0, 1, 2]),
        (["a/output_0.txt", "a/output_1.txt", "a/train.log"], [0, 1, None]),
        (["a/rank_7.log"], [7]),
        (["a/worker3.log"], [3]),
    ],
)
def test_numbers_that_count_logs(names: list[str], ranks: list[int | None]) -> None:
    assert [place[0] for place in places_of(names).values()] == ranks
