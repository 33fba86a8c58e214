"""Write what logsense shows wherever the project keeps a copy of it: in README, docs/ and tests/render/screens/.

python scripts/screens.py                    write all of them, and docs/demo.svg
python scripts/screens.py --pictures         also draw the HTML page in docs/ (needs Chromium)
python scripts/screens.py --freeze NAME LOG  keep the report on LOG as tests/render/screens/NAME.json, then write all

Reports are kept as JSON, so that a change of knowledge does not change the screens, only one of the renderers does.
NAME.txt has each screen as plain text, NAME.ansi those with color (`cat` shows it).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import demo_svg

from logsense.api import explain
from logsense.model import live
from logsense.model import report as nouns
from logsense.model.report import Report
from logsense.render.html import render_html
from logsense.render.layout import Look
from logsense.render.markdown import render_markdown
from logsense.render.notice import notice_of
from logsense.render.text import render_text

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/explaining.md")
FOLDER = ROOT / "tests" / "render" / "screens"
COLUMNS = 88  # of the screens in README and docs/
_BLOCK = re.compile(r"^(```console\n\$ logsense )([^\n]*examples/\S+\.log)\n.*?(?=^```|^\$ )", re.MULTILINE | re.DOTALL)


def main(arguments: list[str] | None = None) -> int:
    """Write the screens; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--freeze", nargs=2, metavar=("NAME", "LOG"), help="keep the report on LOG as NAME")
    parser.add_argument("--pictures", action="store_true", help="draw the HTML page in docs/ too")
    chosen = parser.parse_args(arguments)
    if chosen.pictures:
        draw_page("gpu-full")
    if chosen.freeze:
        name, log = chosen.freeze
        kept = json.dumps(encoded(explain(log).report), ensure_ascii=False)
        (FOLDER / f"{name}.json").write_text(f"{kept}\n", "utf-8")
    for path, text in screens():
        path.write_text(text, "utf-8")
    for page in PAGES:
        (ROOT / page).write_text(_BLOCK.sub(_shown, (ROOT / page).read_text("utf-8")), "utf-8")
    return demo_svg.main([])


def screens() -> Iterator[tuple[Path, str]]:
    """Yield the files of screens, with what belongs into them today."""
    for path in sorted(FOLDER.glob("*.json")):
        report = decoded(json.loads(path.read_text("utf-8")))
        yield path.with_suffix(".txt"), "\n".join(f"=== {title}\n{text}" for title, text in plain(report, path.stem))
        look = Look(color=True, details_command=f"logsense -v {path.stem}.log", inputs=f"{path.stem}.log")
        colored = (f"=== {width} columns\n{render_text(report, look._replace(width=width))}" for width in (80, 120))
        yield path.with_suffix(".ansi"), "\n".join(colored)


def plain(report: Report, name: str) -> Iterator[tuple[str, str]]:
    """Yield a title and a text for each screen without color."""
    look = Look(details_command=f"logsense -v {name}.log", inputs=f"{name}.log")
    for width in (80, 120, 40, 200):
        yield f"{width} columns", render_text(report, look._replace(width=width))
    yield "80 columns of ASCII", render_text(report, look._replace(width=80, unicode=False))
    yield "everything", render_text(report, look._replace(width=80, verbose=True))
    yield "Markdown", render_markdown(report)
    if report.outcome == "failed":
        title, body = notice_of(report, "job 7")
        yield "notification", f"{title}\n{body}\n"


def draw_page(name: str) -> None:
    """Draw the HTML page of the frozen report `name`, light and dark, as docs/html-light.png and docs/html-dark.png."""
    page = render_html(decoded(json.loads((FOLDER / f"{name}.json").read_text("utf-8"))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        path.write_text(page, "utf-8")
        for scheme, number in (("dark", 0), ("light", 1)):
            picture = ROOT / "docs" / f"html-{scheme}.png"
            options = (f"--blink-settings=preferredColorScheme={number}", "--window-size=900,664", "--hide-scrollbars")
            subprocess.run(
                ["chromium", "--headless", "--no-sandbox", *options, f"--screenshot={picture}", path.as_uri()],
                check=True, stderr=subprocess.DEVNULL,
            )  # fmt: skip


def encoded(value: Any) -> Any:
    """Return `value`, a noun or what is in one, as JSON can hold it."""
    if hasattr(value, "_asdict"):
        return {"is": type(value).__name__, **{key: encoded(part) for key, part in value._asdict().items()}}
    if isinstance(value, (tuple, list)):
        return [encoded(part) for part in value]
    if hasattr(value, "items"):
        return {key: encoded(part) for key, part in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def decoded(value: Any) -> Any:
    """Return what `encoded` made JSON of."""
    if isinstance(value, list):
        return tuple(decoded(part) for part in value)
    if not isinstance(value, dict):
        return value
    parts = {key: decoded(part) for key, part in value.items() if key != "is"}
    if "is" not in value:
        return MappingProxyType(parts)
    noun = getattr(nouns, value["is"], None) or getattr(live, value["is"])
    return noun(**parts)


def _shown(found: re.Match[str]) -> str:
    """Return a block of a page with what its command prints today."""
    done = subprocess.run(
        [sys.executable, "-m", "logsense", *shlex.split(found[2]), "--color", "never"],
        capture_output=True, check=True, cwd=ROOT,
        env={**os.environ, "COLUMNS": str(COLUMNS), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    return f"{found[1]}{found[2]}\n{done.stdout.decode()}"


if __name__ == "__main__":
    sys.exit(main())
