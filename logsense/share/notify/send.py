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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

MISSING = "--notify needs an extra: pip install 'logsense-ml[notify]'"
SEND_S = 3.0  # less than the 4 s of Apprise, whose message does not say that the time was up
DESKTOP = "desktop"
_DESKTOP_ADDRESSES = {"darwin": "macosx://", "win32": "windows://"}
# Services named by their host; for all others the host can be a secret.
_NAMED_BY_HOST = ("json", "jsons", "xml", "xmls", "form", "forms")
Send = Callable[[str, str], str]  # sends a title and a body; returns "", or the reason why it failed


def main(arguments: list[str]) -> None:
    """Handle the request on standard input; `arguments` is the mode.

    "send" notifies all recipients and prints a line for each failure, "detached" the same with a prefix for the
    terminal, "check" only checks the addresses.
    """
    text = sys.stdin.read()
    request = {"to": text} if arguments == ["check"] else json.loads(text)
    targets, problems = targets_of(request["to"])
    if arguments != ["check"]:
        problems += send(targets, request["title"], request["body"])
    prefix = "" if arguments == ["send"] else "logsense: "
    sys.stdout.write("".join(f"{prefix}{line}\n" for line in problems))
    sys.stdout.flush()
    os._exit(0)  # a thread may still wait for an unresponsive service


def targets_of(text: str) -> tuple[list[tuple[str, Send]], list[str]]:
    """Return the recipients that `text` names, each by a name without secrets, and problems with its other addresses.

    Addresses are separated by whitespace.
    """
    try:
        apprise: Any = import_module("apprise")
    except ImportError:
        apprise = None
    targets: list[tuple[str, Send]] = []
    problems = []
    for word in text.split():
        if word == DESKTOP and shutil.which("notify-send"):
            targets.append(("the desktop", _notify_send))
        elif apprise is None:
            problems.append(MISSING)
        else:
            address = _DESKTOP_ADDRESSES.get(sys.platform, "dbus://") if word == DESKTOP else word
            service = apprise.Apprise.instantiate(address) or apprise.Apprise.instantiate(_as_json(address))
            if service:
                targets.append((_name(service), partial(_send_by, service)))
            else:
                scheme = word.partition(":")[0][:20]
                problems.append(f"--notify: no service has addresses like this one: {scheme}:…")
    return targets, list(dict.fromkeys(problems))


def send(targets: list[tuple[str, Send]], title: str, body: str) -> list[str]:
    """Notify all `targets` in parallel; return a line for each that failed or took more than `SEND_S` seconds."""
    executor = ThreadPoolExecutor(max(len(targets), 1))
    sent = [(name, executor.submit(notify, title, body)) for name, notify in targets]
    wait([future for _, future in sent], timeout=SEND_S)
    problems = []
    for name, future in sent:
        if not future.done():
            why = f"no answer within {SEND_S:.0f} s"
        elif error := future.exception():  # one failing service must not affect the others
            why = f"{type(error).__name__}: {error}"
        else:
            why = future.result()
        problems += [f"{name} could not be notified: {why}"] if why else []
    return problems


def _send_by(service: Any, title: str, body: str) -> str:
    warning = _LastWarning(threading.get_ident())
    log = logging.getLogger("apprise")
    log.addHandler(warning)
    try:
        done = service.notify(title=title, body=body, notify_type="failure", body_format="text")
    finally:
        log.removeHandler(warning)
    return "" if done else warning.text or "it was refused"


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
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    return (said or "notify-send failed") if done.returncode else ""


def _as_json(address: str) -> str:
    """Return a plain web address in apprise's form for JSON webhooks, with its query.

    https://appriseit.com/services/json/
    """
    parts = urlsplit(address)
    if parts.scheme.lower() not in ("http", "https"):
        return address
    pairs = [(f"-{key}", value) for key, value in parse_qsl(parts.query, keep_blank_values=True)]
    query = urlencode(pairs, quote_via=quote)
    return urlunsplit(("jsons" if parts.scheme.lower() == "https" else "json", parts.netloc, parts.path, query, ""))


def _name(service: Any) -> str:
    scheme = service.url(privacy=True).partition(":")[0]
    return f"{service.host}" if scheme in _NAMED_BY_HOST else str(service.service_name)
