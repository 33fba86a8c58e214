"""Query a log store over HTTP: JSON in and out, bounded time and memory, credentials from the environment.

Credentials are never printed and never follow a redirect.
"""

from __future__ import annotations

import json
import os
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from email.message import Message
from http.client import HTTPException, InvalidURL
from netrc import NetrcParseError, netrc
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from logsense.model.source import ChunkReader, Source
from logsense.util.errors import InputError

TIMEOUT_S = 60.0
TRIES, PAUSE_S, LONGEST_PAUSE_S = 4, 0.5, 20.0
BUSY = (429, 502, 503, 504)
MOST_BYTES = 64 << 20  # of a response
LONGEST_REASON = 200


class TooLargeError(Exception):
    """A response is too large: ask for less."""


class Client:
    """Query the server at `base`. Credentials come from PREFIX_USERNAME, PREFIX_PASSWORD etc., or from ~/.netrc."""

    def __init__(self, base: str, name: str, prefix: str, headers: Mapping[str, str] | None = None) -> None:
        self._base, self._name, self._prefix = base.rstrip("/"), name, prefix
        self._headers = {"Accept": "application/json", "User-Agent": "logsense", **_credentials(base, prefix)}
        self._headers |= headers or {}
        self._opener = build_opener(_NoRedirect)

    def ask(self, path: str, parameters: Mapping[str, str] | None = None, body: object = None, method: str = "") -> Any:
        """Return the decoded response to a GET of `path`, or a POST if there is a `body`. Raise InputError,
        TooLargeError."""
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
            raise self._problem("the response is not JSON") from None

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
            except (OSError, HTTPException, ValueError) as error:  # ValueError: an invalid host
                if last or not _may_pass(error):
                    raise self._problem(_why(error)) from None
                time.sleep(PAUSE_S * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _refused(self, error: HTTPError) -> InputError:
        try:
            reason = _reason(error.read(4096))
        except (OSError, HTTPException):
            reason = ""
        if error.code == 401:
            names = f"{self._prefix}_USERNAME and {self._prefix}_PASSWORD, or {self._prefix}_BEARER_TOKEN"
            return self._problem(f"it requires authentication; set {names}, or use ~/.netrc")
        if error.code == 403:
            return self._problem(f"permission denied{f': {reason}' if reason else ''}")
        if 300 <= error.code < 400:
            return self._problem("it redirects to another URL; use that one")
        return self._problem(f"{reason or error.reason} (HTTP {error.code})")

    def _problem(self, why: str) -> InputError:
        return InputError(f"can't read {self._name}: {why}")


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        return None


def _credentials(base: str, prefix: str) -> dict[str, str]:
    """Return the authorization header; empty without credentials."""
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
            raise InputError(f"can't read {path}, set in {prefix}_BEARER_TOKEN_FILE: {_why(error)}") from None
    return os.environ.get(f"{prefix}_BEARER_TOKEN", "")


def _from_netrc(base: str) -> tuple[str, str]:
    try:
        found = netrc(os.environ.get("NETRC")).authenticators(urlsplit(base).hostname or "")
    except (OSError, NetrcParseError, ValueError):
        return "", ""
    return (found[0], found[2] or "") if found else ("", "")


def _pause(headers: Message, attempt: int) -> float:
    requested = headers.get("Retry-After", "")
    return min(float(requested), LONGEST_PAUSE_S) if requested.isdecimal() else PAUSE_S * 2**attempt


def _may_pass(error: Exception) -> bool:
    """Return whether another try may help: not if the connection is refused or the name or certificate is wrong."""
    inner = error.reason if isinstance(error, URLError) else error
    return isinstance(inner, (TimeoutError, ConnectionResetError, HTTPException)) and not isinstance(inner, InvalidURL)


def _why(error: Exception) -> str:
    inner = error.reason if isinstance(error, URLError) else error
    if isinstance(inner, TimeoutError):
        return f"no response within {TIMEOUT_S:.0f} s"
    if isinstance(inner, OSError) and inner.strerror:
        return inner.strerror.lower()
    return " ".join(str(inner).split())[:LONGEST_REASON] or type(inner).__name__


def _reason(body: bytes) -> str:
    """Return the reason in a server's error response: a line of text, or of JSON."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = body.decode("utf-8", "replace")
    for key in ("error", "root_cause", "reason", "message"):
        if isinstance(found, dict) and key in found:
            found = found[key]
        if isinstance(found, list) and found:
            found = found[0]
    text = found if isinstance(found, str) else ""
    return "" if text.lstrip().startswith("<") else " ".join(text.split())[:LONGEST_REASON]


class Pages(ChunkReader):
    """Read `pages`. Raise InputError if the first can't be read; a later failure sets a note on `source`."""

    def __init__(self, pages: Iterator[bytes], source: Source) -> None:
        super().__init__()
        self._pages, self._source = pages, source
        self._first: bytes | None = next(pages, None)

    def next_chunk(self) -> bytes | None:
        """Return the next page; None at the end."""
        first, self._first = self._first, b""
        if first != b"":
            return first
        try:
            return next(self._pages, None)
        except InputError as error:
            self._source.note = f"reading stopped: {str(error).partition(': ')[2]}"
            return None

    def close(self) -> None:
        """End the query."""
        close = getattr(self._pages, "close", None)
        if close:
            close()
