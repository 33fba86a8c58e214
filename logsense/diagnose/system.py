"""On what kind of system a run died, as the paths and messages of its log show."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from logsense.model.scan import Incident

WINDOWS, COLAB, KAGGLE, MACOS = "windows", "colab", "kaggle", "macos"
NOTEBOOKS = (COLAB, KAGGLE)
LONGEST, MOST = 4000, 100  # characters of a record, records: so many are looked at
LATEST = 20  # records at the end of a source

# What shows each, and pieces of which one is in every text that does. A drive's letter, errors and libraries of Windows
# (https://learn.microsoft.com/windows/win32/fileio/naming-a-file); folders of notebooks (https://colab.google,
# https://www.kaggle.com/docs/notebooks) and of macOS.
_SIGNS = {
    WINDOWS: (
        (":\\", ":/", "WinError", "0xC00", ".dll", ".pyd"),
        r"(?<![\w/.])[A-Za-z]:[\\/](?![/\s])[\w.$~]|WinError \d|\b0xC00000[0-9A-F]{2}\b|\w\.(?:dll|pyd)\b",
    ),
    COLAB: (
        ("/content/", "google", "session crashed"),
        r"(?<![\w/.])/content/|google[./]colab|session crashed after using all available",
    ),
    KAGGLE: (
        ("/kaggle/", "notebook tried"),
        r"(?<![\w/.])/kaggle/(?:working|input|temp)\b|notebook tried to allocate more memory than is available",
    ),
    MACOS: (
        ("/Users/", "/opt/homebrew/", "macos", "/Library/", ".dylib"),
        r"(?<![\w/.:])/Users/[\w.-]+/|/opt/homebrew/|\bmacosx?[-_]\d|/Library/Frameworks/|\w\.dylib\b",
    ),
}
_LINUX = r"(?<![\w/.:~])/(?:home|root|usr/(?!local/cuda)|opt/(?!homebrew)|mnt|data|workspace)/|\w\.so\b"


def system_of(incident: Incident) -> str | None:
    """`windows`, `colab`, `kaggle` or `macos` where the log shows it; None for Linux and where nothing is known."""
    from itertools import islice

    text = "\n".join(islice(dict.fromkeys(_texts(incident)), MOST))
    seen = {
        name: len(re.findall(pattern, text))
        for name, (pieces, pattern) in _SIGNS.items()
        if any(piece in text for piece in pieces)
    }
    notebook = max(NOTEBOOKS, key=lambda name: seen.get(name, 0))
    if seen.get(notebook):
        return notebook
    best = max((WINDOWS, MACOS), key=lambda name: seen.get(name, 0))
    return best if seen.get(best) and seen[best] > len(re.findall(_LINUX, text)) else None


def _texts(incident: Incident) -> Iterator[str]:
    for finding in (*incident.failing, *incident.context):
        yield finding.record.text[:LONGEST]
    for ending in incident.endings:
        for record in ending.records[-LATEST:]:
            yield record.text[:LONGEST]
