"""How files are opened by number: as the bytes that they are, and inherited by nobody."""

from __future__ import annotations

import os

# Windows translates line ends unless it is told not to.
AS_BYTES = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
