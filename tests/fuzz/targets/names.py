"""Names of files and folders from clusters, people and archives: a rank, a machine, an attempt, or none."""

from __future__ import annotations

from logsense.records.rank_by_name import attempt_of, host_of, places_of, rank_of, without_rank

SEEDS = [
    *("logs/rank_3.log", "attempt_0/3/stderr.log", "slurm-7_3.out", "node7-dmesg.log", "node7/kern.log", "train.log"),
    *("a/b\n c.log", "rank" + "9" * 5000, "\u202erank_1.log", "C:\\logs\\rank2.log", "pod-llama-worker-3.txt", ""),
    *("s3://bucket/job/worker-1/stdout", "all.tar.gz/logs/rank0.log", "1,0.stderr", "rank-٣.log", "x" * 5000),
]


def seeds() -> list[bytes]:
    """Return names and lists of names."""
    return [*(name.encode() for name in SEEDS), "\0".join(SEEDS[:8]).encode(), b"\0".join([b"rank_1.log"] * 9)]


def run(data: bytes) -> None:
    """Parse each of the names, which are separated by NUL."""
    names = data.decode("utf-8", "surrogateescape").split("\0")
    places_of(names)
    for name in names:
        attempt_of(name)
        host_of(name)
        rank = rank_of(name)
        assert rank is None or 0 <= rank < 10**9, "no rank has such a number"
        without_rank(name)
