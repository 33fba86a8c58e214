"""The appearance of text output."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Look(NamedTuple):
    """The appearance of text output: `width` in columns; whether the terminal shows `color`, characters beyond ASCII
    and links (OSC 8); whether to show everything (`verbose`). `again` is the command or option that does so. `inputs`
    names the logs in shell words; it is empty if there is no such name.
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    verbose: bool = False
    links: bool = False
    again: str = "--verbose"
    inputs: str = ""
