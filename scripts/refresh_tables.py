"""Update the version tables in rules/_tables from package metadata and public pages.

    python scripts/refresh_tables.py --check           print what would change, change nothing
    python scripts/refresh_tables.py                   change the files
    python scripts/refresh_tables.py --from FOLDER     read saved pages instead of the network
    python scripts/refresh_tables.py --index URL       use another package index than PyPI
    python scripts/refresh_tables.py --list            print docs/tables.md
    python scripts/refresh_tables.py --age             list the tables that have not been checked for long

A table generated from packages has a row for each release, and states up to which one it is valid. Rows that a page no
longer lists stay, since old versions are still in use. So do columns that neither a page nor a package provides.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import sys
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml
from package_index import PYPI, Index
from package_tables import PACKAGE_TABLES, PackageTable

TABLES = Path(__file__).resolve().parent.parent / "rules" / "_tables"

Row = dict[str, str]

OLD_AFTER_DAYS = 60


def _load(text: str) -> dict[str, Any]:
    """Return the content of a table file, with PyYAML's fast loader if there is one."""
    data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    if not isinstance(data, dict):
        message = "a table file holds a mapping"
        raise TypeError(message)
    return data


@dataclass(frozen=True)
class Source:
    """The page from which the rows of a table come."""

    table: str
    url: str
    saved_as: str
    parse: Callable[[str], list[Row]]


class _Cells(HTMLParser):
    """Collect the rows of all HTML tables; a line break inside a cell becomes a line break."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open a row or a cell."""
        del attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self._cell = []
        elif tag in {"br", "li", "p"} and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Close a cell."""
        if tag in {"td", "th"} and self._cell is not None:
            if self.rows:
                self.rows[-1].append("".join(self._cell).strip())
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Add text to the open cell."""
        if self._cell is not None:
            self._cell.append(data)


def html_rows(text: str) -> list[list[str]]:
    """Return the cells of each row of each HTML table in `text`."""
    parser = _Cells()
    parser.feed(text)
    return [row for row in parser.rows if row]


def markdown_rows(text: str) -> list[list[str]]:
    """Return the cells of each row of each Markdown table in `text`."""
    rows = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|") and line.endswith("|") and not set(line) <= set("|-: "):
            rows.append([cell.strip().strip("`") for cell in line[1:-1].split("|")])
    return rows


def version_key(text: str) -> tuple[int, ...]:
    """Return a sort key for versions."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _span(text: str) -> str:
    """Return the range of Python versions in `text`: ">=3.9, <=3.13, (3.13t experimental)" is "3.9 to 3.13"."""
    known = [v for v in re.findall(r"(?<![\d.])\d\.\d+", re.sub(r",\s*\([^)]*\)", "", text)) if v != "2.7"]
    if not known:
        return ""
    first, last = min(known, key=version_key), max(known, key=version_key)
    return first if first == last else f"{first} to {last}"


def parse_cuda_notes(text: str) -> list[Row]:
    """Return the first release of each CUDA with its driver on Linux and Windows, from the release notes."""
    rows: dict[str, Row] = {}
    for cells in html_rows(text):
        name = re.match(r"CUDA (\d+\.\d+)\b", cells[0])
        drivers = [re.search(r">=\s*(\d+(?:\.\d+)+)", cell) for cell in cells[1:3]]
        if not name or not drivers or not drivers[0]:
            continue
        row = {"cuda": name[1], "driver": drivers[0][1]}
        if len(drivers) > 1 and drivers[1]:
            row["windows"] = drivers[1][1]
        old = rows.get(name[1])
        if old is None or version_key(row["driver"]) < version_key(old["driver"]):
            rows[name[1]] = row
    return list(rows.values())


def parse_torch_matrix(text: str) -> list[Row]:
    """Return the CUDA builds of each minor release of PyTorch, from the matrix in its RELEASE.md."""
    rows = []
    for cells in markdown_rows(text):
        if len(cells) < 5 or not re.fullmatch(r"\d+\.\d+", cells[0]) or "CUDA" not in cells[3]:
            continue
        if version_key(cells[0]) < (1, 13):  # the matrix lacks the CUDA 10.2 builds
            continue
        builds = sorted(set(re.findall(r"CUDA (\d+\.\d+)", f"{cells[3]}, {cells[4]}")), key=version_key)
        rows.append({"torch": cells[0], "builds": ", ".join("cu" + build.replace(".", "") for build in builds)})
    return rows


def parse_tensorflow_builds(text: str) -> list[Row]:
    """Return TensorFlow's tested GPU configurations for Linux, from the page on building from source."""
    linux = text.split("### macOS")[0].split("### Windows")[0]
    rows = []
    for cells in html_rows(linux):
        name = re.fullmatch(r"tensorflow(?:[_-]gpu)?-(\d+\.\d+)[.\d]*", cells[0])
        if not name or len(cells) < 6:
            continue
        cuda = cells[5] if "." in cells[5] else cells[5] + ".0"
        rows.append(
            {
                "tensorflow": name[1],
                "cuda": cuda,
                "cudnn": cells[4],
                "python": _span(cells[1].replace("-", ", ")),
                "compiler": cells[2],
            }
        )
    return rows


