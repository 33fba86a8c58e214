"""Print tables and styled text with rich."""

from __future__ import annotations

from rich.console import Console, RenderableType

from logsense.render.layout import Look


def printed(look: Look, *items: RenderableType) -> str:
    """Return what rich prints of `items`, without trailing blanks and empty lines."""
    console = Console(
        width=look.width, no_color=not look.color, force_terminal=look.color, highlight=False, emoji=False, markup=False
    )
    with console.capture() as captured:
        for item in items:
            console.print(item)
    return "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip()) + "\n"
