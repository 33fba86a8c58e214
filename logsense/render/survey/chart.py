"""Draw a survey's weeks as SVG: failed jobs by cause, and a sparkline per cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from html import escape

from logsense.model.survey import Week
from logsense.render.clean import one_line
from logsense.render.html import escaped

WIDTH, HEIGHT, AXIS_HEIGHT, GAP = 960, 180, 30, 2  # of the chart of weeks, in pixels
SPARK_WIDTH, SPARK_HEIGHT = 96, 18
NAMED = 5  # causes with a color of their own
REST = "other causes"
# Hues that stay distinct with any common kind of color blindness: https://jfly.uni-koeln.de/color/
COLORS = ("#d55e00", "#0072b2", "#e69f00", "#009e73", "#cc79a7")
REST_COLOR = "#8a8f99"
MOST_WEEKS = 104
LEAST_WEEK_LABELS_APART = 190  # pixels


def weeks_chart(weeks: Sequence[Week]) -> str:
    """Return a chart of failed jobs per week, stacked by the most frequent causes, with all jobs in the background."""
    filled = without_gaps(weeks)
    most = max((week.jobs for week in filled), default=0) or 1
    totals: Counter[str] = Counter()
    for week in filled:
        totals.update(dict(week.causes))
    named = [cause for cause, _ in sorted(totals.items(), key=lambda one: (-one[1], one[0]))[:NAMED]]
    step = WIDTH / max(len(filled), 1)
    bars = [_bar(week, number * step, max(step - GAP, 1), most, named) for number, week in enumerate(filled)]
    label = f"Failed jobs per week, {filled[0].week} to {filled[-1].week}" if filled else "Failed jobs per week"
    legend = [_legend_entry(color, cause) for color, cause in zip(COLORS, named, strict=False)]
    legend += [_legend_entry(REST_COLOR, REST)] if len(totals) > len(named) else []
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT + AXIS_HEIGHT}" role="img" aria-label="{label}">'
        f"{''.join(bars)}{_axis(filled, step)}</svg>"
        f"<figcaption>{''.join(legend)}<span class=key>faint: all jobs, at most {most:,} per week</span></figcaption>"
        "</figure>"
    )


def sparkline(cause: str, weeks: Sequence[Week]) -> str:
    """Return the weekly number of jobs with one cause as a small bar chart."""
    filled = without_gaps(weeks)
    counts = [dict(week.causes).get(cause, 0) for week in filled]
    most = max(counts, default=0) or 1
    step = SPARK_WIDTH / max(len(counts), 1)
    bars = "".join(
        f'<rect x="{number * step:.1f}" y="{SPARK_HEIGHT * (1 - count / most):.1f}" width="{max(step - 1, 1):.1f}" '
        f'height="{SPARK_HEIGHT * count / most:.1f}"/>'
        for number, count in enumerate(counts)
        if count
    )
    label = f"{cause} in each of {len(counts)} weeks, at most {most}"
    return (
        f'<svg class=spark viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" width={SPARK_WIDTH} height={SPARK_HEIGHT} '
        f'role="img" aria-label="{escaped(label)}" fill="currentColor">{bars}</svg>'
    )


def without_gaps(weeks: Sequence[Week]) -> list[Week]:
    """Return `weeks` with the weeks without jobs filled in: the newest `MOST_WEEKS` at most."""
    if not weeks:
        return []
    known = {week.week: week for week in weeks}
    monday = date.fromisocalendar(int(weeks[-1].week[:4]), int(weeks[-1].week[-2:]), 1)
    filled: list[Week] = []
    while len(filled) < MOST_WEEKS:
        year, number, _ = monday.isocalendar()
        name = f"{year}-W{number:02d}"
        if name < weeks[0].week:
            break
        filled.append(known.get(name) or Week(name, jobs=0, failed=0, gpu_hours_lost=None, causes=()))
        monday -= timedelta(weeks=1)
    return filled[::-1]


def _bar(week: Week, x: float, width: float, most: int, named: Sequence[str]) -> str:
    """Draw one week: its jobs faintly, its failures stacked by cause, other causes on top."""
    parts = _parts(dict(week.causes), named)
    tooltip = f"{week.week}: {week.failed} of {week.jobs} failed" + "".join(f"\n{n} {c}" for c, _, n in parts if n)
    height = HEIGHT * week.jobs / most
    drawn = [_rect(x, HEIGHT - height, width, height, 'fill="currentColor" opacity=".13"')]
    top = float(HEIGHT)
    for _, color, count in parts:
        height = HEIGHT * count / most
        top -= height
        if count:
            drawn.append(_rect(x, top, width, height, f'fill="{color}"'))
    return f"<g><title>{escape(tooltip)}</title>{''.join(drawn)}</g>"


def _parts(causes: Mapping[str, int], named: Sequence[str]) -> list[tuple[str, str, int]]:
    parts = [(one_line(cause), color, causes.get(cause, 0)) for cause, color in zip(named, COLORS, strict=False)]
    return [*parts, (REST, REST_COLOR, sum(count for cause, count in causes.items() if cause not in named))]


def _rect(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def _axis(weeks: Sequence[Week], step: float) -> str:
    """Label as many weeks as fit below the chart."""
    every = max(1, round(LEAST_WEEK_LABELS_APART / step + 0.5))
    look = 'fill="currentColor" opacity=".6" font-size="13"'
    names = [
        f'<text x="{number * step:.1f}" y="{HEIGHT + AXIS_HEIGHT - 8}" {look}>{week.week}</text>'
        for number, week in enumerate(weeks)
        if number % every == 0 and number * step < WIDTH - 130
    ]
    return "".join(names)


def _legend_entry(color: str, cause: str) -> str:
    return f'<span class=key><i style="background:{color}"></i>{escaped(cause)}</span>'
