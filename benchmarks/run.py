"""Measures `logsense explain` against ripgrep and wc on the same log, and its start-up against Python's own.

    python benchmarks/run.py [--size GIB] [--repeat N]

It writes a log into the temporary folder and deletes it in the end. What counts are the ratios: the programs run one
after the other on the same machine and the same file, and the best of several runs is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

GIB = 1 << 30
BLOCK = 16 << 20
FAILURE = """\
[rank3]: Traceback (most recent call last):
[rank3]:   File "/home/user/project/train.py", line 214, in <module>
[rank3]:     main()
[rank3]:   File "/home/user/project/train.py", line 180, in main
[rank3]:     loss = model(batch).loss
[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of \
79.15 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. Of the \
allocated memory 74.10 GiB is allocated by PyTorch, and 2.30 GiB is reserved by PyTorch but unallocated.
"""
PASTE = "".join(f"step {step} loss {3 / (step + 1):.4f} lr 0.0003\n" for step in range(13)) + FAILURE


class Run(NamedTuple):
    """How long a program took, and the most memory it held."""

    seconds: float
    peak_mib: float
    output: bytes


def lines(chance: random.Random) -> Iterator[str]:
    """Healthy training output of several frameworks and loggers, without end."""
    step = 0
    while True:
        step += 1
        loss = 9 / (1 + step**0.3) + chance.random() / 10
        at = f"2026-05-0{1 + step % 9} {step % 24:02d}:{step % 60:02d}:{chance.randrange(60):02d}"
        yield f"[{at},{chance.randrange(1000):03d}][train][INFO] - step {step} loss {loss:.4f} lr 3.0e-04 grad_norm {chance.random():.3f}\n"
        yield f"{{'loss': {loss:.4f}, 'grad_norm': {chance.random() * 3:.6f}, 'learning_rate': 2.9e-05, 'epoch': {step / 1000:.2f}}}\n"
        yield f"Epoch {step // 1000}: {step % 100:3d}%|{'█' * (step % 10):10s}| {step % 1000}/1000 [{step % 60:02d}:07<01:12, {chance.random() * 9:.2f}it/s, v_num=3]\r"
        yield f"{step % 1000}/1000 [==============>...............] - ETA: {step % 300}s - loss: {loss:.4f} - accuracy: {chance.random():.4f}\n"
        yield f"[rank{step % 8}]: I0501 {step % 24:02d}:11:{step % 60:02d}.{chance.randrange(10**6):06d} {chance.randrange(10**5)} trainer.py:88] tokens/s {chance.randrange(10**5)} mfu {chance.random():.3f}\n"
        if step % 50 == 0:
            yield f"node{step % 4}:{chance.randrange(9999)}:{chance.randrange(9999)} [{step % 8}] NCCL INFO Channel {step % 16:02d}/0 : {step % 8}[{step % 8}] -> {(step + 1) % 8}[{(step + 1) % 8}] via P2P/CUMEM\n"
            yield f"validation | step {step} | bleu {chance.random() * 40:.2f} | ppl {loss * 3:.3f} | saved /checkpoints/step-{step}.pt\n"


def write_log(path: Path, size: int) -> None:
    """A quiet log of `size` bytes at `path`, with one failure at its end."""
    source = lines(random.Random(7))
    with path.open("wb") as file:
        written = 0
        blocks: list[bytes] = []
        while written < size:
            if len(blocks) < 4:
                parts: list[str] = []
                count = 0
                while count < BLOCK:
                    parts.append(next(source))
                    count += len(parts[-1])
                blocks.append("".join(parts).encode())
            block = blocks[(written // BLOCK) % len(blocks)]
            written += file.write(block[: size - written])
        file.write(b"\n" + FAILURE.encode())


def write_literals(path: Path) -> None:
    """All literals of the catalog, one a line, for ripgrep."""
    from logsense.catalog.load import load_catalog

    path.write_text("".join(f"{text}\n" for text in sorted({one.text for one in load_catalog().literals})))


def measured(command: Sequence[str]) -> Run:
    """Runs `command` once."""
    # As after an installation, which leaves compiled modules behind; an editable one in a sandbox may not.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", os.path.join(tempfile.gettempdir(), "logsense-bench-bytecode"))
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return Run(seconds, usage.ru_maxrss / 1024, out.read())


def best(commands: dict[str, Sequence[str]], repeat: int) -> dict[str, Run]:
    """The quickest of `repeat` runs of each command; they take turns, so that all meet the same machine."""
    found: dict[str, Run] = {}
    for _ in range(repeat):
        for name, command in commands.items():
            run = measured(command)
            if name not in found or run.seconds < found[name].seconds:
                found[name] = run
    return found


def scan(folder: Path, size: int, repeat: int) -> None:
    """Prints how long the log takes."""
    log, literals = folder / "train.log", folder / "literals"
    print(f"writing {size / GIB:.2f} GiB to {folder} …", flush=True)
    # In a process of its own: what this one holds would be counted as the peak of all that it starts.
    subprocess.run([sys.executable, __file__, "--write", str(folder), "--size", str(size / GIB)], check=True)
    commands: dict[str, Sequence[str]] = {
        "logsense explain": [sys.executable, "-m", "logsense", "explain", "--format", "json", str(log)],
        "wc -l": ["wc", "-l", str(log)],
    }
    if shutil.which("rg"):
        commands["rg -c -F -f"] = ["rg", "-c", "-F", "-f", str(literals), str(log)]
    else:
        print("rg is not installed: no comparison with it")
    measured(commands["logsense explain"])  # fills the caches
    runs = best(commands, repeat)
    ours = runs["logsense explain"]
    print(f"\nquiet log of {size / GIB:.2f} GiB, {literals.read_bytes().count(10)} literals\n")
    print(f"{'':18}{'seconds':>9}{'GiB/s':>8}{'peak MiB':>10}{'logsense takes':>17}")
    for name, run in runs.items():
        ratio = f"{ours.seconds / run.seconds:.2f} ×"
        print(f"{name:18}{run.seconds:9.2f}{size / GIB / run.seconds:8.2f}{run.peak_mib:10.0f}{ratio:>17}")
    report = json.loads(ours.output)
    first = report["diagnoses"][0] if report["diagnoses"] else {"cause": "nothing", "confidence": 0}
    print(f"\nfound: {report['outcome']}, {first['cause']} ({first['confidence']:.0%})")


def start_up(repeat: int) -> None:
    """Prints how long a paste takes, from the start of the process to its end."""
    command = shutil.which("logsense", path=os.path.dirname(sys.executable)) or "logsense"
    runs = best(
        {
            "python -c pass": [sys.executable, "-c", "pass"],
            "paste of 20 lines": [command, "explain", PASTE],
            "--version": [command, "--version"],
        },
        repeat,
    )
    least = runs["python -c pass"].seconds
    print(f"\n{'start-up':18}{'ms':>9}{'of python -c pass':>19}")
    for name, run in runs.items():
        print(f"{name:18}{run.seconds * 1000:9.0f}{run.seconds / least:17.1f} ×")


def main() -> None:
    """Runs all measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=float, default=1.0, metavar="GIB", help="size of the log (default: 1)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="take the best of N runs (default: 3)")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only write the log and the literals to FOLDER")
    chosen = parser.parse_args()
    if chosen.write:
        write_log(chosen.write / "train.log", int(chosen.size * GIB))
        write_literals(chosen.write / "literals")
        return
    with tempfile.TemporaryDirectory(prefix="logsense-bench-") as folder:
        scan(Path(folder), int(chosen.size * GIB), chosen.repeat)
    start_up(max(chosen.repeat, 20))


if __name__ == "__main__":
    main()