def parse_flash_attn_wheels(text: str) -> list[Row]:
    """Return the newest FlashAttention 2 with wheels for each PyTorch, from its releases."""
    name = r"flash_attn-(2[\w.]*)\+cu(\d{2})\d*torch(\d+\.\d+)cxx11abi\w+-cp(\d)(\d+)-.*x86_64\.whl"
    found: dict[str, dict[tuple[int, ...], tuple[str, set[str], set[str]]]] = {}
    for release in json.loads(text):
        for asset in release["assets"]:
            wheel = re.fullmatch(name, asset["name"])
            if wheel:
                of_torch = found.setdefault(wheel[3], {})
                _, cudas, pythons = of_torch.setdefault(version_key(wheel[1]), (wheel[1], set(), set()))
                cudas.add(wheel[2])
                pythons.add(f"{wheel[4]}.{wheel[5]}")
    rows = []
    for torch in sorted(found, key=version_key):
        flash_attn, cudas, pythons = found[torch][max(found[torch])]
        cuda = " or ".join(sorted(cudas))
        rows.append({"torch": torch, "flash_attn": flash_attn, "cuda": cuda, "python": _span(", ".join(pythons))})
    return rows


def parse_gcc_bounds(text: str) -> list[Row]:
    """Return the newest GCC for each CUDA, from PyTorch's extension builder (upper bounds are exclusive)."""
    block = re.search(r"CUDA_GCC_VERSIONS[^{]*\{(.*?)\n?\}", text, re.DOTALL)
    pairs = re.findall(r"""["'](\d+\.\d+)["']:\s*\(.*?,\s*\((\d+),\s*\d+\)\)""", block[1]) if block else []
    return [{"cuda": cuda, "gcc": str(int(above) - 1)} for cuda, above in pairs]


def _driver_name(name: str) -> str:
    """Return a GPU's name as drivers since 2021 print it."""
    known = not name or name.startswith(("NVIDIA", "Tesla", "GRID"))
    return name if known else f"NVIDIA {name}"


def parse_gpu_page(text: str) -> list[Row]:
    """Return the name and compute capability of each GPU, from NVIDIA's list of CUDA GPUs."""
    rows = []
    for cells in html_rows(text):
        if not re.fullmatch(r"\d+\.\d", cells[0]):
            continue
        for cell in cells[1:]:
            names = (" ".join(re.sub(r"\([^)]*\)", "", line).split()) for line in cell.split("\n"))
            rows += [{"gpu": name, "capability": cells[0]} for name in map(_driver_name, names) if name]
    return rows


SOURCES = (
    Source(
        "driver-cuda",
        "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html",
        "cuda-release-notes.html",
        parse_cuda_notes,
    ),
    Source(
        "torch-cuda",
        "https://raw.githubusercontent.com/pytorch/pytorch/main/RELEASE.md",
        "pytorch-release.md",
        parse_torch_matrix,
    ),
    Source(
        "tensorflow-cuda",
        "https://raw.githubusercontent.com/tensorflow/docs/master/site/en/install/source.md",
        "tensorflow-source.md",
        parse_tensorflow_builds,
    ),
    Source(
        "torch-flash-attn",
        "https://api.github.com/repos/Dao-AILab/flash-attention/releases?per_page=100",
        "flash-attention-releases.json",
        parse_flash_attn_wheels,
    ),
    Source(
        "nvcc-gcc",
        "https://raw.githubusercontent.com/pytorch/pytorch/main/torch/utils/cpp_extension.py",
        "cpp-extension.py.txt",
        parse_gcc_bounds,
    ),
    Source("gpu-arch", "https://developer.nvidia.com/cuda-gpus", "cuda-gpus.html", parse_gpu_page),
    Source("gpu-arch", "https://developer.nvidia.com/cuda-legacy-gpus", "cuda-legacy-gpus.html", parse_gpu_page),
)


