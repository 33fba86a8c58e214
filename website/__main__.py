"""`python -m website` builds the site, by default into build/site."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from website.build import SiteError, build
from website.pages import ROOT


def main() -> int:
    """Build the site; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m website", description="Build the documentation as a site.")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "site", metavar="FOLDER")
    chosen = parser.parse_args()
    began_s = time.monotonic()
    try:
        count = build(chosen.output.resolve())
    except SiteError as problem:
        sys.stderr.write(f"{problem}\n")
        return 1
    sys.stderr.write(f"{count} pages in {time.monotonic() - began_s:.0f} s: {chosen.output / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
