"""What was counted last; a test fails where more than a fifth comes on top.

Where a change is worth its price, or knowledge has grown, `python -m tests.guards` prints the counts as they are now.
"""

from __future__ import annotations

MARGIN = 1.2
TODAY = {
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
