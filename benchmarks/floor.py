"""Measure what no scan can do without, each by itself and on one core: reading, counting lines, searching.

python benchmarks/floor.py LOG      # prints JSON: seconds for all of the log
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import logs
from measure import environment

REPEAT = 3


def floor(size: int) -> dict[str, Any]:
    """Return the seconds of each for a quiet log of `size` bytes."""
    with tempfile.TemporaryDirectory(prefix="logsense-floor-") as folder:
        log = Path(folder, "train.log")
        subprocess.run([sys.executable, logs.__file__, "quiet", str(log), str(size)], check=True)
        done = subprocess.run(
            [sys.executable, __file__, str(log)], check=True, stdout=subprocess.PIPE, env=environment()
        )
    return {"bytes": size, "seconds": json.loads(done.stdout)}


def main() -> None:
    """Measure the log that the command line names."""
    from logsense.catalog.load import load_catalog
    from logsense.match.block import BLOCK_BYTES, Block
    from logsense.match.engines import engine_for

    catalog = load_catalog()
    engine = engine_for(catalog.literals, None, catalog.cache_folder)
    block = Block(bytearray(BLOCK_BYTES))

    def each(work: Callable[[int], object]) -> float:
        """Return the seconds that `work` takes for all blocks; what reads them is not counted."""
        took = 0.0
        with open(sys.argv[1], "rb", buffering=0) as file:
            while count := file.readinto(memoryview(block.data)):
                began = time.perf_counter()
                work(count)
                took += time.perf_counter() - began
        return took

    def read() -> float:
        began = time.perf_counter()
        with open(sys.argv[1], "rb", buffering=0) as file:
            while file.readinto(memoryview(block.data)):
                pass
        return time.perf_counter() - began

    ways: dict[str, Callable[[], float]] = {
        "reading": read,
        "counting lines": lambda: each(lambda count: block.lines_in(0, count)),
        "searching": lambda: each(lambda count: engine(memoryview(block.data)[:count])),
    }
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps({name: min(way() for _ in range(REPEAT)) for name, way in ways.items()}))


if __name__ == "__main__":
    main()
