"""`python -m tests.fuzz [TARGET…] --inputs N` runs targets on mutated inputs and keeps those that break something.

With `--atheris`, atheris drives a single target by coverage; its own options follow `--`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.fuzz.engines import keep_engines
from tests.fuzz.loop import fuzz, judge, keep
from tests.fuzz.mutate import MOST_BYTES
from tests.fuzz.targets import NAMES, Target, target


def main() -> int:
    """Run the command line; return 1 if something broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", default=NAMES, metavar="TARGET", help=", ".join(NAMES))
    parser.add_argument("--inputs", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="keep what breaks something in tests/fuzz/found")
    parser.add_argument("--atheris", action="store_true")
    given, rest = parser.parse_known_args()
    keep_engines()
    broken = 0
    for name in given.targets:
        chosen = target(name)
        if given.atheris:
            _by_coverage(chosen, given.inputs, rest)
        for fault in fuzz(chosen, given.inputs, seed=given.seed, verbose=True):
            broken += 1
            if given.keep:
                print(f"kept as {keep(chosen, fault)}")
    return 1 if broken else 0


def _by_coverage(chosen: Target, inputs: int, options: list[str]) -> None:
    """Let atheris choose the inputs; it ends the process."""
    import atheris

    def once(data: bytes) -> None:
        fault = judge(chosen, data)
        if fault:
            raise RuntimeError(fault.why)

    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(chosen.seeds()):
            Path(folder, str(number)).write_bytes(seed)
        atheris.instrument_all()
        atheris.Setup([sys.argv[0], f"-runs={inputs}", f"-max_len={MOST_BYTES}", *options, folder], once)
        atheris.Fuzz()


if __name__ == "__main__":
    raise SystemExit(main())
