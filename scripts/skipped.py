"""Check that only expected tests were skipped: python scripts/skipped.py JUNIT.xml.

A test that needs a program may be skipped if the program is not installed. For every other reason, the number of tests
that may be skipped is fixed; the exit status is 1 if there are more.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections import Counter
from xml.etree import ElementTree

# A test file that needs a module outside the `dev` extra counts as one test.
EXPECTED = {
    "could not import 'jupyter_client'": 1,
    "could not import 'nbclient'": 1,
    "could not import 'pyarrow'": 2,
    "could not import 'ray'": 1,
    "could not import 'torch'": 6,
    "could not import 'zensical'": 1,
    "needs zsh and pexpect": 1,
    "the SDK is there": 1,
    "this user may read everything": 1,
    "this checkout is readable for its owner alone": 1,
    "this user may not make control groups": 1,
    "the limit did not hold": 1,
    "no memory controller here": 1,
    "one core only": 1,
}


def main(path: str) -> int:
    """Print the reasons for skipped tests in the report at `path`, and return the exit status."""
    reasons: Counter[str] = Counter()
    for skipped in ElementTree.parse(path).getroot().iter("skipped"):  # noqa: S314 - our own file
        text = (skipped.text or "").strip().rstrip("\"')")
        reason = re.sub(r"^.*?(?:Skipped: |:\d+: )", "", text)
        reasons[reason.partition(": ")[0]] += 1
    unexpected = 0
    for reason, count in sorted(reasons.items()):
        program = re.match(r"needs ([\w-]+)", reason)
        expected = count <= EXPECTED.get(reason, 0) or (program is not None and not shutil.which(program[1]))
        unexpected += 0 if expected else count
        print(f"{count:4} skipped: {reason}{'' if expected else '  (unexpected)'}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
