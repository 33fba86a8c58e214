"""Write docs/facts.md: where the facts in the reports come from, and how they are checked.

python scripts/fact_page.py > docs/facts.md
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import yaml
from package_tables import PACKAGE_TABLES
from refresh_tables import SOURCES, TABLES


class Family(NamedTuple):
    """Tables about one subject, and what checks them beside their sources."""

    title: str
    tables: tuple[str, ...]
    checked: str


FAMILIES = (
    Family(
        "Drivers, CUDA and GPUs",
        (
            "driver-cuda", "cuda-driver", "driver-frameworks", "cuda-numbers", "cuda-tags", "capability", "gpu-arch",
            "nvcc-arch", "nvcc-gcc", "cuda-sonames", "cudnn-gpus",
        ),
        "A test compares the vLLM of each driver and GPU with the PyTorch that this vLLM requires.",
    ),
    Family(
        "Frameworks and what belongs to them",
        (
            "torch-cuda", "python-torch", "torch-torchvision", "torch-triton", "torch-xformers", "torch-flash-attn",
            "vllm-torch", "jax-cuda", "bitsandbytes-cuda", "tensorflow-cuda", "tensorflow-packages",
        ),
        "A test compares the last PyTorch of each Python with the table of releases.",
    ),
    Family(
        "Faults that the GPU's driver reports",
        ("xid", "xid-buckets", "xid-answers", "xid-resets", "xid-nvlink", "sxid", "gpu-event-categories"),
        "For each Xid of NVIDIA's catalog a test compares the first fix with the catalog's own action. Three numbers "
        "have another answer: 14 is not in use, 45 follows from another error, and 154 names its own action.",
    ),
    Family(
        "Numbers and names of errors",
        (
            "cuda-errors", "cuda-library-status", "cublas-status", "cudnn-status", "nvml-status", "ib-status",
            "ascend-errors", "errno", "winerror", "exit-status",
        ),
        "The names and texts are those of the vendors' headers.",
    ),
    Family(
        "What to install for a module, command or file",
        (
            "import-packages", "namespace-packages", "class-packages", "command-packages", "header-packages",
            "library-packages", "python-submodules",
        ),
        "A test has 200 well-known modules with the package that their projects name, and modules that no package "
        "brings: for those, no package is offered.",
    ),
    Family(
        "What Python and libraries added, renamed or removed",
        (
            "added-modules", "added-python", "removed-modules", "removed-python", "two-modules", "removed-names",
            "argument-versions",
        ),
        "The row names the project's notes on the change, where there are any, in `told_by` or `source`.",
    ),
    Family(
        "Systems",
        ("symbol-owners", "system-library-symbols", "variables", "cgroups", "command-risks"),
        "`logsense rules lint` compares each command of a fix with the table of risks.",
    ),
)  # fmt: skip

INTRODUCTION = """\
# Where facts come from and how they are checked

A fact is what a report says beyond the log: which PyTorch a driver runs, what an Xid asks for, which package brings a
module. Facts that are looked up are rows of the tables in `rules/_tables`; each table names its source and the date on
which it was last compared with it, and a row may name a closer source. Facts in the words of a rule have their sources
under `references`, those of a message under `printed_by`.

| kept | how a table is checked |
|---|---|
| packages | `make tables` makes it again from the metadata and files of the released packages, a row for each release |
| page | `make tables` compares it with the public page, and adds what is new |
| hand | somebody compares its rows with the source; `make tables` names those older than 60 days |

A table with *until* ends there: for a newer version, the report says that `logsense` has no data on it, and recommends
nothing. [Tables](tables.md) lists all tables, also those that hold the project's own decisions.
"""

CORRECTIONS = """\
## Correct a fact

Change the row, name the source in it, and set `dated` to the day on which you read the source; see
[Contributing](../CONTRIBUTING.md). What is wrong in a report is best reported with the log line and the page that says
otherwise.
"""


def page(folder: Path) -> str:
    """Return docs/facts.md."""
    kept = {source.table: "page" for source in SOURCES} | {made.table: "packages" for made in PACKAGE_TABLES}
    parts = [INTRODUCTION]
    for family in FAMILIES:
        lines = [
            f"## {family.title}",
            "",
            family.checked,
            "",
            "| fact | table | kept | source | checked |",
            "|---|---|---|---|---|",
        ]
        for name in family.tables:
            table = yaml.safe_load((folder / f"{name}.yaml").read_text(encoding="utf-8"))
            cells = (table["title"], name, kept.get(name, "hand"), f"<{table['source']}>", table["dated"])
            lines.append("| " + " | ".join(map(str, cells)) + " |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join([*parts, CORRECTIONS])


if __name__ == "__main__":
    sys.stdout.write(page(TABLES))
