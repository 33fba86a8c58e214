"""How a survey's answer leaves: in which format, and Parquet as the bytes that it is."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from logsense.cli.options import SURVEY_FORMATS
from logsense.cli.output import is_terminal, write
from logsense.sources.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.cli.options import Settings


def format_of(wanted: object, settings: Settings) -> str:
    """The format that was asked for, or else that of the output's ending, or else text.

    Raises InputError, before hours of reading, where it can't be written.
    """
    ending = (settings.output or "").rpartition(".")[2].lower()
    found = str(wanted) if wanted is not None else ending if ending in SURVEY_FORMATS else "text"
    if found == "parquet":
        if not settings.output and is_terminal(sys.stdout):
            raise InputError("Parquet is not for terminals; name a file with --output")
        if find_spec("pyarrow") is None:
            raise InputError("--format parquet needs pip install 'logsense-ml[parquet]'")
    return found


def deliver(answer: str | bytes, settings: Settings) -> None:
    """Writes `answer` to the file that `settings` name, or else to standard output."""
    if isinstance(answer, str):
        write(answer, sys.stdout, settings)
    elif settings.output:
        try:
            with open(settings.output, "wb") as file:
                file.write(answer)
        except OSError as error:  # of a full disk it does not say which file could not be written
            raise OSError(error.errno, error.strerror, settings.output) from None
    else:
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
