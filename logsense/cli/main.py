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
        from logsense.cli.completion import complete

        return complete()
    name, words = command_first(arguments, COMMAND_NAMES)
    if name in (None, "explain"):
        return _explain(words, named=bool(name))
    status = _command(name or "", words)
    if name != "mcp" and is_fed(0.0) and not is_shared():
        drain()  # piping a job into a command that reads no log must not end the job
    return status


def _explain(words: Sequence[str], *, named: bool) -> int:
    """Run `explain`, whether the command line names it or not."""
    given, inputs, problems = parse(words)
    if not named and problems and "--version" in words:
        print(f"logsense {__version__}")
        return 0
    asks_help = problems and _asks_help(words)
    if not named and (asks_help or not (problems or inputs or given.get("newest"))):
        print(OVERVIEW, end="")
        return 0
    is_for_job = named and is_from_job() and not inputs and not any(word in FOR_ALL for word in words)
    if problems and not is_for_job:
        return _help("explain") if asks_help else _wrong_use("explain", problems)
    from logsense.cli.explain import run
    from logsense.cli.settings import settings_of, stored_settings_without_notify, usable_settings

    options = {**given, "inputs": tuple(inputs)}
    if is_from_job() and inputs in ([], ["-"]) and not given.get("newest"):
        # A job depends on this process, so wrong options are ignored.
        return run(usable_settings(options, problems)._replace(notify=given.get("notify")))  # type: ignore[arg-type]
    return run(settings_of(options, stored_settings_without_notify()))


def _command(name: str, words: Sequence[str]) -> int:
    """Run the command `name`, or the one of this group that `words` begin with."""
    by_path = {command.path: command for command in COMMANDS}
    command = by_path.get(name) or by_path.get(" ".join((name, *words[:1])))
    if command is None and (not words or _asks_help(words)):
        return _help(name)
    if command is None:
        return _wrong_use(name, [_unknown(name, words[0])])
    words = list(words if command.path == name else words[1:])
    job: list[str] | None = None
    if name == "doctor" and "--before" in words:
        words, job = words[: words.index("--before")], words[words.index("--before") + 1 :]
    if _asks_help(words[:1] if name == "run" else words):
        return _help(command.path)
    if name == "run":
        from logsense.cli.run import run

        return run(words)
    given, inputs, problems = parse(words, command.options)
    if name == "watch" and inputs:  # a job may depend on the answer, so wrong options are ignored
        from logsense.cli.watch import run as watch

        return watch({**given, "files": inputs}, problems)
    argument = command.arguments[0] if command.arguments else None
    if argument and argument.required and not inputs:
        problems.append(f"{argument.metavar} is missing")
    if not (argument and argument.many):
        problems += [f"unexpected argument {word}" for word in inputs[1 if argument else 0 :]]
    if problems:
        return _wrong_use(command.path, problems)
    if job is not None:
        given["before"] = job[1:] if job[:1] == ["--"] else job
    if argument and inputs:
        given[argument.name] = inputs if argument.many else inputs[0]
    from importlib import import_module

    module, _, function = command.function.partition(":")
    status: int = getattr(import_module(f"logsense.cli.{module}"), function)(given)
    return status


def _asks_help(words: Sequence[str]) -> bool:
    before = words[: words.index("--")] if "--" in words else words
    return "--help" in before or "-h" in before


def _unknown(group: str, word: str) -> str:
    from logsense.cli.suggestions import did_you_mean

    if word.startswith("-"):
        return f"there is no option {word}"
    names = [command.path.split()[1] for command in COMMANDS if command.path.startswith(f"{group} ")]
    return f"there is no command {word!r}{did_you_mean(word, names)}"


def _wrong_use(path: str, problems: Sequence[str]) -> int:
    from logsense.cli.output import note

    note(f"{problems[0]} (see logsense {path} --help)")
    return STATUS_WRONG_USE


def _help(path: str) -> int:
    from logsense.cli.help import help_page

    print(help_page(path), end="")
    return 0


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
