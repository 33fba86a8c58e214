"""Start `explain` and `run` with the options of a parsed command line."""

from __future__ import annotations

from collections.abc import Sequence

from logsense.cli.carry import is_from_job


def explain(options: dict[str, object], problems: Sequence[str] = ()) -> int:
    """Run `explain` with `options` (and inputs), and return its exit status.

    `problems` describes wrong options, which are ignored because a job depends on this process.
    """
    from logsense.cli.command_settings import settings_of
    from logsense.cli.explain import run

    options = {**options, "inputs": tuple(options.get("inputs", ()))}  # type: ignore[arg-type]
    if is_from_job() and options["inputs"] in ((), ("-",)) and not options.get("newest"):
        from logsense.cli.lenient import usable_settings

        return run(usable_settings(options, problems)._replace(notify=options.get("notify")))  # type: ignore[arg-type]
    from logsense.cli.settings import stored_settings_without_notify

    return run(settings_of(options, stored_settings_without_notify()))


def run(options: dict[str, object]) -> int:
    """Run `run` with the words of its command line, and return its exit status."""
    from logsense.cli.run import run

    return run([str(word) for word in options.get("command", ())])  # type: ignore[attr-defined]
