"""The names of all commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

COMMANDS = (
    "explain",
    "run",
    "watch",
    "last",
    "runs",
    "report",
    "survey",
    "gpus",
    "doctor",
    "causes",
    "signatures",
    "mcp",
    "trust",
    "completion",
    "rules",
)
