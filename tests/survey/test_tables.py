"""What the rows of a survey add up to."""

from __future__ import annotations

from logsense.model.survey import CauseCount, JobRow, Offender, Week
from logsense.survey.tables import survey_of, week_of

ROWS = [
    JobRow("a", "failed", "storage.disk-full", host="n1", failed_at="2026-01-05T10:00:00", gpu_hours_lost=1.5),
    JobRow("b", "failed", "storage.disk-full", host="n1", gpu="n1 GPU 2", failed_at="2026-01-12T10:00:00"),
    JobRow("c", "failed", "code.config", host="n2", failed_at="2026-01-13T10:00:00", gpu_hours_lost=2.0),
    JobRow("d", "failed", host="n1", failed_at="2026-01-14T10:00:00"),
    JobRow("e", "completed", failed_at="2026-01-15T10:00:00"),
    JobRow("f", "unreadable", problem="no"),
    JobRow("g", "failed", "code.config", gpu="n1 GPU 2"),
    JobRow("h", "failed", "hardware.ecc", gpu="n1 GPU 2"),
]
PLACES = {"code": "program", "gpu-memory": "program", "gpu-memory.other-process": "machine", "env": "image"}


def test_causes() -> None:
    survey = survey_of(ROWS, {"storage.disk-full": "Disk full", "code.config": "A setting"})
    assert survey.causes == (
        CauseCount("code.config", "A setting", 2, 0.3333, 2.0, "2026-01-13T10:00:00"),
        CauseCount("storage.disk-full", "Disk full", 2, 0.3333, 1.5, "2026-01-12T10:00:00"),
        CauseCount("hardware.ecc", "hardware.ecc", 1, 0.1667, None, None),
        CauseCount(None, "unknown", 1, 0.1667, None, "2026-01-14T10:00:00"),
    )
    assert (survey.gpu_hours_lost, survey.gpu_hours_from) == (3.5, 2)
    assert survey.rows == tuple(ROWS)


def test_offenders() -> None:
    causes = (("storage.disk-full", 2), ("unknown", 1))
    faults = (("hardware.ecc", 1), ("storage.disk-full", 1))
    assert survey_of(ROWS, {}, PLACES).offenders == (
        Offender("node", "n1", 3, causes, "2026-01-14T10:00:00", "2026-01-05T10:00:00", 1.5),
        Offender("GPU", "n1 GPU 2", 2, faults, "2026-01-12T10:00:00", "2026-01-12T10:00:00"),
    )


def test_a_cause_may_lie_elsewhere_than_its_family() -> None:
    rows = [JobRow(str(n), "failed", "gpu-memory.other-process", host="n1") for n in range(2)]
    assert [one.name for one in survey_of(rows, {}, PLACES).offenders] == ["n1"]
    rows = [row._replace(cause="gpu-memory.capacity") for row in rows]
    assert not survey_of(rows, {}, PLACES).offenders


def test_images_count_for_what_an_image_can_bring() -> None:
    rows = [JobRow(str(n), "failed", "env.cudnn-mismatch", image="lab/train:7") for n in range(2)]
    rows += [JobRow("a", "failed", "code.config", image="lab/train:7"), JobRow("b", "completed", image="lab/train:7")]
    rows += [JobRow("c", "failed", "env.cudnn-mismatch"), JobRow("d", "failed", "env.cudnn-mismatch", image="other")]
    (found,) = survey_of(rows, {}, PLACES).offenders
    assert (found.kind, found.name, found.jobs, found.ran) == ("image", "lab/train:7", 2, 4)


def test_the_newest_four_weeks_against_those_before() -> None:
    days = ("2026-01-05", "2026-01-26", "2026-02-01", "2026-02-02", "2026-03-01")  # of weeks 2, 5, 5, 6 and 9
    rows = [JobRow(day, "failed", "storage.disk-full", failed_at=f"{day}T10:00:00") for day in days]
    (cause,) = survey_of(rows, {}).causes
    assert (cause.before, cause.recent) == (3, 2)
    (cause,) = survey_of(rows[1:], {}).causes
    assert (cause.before, cause.recent) == (None, None)
    over_new_year = [
        row._replace(failed_at=f"{day}T10:00:00")
        for row, day in zip(rows[:2], ("2025-12-01", "2026-01-19"), strict=True)
    ]
    (cause,) = survey_of(over_new_year, {}).causes
    assert (cause.before, cause.recent) == (1, 1)


def test_weeks() -> None:
    assert survey_of(ROWS, {}).weeks == (
        Week("2026-W02", 1, 1, 1.5, (("storage.disk-full", 1),)),
        Week("2026-W03", 4, 3, 2.0, (("code.config", 1), ("storage.disk-full", 1), ("unknown", 1))),
    )
    assert week_of("2027-01-01T00:00:00") == "2026-W53"
    assert week_of(None) is None


def test_nothing() -> None:
    survey = survey_of([], {})
    assert (survey.rows, survey.causes, survey.offenders, survey.weeks, survey.gpu_hours_lost) == ((), (), (), (), None)
