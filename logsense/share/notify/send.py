"""Send a notification through apprise, in a process of its own that its parent may end at any time.

The request comes on standard input: addresses can hold secrets, and arguments show up in process lists.
"""

from __future__ import annotations

import html
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from logsense.util.noun import NamedTuple

MISSING = "--notify needs an extra: pip install 'logsense-ml[notify]'"
SEND_S = 4.0
DESKTOP = "desktop"
_DESKTOP_ADDRESSES = {"darwin": "macosx://", "win32": "windows://"}
# Services named by their host; for all others the host can be a secret.
_NAMED_BY_HOST = ("json", "jsons", "xml", "xmls", "form", "forms")


class Target(NamedTuple):
    """A recipient: a name without secrets, and a function that sends a title and a body.

    The function returns "", or the reason why it failed.
    """

    name: str
    send: Callable[[str, str], str]


def main(arguments: list[str]) -> None:
    """Handle the request on standard input; `arguments` is the mode.

    "send" notifies all recipients and prints a line for each failure, "detached" the same with a prefix for the
    terminal, "check" only checks the addresses.
    """
    text = sys.stdin.read()
    if arguments == ["check"]:
        sys.stdout.write("".join(f"logsense: {line}\n" for line in targets_of(text)[1]))
        return
    prefix = "logsense: " if arguments == ["detached"] else ""
    request = json.loads(text)
    targets, problems = targets_of(request["to"])
    problems += send(targets, request["title"], request["body"])
    sys.stdout.write("".join(f"{prefix}{line}\n" for line in problems))
    sys.stdout.flush()
    os._exit(0)  # a thread may still wait for an unresponsive service


def targets_of(text: str) -> tuple[list[Target], list[str]]:
    """Return the recipients that `text` names, and problems with its other addresses, which whitespace separates."""
    apprise = _library()
    targets, problems = [], []
    for word in text.split():
        if word == DESKTOP and shutil.which("notify-send"):
            targets.append(Target("the desktop", _notify_send))
        elif apprise is None:
            problems.append(MISSING)
        else:
            address = _DESKTOP_ADDRESSES.get(sys.platform, "dbus://") if word == DESKTOP else word
            service = apprise.Apprise.instantiate(address) or apprise.Apprise.instantiate(_as_json(address))
            if service:
                targets.append(Target(_name(service), _sender(service)))
            else:
                scheme = word.partition(":")[0][:20]
                problems.append(f"--notify: no service has addresses like this one: {scheme}:…")
    return targets, list(dict.fromkeys(problems))


def send(targets: list[Target], title: str, body: str, limit_s: float = SEND_S) -> list[str]:
    """Notify all `targets` in parallel; return a line for each that failed or took more than `limit_s` seconds."""
    results: dict[int, str] = {}

    def attempt(number: int, target: Target) -> None:
        try:
            results[number] = target.send(title, body)
        except Exception as error:  # noqa: BLE001 - one failing service must not affect the others
            results[number] = f"{type(error).__name__}: {error}"

    threads = [
        threading.Thread(target=attempt, args=(number, target), daemon=True) for number, target in enumerate(targets)
    ]
    for thread in threads:
        thread.start()
    until = time.monotonic() + limit_s
    for thread in threads:
        thread.join(max(until - time.monotonic(), 0.0))
    late = f"no answer within {limit_s:.0f} s"
    return [
        f"{target.name} could not be notified: {why}"
        for number, target in enumerate(targets)
        if (why := results.get(number, late))
    ]


def _library() -> Any:
    try:
        return import_module("apprise")
    except ImportError:
        return None


def _sender(service: Any) -> Callable[[str, str], str]:
    def send(title: str, body: str) -> str:
        warning = _LastWarning(threading.get_ident())
        log = logging.getLogger("apprise")
        log.addHandler(warning)
        try:
            done = service.notify(title=title, body=body, notify_type="failure", body_format="text")
        finally:
            log.removeHandler(warning)
        return "" if done else warning.text or "it was refused"

    return send


class _LastWarning(logging.Handler):
    """The last warning of apprise in one thread."""

    def __init__(self, thread: int) -> None:
        super().__init__(logging.WARNING)
        self._thread, self.text = thread, ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self.text = " ".join(record.getMessage().split())


def _notify_send(title: str, body: str) -> str:
    command = ["notify-send", "--app-name=logsense", "--urgency=critical", "--", title, html.escape(body, quote=False)]
    done = subprocess.run(command, capture_output=True, timeout=SEND_S, check=False, stdin=subprocess.DEVNULL)
    return (
        "" if done.returncode == 0 else " ".join(done.stderr.decode("utf-8", "replace").split()) or "notify-send failed"
    )


def _as_json(address: str) -> str:
    """Return a plain web address in apprise's form for JSON webhooks, with its query.

    https://appriseit.com/services/json/
    """
    from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

    parts = urlsplit(address)
    if parts.scheme.lower() not in ("http", "https"):
        return address
    pairs = [(f"-{key}", value) for key, value in parse_qsl(parts.query, keep_blank_values=True)]
    query = urlencode(pairs, quote_via=quote)
    return urlunsplit(("jsons" if parts.scheme.lower() == "https" else "json", parts.netloc, parts.path, query, ""))


def _name(service: Any) -> str:
    scheme = service.url(privacy=True).partition(":")[0]
    return f"{service.host}" if scheme in _NAMED_BY_HOST else str(service.service_name)
