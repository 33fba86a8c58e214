"""Tables of nvidia-smi and reports of kernels and schedulers within logs: explained, or left alone."""

from __future__ import annotations

from functools import cache

from logsense.catalog.build import build
from logsense.catalog.files import Folder, built_in, listing
from logsense.catalog.load import catalog_from
from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from tests.fuzz.seeds import samples

PROGRAMS = ("generic", "linux", "nvidia-smi", "nvml", "nvrm", "slurm")

TABLE = b"""\
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    3 |
| N/A   88C    P0            699W /  700W |   81000MiB /  81559MiB |    100%      Default |
+-----------------------------------------+------------------------+----------------------+
|    0   N/A  N/A     12345      C   python                                     80990MiB  |
+-----------------------------------------------------------------------------------------+
"""


def seeds() -> list[bytes]:
    """Return tables, with and without other messages."""
    catalog()  # built here, so that its time counts for no input
    rows = [text for text in samples() if b"|" in text or b"NVRM" in text or b"slurm" in text]
    return [TABLE, *(TABLE + row for row in rows[:40]), *(row + TABLE for row in rows[:40])]


@cache
def catalog() -> Catalog:
    """Return only the signatures of these programs, to save time."""
    rules, corpus = built_in("rules"), built_in("corpus")
    names = [name for name, _ in listing(corpus) if name.startswith(("_", *(f"{one}/" for one in PROGRAMS)))]
    return catalog_from(
        "smi",
        build(
            [
                *((Folder("rules", rules), name) for name, _ in listing(rules)),
                *((Folder("corpus", corpus), name) for name in names),
            ]
        ),
    )


def run(data: bytes) -> None:
    """Explain `data`."""
    explain_text(data, catalog())
