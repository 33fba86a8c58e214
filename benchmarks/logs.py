"""Write the logs that are measured: one of each shape, the same each time.

python benchmarks/logs.py SHAPE PATH BYTES        # SHAPE: quiet, sparse, dense, bars, files, gzip, zstd
python benchmarks/logs.py real PATH BYTES FOLDER  # the logs in FOLDER, one after the other, again and again
python benchmarks/logs.py literals PATH COUNT     # so many literals of the catalog, one a line; 0: all
"""

from __future__ import annotations

import gzip
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

MIB = 1 << 20
FILES = 1000
BLOCK_LINES = 20_000
# What a shape is called in a table.
SHAPES = {
    "real": "real logs",
    "quiet": "quiet: nothing is found",
    "sparse": "a finding every 100 lines",
    "dense": "every line matches",
    "bars": "`\\r` bars and colors",
    "files": "1,000 files",
    "gzip": "quiet, gzip",
    "zstd": "quiet, zstd",
}
ENDINGS = {"gzip": ".gz", "zstd": ".zst"}
FAILURE = Path(__file__).with_name("failure.log").read_text(encoding="utf-8")
PASTE = "".join(f"step {step} loss {3 / (step + 1):.4f} lr 0.0003\n" for step in range(13)) + FAILURE


def lines(chance: random.Random) -> Iterator[str]:
    """Yield healthy training output of several frameworks and loggers, without end."""
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


def samples() -> list[str]:
    """Return what the signatures of failures are tested with: one line each."""
    from logsense.catalog.files import built_in, listing
    from logsense.catalog.yaml_files import read_yaml

    root = built_in("corpus")
    found = []
    for path, _ in listing(root):
        data, _ = read_yaml(str(Path(root, path)))
        if isinstance(data, dict) and data.get("kind", "failure") in ("failure", "consequence") and "samples" in data:
            found += [str(one["text"]).splitlines()[0] + "\n" for one in data["samples"]["positive"]]
    return found


def quiet() -> Iterator[str]:
    """Return healthy output."""
    return lines(random.Random(7))


def every(count: int) -> Iterator[str]:
    """Yield a known message on every so many-th line of healthy output."""
    known, healthy = cycle(samples()), quiet()
    while True:
        yield from islice(healthy, count - 1)
        yield next(known)


def bars() -> Iterator[str]:
    """Yield progress bars that are redrawn again and again, in color."""
    step = 0
    while True:
        step += 1
        yield f"\x1b[32mEpoch {step // 1000}\x1b[0m: {step % 100:3d}%|{'█' * (step % 10):10s}| {step % 1000}/1000 [00:07<01:12, 3.1it/s]\r"


def write(path: Path, size: int, source: Iterator[str]) -> None:
    """Write a log of `size` bytes, at least, with a failure at its end."""
    blocks = ["".join(islice(source, BLOCK_LINES)).encode() for _ in range(4)]
    with path.open("wb") as file:
        written = 0
        for block in cycle(blocks):
            if written >= size:
                break
            written += file.write(block[: size - written])
        file.write(b"\n" + FAILURE.encode())


def write_many(folder: Path, size: int) -> None:
    """Write quiet logs of `size` bytes in all; one of them ends in a failure."""
    folder.mkdir()
    text, part = b"", size // FILES
    healthy = quiet()
    while len(text) < part:
        text += "".join(islice(healthy, BLOCK_LINES)).encode()
    end = text.rfind(b"\n", 0, part) + 1
    for number in range(FILES):
        (folder / f"worker-{number}.log").write_bytes(text[:end] + (FAILURE.encode() if number == FILES // 2 else b""))


def write_real(path: Path, size: int, folder: Path) -> None:
    """Write the logs in `folder`, one after the other, until they are `size` bytes, with a failure at the end."""
    texts = [one.read_bytes().rstrip(b"\n") + b"\n" for one in sorted(folder.rglob("*")) if one.is_file()]
    with path.open("wb") as file:
        for text in cycle(texts):
            if file.tell() >= size:
                break
            file.write(text)
        file.write(FAILURE.encode())


def write_literals(path: Path, count: int) -> None:
    """Write literals of the catalog, one a line, for programs that search for texts: `count` of them, or all if it is 0."""
    from logsense.catalog.load import load_catalog

    texts = sorted({*load_catalog().literals.texts})
    texts = random.Random(1).sample(texts, count) if count else texts
    path.write_text("".join(f"{text}\n" for text in texts))


def write_shape(shape: str, path: Path, size: int, folder: Path | None = None) -> None:
    """Write a log of `shape` at `path`, of `size` bytes before it is packed; real logs are taken from `folder`."""
    if shape == "files":
        write_many(path, size)
        return
    if shape == "literals":
        write_literals(path, size)
        return
    if shape == "real" and folder:
        write_real(path, size, folder)
        return
    sources = {"sparse": lambda: every(100), "dense": lambda: every(1), "bars": bars}
    plain = path.with_suffix("") if shape in ENDINGS else path
    write(plain, size, sources.get(shape, quiet)())
    if shape == "gzip":
        with plain.open("rb") as source, gzip.open(path, "wb", compresslevel=6) as target:
            while block := source.read(MIB):
                target.write(block)
    if shape == "zstd":
        subprocess.run(["zstd", "-q", "-f", str(plain), "-o", str(path)], check=True)
    if plain != path:
        plain.unlink()


if __name__ == "__main__":
    write_shape(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), *map(Path, sys.argv[4:]))
