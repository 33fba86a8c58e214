"""The appearance of text output."""

from __future__ import annotations

from logsense.util.noun import NamedTuple


class Look(NamedTuple):
    """The appearance of text output: `width` in columns; whether the terminal shows `color`, characters beyond ASCII
    and links (OSC 8); whether to show everything (`verbose`). `details_command` is the command or option for that.
    `inputs` are the logs as shell words, or "".
    """

    width: int = 100
    color: bool = False
    unicode: bool = True
    verbose: bool = False
    links: bool = False
    details_command: str = "--verbose"
    inputs: str = ""
