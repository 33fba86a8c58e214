"""Brings the version tables of rules/_tables up to date from the public pages that they come from.

    python scripts/refresh_tables.py --check           print what would change, change nothing
    python scripts/refresh_tables.py                   change the files
    python scripts/refresh_tables.py --from FOLDER     read saved pages instead of the network
    python scripts/refresh_tables.py --list            print docs/tables.md

Rows that a page no longer lists stay: people still run old versions. Columns that a page does not give stay too.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import yaml

TABLES = Path(__file__).resolve().parent.parent / "rules" / "_tables"

Row = dict[str, str]


def _load(text: str) -> dict[str, Any]:
    """The content of a table file; with the fast reader where PyYAML has it."""
    data = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    if not isinstance(data, dict):
        message = "a table file holds a mapping"
        raise TypeError(message)
    return data


@dataclass(frozen=True)
class Source:
    """Where the rows of one table come from."""

    table: str
    url: str
    saved_as: str
    parse: Callable[[str], list[Row]]


class _Cells(HTMLParser):
    """Collects the rows of all HTML tables; a line break inside a cell becomes a line break."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a row or a cell."""
        del attrs
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self._cell = []
        elif tag in {"br", "li", "p"} and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Closes a cell."""
        if tag in {"td", "th"} and self._cell is not None:
            if self.rows:
                self.rows[-1].append("".join(self._cell).strip())
            self._cell = None

    def handle_data(self, data: str) -> None:
        """Adds text to the open cell."""
        if self._cell is not None:
            self._cell.append(data)


def html_rows(text: str) -> list[list[str]]:
    """The cells of each row of each HTML table in `text`."""
    parser = _Cells()
    parser.feed(text)
    return [row for row in parser.rows if row]


def markdown_rows(text: str) -> list[list[str]]:
    """The cells of each row of each Markdown table in `text`."""
    rows = []
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|") and line.endswith("|") and not set(line) <= set("|-: "):
            rows.append([cell.strip().strip("`") for cell in line[1:-1].split("|")])
    return rows


def version_key(text: str) -> tuple[int, ...]:
    """`text` as numbers that sort as versions do."""
    return tuple(int(part) for part in re.findall(r"\d+", text))


def _span(text: str) -> str:
    """The range of Python versions in `text` as words: ">=3.9, <=3.13, (3.13t experimental)" is "3.9 to 3.13"."""
    known = [v for v in re.findall(r"(?<![\d.])\d\.\d+", re.sub(r",\s*\([^)]*\)", "", text)) if v != "2.7"]
    if not known:
        return ""
    first, last = min(known, key=version_key), max(known, key=version_key)
    return first if first == last else f"{first} to {last}"


def _listed(values: Iterable[str]) -> str:
    """Distinct values in order of versions, as words."""
    ordered = sorted(set(values), key=version_key)
    return ordered[0] if len(ordered) == 1 else ", ".join(ordered[:-1]) + " or " + ordered[-1] if ordered else ""


def parse_cuda_notes(text: str) -> list[Row]:
    """Driver branches from the CUDA release notes: the first release of each CUDA, its driver on Linux and Windows."""
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
    """CUDA builds, cuDNN, NCCL and Python of each PyTorch, from the compatibility matrix of its RELEASE.md."""
    rows = []
    for cells in markdown_rows(text):
        if len(cells) < 5 or not re.fullmatch(r"\d+\.\d+", cells[0]) or "CUDA" not in cells[3]:
            continue
        if version_key(cells[0]) < (1, 13):  # the matrix leaves out the CUDA 10.2 builds
            continue
        stack = f"{cells[3]}, {cells[4]}"
        builds = sorted(set(re.findall(r"CUDA (\d+\.\d+)", stack)), key=version_key)
        row = {
            "torch": cells[0],
            "builds": ", ".join("cu" + build.replace(".", "") for build in builds),
            "cudnn": _listed(".".join(v.split(".")[:3]) for v in re.findall(r"CUDNN (\d[\d.]*)", stack)),
            "python": _span(cells[1]),
        }
        nccl = _listed(re.findall(r"NCCL (\d[\d.]*)", stack))
        if nccl:
            row["nccl"] = nccl
        rows.append(row)
    return rows


def parse_tensorflow_builds(text: str) -> list[Row]:
    """The tested GPU configurations of TensorFlow for Linux, from the page on building from source."""
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


def parse_torchvision_readme(text: str) -> list[Row]:
    """The torchvision of each PyTorch, from the README of torchvision."""
    rows = []
    for cells in markdown_rows(text):
        names = [re.fullmatch(r"(\d+\.\d+)[\d.]*", cell.split("`")[0].strip()) for cell in cells[:2]]
        if len(names) == 2 and names[0] and names[1]:
            rows.append({"torch": names[0][1], "torchvision": names[1][0]})
    return rows


def parse_xformers_changelog(text: str) -> list[Row]:
    """The xFormers that was built for each PyTorch, from its CHANGELOG: the newest release for each."""
    found: dict[str, str] = {}
    release = ""
    for line in text.splitlines():
        heading = re.match(r"## \[(\d[\w.]*)\]", line)
        if heading:
            release = heading[1]
        elif release and "binary wheels" in line:
            pairs = re.findall(r"PyTorch (\d+\.\d+\.\d+) \(xFormers `([\w.]+)`\)", line)
            for torch, exact in pairs or [(torch, release) for torch in re.findall(r"PyTorch (\d+\.\d+\.\d+)", line)]:
                found.setdefault(torch, exact)
    return [{"torch": torch, "xformers": xformers} for torch, xformers in found.items()]


def parse_gcc_bounds(text: str) -> list[Row]:
    """The newest GCC for each CUDA, from the bounds that PyTorch's extension builder checks (upper ones excluded)."""
    block = re.search(r"CUDA_GCC_VERSIONS[^{]*\{(.*?)\n?\}", text, re.DOTALL)
    pairs = re.findall(r"""["'](\d+\.\d+)["']:\s*\(.*?,\s*\((\d+),\s*\d+\)\)""", block[1]) if block else []
    return [{"cuda": cuda, "gcc": str(int(above) - 1)} for cuda, above in pairs]


