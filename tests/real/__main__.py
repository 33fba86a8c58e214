"""Run programs beside the real parts, and check what logsense says: `python -m tests.real PART [NAME…]`.

PART is a folder with `cases.yaml` and `setup.sh`. With `--again`, logsense is asked again about the last time's output.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tests.real.checks import CHECKOUT, LOGSENSE, ROOT, Checks, explain, read

HERE = Path(__file__).parent
LIMIT_S = 240


class Case(NamedTuple):
    """A program that is run: in its own folder, by bash, with its environment."""

    name: str
    folder: Path
    script: str
    environment: dict[str, str]
    about: dict[str, Any]

    def run(self) -> None:
        """Run the program once for each way in which logsense is asked: alone, through `run`, through a pipe."""
        subprocess.run(["rm", "-rf", str(self.folder)], check=True)
        self.folder.mkdir(parents=True)
        ours = " ".join(LOGSENSE)
        ways = {
            "log": "bash script",
            "run": f"{ours} run --always --format json -o run.json -- bash script",
            "pipe": f"bash script 2>&1 | {ours} --format json -o pipe.json",
        }
        (self.folder / "script").write_text(self.script + "\n")
        before, after = self.about.get("before", ":"), self.about.get("after", ":")
        for way in self.about["ways"]:
            environment = {**os.environ, **self.environment, "XDG_STATE_HOME": str(self.folder / "state")}
            with (self.folder / f"{way}.txt").open("w") as output:
                subprocess.run(
                    ["timeout", "-k", "5", str(LIMIT_S), "bash", "-c", f"{before}\n{ways[way]}\n{after}"],
                    cwd=self.folder,
                    stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                    env=environment, check=False,
                )  # fmt: skip

    def check(self, checks: Checks) -> None:
        """Check what logsense says about each."""
        for way in self.about["ways"]:
            name = f"{self.name}: {way}"
            try:
                report = explain(self.folder / "log.txt") if way == "log" else read(self.folder / f"{way}.json")
            except (OSError, RuntimeError, ValueError) as error:
                checks.check(name, False, str(error))
                continue
            checks.report(name, report, self.about["causes"], self.about.get("rank"))


def cases(part: str, names: list[str]) -> list[Case]:
    """Return the cases of a part, each with each variant."""
    listing = yaml.safe_load((HERE / part / "cases.yaml").read_text())
    python = ROOT / "cpu" / "bin" / "python"
    basis = {"HERE": str(HERE / part), "PYTHON": str(python), "ROOT": str(ROOT), "PYTHONPATH": str(CHECKOUT)}
    basis |= {"TASK": f"{python} {HERE / part / 'task.py'}", **listing.get("environment", {})}
    found: list[Case] = []
    for number, (variant, about_it) in enumerate(listing.get("variants", {"": {}}).items()):
        for name, about in listing["cases"].items():
            full = f"{variant}--{name}" if variant else name
            if not names or name in names or full in names or variant in names:
                environment = {**basis, **about_it, "PORT": str(20_000 + 100 * number + len(found))}
                script = "".join(f'{key}="{value}"\n' for key, value in about_it.items()) + about["script"]
                about = {"ways": listing.get("ways", ["log"]), **about}
                found.append(Case(full, ROOT / part / full, script, environment, about))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=sorted(path.parent.name for path in HERE.glob("*/cases.yaml")))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_intermixed_args()
    chosen = cases(arguments.part, arguments.names)
    if not arguments.again:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(Case.run, chosen))
    checks = Checks()
    for case in chosen:
        case.check(checks)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
