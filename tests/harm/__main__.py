"""Prints the table of all faults: `python -m tests.harm [WORD…]` takes those whose names hold one of the words."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.harm.faults import all_faults, prepare
from tests.harm.modes import MODES


def main(words: list[str]) -> int:
    """Prints a row for each fault; gives 1 where a job noticed one."""
    chosen = [fault for fault in all_faults() if not words or any(word in fault.name for word in words)]
    modes = [mode for mode in MODES if mode in words] or list(MODES)
    chosen = chosen or all_faults()
    harmed = 0
    print(f"| fault | {' | '.join(modes)} |\n|---|{'---|' * len(modes)}", flush=True)
    for fault in chosen:
        cells = []
        for mode in modes:
            with tempfile.TemporaryDirectory() as name:
                folder, began = Path(name), time.monotonic()
                prepare(fault, folder)
                try:
                    awaited = fault.awaited(mode)
                    outcome = MODES[mode](fault.setup, folder, fault.harm, awaited)
                except Exception as error:  # noqa: BLE001 - whatever it is, the table goes on
                    cells.append(f"{type(error).__name__}: {error}"[:300].replace("\n", " "))
                    harmed += 1
                    continue
                wrong = [
                    name for name in ("bytes_exact", "status_exact", "alive", "terminal") if not getattr(outcome, name)
                ]
                wrong += ["signal"] if awaited and outcome.signals.get(awaited, 0) != 1 else []
                wrong += ["traceback"] if "Traceback" in outcome.err else []
                harmed += bool(wrong)
                explained = "explained" if "flash_attn" in outcome.err else "not explained"
                said = "" if not wrong else f" {outcome.signals} {outcome.err[:200]!r}"
                cells.append(f"{', '.join(wrong) or 'ok'}, {explained}, {time.monotonic() - began:.0f} s{said}")
        print(f"| {fault.name} | {' | '.join(cells)} |", flush=True)
    print(f"\n{len(chosen)} faults in {len(modes)} modes, {harmed} harmed")
    return int(harmed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
