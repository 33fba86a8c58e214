"""Inputs designed to be slow, of any length: time must not grow faster than the input.

`python -m tests.fuzz.hostile [BYTES] [NAME…]` explains each at one length and at four times that, and prints the times.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count

from logsense.pipeline import explain_text
from tests.fuzz.targets.whole import catalog

Make = Callable[[int], bytes]

OOM = (
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB."
)
HEADER = b"Traceback (most recent call last):\n"
FRAME = b'  File "/a/b.py", line 12, in f\n    g()\n'
CHAIN = b"\nDuring handling of the above exception, another exception occurred:\n\n"


def _again(unit: bytes, before: bytes = b"", after: bytes = b"") -> Make:
    return lambda size: before + (unit * (size // len(unit) + 1))[:size] + after


def _each(line: Callable[[int], bytes]) -> Make:
    def make(size: int) -> bytes:
        made: list[bytes] = []
        numbers: Iterator[int] = count()
        length = 0
        while length < size:
            made.append(line(next(numbers)))
            length += len(made[-1])
        return b"".join(made)

    return make


INPUTS: dict[str, Make] = {
    "a line without end": _again(b"CUDA out of memory. Tried to allocate "),
    "one letter": _again(b"a"),
    "addresses": _again(b"10.0.0.7 "),
    "opening brackets": _again(b"["),
    "opening braces": _again(b'{"a":'),
    "quotes": _again(b'"'),
    "escaped quotes": _again(b'\\"', b'"'),
    "escapes in a string": _again(b"\\n\\'", b"'"),
    "blanks": _again(b" "),
    "empty lines": _again(b"\n"),
    "carriage returns": _again(b"\r"),
    "backspaces": _again(b"a\x08"),
    "titles of terminals": _again(b"\x1b]0;"),
    "half characters": _again(b"\xc3"),
    "dots": _again(b"a.B"),
    "headers of tracebacks": _again(HEADER),
    "frames": _again(FRAME, HEADER, b"\nValueError: x\n"),
    "frames on one line": _again(b'File "/a/b.py", line 12, in f g() ', HEADER[:-1] + b" "),
    "errors on one line": _again(b"a.b.c.dError ", HEADER[:-1] + b" "),
    "chained exceptions": _again(HEADER + FRAME + b"ValueError: x\n" + CHAIN),
    "native frames": _again(b"frame #1: x + 0x1 (0x7f in y)\n"),
    "one message": _again(OOM + b"\n"),
    "a near miss": _again(b"CUDA out of memory. Tried to allocate two GiB\n"),
    "another message each": _each(lambda at: b"RuntimeError: %x happened at %x\n" % (at * 7919, at)),
    "another rank each": _each(lambda at: b"[rank%d]: RuntimeError: x\n" % at),
    "another rank's traceback": _each(
        lambda at: b"".join(b"[rank%d]: %s\n" % (at, line) for line in (HEADER[:-1], FRAME[:32], b"ValueError: x"))
    ),
    "another host each": _each(lambda at: b"node%d: RuntimeError: x\n" % at),
    "numbers": _again(b"9", b"CUDA out of memory. Tried to allocate ", b" GiB\n"),
    "lines of one entry": _again(b"   more\n", b"ValueError: x\n"),
    "quote marks": _again(b"> "),
    "entities": _again(b"&amp;"),
    "elements": _again(b"<span ", b"<pre>"),
    "line breaks of HTML": _again(b"<br"),
    "fences": _again(b"```"),
    "backticked lines": _again(b"`x`\n"),
    "Markdown's escapes": _again(b"\\_"),
    "strings of a list": _again(b'"a\\nb",\n'),
    "a list on one line": _again(b'a","', b'["'),
    "lines as wide as a terminal": _again(b"ab cd efg " * 8 + b"\nrest\n"),
    "lines cut between words": _again(
        b"word wrapped text that is long enough to be cut near eighty columns ok\nand its rest\n"
    ),
    "filled lines": _again(b"ab cd".ljust(80) + b"\n"),
    "columns of numbers": _again(b"1 2 3 4 5 6 7 8 9 0 " * 3 + b"x\n"),
    "numbered lines": _each(lambda at: b"%5d  x y\n" % at),
    "progress bars": _again(b"  5%|#    | 5/100 [00:01<00:10, 3.2it/s]\r"),
    "glued messages": _again(b"x[E socket.cpp:12]"),
    "rows of a table": _again(b"|   0  NVIDIA H100 80GB HBM3   On |   00000000:19:00.0 Off |      3 |\n"),
    "a JSON log": _again(b'{"msg":"x","level":"error","time":"2026-01-01T00:00:00Z"}\n'),
    "a JSON value that never ends": _again(b"[", b'{"msg":"x"}\n' * 500 + b'{"msg":'),
    "line breaks in JSON": _again(b"x\\n", b'{"msg":"', b'"}\n'),
    "quotes of a table": _again(b'"', b"time,message\n"),
    "commas of a table": _again(b",", b"time,message\n"),
    "outputs of a notebook": _again(b'a\\n","', b'{"cells":[{"cell_type":"code","outputs":[{"text":["'),
    "blanks in a frame": _again(b" ", b"   1   \xe2\x94\x82 File: x\n"),
    "messages of PowerShell": _again(b"At line:1 char:1\n+ a\n+ ~~~\n", b"FullyQualifiedErrorId\n"),
    "pairs": _again(b'a=b msg="x\\"" '),
    "rows in Markdown": _again(b"| a ", b"| a |\n|---|\n"),
    "paragraphs": _again(b"<p>x</p>"),
    "headers on one line": _again(HEADER[:-1]),
    "times that fall": _each(
        lambda at: b"Mar  7 %02d:%02d:%02d x\n" % (23 - at // 3600 % 24, 59 - at // 60 % 60, 59 - at % 60)
    ),
    "frames without a header": _again(FRAME, b"", b"ValueError: x\n"),
    "UTF-16": _again(b"a\0\n\0", b"\xff\xfe"),
    "restarts": _again(b"torchrun: restarting workers\n" + OOM + b"\n"),
}


def taken_s(data: bytes) -> float:
    """Return the processor time for explaining `data`."""
    began = time.process_time()
    explain_text(data, catalog())
    return time.process_time() - began


def main() -> None:
    """Print the times."""
    size = int(sys.argv[1]) if sys.argv[1:] else 60_000
    for name in sys.argv[2:] or INPUTS:
        short, long = (min(taken_s(INPUTS[name](length)) for _ in range(2)) for length in (size, 4 * size))
        print(
            f"{name:32} {1e3 * short:9.1f} ms {1e3 * long:9.1f} ms  x {long / short:4.1f}  {1e6 * long / size / 4:5.2f} µs a byte"
        )


if __name__ == "__main__":
    main()
