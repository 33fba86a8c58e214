"""Sends a message through apprise, in a process of its own that its parent may end at any time.

What is to be done comes on standard input, so that no address, which may hold a secret, stands in a list of processes.
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
from importlib import import_module

from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MISSING = "--notify needs a library that is not installed: pip install 'logsense-ml[notify]'"
SEND_S = 4.0
DESKTOP = "desktop"
_ON_DESKTOP = {"darwin": "macosx://", "win32": "windows://"}
# Services that are named by their host; of all others the host may be a secret.
_BY_HOST = ("json", "jsons", "xml", "xmls", "form", "forms")


class Target(NamedTuple):
    """Somebody to be told: a name without secrets, and what tells them; it gives "" or why that was not possible."""

    name: str
    tell: Callable[[str, str], str]


def main(arguments: list[str]) -> None:
    """`send`: tells everybody, prints a line for each who could not be told; `tell` prints it for people. `check`: only
    whether that could be.
    """
    text = sys.stdin.read()
    if arguments == ["check"]:
        sys.stdout.write("".join(f"logsense: {line}\n" for line in targets_of(text)[1]))
        return
    before = "logsense: " if arguments == ["tell"] else ""
    order = json.loads(text)
    targets, problems = targets_of(order["to"])
    problems += send(targets, order["title"], order["body"])
    sys.stdout.write("".join(f"{before}{line}\n" for line in problems))
    sys.stdout.flush()
    os._exit(0)  # a thread may still wait for a service that does not answer


def targets_of(text: str) -> tuple[list[Target], list[str]]:
    """Those whom `text` names, and what is wrong with the others. Addresses stand apart by blanks or line breaks."""
    apprise = _library()
    targets, problems = [], []
    for word in text.split():
        if word == DESKTOP and shutil.which("notify-send"):
            targets.append(Target("the desktop", _notify_send))
        elif apprise is None:
            problems.append(MISSING)
        else:
            address = _ON_DESKTOP.get(sys.platform, "dbus://") if word == DESKTOP else word
            service = apprise.Apprise.instantiate(address) or apprise.Apprise.instantiate(_as_json(address))
            if service:
                targets.append(Target(_name(service), _through(service)))
            else:
                named = word.partition(":")[0][:20]
                problems.append(f"--notify: no service is known by an address like this one: {named}:…")
    return targets, list(dict.fromkeys(problems))


def send(targets: list[Target], title: str, body: str, limit_s: float = SEND_S) -> list[str]:
    """Tells all `targets` at once; gives a line for each who could not be told within `limit_s` seconds."""
    said: dict[int, str] = {}

    def tell(number: int, target: Target) -> None:
        try:
            said[number] = target.tell(title, body)
        except Exception as error:  # noqa: BLE001 - one service that fails leaves the others
            said[number] = f"{type(error).__name__}: {error}"

    threads = [
        threading.Thread(target=tell, args=(number, target), daemon=True) for number, target in enumerate(targets)
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
        if (why := said.get(number, late))
    ]


def _library() -> Any:
    try:
        return import_module("apprise")
    except ImportError:
        return None


def _through(service: Any) -> Callable[[str, str], str]:
    def tell(title: str, body: str) -> str:
        heard = _Heard(threading.get_ident())
        log = logging.getLogger("apprise")
        log.addHandler(heard)
        try:
            done = service.notify(title=title, body=body, notify_type="failure", body_format="text")
        finally:
            log.removeHandler(heard)
        return "" if done else heard.last or "it was refused"

    return tell


class _Heard(logging.Handler):
    """What apprise complains of in one thread."""

    def __init__(self, thread: int) -> None:
        super().__init__(logging.WARNING)
        self._thread, self.last = thread, ""

    def emit(self, record: logging.LogRecord) -> None:
        if record.thread == self._thread:
            self.last = " ".join(record.getMessage().split())


def _notify_send(title: str, body: str) -> str:
    command = ["notify-send", "--app-name=logsense", "--urgency=critical", "--", title, html.escape(body, quote=False)]
    done = subprocess.run(command, capture_output=True, timeout=SEND_S, check=False, stdin=subprocess.DEVNULL)
    return (
        "" if done.returncode == 0 else " ".join(done.stderr.decode("utf-8", "replace").split()) or "notify-send failed"
    )


def _as_json(address: str) -> str:
    """A plain web address as apprise spells a JSON webhook; what stands behind its `?` goes with it.

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
    return f"{service.host}" if scheme in _BY_HOST else str(service.service_name)
