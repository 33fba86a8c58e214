"""Redaction of any text: secrets do not come out, and masks stay masks."""

from __future__ import annotations

import re
from functools import cache

from logsense.model.report import Mask
from logsense.share.bundle import redactor_for
from tests.fuzz.seeds import texts
from tests.fuzz.targets.whole import catalog

SECRET = "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"
SEEDS = [
    f"HF_TOKEN={SECRET} user jo at node07.cluster.example.com wrote to /home/jo/run",
    f"Authorization: Bearer {SECRET}\nhttps://jo:{SECRET}@example.com/x?token={SECRET}&y",
    "ssh jo@10.1.2.3, 00:1b:44:11:3a:b7, jo.doe@example.com, fe80::1ff:fe23:4567:890a",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
]


@cache
def seeds() -> list[bytes]:
    """Return texts with secrets, alone and within logs."""
    return [
        *(one.encode() for one in SEEDS),
        *(SEEDS[n % 4].encode() + b"\n" + log for n, log in enumerate(texts()[:80])),
    ]


def run(data: bytes) -> None:
    """Learn `data` and mask it, as a whole and line by line."""
    text = data.decode("utf-8", "replace")
    redactor = redactor_for(catalog())
    redactor.learn(text)
    known = _stands_alone(text)
    for part in (text, *text.split("\n")[:20]):
        masked = redactor.mask(part)
        assert SECRET not in masked or not known, "a token came out"
        assert redactor.mask(masked) == masked or masked != part, "masking does not end"
    assert all(isinstance(one, Mask) for one in redactor.masked())


def _stands_alone(text: str) -> bool:
    """Return whether the secret occurs as a separate word, so that it can be recognized."""
    return re.search(rf"(?<![\w.-]){SECRET}(?![\w.-])", text) is not None
