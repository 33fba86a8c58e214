"""A report as a row: when it failed, on which GPU, what it cost."""

from __future__ import annotations

import math
import time
from time import localtime, mktime

import pytest

from logsense.model.report import Culprit, Diagnosis, Evidence, FactValue, Progress, Report, Saved
from logsense.model.survey import JobRow
from logsense.survey.read import row_of, storable

NEWEST_S = mktime((2026, 3, 5, 12, 0, 0, 0, 0, -1))


def report(when: str | None = None, **more: object) -> Report:
    evidence = Evidence("it failed", "node7/rank3.log", 12, "RuntimeError: no", 3, None, when)
    fields: dict[str, object] = {
        "diagnoses": (Diagnosis("code.config", 0.8765, "Title", "", (evidence,)),),
        "culprits": (Culprit(3, None, "node7/rank3.log", 12),),
        **more,
    }
    return Report("failed", **fields)  # type: ignore[arg-type]


def row(found: Report, logs: tuple[str, ...] = ("a.log",)) -> JobRow:
    return row_of("/jobs/a", found, logs, NEWEST_S)


@pytest.mark.parametrize(
    ("printed", "failed_at"),
    [
        ("2026-02-01 10:20:30,123", "2026-02-01T10:20:30"),
        ("0301 10:20:30.123456", "2026-03-01T10:20:30"),
        ("1231 23:59:59.000000", "2025-12-31T23:59:59"),
        ("Feb 29 01:02:03", "2024-02-29T01:02:03"),
        ("10:20:30", "2026-03-05T10:20:30"),
        (f"{NEWEST_S:.3f}", "2026-03-05T12:00:00"),
    ],
)
def test_when(printed: str, failed_at: str) -> None:
    found = row(report(printed))
    assert (found.failed_at, found.dated_by) == (failed_at, "log")


@pytest.mark.parametrize("printed", [None, "12.5", "2026-13-45 10:20:30", "soon"])
def test_the_time_of_the_file(printed: str | None) -> None:
    found = row(report(printed))
    assert (found.failed_at, found.dated_by) == ("2026-03-05T12:00:00", "file")
    assert localtime(NEWEST_S).tm_hour == 12
    assert time.strptime(found.failed_at or "", "%Y-%m-%dT%H:%M:%S")


@pytest.mark.parametrize(
    ("facts", "image"),
    [
        ({"container.image": "docker://nvcr.io#nvidia/pytorch:25.02-py3"}, "nvcr.io/nvidia/pytorch:25.02-py3"),
        ({"container.image": "lab/train:7", "container.release": "25.02"}, "lab/train:7"),
        ({"container.release": "25.02"}, "NVIDIA 25.02"),
        ({}, None),
    ],
)
def test_the_image(facts: dict[str, str], image: str | None) -> None:
    assert row(report(facts={name: FactValue(value) for name, value in facts.items()})).image == image


def test_what_it_cost() -> None:
    saved = Saved(100, None, None, "a.log", 3, 1800.0)
    facts = {"job.world_size": FactValue(16)}
    found = row(report(progress=Progress("training", "", 120, after_s=7200.0, checkpoint=saved), facts=facts))
    assert (found.world_size, found.lost_s, found.gpu_hours_lost, found.step) == (16, 1800.0, 8.0, 120)
    found = row(report(progress=Progress(after_s=7200.0), facts=facts))
    assert (found.lost_s, found.gpu_hours_lost) == (7200.0, 32.0)
    # A checkpoint of which it is not known when: neither is what was lost.
    unknown = saved._replace(before_end_s=None)
    found = row(report(progress=Progress(after_s=7200.0, checkpoint=unknown), facts=facts))
    assert (found.lost_s, found.gpu_hours_lost) == (None, None)
    assert row(report(progress=Progress(after_s=7200.0))).gpu_hours_lost is None


def test_a_completed_run_has_lost_nothing() -> None:
    found = row(Report("completed", progress=Progress(after_s=7200.0), facts={"job.world_size": FactValue(16)}))
    assert (found.cause, found.lost_s, found.gpu_hours_lost, found.gpu) == (None, None, None, None)


def test_the_ranks_with_a_log_make_the_world() -> None:
    assert row(report(), ("j/rank_0.log", "j/rank_1.log", "j/launcher.log")).world_size == 2
    assert row(report(), ("j/rank_3.log", "j/rank_4.log")).world_size is None
    assert row(report(), ("j/rank_0.log",)).world_size is None


def test_the_number_of_a_single_log_is_not_a_rank() -> None:
    found = report(culprits=(Culprit(84, None, "log-084.log", 12),))
    assert row(found, ("log-084.log",)).rank is None
    assert row(found, ("rank-84.log",)).rank == 84
    assert row(found, ("log-083.log", "log-084.log")).rank == 84


def test_where() -> None:
    found = row(report(facts={"gpu.pci": FactValue("0000:1a:00.0")}))
    assert (found.rank, found.host, found.gpu) == (3, "node7", "node7 0000:1a:00.0")
    assert row(report(facts={"xid.pci": FactValue("PCI:0000:1a:00")})).gpu == "node7 0000:1a:00"
    assert row(report(facts={"gpu.index": FactValue(2)})).gpu == "node7 GPU 2"
    assert row(report(facts={"gpu.uuid": FactValue("GPU-1"), "gpu.index": FactValue(2)})).gpu == "GPU-1"
    nowhere = report(culprits=(Culprit(None, None, "train.log", 1),), facts={"gpu.index": FactValue(2)})
    assert (row(nowhere).host, row(nowhere).gpu) == (None, None)


def test_what_no_database_holds() -> None:
    odd = JobRow("/logs/\udcff.log", "failed", step=1 << 70, lost_s=math.inf, after_s=math.nan, rank=1)
    assert storable(odd) == JobRow("/logs/\\udcff.log", "failed", rank=1)
