"""Runs `explain` with what a command line gives."""

from __future__ import annotations

from logsense.cli.carry import is_from_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def explain(given: dict[str, object], problems: Sequence[str] = ()) -> int:
    """Runs `explain` with the options and inputs `given`; `problems` are what was wrong with other options."""
    from logsense.cli.chosen import settings
    from logsense.cli.explain import run

    if is_from_job() and given["inputs"] in ((), ("-",)) and not given.get("newest"):
        from logsense.cli.lenient import usable_settings

        return run(usable_settings(given, problems)._replace(notify=given.get("notify")))  # type: ignore[arg-type]
    from logsense.cli.settings import kept_for_reading

    return run(settings(given, kept_for_reading()))
