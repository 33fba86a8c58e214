"""Print tables and styled text with rich."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table

from logsense.render.layout import Look

Column = tuple[str, str, str]  # title, style, alignment


def table_of(columns: Iterable[Column], rows: Iterable[Iterable[RenderableType]], wrapped: Iterable[str]) -> Table:
    """Return a table. On a narrow terminal the columns titled `wrapped` give way; long cells end in an ellipsis."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title, style, side in columns:
        wide: dict[str, Any] = {"justify": side, "no_wrap": title not in wrapped}
        table.add_column(title, style=style, overflow="ellipsis", **wide)
    for row in rows:
        table.add_row(*row)
    return table


def printed(look: Look, *items: RenderableType) -> str:
    """Return what rich prints of `items`, without trailing blanks and empty lines."""
    console = Console(
        width=look.width, no_color=not look.color, force_terminal=look.color, highlight=False, emoji=False, markup=False
    )
    with console.capture() as captured:
        for item in items:
            console.print(item)
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip()) + "\n"
