"""What is kept of a log does not grow with the hits in it."""

from __future__ import annotations

import tracemalloc

import pytest

from logsense.match.read import scan_text
from logsense.model.knowledge import Catalog


@pytest.mark.slow
def test_many_messages_that_share_their_hits_take_no_copy_each(built_in_catalog: Catalog) -> None:
    text = b"".join(b"[rank%d]: RuntimeError: x\n" % number for number in range(50_000))
    scan_text(text[:1000], built_in_catalog, "log")  # what is compiled once
    tracemalloc.start()
    try:
        scan_text(text, built_in_catalog, "log")
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak_bytes < 12 * len(text)
