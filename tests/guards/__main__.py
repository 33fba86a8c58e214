"""`python -m tests.guards` prints current counts next to the baseline."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.guards.baseline import BASELINE
from tests.guards.calls import all_calls
from tests.guards.instructions import instructions_a_byte
from tests.guards.start import all_starts


def main() -> None:
    """Count everything."""
    with tempfile.TemporaryDirectory() as folder:
        now = {**all_calls(str(Path(folder, "log"))), **all_starts(folder)}
        now["quiet log, a byte"] = instructions_a_byte(Path(folder))
    for name, count in now.items():
        print(f"{name:32}{count:12,.1f}{count / BASELINE[name]:8.2f} × {BASELINE[name]:,}")


if __name__ == "__main__":
    main()
