"""Draw values over time, as a row of blocks or an SVG picture, and who holds the memory of a GPU."""

from __future__ import annotations

from logsense.model.live import Series
from logsense.model.report import Report
from logsense.model.values import show

BLOCKS = "▁▂▃▄▅▆▇█"
COLUMNS = 48
PICTURE = (320, 48)  # CSS pixels


def shown_series(report: Report) -> list[Series]:
    """Return the series of `report` for the family of its first cause."""
    if report.machine is None:
        return []
    family = report.diagnoses[0].cause.partition(".")[0] if report.diagnoses else ""
    return [one for one in report.machine.series if len(one.points) > 1 and family in one.families]


def sparkline(series: Series, *, columns: int = COLUMNS) -> str:
    """Return `series` as at most `columns` blocks, each the maximum of its time slice."""
    heights = [0.0 if value is None else value for value in _heights(series, columns)]
    return "".join(BLOCKS[min(int(height * len(BLOCKS)), len(BLOCKS) - 1)] for height in heights)


def summary(series: Series) -> str:
    """Return the first and last value, the maximum, the limit and the duration: "23.1 → 79.4 of 80 GiB in 42 min"."""
    values = [value for _, value in series.points]
    first, last, highest = values[0], values[-1], max(values)
    text = f"{show(series.unit, first)} → {show(series.unit, last)}"
    if highest > last:
        text += f", at most {show(series.unit, highest)}"
    if series.limit:
        text += f", of {show(series.unit, series.limit)}"
    return f"{text}, in {show('seconds', series.points[-1][0] - series.points[0][0])}"


def picture(series: Series) -> str:
    """Return `series` as an SVG element in the color of the surrounding text."""
    width, height = PICTURE
    low, high = _range(series)
    start, end = series.points[0][0], series.points[-1][0]
    dots = " ".join(
        f"{width * (at - start) / ((end - start) or 1):.1f},{height * (1 - (value - low) / (high - low)):.1f}"
        for at, value in series.points
    )
    return (
        f'<svg viewBox="0 -2 {width} {height + 4}" width="{width}" height="{height}" role="img" '
        f'preserveAspectRatio="none"><polyline points="{dots}" fill="none" stroke="currentColor" '
        'stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg>'
    )


def _range(series: Series) -> tuple[float, float]:
    values = [value for _, value in series.points]
    low, high = min(0.0, *values), max(*values, series.limit or 0.0)
    return low, high if high > low else low + 1.0


def _heights(series: Series, columns: int) -> list[float | None]:
    """Return the maximum in each of `columns` time slices as a share of the range; gaps repeat the last value."""
    low, high = _range(series)
    start, end = series.points[0][0], series.points[-1][0]
    columns = max(1, min(columns, len(series.points)))
    parts: list[float | None] = [None] * columns
    for at, value in series.points:
        part = min(int((at - start) / ((end - start) or 1) * columns), columns - 1)
        share = (value - low) / (high - low)
        before = parts[part]
        parts[part] = share if before is None else max(before, share)
    last: float | None = None
    for number, part_value in enumerate(parts):
        last = last if part_value is None else part_value
        parts[number] = last
    return parts


BAR_COLUMNS = 16
GIB = 2**30
FAMILY = "gpu-memory"
HOLDERS = "█▒░"  # this job, others, free
SLACK = 0.01  # of the total: the most by which the sizes may miss it, and the least that is shown


def memory_bar(report: Report) -> tuple[str, str, str] | None:
    """Return the name of the GPU, a bar, and the sizes in words; None unless the log states sizes that add up."""
    if not report.diagnoses or report.diagnoses[0].cause.partition(".")[0] != FAMILY:
        return None
    total, free, own = _size(report, "oom.total"), _size(report, "oom.free"), _size(report, "oom.process_used")
    own = own or _size(report, "oom.reserved")
    if not total or free is None or not own:
        return None
    others = total - own - free
    if others < -SLACK * total:
        return None
    parts = [("this job", own), (_holder(report, others), max(others, 0.0)), ("free", free)]
    bar = "".join(block * round(BAR_COLUMNS * size / total) for block, (_, size) in zip(HOLDERS, parts, strict=True))
    words = ", ".join(f"{name} {size / GIB:.1f}" for name, size in parts if name == "free" or size >= SLACK * total)
    gpu = report.facts.get("oom.gpu")
    return f"GPU {gpu.value}" if gpu else "GPU", bar[:BAR_COLUMNS], f"{words} of {total / GIB:.1f} GiB"


def _holder(report: Report, others: float) -> str:
    """Return whose the rest is: a process, if the log names it and its size is that of the rest."""
    pid, size = report.facts.get("oom.other_pid"), _size(report, "oom.other_process")
    return f"PID {pid.value}" if pid and size and abs(others - size) <= SLACK * others else "others"


def _size(report: Report, name: str) -> float | None:
    fact = report.facts.get(name)
    return float(fact.value) if fact and isinstance(fact.value, (int, float)) else None
