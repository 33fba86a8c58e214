"""Measures `logsense explain` on logs of several shapes against programs that search the same logs for the same texts.

    python benchmarks/shapes.py [--size MIB] [--repeat N] [--peer-python PYTHON]

Shapes: quiet, a finding every 100 lines, a finding on every line, progress bars with colours, 1,000 files, gzip, zstd.
With a Python that has `gpualert`, its parser is measured on the quiet log as well. Logs are written into the temporary
folder and deleted in the end.
"""

from __future__ import annotations

import argparse
import gzip
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from run import FAILURE, Run, best, lines, measured, write_literals

MIB = 1 << 20
FILES = 1000
GPUALERT = (
    "import sys; from gpualert.parse_errors import parse_errors; print(parse_errors(open(sys.argv[1]).read(), ''))"
)


def samples() -> list[str]:
    """What the signatures of failures are tested with: one line each."""
    from logsense.catalog.files import built_in, listing, read_yaml

    root = built_in("corpus")
    found = []
    for path, _ in listing(root):
        data, _ = read_yaml(str(Path(root, path)))
        if isinstance(data, dict) and data.get("kind", "failure") in ("failure", "consequence") and "samples" in data:
            found += [str(one["text"]).splitlines()[0] + "\n" for one in data["samples"]["positive"]]
    return found


def quiet() -> Iterator[str]:
    """Healthy output."""
    return lines(random.Random(7))


def every(count: int) -> Iterator[str]:
    """A known message on every so many-th line of healthy output."""
    known, healthy = cycle(samples()), quiet()
    while True:
        yield from islice(healthy, count - 1)
        yield next(known)


def bars() -> Iterator[str]:
    """Progress bars that are drawn again and again, in colours."""
    step = 0
    while True:
        step += 1
        yield f"\x1b[32mEpoch {step // 1000}\x1b[0m: {step % 100:3d}%|{'█' * (step % 10):10s}| {step % 1000}/1000 [00:07<01:12, 3.1it/s]\r"


def write(path: Path, size: int, source: Iterator[str]) -> None:
    """A log of `size` bytes, at least, with a failure at its end."""
    with path.open("w", encoding="utf-8", newline="") as file:
        block = "".join(islice(source, 20_000))
        written = 0
        while written < size:
            written += len(block.encode())
            file.write(block)
        file.write("\n" + FAILURE)


def write_many(folder: Path, size: int) -> None:
    """Quiet logs of `size` bytes in all."""
    folder.mkdir()
    text = "".join(islice(quiet(), 40_000))
    part = text[: size // FILES]
    for number in range(FILES):
        (folder / f"worker-{number}.log").write_text(part + (FAILURE if number == FILES // 2 else ""), encoding="utf-8")


def row(name: str, size: int, runs: dict[str, Run]) -> None:
    """Prints what one shape took."""
    ours = runs["logsense"]
    ratios = "  ".join(
        f"{other} {ours.seconds / run.seconds:6.2f} ×" for other, run in runs.items() if other != "logsense"
    )
    print(f"{name:22}{size / MIB / ours.seconds:8.0f} MiB/s {ours.peak_mib:6.0f} MiB peak   {ratios}", flush=True)


def measure(folder: Path, size: int, repeat: int, peer: str | None) -> None:
    """Writes, measures and deletes a log of each shape."""
    literals = folder / "literals"
    write_literals(literals)
    shapes: dict[str, Callable[[Path], None]] = {
        "quiet": lambda path: write(path, size, quiet()),
        "every 100 lines": lambda path: write(path, size, every(100)),
        "every line": lambda path: write(path, size, every(1)),
        "bars and colours": lambda path: write(path, size, bars()),
        f"{FILES} files": lambda path: write_many(path, size),
    }
    for name, make in shapes.items():
        log = folder / "train.log"
        make(log)
        files = [str(log)] if log.is_file() else sorted(map(str, log.iterdir()))
        size_of = sum(Path(file).stat().st_size for file in files)
        explain = [sys.executable, "-m", "logsense", "explain", "--format", "json"]
        commands: dict[str, Sequence[str]] = {"logsense": [*explain, str(log)], "wc": ["wc", "-l", *files]}
        if shutil.which("rg"):
            commands["rg"] = ["rg", "-c", "-a", "-F", "-f", str(literals), *files]
        if shutil.which("grep") and name == "quiet":
            commands["grep"] = ["grep", "-c", "-a", "-F", "-f", str(literals), *files]
        measured(commands["logsense"])
        runs = best(commands, repeat)
        if peer and name == "quiet":
            runs["gpualert"] = measured([peer, "-c", GPUALERT, str(log)])
        row(name, size_of, runs)
        if name == "quiet":
            packed(folder, log, size_of, repeat)
        shutil.rmtree(log) if log.is_dir() else log.unlink()


def packed(folder: Path, log: Path, size: int, repeat: int) -> None:
    """The same for the log in compressed form, by the bytes that it holds."""
    with log.open("rb") as source, gzip.open(folder / "train.log.gz", "wb", compresslevel=6) as target:
        shutil.copyfileobj(source, target, MIB)
    names = ["train.log.gz"]
    if shutil.which("zstd"):
        subprocess.run(["zstd", "-q", "-f", str(log), "-o", str(folder / "train.log.zst")], check=True)
        names.append("train.log.zst")
    for name in names:
        path = folder / name
        unpack = ["zcat", str(path)] if name.endswith("gz") else ["zstdcat", str(path)]
        runs = best({"logsense": [sys.executable, "-m", "logsense", "explain", str(path)], unpack[0]: unpack}, repeat)
        row(name, size, runs)
        path.unlink()


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=256, metavar="MIB", help="size of each log (default: 256)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N runs (default: 3)")
    parser.add_argument("--peer-python", metavar="PYTHON", help="a Python that has gpualert")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as folder:
        measure(Path(folder), chosen.size * MIB, chosen.repeat, chosen.peer_python)


if __name__ == "__main__":
    main()
