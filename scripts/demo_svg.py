"""Write docs/demo.svg, the terminal in README: the output of logsense for a log in examples/.

python scripts/demo_svg.py             write it
python scripts/demo_svg.py --check     exit with status 1 if it is out of date
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "demo.svg"
COMMAND = "logsense examples/torchrun-missing-file.log"
COLUMNS = 84


def _theme(*colors: str) -> TerminalTheme:
    """Return a theme from background, text, and the eight colors of a terminal in both brightnesses, in hexadecimal."""
    background, text, *others = (tuple(bytes.fromhex(color)) for one in colors for color in one.split())
    return TerminalTheme(background, text, others[:8], others[8:])  # type: ignore[arg-type]


# Black, red, green, yellow, blue, magenta, cyan, white; all legible on their background.
LIGHT = _theme(
    "ffffff 1f2328",
    "24292f cf222e 1a7f37 9a6700 0969da 8250df 1b7c83 616a75",
    "57606a a40e26 1a7f37 633c01 218bff a475f9 3192aa 1f2328",
)
DARK = _theme(
    "0d1117 e6edf3",
    "484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4",
    "6e7681 ffa198 56d364 e3b341 79c0ff d2a8ff 56d4dd f0f6fc",
)
# Rich's format, but with the fonts of the reader's machine: an SVG image can't load any.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="COMMAND">
<style>
text {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: {char_height}px; }}
svg > rect {{ fill: WINDOW; stroke: #8b949e80; }}
.{unique_id}-title {{ fill: TEXT; font-size: 16px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip)">
{backgrounds}
<g>
{matrix}
</g>
</g>
</svg>
"""


def main(arguments: list[str] | None = None) -> int:
    """Write or check the picture; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    chosen = parser.parse_args(arguments)
    drawn = picture(session())
    if chosen.check:
        return int(not PICTURE.exists() or words(PICTURE.read_text("utf-8")) != words(drawn))
    PICTURE.write_text(drawn, "utf-8")
    return 0


def session() -> str:
    """Return the command with its prompt, and what it prints on a color terminal."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    printed = subprocess.run(
        [sys.executable, "-m", *COMMAND.split(), "--color", "always"],
        cwd=ROOT, capture_output=True, check=True,
        env={**environment, "COLUMNS": str(COLUMNS), "PYTHONIOENCODING": "utf-8", "FORCE_HYPERLINK": "0"},
    ).stdout.decode()  # fmt: skip
    return f"\x1b[2m$\x1b[0m \x1b[1m{COMMAND}\x1b[0m\n{printed.rstrip()}\n"


def picture(printed: str) -> str:
    """Return an SVG of a terminal that shows `printed`; its colors follow the reader's color scheme."""
    light, dark = (_drawn(printed, theme) for theme in (LIGHT, DARK))
    rules, others = (
        re.findall(r"^.*\bfill: #.*$", one[: one.index("</style>")], re.MULTILINE) for one in (light, dark)
    )
    assert len(rules) == len(others), "both themes have the same number of colors"
    own = "\n".join(others)
    return light.replace("</style>", f"@media (prefers-color-scheme: dark) {{\n{own}\n}}\n</style>", 1)


def words(svg: str) -> str:
    """Return the text of a picture, line by line, without percentages, which change with the catalog."""
    lines: dict[float, list[tuple[float, str]]] = {}
    for tag, text in re.findall(r"<text ([^>]*)>([^<]*)</text>", svg):
        x, y = (float(found[1]) for key in ("x", "y") if (found := re.search(rf'(?:^| ){key}="([\d.]+)"', tag)))
        lines.setdefault(y, []).append((x, unescape(text).replace("\xa0", " ")))
    text = "\n".join("".join(part for _, part in sorted(lines[y])) for y in sorted(lines))
    return re.sub(r"\d+ %", "… %", text)


def _drawn(printed: str, theme: TerminalTheme) -> str:
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, color_system="standard")
        console.print(Text.from_ansi(printed), end="")
    body = FORMAT.replace("WINDOW", theme.background_color.hex).replace("TEXT", theme.foreground_color.hex)
    svg = console.export_svg(title=COMMAND, theme=theme, code_format=body.replace("COMMAND", COMMAND), unique_id="demo")
    return re.sub(r"^[ \t]+|[ \t]+$", "", svg, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
