"""Parse URLs of log stores, such as loki+https://host/?query=…."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from datetime import datetime
from urllib.parse import unquote, urlsplit

from logsense.util.errors import InputError
from logsense.util.noun import NamedTuple

_UNITS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SPAN = re.compile(r"(\d{1,9})([smhdw])")
_EPOCH = re.compile(r"\d{9,11}(?:\.\d+)?")


class Address(NamedTuple):
    """A parsed URL: `base` is the server's, `path` what follows it, `name` what may be shown of both."""

    scheme: str
    base: str
    path: str
    options: dict[str, str]
    name: str


def parse(address: str, known: Collection[str]) -> Address:
    """Parse `address`, whose options must be among `known`. Raise InputError if it is invalid."""
    scheme, _, rest = address.partition("://")
    kind, _, transport = scheme.lower().partition("+")
    place, _, query = rest.partition("?")
    host, slash, path = place.partition("/")
    if "@" in host:
        raise InputError("a URL must not hold credentials; see 'Log stores' in the documentation")
    name = f"{scheme.lower()}://{place.rstrip('/')}"
    options: dict[str, str] = {}
    for part in query.split("&") if query else ():
        key, _, value = part.partition("=")
        if key not in known:
            raise InputError(f"can't read {name}: unknown option {key}; known are {', '.join(sorted(known))}")
        options[key] = unquote(value)  # a plus stays a plus, as regular expressions in queries need it
    return Address(kind, f"{transport}://{host}" if transport else host, unquote(slash + path), options, name)


def parse_http(address: str, known: Collection[str]) -> Address:
    """Parse the URL of a store that is queried over HTTP. Raise InputError if it is invalid."""
    found = parse(address, known)
    if "://" not in found.base:
        raise InputError(f"can't read {found.name}: write {found.scheme}+https:// or {found.scheme}+http://")
    try:
        place = urlsplit(found.base)
        host, _ = place.hostname, place.port  # `port` raises if it is invalid
    except ValueError as error:
        raise InputError(f"can't read {found.name}: {str(error).lower()}") from None
    if not host:
        raise InputError(f"can't read {found.name}: the URL names no host")
    return found


def times(address: Address, since: str) -> tuple[float, float]:
    """Return the start and end of the time range, in seconds since the epoch; by default from `since` ago until now.

    Raise InputError if an option is not a time.
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
    try:
        return max(0.0, datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
    except (ValueError, OverflowError, OSError):
        raise InputError(f"can't read {address.name}: {text} is not a time such as 2026-11-21T08:30:00Z") from None
