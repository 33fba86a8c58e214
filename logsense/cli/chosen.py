"""The settings of a command: what its line gives, and what settings files keep."""

from __future__ import annotations

from logsense.cli.options import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def settings(given: Mapping[str, object], kept: Mapping[str, object] | None = None) -> Settings:
    """Settings from the options `given` on the command line and those `kept` in settings files.

    Says what of a project's file is left out.
    """
    stored = dict(kept or {})
    left_out = stored.pop("left_out", None)
    chosen = Settings(**{**stored, **given})  # type: ignore[arg-type]
    if left_out:
        from logsense.cli.output import note

        note(str(left_out), chosen)
    return chosen
