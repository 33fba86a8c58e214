"""How text has to look where it will be read."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Look(NamedTuple):
    """`width` in columns; whether `color` and characters beyond ASCII can be shown; whether to be `verbose`;
    whether addresses can be links (OSC 8); `again` is the command or option that shows the whole report.
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    verbose: bool = False
    links: bool = False
    again: str = "--verbose"
