"""Read systemd's journal, of this machine or a copy, through journalctl.

https://www.freedesktop.org/software/systemd/man/latest/journalctl.html
"""

from __future__ import annotations

from logsense.model.source import Source
from logsense.sources.file import opened
from logsense.sources.stores.address import SPAN, parse
from logsense.sources.stores.printed import CommandOutput

# Options of a URL that journalctl takes under the same name, with and without a value.
_VALUES = ("since", "until", "boot", "user-unit", "identifier", "priority", "directory", "file", "root", "machine")
_SWITCHES = ("dmesg", "user", "system", "merge")
FIELDS = "MESSAGE,_HOSTNAME,SYSLOG_IDENTIFIER,_COMM,_PID,SYSLOG_PID"


def logs_at(address: str) -> list[Source]:
    """Return the journal of the unit in `address`, or of all units. Raise InputError if `address` is invalid."""
    place = parse(address, {*_VALUES, *_SWITCHES})
    command = ["journalctl", "--output=json", f"--output-fields={FIELDS}", "--no-pager", "--quiet", "--all"]
    command += [f"--unit={place.base}"] if place.base else []
    command += [f"--{name}={as_journalctl(name, value)}" for name, value in place.options.items() if name in _VALUES]
    command += [f"--{name}" for name in place.options if name in _SWITCHES]
    return [Source(place.name, None, lambda source: opened(CommandOutput(command, source), source))]


def as_journalctl(option: str, value: str) -> str:
    """Return a time such as 6h, which means "ago" for other stores, in journalctl's form; other values unchanged."""
    return f"-{value}" if option in ("since", "until") and SPAN.fullmatch(value) else value
