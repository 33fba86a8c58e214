"""Tables of nvidia-smi and reports of kernels and schedulers within logs: explained, or left alone."""

from __future__ import annotations

from logsense.pipeline import explain_text
from tests.fuzz.seeds import samples
from tests.fuzz.targets.whole import catalog

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
    """Tables, with and without other messages."""
    rows = [text for text in samples() if b"|" in text or b"NVRM" in text or b"slurm" in text]
    return [TABLE, *(TABLE + row for row in rows[:40]), *(row + TABLE for row in rows[:40])]


def run(data: bytes) -> None:
    """Explain `data`."""
    explain_text(data, catalog())
