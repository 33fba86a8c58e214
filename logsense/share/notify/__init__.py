"""Notify people of a failure with a short, redacted message."""

from __future__ import annotations

# The addresses to notify. They can hold secrets, which schedulers and containers keep in variables.
ADDRESSES_VARIABLE = "LOGSENSE_NOTIFY"
