"""Reads systemd's journal, of this machine or a copy of it, through journalctl.

https://www.freedesktop.org/software/systemd/man/latest/journalctl.html
"""

from __future__ import annotations

from logsense.model.source import Source
from logsense.sources.file import opened
from logsense.sources.stores.address import SPAN, parsed
from logsense.sources.stores.printed import Printed

# Options of an address and what journalctl calls them; the others stand alone.
_VALUES = ("since", "until", "boot", "user-unit", "identifier", "priority", "directory", "file", "root", "machine")
_SWITCHES = ("dmesg", "user", "system", "merge")
FIELDS = "MESSAGE,_HOSTNAME,SYSLOG_IDENTIFIER,_COMM,_PID,SYSLOG_PID"


def logs_at(address: str) -> list[Source]:
    """What the journal holds, of the unit that the address names or of all. Raises InputError."""
    place = parsed(address, {*_VALUES, *_SWITCHES})
    command = ["journalctl", "--output=json", f"--output-fields={FIELDS}", "--no-pager", "--quiet", "--all"]
    command += [f"--unit={place.base}"] if place.base else []
    command += [f"--{name}={as_journalctl(name, value)}" for name, value in place.options.items() if name in _VALUES]
    command += [f"--{name}" for name in place.options if name in _SWITCHES]
    return [Source(place.name, None, lambda source: opened(Printed(command, source), source))]


def as_journalctl(option: str, value: str) -> str:
    """A time such as 6h, which other stores take for so long ago, as journalctl writes it; anything else as it is."""
    return f"-{value}" if option in ("since", "until") and SPAN.fullmatch(value) else value
