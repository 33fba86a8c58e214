"""A log that is fed piece by piece is unpacked and narrowed as one that is read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable

import pytest

from logsense.sources.stream import StreamedText

TEXT = "".join(f"step {step} loss {random.Random(step).random():.4f}\n" for step in range(9000)).encode()
PACKS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def fed(data: bytes, size: int) -> bytes:
    feeder = StreamedText()
    found = b"".join(feeder.feed(data[at : at + size]) for at in range(0, len(data), size))
    return found + feeder.finish()


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
@pytest.mark.parametrize("name", PACKS)
def test_packed_logs_are_unpacked(name: str, size: int) -> None:
    text = TEXT if size > 7 else TEXT[:5000]
    assert fed(PACKS[name](text), size) == text


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_several_that_follow_each_other_are_one(name: str, size: int) -> None:
    pack = PACKS[name]
    assert fed(pack(b"one\n") + pack(b"two\n") + pack(b"three\n"), size) == b"one\ntwo\nthree\n"


@pytest.mark.parametrize("name", PACKS)
def test_damage_ends_it(name: str) -> None:
    packed = PACKS[name](TEXT)
    assert TEXT.startswith(fed(packed[: len(packed) // 2], 4096))
    assert TEXT.startswith(fed(packed[: len(packed) // 2] + b"\xff" * 4096, 4096)[: len(TEXT) // 3])
    assert fed(packed + b"\0" * 512, 4096) == TEXT


def test_much_that_repeats_comes_in_small_pieces() -> None:
    pieces = [len(piece) for piece in StreamedText().pieces(bz2.compress(b"\n" * 30_000_000))]
    assert max(pieces) <= 1 << 22
    assert sum(pieces) > 29_000_000


@pytest.mark.parametrize("text", [b"", b"x", b"BZh", b"\x1f\x8b", b"plain\n", "Grüße\n".encode("utf-16")])
def test_what_is_not_packed_stays(text: bytes) -> None:
    assert fed(text, 2) == (text.decode("utf-16").encode() if text[:2] == b"\xff\xfe" else text)
