"""Start `explain` and `run` with the values of a parsed command line."""

from __future__ import annotations

from logsense.cli.carry import is_from_job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def explain(given: dict[str, object], problems: Sequence[str] = ()) -> int:
    """Run `explain` with the options and inputs `given`, and return its exit status.

    `problems` says what is wrong with other options, which are ignored because a job depends on the call.
    """
    from logsense.cli.chosen import settings
    from logsense.cli.explain import run

    given = {**given, "inputs": tuple(given.get("inputs", ()))}  # type: ignore[arg-type]
    if is_from_job() and given["inputs"] in ((), ("-",)) and not given.get("newest"):
        from logsense.cli.lenient import usable_settings

        return run(usable_settings(given, problems)._replace(notify=given.get("notify")))  # type: ignore[arg-type]
    from logsense.cli.settings import kept_for_reading

    return run(settings(given, kept_for_reading()))


def run(given: dict[str, object]) -> int:
    """Run `run` with the words of its command line, and return its exit status."""
    from logsense.cli.run import run

    return run([str(word) for word in given.get("command", ())])  # type: ignore[attr-defined]
