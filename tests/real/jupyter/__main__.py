"""Let notebooks fail in a JupyterLab that Chromium shows, and check the cards below their cells.

Run it with the Python of `setup.sh`. Pictures of each notebook are written beside it.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import websocket  # type: ignore[import-not-found]

from tests.real.checks import ROOT, Checks

BASE = ROOT / "jupyter"
IN_GROUP = Path(__file__).parents[1] / "host" / "in_group.sh"
MEMORY_BYTES = 1500 << 20  # of the server and all kernels
PORT, DEBUG_PORT = 8899, 9333
WAIT_S, STEP_S = 180, 30
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
LOAD = "%load_ext logsense"
# The cells of each notebook, the text that its card must have, and whether its kernel dies.
NOTEBOOKS: dict[str, tuple[tuple[str, ...], tuple[str, ...], bool]] = {
    "fails": (
        (
            LOAD,
            "def load(path):\n    with open(path) as file:\n        return file.read()\n\nload('configs/train.json')",
        ),
        ("configs/train.json doesn't exist", "storage.file-missing", "cell, line 2"),
        False,
    ),
    "memory": (
        (
            LOAD,
            "print('step 1 loss 0.5', flush=True)\nrows = []\nwhile True:\n    rows.append(bytearray(b'x') * (64 << 20))",
        ),
        ("memory limit of 1.46 GiB", "host-memory.oom-killed", "step 1"),
        True,
    ),
    "crash": (
        (LOAD, "import ctypes\nprint('step 1 loss 0.5', flush=True)\nctypes.string_at(0)"),
        ("code.native-crash", "step 1"),
        True,
    ),
}


class Tab:
    """The only tab of a browser, over Chrome's DevTools protocol."""

    def __init__(self) -> None:
        page: dict[str, Any] = {}
        for _ in range(WAIT_S):
            with suppress(OSError):
                page = next(
                    one for one in json.load(urlopen(f"http://127.0.0.1:{DEBUG_PORT}/json")) if one["type"] == "page"
                )
                break
            time.sleep(1)
        self._socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=WAIT_S, suppress_origin=True)
        self._calls = 0

    def call(self, method: str, **parameters: Any) -> Any:
        """Return the result of a command."""
        self._calls += 1
        self._socket.send(json.dumps({"id": self._calls, "method": method, "params": parameters}))
        while (answer := json.loads(self._socket.recv())).get("id") != self._calls:
            pass
        return answer.get("result", {})

    def run(self, script: str) -> Any:
        """Return the value of a JavaScript expression; of a promise, what it resolves to."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        return found.get("result", {}).get("value")

    def wait(self, condition: str, within_s: float = WAIT_S) -> bool:
        """Return whether `condition` became true in time."""
        end_s = time.monotonic() + within_s
        while time.monotonic() < end_s:
            if self.run(f"!!({condition})"):
                return True
            time.sleep(0.5)
        return False

    def picture(self, name: str) -> None:
        """Write what the tab shows, without notices in its corner, to a PNG file."""
        self.run("document.querySelectorAll('.Toastify').forEach(one => one.remove())")
        (BASE / f"{name}.png").write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


def wait_for_kernels() -> None:
    """Wait until every kernel is idle, and some seconds more for the page to notice."""
    for _ in range(WAIT_S):
        states = [one["execution_state"] for one in json.load(urlopen(f"http://127.0.0.1:{PORT}/api/kernels"))]
        if states and set(states) == {"idle"}:
            break
        time.sleep(1)
    time.sleep(5)


def command(tab: Tab, name: str, shows: str) -> bool:
    """Give JupyterLab a command until an element appears: it drops cells while a kernel starts."""
    for _ in range(WAIT_S // STEP_S):
        tab.run(f"void jupyterapp.commands.execute('notebook:{name}')")
        if tab.wait(f"document.querySelector('{shows}')", STEP_S):
            return True
    return False


def check(tab: Tab, name: str, checks: Checks) -> None:
    """Run a notebook, and once more its first cell if its kernel dies; check the card."""
    _, expected, dies = NOTEBOOKS[name]
    tab.call("Page.navigate", url=f"http://127.0.0.1:{PORT}/lab/workspaces/{name}/tree/{name}.ipynb?reset")
    tab.wait("window.jupyterapp && document.querySelector('.jp-Notebook .jp-Cell')")
    wait_for_kernels()
    if dies:
        checks.check(f"{name}: the kernel dies", command(tab, "run-all-cells", ".jp-Dialog"))
        tab.picture(f"{name}-dialog")
        tab.run("document.querySelector('.jp-Dialog .jp-mod-accept').click()")
        wait_for_kernels()
        tab.run("void jupyterapp.commands.execute('notebook:move-cursor-up')")  # to the first cell
    command(tab, "run-cell" if dies else "run-all-cells", ".logsense")
    time.sleep(1)
    tab.picture(name)
    said = tab.run("document.querySelector('.logsense')?.innerText") or ""
    for words in expected:
        checks.check(f"{name}: {words}", words in said, " ".join(said.split())[:300])


def main() -> int:
    """Check each notebook; return 1 if an answer was wrong."""
    BASE.mkdir(parents=True, exist_ok=True)
    for name, (cells, _, _) in NOTEBOOKS.items():
        listed: list[dict[str, object]] = [
            {
                "cell_type": "code",
                "id": f"c{at}",
                "source": cell,
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for at, cell in enumerate(cells)
        ]
        notebook = {"cells": listed, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5}
        (BASE / f"{name}.ipynb").write_text(json.dumps(notebook))
    environment = {**os.environ, "XDG_STATE_HOME": str(BASE / "state"), "HOME": str(BASE)}
    lab = (
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        f"--port={PORT}",
        "--expose-app-in-browser",
    )
    browser = (
        *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1100,1000"),
        *(f"--user-data-dir={BASE / 'profile'}", f"--remote-debugging-port={DEBUG_PORT}", "about:blank"),
    )
    checks = Checks()
    with (BASE / "server.log").open("w") as log:
        server = subprocess.Popen(
            ["bash", IN_GROUP, str(MEMORY_BYTES), *lab, "--IdentityProvider.token="],
            cwd=BASE, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
        window = subprocess.Popen(browser, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            for _ in range(WAIT_S):
                with suppress(OSError):
                    urlopen(f"http://127.0.0.1:{PORT}/api").close()
                    break
                time.sleep(1)
            tab = Tab()
            for name in NOTEBOOKS:
                check(tab, name, checks)
        finally:
            with suppress(OSError):
                urlopen(f"http://127.0.0.1:{PORT}/api/shutdown", data=b"").close()
            window.terminate()
            server.terminate()
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