def fetch(url: str) -> str:
    """Return the text of a public page."""
    request = urllib.request.Request(url, headers={"User-Agent": "logsense"})  # noqa: S310  the URLs are above
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        return str(response.read().decode("utf-8", "replace"))


def read_rows(text: str) -> list[Row]:
    """Return the rows of a table file."""
    data = _load(text)
    return [{str(key): str(value) for key, value in row.items()} for row in data["rows"]]


def merge(old: list[Row], new: list[Row], key: str) -> list[Row]:
    """Return `old` updated by `new`: changed columns, and new rows before the first greater one.

    A row for a minor release (2.9) applies to the rows of all its releases (2.9.0, 2.9.1).
    """
    rows = [dict(row) for row in old]
    for fresh in new:
        of_release = [row for row in rows if row[key] == fresh[key]]
        same = of_release or [row for row in rows if row[key].startswith(fresh[key] + ".")]
        for row in same:
            row.update({**fresh, key: row[key]})
        if same:
            continue
        place = len(rows)
        if version_key(fresh[key]) and re.fullmatch(r"[\d.]+", fresh[key]):
            place = next((i for i, r in enumerate(rows) if version_key(r[key]) > version_key(fresh[key])), place)
        rows.insert(place, dict(fresh))
    return rows


def regenerate(old: list[Row], fresh: list[Row], key: str, table: PackageTable) -> list[Row]:
    """Return the fresh rows with the carried columns, after the old rows that precede all of them."""
    first = version_key(fresh[0][key])
    rows = [row for row in old if version_key(row[key]) < first[: len(version_key(row[key]))]]
    for row in fresh:
        like = [one for one in old if one.get(table.same_column) == row.get(table.same_column)]
        like = like or [one for one in old if version_key(one[key])[:2] == version_key(row[key])[:2]]
        kept = {column: like[-1][column] for column in table.carried if like and column in like[-1]}
        rows.append({**kept, **row})
    return rows


def _scalar(value: str, kind: str) -> str:
    """Return `value` as YAML of the column's type."""
    if kind in {"int", "float", "bytes"}:
        return value
    plain = kind == "text" and re.fullmatch(r"[A-Za-z][\w ./+-]*", value) and isinstance(yaml.safe_load(value), str)
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_rows(text: str, rows: list[Row], today: str) -> str:
    """Return the table file `text` with new rows and date; everything above the rows stays."""
    columns = {str(k): str(v) for k, v in _load(text)["columns"].items()}
    order = [*columns, "source"]
    head = text.split("\nrows:\n")[0]
    head = re.sub(r"(?m)^dated: .*$", f"dated: {today}", head)
    key = next(iter(columns))
    if re.search(rf"(?m)^known_until: {{{key}: ", head) and rows:
        head = re.sub(r"(?m)^known_until: .*$", f'known_until: {{{key}: "{rows[-1][key]}"}}', head)
    lines = [
        "  - {"
        + ", ".join(f"{c}: {_scalar(row[c], columns.get(c, 'text'))}" for c in order if row.get(c, "") != "")
        + "}"
        for row in rows
    ]
    return head + "\nrows:\n" + "\n".join(lines) + "\n"


def differences(old: list[Row], new: list[Row], key: str) -> list[str]:
    """Return the changes, one line each."""
    before = {row[key]: row for row in old}
    lines = []
    for row in new:
        was = before.get(row[key])
        if was is None:
            lines.append(f"+ {row}")
        elif was != row:
            changed = [c for c in row if was.get(c) != row[c]]
            lines += [f"~ {row[key]}: {c} {was.get(c, 'nothing')} -> {row[c]}" for c in changed]
    return lines


