"""Output in pieces."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from logsense.recorder.output import FIRST_PIECES, LAST_PIECES, Output, pieces, recorded_source


def _read(folder: Path) -> bytes:
    source = recorded_source(pieces(str(folder)))
    reader, data = source.open(), b""
    buffer = bytearray(100)
    while count := reader.readinto(buffer):
        data += buffer[:count]
    reader.close()
    return data


@given(st.lists(st.binary(max_size=60), max_size=40))
def test_what_fits_is_kept_whole(tmp_path_factory, chunks: list[bytes]) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path_factory.mktemp("output")
    output = Output(str(folder), piece_bytes=400)
    for chunk in chunks:
        output.write(chunk)
    output.close()
    assert output.size_bytes == sum(map(len, chunks))
    assert _read(folder) == b"".join(chunks)


def test_of_more_the_first_and_the_last_are_kept(tmp_path: Path) -> None:
    output = Output(str(tmp_path), piece_bytes=1000)
    lines = [f"line {number:06d}\n".encode() for number in range(10_000)]
    for line in lines:
        output.write(line)
    output.close()
    assert len(list(tmp_path.iterdir())) == FIRST_PIECES + LAST_PIECES
    data = _read(tmp_path)
    assert data.startswith(b"".join(lines[:80]))
    assert data.endswith(b"".join(lines[-400:]))
    before, _, after = data.partition(b"\n[... ")
    words = after.split(b" ")
    missing = int(words[0].replace(b",", b""))
    assert len(before) + missing + len(after.partition(b"...]\n")[2].lstrip(b"\n")) == sum(map(len, lines))


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    output = Output(str(tmp_path / "nowhere"))
    output.write(b"one")
    output.write(b"two")
    assert output.problem
    assert output.size_bytes == 6
    assert pieces(str(tmp_path / "nowhere")) == []