def _driver_name(name: str) -> str:
    """A GPU's name as drivers since 2021 give it."""
    known = not name or name.startswith(("NVIDIA", "Tesla", "GRID"))
    return name if known else f"NVIDIA {name}"


def parse_gpu_page(text: str) -> list[Row]:
    """Name and compute capability of each GPU, from NVIDIA's list of CUDA GPUs."""
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
        "torch-torchvision",
        "https://raw.githubusercontent.com/pytorch/vision/main/README.md",
        "torchvision-readme.md",
        parse_torchvision_readme,
    ),
    Source(
        "torch-xformers",
        "https://raw.githubusercontent.com/facebookresearch/xformers/main/CHANGELOG.md",
        "xformers-changelog.md",
        parse_xformers_changelog,
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
    """The text of a public page."""
    request = urllib.request.Request(url, headers={"User-Agent": "logsense"})  # noqa: S310  the addresses stand above
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return str(answer.read().decode("utf-8", "replace"))


def read_rows(text: str) -> list[Row]:
    """The rows of a table file."""
    data = _load(text)
    return [{str(key): str(value) for key, value in row.items()} for row in data["rows"]]


def merge(old: list[Row], new: list[Row], key: str) -> list[Row]:
    """`old` with what `new` says: changed columns, and rows that were not there, before the first greater one."""
    rows = [dict(row) for row in old]
    for fresh in new:
        same = next((row for row in rows if row.get(key) == fresh[key]), None)
        if same is not None:
            # a repaired release (1.2.post1) is not undone by a page that names only the first (1.2)
            same.update({c: v for c, v in fresh.items() if not same.get(c, "").startswith(v + ".post")})
            continue
        place = len(rows)
        if version_key(fresh[key]) and re.fullmatch(r"[\d.]+", fresh[key]):
            place = next((i for i, r in enumerate(rows) if version_key(r[key]) > version_key(fresh[key])), place)
        rows.insert(place, dict(fresh))
    return rows


def _scalar(value: str, kind: str) -> str:
    """`value` as YAML of the column's type."""
    if kind in {"int", "float", "bytes"}:
        return value
    plain = kind == "text" and re.fullmatch(r"[A-Za-z][\w ./+-]*", value) and isinstance(yaml.safe_load(value), str)
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write_rows(text: str, rows: list[Row], today: str) -> str:
    """The table file `text` with other rows and date; everything above the rows stays as it is."""
    columns = {str(k): str(v) for k, v in _load(text)["columns"].items()}
    order = [*columns, "source"]
    head = text.split("\nrows:\n")[0]
    head = re.sub(r"(?m)^dated: .*$", f"dated: {today}", head)
    lines = [
        "  - {"
        + ", ".join(f"{c}: {_scalar(row[c], columns.get(c, 'text'))}" for c in order if row.get(c, "") != "")
        + "}"
        for row in rows
    ]
    return head + "\nrows:\n" + "\n".join(lines) + "\n"


def differences(old: list[Row], new: list[Row], key: str) -> list[str]:
    """What changed, one line each."""
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
    """docs/tables.md: each table with its source, date and number of rows."""
    refreshed = {source.table for source in SOURCES}
    lines = [
        "# Tables",
        "",
        "What the rules know by heart, in `rules/_tables`. `python scripts/refresh_tables.py --list` prints this page;",
        "without `--list` it renews the tables marked *page* from their source. The others are kept by hand.",
        "",
        "| table | what | rows | dated | kept from | source |",
        "|---|---|---|---|---|---|",
    ]
    for path in sorted(folder.glob("*.yaml")):
        data = _load(path.read_text(encoding="utf-8"))
        kept = "page" if path.stem in refreshed else "hand"
        cells = [path.stem, data["title"], len(data["rows"]), data["dated"], kept, data["source"]]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def refresh(folder: Path, saved: Path | None, check: bool, today: str, say: Callable[[str], None]) -> int:
    """Renews every table that has a page. The number of pages that gave nothing."""
    failed = 0
    for source in SOURCES:
        path = folder / f"{source.table}.yaml"
        page = saved / source.saved_as if saved else None
        if page and not page.exists():
            say(f"{source.table}: no page {source.saved_as}, left as it is")
            continue
        try:
            fresh = source.parse(page.read_text(encoding="utf-8") if page else fetch(source.url))
        except OSError as error:
            say(f"{source.table}: {source.url} cannot be read: {error}")
            failed += 1
            continue
        if not fresh:
            say(f"{source.table}: nothing was found in {source.url}; has the page changed its form?")
            failed += 1
            continue
        text = path.read_text(encoding="utf-8")
        old, key = read_rows(text), next(iter(fresh[0]))
        rows = merge(old, fresh, key)
        changes = differences(old, rows, key)
        say(f"{source.table}: {len(changes)} differences")
        for line in changes:
            say(f"  {line}")
        if not check and changes:
            path.write_text(write_rows(text, rows, today), encoding="utf-8")
    return failed


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="print differences, change nothing")
    parser.add_argument("--from", dest="saved", type=Path, help="folder of saved pages, read instead of the network")
    parser.add_argument("--list", action="store_true", help="print docs/tables.md")
    parser.add_argument("--tables", type=Path, default=TABLES, help="folder of the tables")
    options = parser.parse_args(arguments)
    if options.list:
        sys.stdout.write(listing(options.tables))
        return 0
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    failed = refresh(options.tables, options.saved, options.check, today, print)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
