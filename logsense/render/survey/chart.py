"""Pictures of a survey's weeks, as SVG: failed jobs by cause, and one cause's course beside its name."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from html import escape

from logsense.render.clean import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from logsense.model.survey import Week

WIDTH, HEIGHT, BELOW, GAP = 960, 180, 30, 2  # of the picture of the weeks, in pixels
SPARK_WIDTH, SPARK_HEIGHT = 96, 18
NAMED = 5  # causes with a colour of their own
REST = "other causes"
# Hues that are told apart with any common kind of colour blindness: https://jfly.uni-koeln.de/color/
COLOURS = ("#d55e00", "#0072b2", "#e69f00", "#009e73", "#cc79a7")
REST_COLOUR = "#8a8f99"
MOST_WEEKS = 104
LEAST_WEEK_LABELS_APART = 190  # pixels


def weeks_picture(weeks: Sequence[Week]) -> str:
    """The failed jobs of each week as bars of the most frequent causes, all jobs faint behind them, and a legend."""
    filled = without_gaps(weeks)
    most = max((week.jobs for week in filled), default=0) or 1
    totals: Counter[str] = Counter()
    for week in filled:
        totals.update(dict(week.causes))
    named = [cause for cause, _ in sorted(totals.items(), key=lambda one: (-one[1], one[0]))[:NAMED]]
    step = WIDTH / max(len(filled), 1)
    bars = [_bar(week, number * step, max(step - GAP, 1), most, named) for number, week in enumerate(filled)]
    label = f"Failed jobs a week, {filled[0].week} to {filled[-1].week}" if filled else "Failed jobs a week"
    legend = [_key(colour, cause) for colour, cause in zip(COLOURS, named, strict=False)]
    legend += [_key(REST_COLOUR, REST)] if len(totals) > len(named) else []
    return (
        f'<figure><svg viewBox="0 0 {WIDTH} {HEIGHT + BELOW}" role="img" aria-label="{label}">'
        f"{''.join(bars)}{_axis(filled, step)}</svg>"
        f"<figcaption>{''.join(legend)}<span class=key>faint: all jobs, at most {most:,} a week</span></figcaption>"
        "</figure>"
    )


def spark(cause: str, weeks: Sequence[Week]) -> str:
    """The jobs of one cause in each week, as a line of bars."""
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
    said = f"{cause} in each of {len(counts)} weeks, at most {most}"
    return (
        f'<svg class=spark viewBox="0 0 {SPARK_WIDTH} {SPARK_HEIGHT}" width={SPARK_WIDTH} height={SPARK_HEIGHT} '
        f'role="img" aria-label="{_text(said)}" fill="currentColor">{bars}</svg>'
    )


def without_gaps(weeks: Sequence[Week]) -> list[Week]:
    """`weeks` with those between them in which there was no job; of many, the newest."""
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
        filled.append(known.get(name) or _empty(name, weeks[0]))
        monday -= timedelta(weeks=1)
    return filled[::-1]


def _empty(name: str, like: Week) -> Week:
    return like._replace(week=name, jobs=0, failed=0, gpu_hours_lost=None, causes=())


def _bar(week: Week, x: float, width: float, most: int, named: Sequence[str]) -> str:
    """A week: its jobs faint, its failures stacked by cause, the rest on top."""
    parts = _parts(dict(week.causes), named)
    said = f"{week.week}: {week.failed} of {week.jobs} failed" + "".join(f"\n{n} {c}" for c, _, n in parts if n)
    height = HEIGHT * week.jobs / most
    drawn = [_rect(x, HEIGHT - height, width, height, 'fill="currentColor" opacity=".13"')]
    top = float(HEIGHT)
    for _, colour, count in parts:
        height = HEIGHT * count / most
        top -= height
        if count:
            drawn.append(_rect(x, top, width, height, f'fill="{colour}"'))
    return f"<g><title>{escape(said)}</title>{''.join(drawn)}</g>"


def _parts(causes: Mapping[str, int], named: Sequence[str]) -> list[tuple[str, str, int]]:
    parts = [(one_line(cause), colour, causes.get(cause, 0)) for cause, colour in zip(named, COLOURS, strict=False)]
    return [*parts, (REST, REST_COLOUR, sum(count for cause, count in causes.items() if cause not in named))]


def _rect(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {look}/>'


def _axis(weeks: Sequence[Week], step: float) -> str:
    """The weeks below, as many as there is room for."""
    every = max(1, round(LEAST_WEEK_LABELS_APART / step + 0.5))
    look = 'fill="currentColor" opacity=".6" font-size="13"'
    names = [
        f'<text x="{number * step:.1f}" y="{HEIGHT + BELOW - 8}" {look}>{week.week}</text>'
        for number, week in enumerate(weeks)
        if number % every == 0 and number * step < WIDTH - 130
    ]
    return "".join(names)


def _key(colour: str, cause: str) -> str:
    return f'<span class=key><i style="background:{colour}"></i>{_text(cause)}</span>'


def _text(value: str) -> str:
    return escape(one_line(value))
