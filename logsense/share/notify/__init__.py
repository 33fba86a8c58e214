"""Tells somebody of a failure, in a few redacted words."""

from __future__ import annotations

# Whom to tell; an address may hold a secret, which schedulers and containers keep in variables.
VARIABLE = "LOGSENSE_NOTIFY"
