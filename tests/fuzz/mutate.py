"""Mutates inputs: changes bytes, repeats, cuts and splices pieces, and inserts things that confuse parsers."""

from __future__ import annotations

import random

MOST_BYTES = 20_000
ODD = [
    *(
        b"\n",
        b"\r",
        b"\r\n",
        b"\0",
        b"\t",
        b" " * 200,
        b"\x1b[31m",
        b"\x1b]0;",
        b"\x1b[2K",
        b"\x08\x08",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(
        b"\xc3",
        b"\xe2\x80\xae",
        b"\xe2\x80\x8b",
        b"\xf0\x9f\x92\xa5",
        b"\xed\xa0\x80",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        "٣".encode(),
        "²".encode(),
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"'",
        b"\\",
        b"\\n",
        b"\\u0000",
        b"\\ud800",
        b"null",
        b"true",
        b"NaN",
        b"1e999",
        b"-0",
        b"&amp;",
    ),
    *(
        b"9" * 30,
        b"9" * 5000,
        b"0x" + b"f" * 40,
        b"inf",
        b"nan",
        b"1,000,000",
        b"99:99:99",
        b"2026-13-45 25:61:61",
        b"-1",
    ),
    *(
        b"Traceback (most recent call last):\n",
        b'  File "a.py", line 1, in f\n',
        b"RuntimeError: ",
        b"[rank",
        b"[rank0]: ",
        b"0: ",
    ),
    *(
        b"  0%|          | 0/8 [00:00<?, ?it/s]",
        b"%s",
        b"%(x)s",
        b"{x:int}",
        b"{}",
        b"!!python/object",
        b"&a [*a]",
        b"<<: *a",
        b"---\n",
    ),
    *(
        b"During handling of the above exception, another exception occurred:\n",
        b"\xe2\x94\x82 ",
        b"> ",
        b"  | ",
        b"+-",
    ),
]


class Mutator:
    """A source of inputs, the same for the same seed."""

    def __init__(self, seeds: list[bytes], seed: int) -> None:
        self._seeds = seeds or [b""]
        self._random = random.Random(seed)

    def next(self) -> bytes:
        """Another input."""
        chance = self._random
        data = bytearray(chance.choice(self._seeds))
        for _ in range(1 + int(chance.expovariate(0.5))):
            self._change(data)
        return bytes(data[:MOST_BYTES])

    def _change(self, data: bytearray) -> None:
        chance = self._random
        at = chance.randint(0, len(data))
        end = min(len(data), at + int(chance.expovariate(1 / 30)))
        match chance.randrange(8):
            case 0:
                data[at:end] = b""
            case 1:
                data[at:at] = chance.choice(ODD)
            case 2:
                data[at:end] = chance.choice(ODD)
            case 3:
                data[at:at] = bytes(data[at:end]) * min(
                    int(chance.expovariate(1 / 20)), 1 + MOST_BYTES // (end - at + 1)
                )
            case 4:
                other = chance.choice(self._seeds)
                begin = chance.randint(0, len(other))
                data[at:at] = other[begin : begin + 400]
            case 5:
                for place in range(at, end):
                    data[place] ^= 1 << chance.randrange(8)
            case 6:
                data[at:] = b""
            case _:
                lines = bytes(data).split(b"\n")
                first, second = chance.randrange(len(lines)), chance.randrange(len(lines))
                lines[first], lines[second] = lines[second], lines[first]
                data[:] = b"\n".join(lines)
