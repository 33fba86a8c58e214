"""Run the command that the command line names, and report whatever goes wrong in one line."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from logsense.cli import FOR_ALL
from logsense.cli.command_line import command_first, parse
from logsense.cli.commands import COMMAND_NAMES, COMMANDS, OVERVIEW
from logsense.cli.fallback import drain, is_fed, is_from_job, is_shared
from logsense.util.version import __version__

STATUS_WRONG_USE = 2
STATUS_INTERRUPTED = 130
# Collecting garbage after every 700 objects costs 5 ms before the first report, and finds next to nothing.
GARBAGE_THRESHOLD = 50_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line `arguments` (default: those of the process) and return its exit status."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _spell_out(sys.stdout)
    try:
        status = _main(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except Exception as error:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        from logsense.cli.output import error_message, note

        note(error_message(error))
        return STATUS_WRONG_USE
    if arguments is None:
        _leave(status)
    return status


def _leave(status: int) -> None:
    """End the process without freeing its objects one by one, unless threads or exit handlers are waiting."""
    if "atexit" in sys.modules or "threading" in sys.modules:
        return
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except (OSError, ValueError, AttributeError):
        return
    os._exit(status)


def _main(arguments: list[str]) -> int:
    if any(name.startswith("_LOGSENSE_COMPLETE") for name in os.environ):
        from logsense.cli.completion import imply_explain

        imply_explain(os.environ)
        return _full(arguments)
    if arguments[:1] == ["doctor"] and "--before" in arguments:
        from logsense.cli.doctor import before

        return before(arguments[1:])
    command, rest = command_first(arguments, COMMAND_NAMES)
    if command not in (None, "explain"):
        status = _watch(rest) if command == "watch" else _full([command or "", *rest])
        if command != "mcp" and is_fed(0.0) and not is_shared():
            drain()  # piping a job into a command that reads no log must not end the job
        return status
    given, inputs, problems = parse(rest)
    if not command and problems and "--version" in rest:
        print(f"logsense {__version__}")
        return 0
    asks_help = problems and ("--help" in rest or "-h" in rest)
    if not command and (asks_help or not (problems or inputs or given.get("newest"))):
        print(OVERVIEW, end="")
        return 0
    is_for_job = command and is_from_job() and not inputs and not any(word in FOR_ALL for word in rest)
    if problems and not is_for_job:
        return _full(["explain", *rest])
    return explain({**given, "inputs": inputs}, problems)


def explain(options: dict[str, object], problems: Sequence[str] = ()) -> int:
    """Run `explain` with `options` (and inputs), and return its exit status.

    `problems` describes wrong options, which are ignored because a job depends on this process.
    """
    from logsense.cli.explain import run
    from logsense.cli.settings import settings_of, stored_settings_without_notify, usable_settings

    inputs: tuple[str, ...] = tuple(options.get("inputs", ()))  # type: ignore[arg-type]
    options = {**options, "inputs": inputs}
    if is_from_job() and inputs in ((), ("-",)) and not options.get("newest"):
        return run(usable_settings(options, problems)._replace(notify=options.get("notify")))  # type: ignore[arg-type]
    return run(settings_of(options, stored_settings_without_notify()))


def _watch(words: list[str]) -> int:
    """Run `watch`. A job may depend on its answer, so wrong options are left out where there is a file to follow."""
    options = next(one.options for one in COMMANDS if one.path == "watch")
    given, files, problems = parse(words, options)
    if not files or any(word in FOR_ALL for word in words):
        return _full(["watch", *words])
    from logsense.cli.watch import run

    return run({**given, "files": files}, problems)


def _full(arguments: list[str]) -> int:
    from logsense.cli.app import run

    return run(arguments)


def _spell_out(stream: object) -> None:
    """Make `stream` print any text in the characters of its encoding."""
    if not hasattr(stream, "reconfigure"):
        return
    if (getattr(stream, "encoding", "") or "").lower().startswith("utf"):
        stream.reconfigure(errors="backslashreplace")
        return
    from logsense.render.clean import AS_ASCII

    stream.reconfigure(errors=AS_ASCII)


def _silence(stream: object) -> None:
    # Python would report the broken pipe once more when it closes the stream.
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError):
        pass
