"""The last counts; a test fails if one grows by more than a fifth.

If a change is worth its cost, or the catalog has grown, `python -m tests.guards` prints the current counts.
"""

from __future__ import annotations

MARGIN = 1.2
BASELINE = {
    # Calls of functions, by tests/guards/calls.py
    "paste": 44_600,
    "quiet log": 702_000,
    "quiet log, a mebibyte more": 74,
    "known message, each": 8_000,
    "line through the pipe": 26,
    # By tests/guards/start.py
    "modules of paste": 148,
    "files opened by paste": 146,
    "modules of --version": 14,
    "files opened by --version": 13,
    # Instructions of the processor, by tests/guards/instructions.py
    "quiet log, a byte": 14.9,
}
