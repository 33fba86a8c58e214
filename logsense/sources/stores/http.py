"""Asks a log store over HTTP: JSON in and out, in bounded time and memory, with credentials from the environment.

Credentials are never printed, and never follow a redirect.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from email.message import Message
from http.client import HTTPException, InvalidURL
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from logsense.util.errors import InputError

TIMEOUT_S = 60.0
TRIES, PAUSE_S, LONGEST_PAUSE_S = 4, 0.5, 20.0
BUSY = (429, 502, 503, 504)
MOST_BYTES = 64 << 20  # of an answer
LONGEST_REASON = 200


class TooLargeError(Exception):
    """An answer was larger than may be kept: ask for less at once."""


class Client:
    """Asks the server at `base`. Credentials are read from PREFIX_USERNAME, PREFIX_PASSWORD and so on, or ~/.netrc."""

    def __init__(self, base: str, name: str, prefix: str, headers: Mapping[str, str] | None = None) -> None:
        self._base, self._name, self._prefix = base.rstrip("/"), name, prefix
        self._headers = {"Accept": "application/json", "User-Agent": "logsense", **_credentials(base, prefix)}
        self._headers |= headers or {}
        self._opener = build_opener(_NoRedirect)

    def ask(self, path: str, parameters: Mapping[str, str] | None = None, body: object = None, method: str = "") -> Any:
        """The answer to a GET of `path`, or to a POST where there is a `body`. Raises InputError, TooLargeError."""
        from urllib.parse import quote, urlencode

        question = f"?{urlencode(parameters)}" if parameters else ""
        url = f"{self._base}{quote(path, safe='/,*-_.~')}{question}"
        data = None if body is None else json.dumps(body).encode()
        request = Request(url, data, dict(self._headers), method=method or None)  # noqa: S310 - http and https only
        if data is not None:
            request.add_header("Content-Type", "application/json")
        answer = self._sent(request)
        try:
            return json.loads(answer)
        except (ValueError, RecursionError):
            raise self._problem("it does not answer with JSON") from None

    def _sent(self, request: Request) -> bytes:
        for attempt in range(TRIES):
            last = attempt == TRIES - 1
            try:
                with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                    text: bytes = answer.read(MOST_BYTES + 1)
                if len(text) > MOST_BYTES:
                    raise TooLargeError
                return text
            except HTTPError as error:
                with error:
                    if error.code not in BUSY or last:
                        raise self._refused(error) from None
                    time.sleep(_pause(error.headers, attempt))
            except (OSError, HTTPException, ValueError) as error:  # ValueError: of a host that can't be one
                if last or not _may_pass(error):
                    raise self._problem(_why(error)) from None
                time.sleep(PAUSE_S * 2**attempt)
        raise AssertionError("the last attempt gives or raises")

    def _refused(self, error: HTTPError) -> InputError:
        try:
            said = _reason(error.read(4096))
        except (OSError, HTTPException):
            said = ""
        if error.code == 401:
            user = f"{self._prefix}_USERNAME and {self._prefix}_PASSWORD"
            return self._problem(f"it asks who you are; set {user}, or {self._prefix}_BEARER_TOKEN, or use ~/.netrc")
        if error.code == 403:
            return self._problem(f"permission denied{f': {said}' if said else ''}")
        if 300 <= error.code < 400:
            return self._problem("it points to another address; name that one")
        return self._problem(f"{said or error.reason} (HTTP {error.code})")

    def _problem(self, why: str) -> InputError:
        return InputError(f"can't read {self._name}: {why}")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        return None


def _credentials(base: str, prefix: str) -> dict[str, str]:
    """The header that says who asks; empty where nothing is known."""
    from base64 import b64encode

    known = {name: os.environ.get(f"{prefix}_{name}", "") for name in ("USERNAME", "PASSWORD", "API_KEY")}
    token = _token(prefix)
    if token:
        return {"Authorization": f"Bearer {token}"}
    if known["API_KEY"]:
        return {"Authorization": f"ApiKey {known['API_KEY']}"}
    user, password = known["USERNAME"], known["PASSWORD"]
    if not user:
        user, password = _from_netrc(base)
    if not user:
        return {}
    return {"Authorization": "Basic " + b64encode(f"{user}:{password}".encode()).decode()}


def _token(prefix: str) -> str:
    path = os.environ.get(f"{prefix}_BEARER_TOKEN_FILE")
    if path:
        try:
            with open(path, encoding="utf-8") as file:
                return file.read().strip()
        except (OSError, ValueError) as error:
            raise InputError(f"can't read {path}, which {prefix}_BEARER_TOKEN_FILE names: {_why(error)}") from None
    return os.environ.get(f"{prefix}_BEARER_TOKEN", "")


def _from_netrc(base: str) -> tuple[str, str]:
    from netrc import NetrcParseError, netrc
    from urllib.parse import urlsplit

    try:
        found = netrc(os.environ.get("NETRC")).authenticators(urlsplit(base).hostname or "")
    except (OSError, NetrcParseError, ValueError):
        return "", ""
    return (found[0], found[2] or "") if found else ("", "")


def _pause(headers: Message, attempt: int) -> float:
    wished = headers.get("Retry-After", "")
    return min(float(wished), LONGEST_PAUSE_S) if wished.isdecimal() else PAUSE_S * 2**attempt


def _may_pass(error: Exception) -> bool:
    """Whether another try may help: not where nobody listens, the name is not known or the certificate is wrong."""
    inner = error.reason if isinstance(error, URLError) else error
    return isinstance(inner, (TimeoutError, ConnectionResetError, HTTPException)) and not isinstance(inner, InvalidURL)


def _why(error: Exception) -> str:
    inner = error.reason if isinstance(error, URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no answer within {TIMEOUT_S:.0f} s"
    if isinstance(inner, OSError) and inner.strerror:
        return inner.strerror.lower()
    return " ".join(str(inner).split())[:LONGEST_REASON] or type(inner).__name__


def _reason(body: bytes) -> str:
    """What a server says about its refusal: a line of text, or a reason in JSON."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = body.decode("utf-8", "replace")
    for key in ("error", "root_cause", "reason", "message"):
        if isinstance(found, dict) and key in found:
            found = found[key]
        if isinstance(found, list) and found:
            found = found[0]
    said = found if isinstance(found, str) else ""
    return "" if said.lstrip().startswith("<") else " ".join(said.split())[:LONGEST_REASON]
