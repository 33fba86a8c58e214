"""The names that this machine and its user go by."""

from __future__ import annotations

import os
import socket
import sys

from logsense.util.noun import NamedTuple


class Identity(NamedTuple):
    """`users` are the names of who runs this, `hosts` those of the machine; either may be empty."""

    users: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


def identity() -> Identity:
    """Who and where we are, as far as that can be told without asking the network."""
    users = [os.environ.get(name, "") for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    if sys.platform != "win32":
        try:
            import pwd

            entry = pwd.getpwuid(os.getuid())
            users += [entry.pw_name, entry.pw_gecos.partition(",")[0]]
        except (ImportError, AttributeError, KeyError, OSError):
            pass  # not POSIX, or a user that nobody named
    users.append(os.path.basename(os.path.expanduser("~")))
    try:
        host = socket.gethostname()
    except OSError:
        host = ""
    return Identity(_distinct(users), _distinct([host, host.partition(".")[0]]))


def _distinct(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name and name != "~"))
