"""Determine the names of this machine and its user."""

from __future__ import annotations

import os
import socket
import sys

from logsense.util.noun import NamedTuple


class Identity(NamedTuple):
    """The names of the current user and of the machine; either may be empty."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def identity() -> Identity:
    """Return the names of user and machine, without using the network."""
    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    if sys.platform != "win32":
        try:
            import pwd

            entry = pwd.getpwuid(os.getuid())
            users += [entry.pw_name, entry.pw_gecos.partition(",")[0]]
        except (ImportError, AttributeError, KeyError, OSError):
            pass  # not POSIX, or a user without a name
    users.append(os.path.basename(os.path.expanduser("~")))
    try:
        host = socket.gethostname()
    except OSError:
        host = ""
    return Identity(_distinct(users), _distinct([host, host.partition(".")[0]]))


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name and name != "~"))