def listing(folder: Path) -> str:
    """Return docs/tables.md: each table with its source, date and number of rows."""
    kept_from = {source.table: "page" for source in SOURCES} | {made.table: "packages" for made in PACKAGE_TABLES}
    lines = [
        "# Tables",
        "",
        "The tables of the rules, in `rules/_tables`. `make tables` updates those marked *packages* from the metadata",
        "of packages, with a row for each release, and those marked *page* from a public page; then it writes this",
        "page. The others are maintained by hand.",
        "",
        "Lookups beyond *until* find nothing: for a release that is newer than the table, `logsense` says so and",
        "recommends nothing.",
        "",
        "| table | contents | rows | until | dated | updated from | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for path in sorted(folder.glob("*.yaml")):
        data = _load(path.read_text(encoding="utf-8"))
        until = ", ".join(f"{column} {version}" for column, version in data.get("known_until", {}).items())
        kept = kept_from.get(path.stem, "hand")
        cells = [path.stem, data["title"], len(data["rows"]), until, data["dated"], kept, data["source"]]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def report_old_tables(folder: Path, today: str, say: Callable[[str], None]) -> None:
    """Name the tables that nobody has checked for long, as a note before a release."""
    for path in sorted(folder.glob("*.yaml")):
        dated = str(_load(path.read_text(encoding="utf-8"))["dated"])
        days = (datetime.date.fromisoformat(today) - datetime.date.fromisoformat(dated)).days
        if days > OLD_AFTER_DAYS:
            say(f"{path.stem}: {days} days old (more than {OLD_AFTER_DAYS}); compare it with its source")


def _put(path: Path, rows: list[Row], key: str, check: bool, today: str, say: Callable[[str], None]) -> None:
    """Write the rows to a table's file, and report the differences."""
    text = path.read_text(encoding="utf-8")
    changes = differences(read_rows(text), rows, key)
    say(f"{path.stem}: {len(changes)} differences")
    for line in changes:
        say(f"  {line}")
    if not check:
        path.write_text(write_rows(text, rows, today), encoding="utf-8")


def refresh_packages(folder: Path, index: Index, check: bool, today: str, say: Callable[[str], None]) -> int:
    """Regenerate every table from packages; return the number of failures."""
    failed = 0
    for made in PACKAGE_TABLES:
        path = folder / f"{made.table}.yaml"
        try:
            fresh = made.make(index)
        except OSError as error:
            say(f"{made.table}: the package index cannot be read: {error}")
            failed += 1
            continue
        if not fresh:
            say(f"{made.table}: the package index has no release")
            failed += 1
            continue
        old = read_rows(path.read_text(encoding="utf-8"))
        key = next(iter(_load(path.read_text(encoding="utf-8"))["columns"]))
        _put(path, regenerate(old, fresh, key, made), key, check, today, say)
    return failed


def refresh_pages(folder: Path, saved: Path | None, check: bool, today: str, say: Callable[[str], None]) -> int:
    """Update every table from its page; return the number of pages without data."""
    failed = 0
    for source in SOURCES:
        path = folder / f"{source.table}.yaml"
        page = saved / source.saved_as if saved else None
        if page and not page.exists():
            say(f"{source.table}: no page {source.saved_as}; not changed")
            continue
        try:
            fresh = source.parse(page.read_text(encoding="utf-8") if page else fetch(source.url))
        except OSError as error:
            say(f"{source.table}: {source.url} cannot be read: {error}")
            failed += 1
            continue
        if not fresh:
            say(f"{source.table}: {source.url} has no data; its format may have changed")
            failed += 1
            continue
        key = next(iter(fresh[0]))
        rows = merge(read_rows(path.read_text(encoding="utf-8")), fresh, key)
        _put(path, rows, key, check, today, say)
    return failed


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="print differences, change nothing")
    parser.add_argument("--from", dest="saved", type=Path, help="folder of saved pages, read instead of the network")
    parser.add_argument("--index", default=os.environ.get("PIP_INDEX_URL", PYPI), help="package index (simple API)")
    parser.add_argument("--list", action="store_true", help="print docs/tables.md")
    parser.add_argument("--age", action="store_true", help="list the tables that are old")
    parser.add_argument("--tables", type=Path, default=TABLES, help="folder of the tables")
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write(listing(options.tables))
        return 0
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    if options.age:
        report_old_tables(options.tables, today, print)
        return 0
    failed = refresh_pages(options.tables, options.saved, options.check, today, print)
    if not options.saved:
        failed += refresh_packages(options.tables, Index(options.index), options.check, today, print)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
