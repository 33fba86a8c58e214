"""Show what share of small faults the tests of a package notice: python scripts/mutations.py PACKAGE… [--each 20].

Each mutation changes one place on a random line of the package, in a copy of the checkout or of a commit (--commit).
The same seed gives the same mutations. The tests are those that `make test PACKAGE=` runs.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
LIMIT_S = 600
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
COMPUTED: dict[type[ast.operator], str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*"}


class Mutation(NamedTuple):
    """A place in a file, from `start` to `end`, and what to put there."""

    path: Path
    line: int
    start: int
    end: int
    text: str


def mutations(path: Path) -> Iterator[Mutation]:
    """Yield every mutation of the file at `path`."""
    source = path.read_bytes()
    begins = [0]
    for line in source.split(b"\n"):
        begins.append(begins[-1] + len(line) + 1)

    def at(line: int, column: int) -> int:
        return begins[line - 1] + column

    def between(left: ast.expr, right: ast.expr, text: str) -> Mutation:
        assert left.end_lineno
        assert left.end_col_offset is not None
        start, end = at(left.end_lineno, left.end_col_offset), at(right.lineno, right.col_offset)
        closing = source[start:end].count(b")")
        opening = source[start:end].count(b"(")
        return Mutation(path, left.lineno, start, end, f"{')' * closing} {text} {'(' * opening}")

    def whole(node: ast.expr, text: str) -> Mutation:
        assert node.end_lineno
        assert node.end_col_offset is not None
        return Mutation(
            path, node.lineno, at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset), text
        )

    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
            yield between(node.left, node.comparators[0], COMPARED[type(node.ops[0])])
        elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
            yield between(node.left, node.right, COMPUTED[type(node.op)])
        elif isinstance(node, ast.BoolOp):
            yield between(node.values[0], node.values[1], "and" if isinstance(node.op, ast.Or) else "or")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield whole(node, f"({ast.unparse(node.operand)})")
        elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            yield whole(node, repr(not node.value if isinstance(node.value, bool) else node.value + 1))
        elif isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
            yield whole(node.value, "None")


def chosen(package: Path, each: int, seed: int) -> list[Mutation]:
    """Return `each` of the mutations of a package, one a line, at random."""
    by_line: dict[tuple[Path, int], list[Mutation]] = {}
    for path in sorted(package.rglob("*.py")):
        lines = path.read_text("utf-8").splitlines()
        for one in mutations(path):
            if "TYPE_CHECKING" in lines[one.line - 1]:
                continue  # no test can tell
            by_line.setdefault((path, one.line), []).append(one)
    chance = random.Random(seed)  # noqa: S311 - the same each time
    places = chance.sample(sorted(by_line), min(each, len(by_line)))
    return [chance.choice(by_line[place]) for place in places]


def notices(mutation: Mutation, tests: Path, root: Path) -> bool:
    """Return whether the tests fail, or never end, with the mutation."""
    source = mutation.path.read_bytes()
    mutation.path.write_bytes(source[: mutation.start] + mutation.text.encode() + source[mutation.end :])
    try:
        return not passes(tests, root)
    finally:
        mutation.path.write_bytes(source)


def passes(tests: Path, root: Path) -> bool:
    """Return whether the tests pass, and end."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", str(tests)]
    environ = {**os.environ, "PYTHONPATH": str(root)}
    # A run takes more than a second, so that no compiled file of one mutation passes for the next.
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(command, cwd=root, env=environ, capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    """Print a line for each mutation and the share of a package."""
    parser = argparse.ArgumentParser(description="The share of small faults that the tests of a package notice.")
    parser.add_argument("packages", nargs="+", metavar="PACKAGE")
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--commit", default="HEAD")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        archive = subprocess.run(["git", "archive", given.commit], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-xf", "-"], cwd=root, input=archive, check=True)
        for package in given.packages:
            if not passes(root / "tests" / package, root):
                print(f"{package}: its tests fail as it is")
                continue
            caught = 0
            tried = chosen(root / "logsense" / package, given.each, given.seed)
            for one in tried:
                noticed = notices(one, root / "tests" / package, root)
                caught += noticed
                before = one.path.read_bytes()[one.start : one.end].decode()
                place = f"{one.path.relative_to(root)}:{one.line}"
                print(f"{'caught' if noticed else 'MISSED'}  {place}: {before!r} becomes {one.text!r}", flush=True)
            print(f"{package}: {caught} of {len(tried)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
