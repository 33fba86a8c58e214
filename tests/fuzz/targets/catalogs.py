"""A user's own signatures, rules, facts and tables in any state: problems are reported, and explaining works."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from logsense.catalog.decode import Problems, decode_facts
from logsense.catalog.rules import decode_examples, decode_phases, decode_rule, decode_table
from logsense.catalog.signatures import decode_samples, decode_signature
from logsense.catalog.yaml_files import place, read_yaml
from tests.fuzz.seeds import ROOT

DECODERS = (decode_rule, decode_examples, decode_facts, decode_phases, decode_samples, decode_signature)
HOSTILE = [
    *(b"title: 0x" + b"f" * 5000, b"match: 1e999\nkind: [a]\nsamples: 3", b"samples: {positive: [3, {text: [a]}]}"),
    *(
        b"[" * 100_000,
        b"a: " + b"{a: " * 50_000,
        b"- " * 9_000 + b"a",
        b"a: " + b"9" * 5000,
        b"&a [*a]",
        b"&a {x: *a}",
        b"? {a: 1}\n: 3",
    ),
    b"a0: &a0 [x, x]\n"
    + b"".join(b"a%d: &a%d [*a%d, *a%d, *a%d]\n" % (n, n, n - 1, n - 1, n - 1) for n in range(1, 30)),
    b"id: a.b\ntitle: x\nkind: failure\nprinted_by: x\nmatch: '" + b"{a}, " * 500 + b"'\n",
]


@cache
def seeds() -> list[bytes]:
    """Return files of the catalog."""
    paths = [*sorted((ROOT / "corpus").glob("*/*.yaml"))[::25], *sorted((ROOT / "rules").glob("*/*.yaml"))[::6]]
    return [*HOSTILE, *(path.read_bytes()[:4000] for path in (*paths, *sorted((ROOT / "rules").glob("_*/*.yaml"))))]


def run(data: bytes) -> None:
    """Decode the file as every kind of catalog file, and locate its problems."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "demo.yaml")
        path.write_bytes(data)
        content, problems = read_yaml(str(path))
        if problems:
            return
        for decode in DECODERS:
            found = Problems()
            decode(content, found)
            place(str(path), found.found)
        found = Problems()
        decode_table("demo", content, found)
        place(str(path), found.found)
