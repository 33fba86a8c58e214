"""Addresses of log stores, such as loki+https://host/?query=…, and what stands in them."""

from __future__ import annotations

import re
import time
from collections.abc import Collection

from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SPAN = re.compile(r"(\d{1,9})([smhdw])")
_EPOCH = re.compile(r"\d{9,11}(?:\.\d+)?")


class Address(NamedTuple):
    """An address in parts. `base` is that of the server, `path` what follows it, `name` what may be shown of both."""

    scheme: str
    base: str
    path: str
    options: dict[str, str]
    name: str


def parsed(address: str, known: Collection[str]) -> Address:
    """The parts of `address`, whose options must be among `known`. Raises InputError where something is wrong."""
    from urllib.parse import unquote

    scheme, _, rest = address.partition("://")
    kind, _, transport = scheme.lower().partition("+")
    place, _, query = rest.partition("?")
    host, slash, path = place.partition("/")
    if "@" in host:
        raise InputError("credentials do not belong into an address; see 'Log stores' in the documentation")
    name = f"{scheme.lower()}://{place.rstrip('/')}"
    options: dict[str, str] = {}
    for part in query.split("&") if query else ():
        key, _, value = part.partition("=")
        if key not in known:
            raise InputError(f"can't read {name}: option {key} is not known; it takes {', '.join(sorted(known))}")
        options[key] = unquote(value)  # a plus stays a plus: queries have them in regular expressions
    return Address(kind, f"{transport}://{host}" if transport else host, unquote(slash + path), options, name)


def served(address: str, known: Collection[str]) -> Address:
    """The same for a store that is asked over HTTP."""
    from urllib.parse import urlsplit

    found = parsed(address, known)
    if "://" not in found.base:
        raise InputError(f"can't read {found.name}: write {found.scheme}+https:// or {found.scheme}+http://")
    try:
        place = urlsplit(found.base)
        host, _ = place.hostname, place.port  # the port raises where it is none
    except ValueError as error:
        raise InputError(f"can't read {found.name}: {str(error).lower()}") from None
    if not host:
        raise InputError(f"can't read {found.name}: no host is named")
    return found


def times(address: Address, since: str) -> tuple[float, float]:
    """From when to when to read, in seconds since the epoch: by default `since` so long ago until now.

    Raises InputError where the options say no times.
    """
    options, now_s = address.options, time.time()
    end_s = _moment(address, options["end"]) if "end" in options else now_s
    if "start" in options:
        return _moment(address, options["start"]), end_s
    found = SPAN.fullmatch(options.get("since", since))
    if not found:
        raise InputError(f"can't read {address.name}: since takes a time such as 30m, 6h or 7d")
    return max(0.0, end_s - int(found[1]) * _UNITS_S[found[2]]), end_s


def _moment(address: Address, text: str) -> float:
    if _EPOCH.fullmatch(text):
        return float(text)
    from datetime import datetime

    try:
        return max(0.0, datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
    except (ValueError, OverflowError, OSError):
        raise InputError(f"can't read {address.name}: {text} is no time such as 2026-11-21T08:30:00Z") from None
