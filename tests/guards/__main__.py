"""`python -m tests.guards` prints what is counted now, beside what was counted last."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.guards.calls import all_calls
from tests.guards.instructions import instructions_a_byte
from tests.guards.start import all_starts
from tests.guards.today import TODAY


def main() -> None:
    """Count everything."""
    with tempfile.TemporaryDirectory() as folder:
        now = {**all_calls(str(Path(folder, "log"))), **all_starts(folder)}
        now["quiet log, a byte"] = instructions_a_byte(Path(folder))
    for name, count in now.items():
        print(f"{name:32}{count:12,.1f}{count / TODAY[name]:8.2f} × {TODAY[name]:,}")


if __name__ == "__main__":
    main()
