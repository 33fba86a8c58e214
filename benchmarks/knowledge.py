"""Measure what more knowledge costs: the scan of a quiet log, and the first run, with 700, 2,000 and 10,000 signatures.

    python benchmarks/knowledge.py [SIGNATURES …] [--size GIB] [--repeat N]

Signatures beyond the real ones are made of real messages in which two words stand for others of the catalog's own, so
that they have its style, and most literals are near to one another. Each catalog lies in a copy of the program.
Processor time is compared, which other programs on the machine change least.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent))
from logs import quiet, write
from measure import GIB

ROOT = Path(__file__).parents[1]
COUNTS = (700, 2_000, 10_000)
WORD = re.compile(r"(?<![\w{:.])[a-z]{4,}(?![\w}:])")


def real() -> list[tuple[Path, list[str]]]:
    """Return the real signatures and their templates, always in the same order, which is not the alphabet's."""
    found = []
    for path in sorted((ROOT / "corpus").glob("[a-z]*/[a-z]*.yaml")):
        data = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        match = data.get("match", [])
        found.append((path, [one for one in ([match] if isinstance(match, str) else match) if isinstance(one, str)]))
    random.Random(1).shuffle(found)
    return found


def make(folder: Path, count: int, known: list[tuple[Path, list[str]]]) -> None:
    """Make a copy of the program in `folder` that knows `count` signatures."""
    shutil.copytree(ROOT / "logsense", folder / "logsense", ignore=shutil.ignore_patterns("__pycache__", "_data"))
    shutil.copytree(ROOT / "rules", folder / "rules")
    for path, _ in known[:count]:
        to = folder / "corpus" / path.relative_to(ROOT / "corpus")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    for extra in (ROOT / "corpus").glob("_*"):
        (shutil.copytree if extra.is_dir() else shutil.copy)(extra, folder / "corpus" / extra.name)
    chance = random.Random(2)
    texts = [text for _, texts in known for text in texts if len(WORD.findall(text)) >= 3]
    words = sorted({word for text in texts for word in WORD.findall(text)})
    for number in range(max(0, count - len(known))):
        made = [changed(chance.choice(texts), words, chance) for _ in range(chance.randint(1, 4))]
        entry = {
            "title": "Made for a benchmark",
            "kind": "failure",
            "printed_by": "https://example.com/made",
            "match": made,
        }
        entry["id"] = f"made{number % 40}.message-{number}"
        to = folder / "corpus" / f"made{number % 40}" / f"message-{number}.yaml"
        to.parent.mkdir(exist_ok=True)
        to.write_text(yaml.dump(entry), encoding="utf-8")


def changed(text: str, words: list[str], chance: random.Random) -> str:
    """Return `text` with two of its words replaced."""
    for old in chance.sample(WORD.findall(text), 2):
        text = re.sub(rf"(?<![\w{{:.]){old}(?![\w}}:])", chance.choice(words), text, count=1)
    return text


def taken_s(folder: Path, arguments: list[str]) -> tuple[float, float]:
    """Return the processor and wall time of the program in `folder`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "logsense", *arguments],
        env=surroundings(folder),
        cwd=folder,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began


def loaded(folder: Path) -> int:
    """Return how many signatures the program in `folder` really knows."""
    ask = "from logsense.catalog.load import load_catalog as load; print(len(load().ids))"
    done = subprocess.run(
        [sys.executable, "-c", ask], env=surroundings(folder), cwd=folder, check=True, capture_output=True
    )
    return int(done.stdout)


def surroundings(folder: Path) -> dict[str, str]:
    """Return the environment in which the program in `folder` runs, with a cache of its own."""
    return {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


def main() -> None:
    """Measure the catalogs that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", nargs="*", type=int, default=list(COUNTS), metavar="SIGNATURES")
    parser.add_argument("--size", type=float, default=0.5)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    known = real()
    with tempfile.TemporaryDirectory() as top:
        log, small = Path(top, "quiet.log"), Path(top, "small.log")
        write(log, int(given.size * GIB), quiet())
        small.write_text("step 1 loss 0.5\nRuntimeError: bad\n", encoding="utf-8")
        base = 0.0
        for count in given.counts:
            folder = Path(top, str(count))
            folder.mkdir()
            make(folder, count, known)
            first, first_wall = taken_s(folder, ["explain", str(small)])
            next_run = min(taken_s(folder, ["explain", str(small)])[0] for _ in range(given.repeat))
            begin, _ = taken_s(folder, ["explain", str(log)])  # with what is compiled for large logs only
            scan = min(taken_s(folder, ["explain", str(log)])[0] for _ in range(given.repeat))
            base = base or scan
            print(
                f"{loaded(folder):6,} signatures   first run {first:5.2f} s ({first_wall:.2f} s on the clock), next {next_run:.3f} s   "
                f"first large log + {begin - scan:.2f} s   scan {scan / given.size:5.2f} s/GiB = {scan / base:4.2f} x",
                flush=True,
            )
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
