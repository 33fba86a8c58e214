"""Runs an installed browser."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--dump-dom"),
)


def rendered(page: Path, profile: Path, *, budget_ms: int) -> str:
    """Return `page` as rendered after `budget_ms` of virtual time, with the empty folder `profile`."""
    assert BROWSER
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--virtual-time-budget={budget_ms}", f"--user-data-dir={profile}", page.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout.decode()
