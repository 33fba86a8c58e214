"""Combine the options of a command line with the settings from files."""

from __future__ import annotations

from collections.abc import Mapping

from logsense.cli.options import Settings
from logsense.cli.output import note


def settings_of(options: Mapping[str, object], stored: Mapping[str, object] | None = None) -> Settings:
    """Return the settings from the `options` of a command line and those `stored` in files; options win.

    Print a note about ignored settings of a project's file.
    """
    stored = dict(stored or {})
    ignored = stored.pop("ignored", None)
    settings = Settings(**{**stored, **options})  # type: ignore[arg-type]
    if ignored:
        note(str(ignored), settings)
    return settings
