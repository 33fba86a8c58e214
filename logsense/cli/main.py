"""The entry point: finds out which command is meant and runs it, with one clear line for whatever goes wrong."""

from __future__ import annotations

import gc
import os
import sys

from logsense.cli.carry import FOR_ALL, carried, carry, drain, is_fed, is_from_job, is_shared
from logsense.cli.commands import COMMANDS
from logsense.cli.dispatch import explain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STATUS_WRONG_USE = 2
STATUS_INTERRUPTED = 130
# Little garbage comes up before a report is out; looking for it after every 700 objects costs 5 ms of start-up.
GARBAGE_THRESHOLD = 50_000
HELP = """\
logsense reads the log of a training run that died and says why.

  python train.py 2>&1 | logsense     watch a run: its output passes through, the explanation comes at the end
  logsense train.log                  explain a log file, a folder of rank logs, an archive
  logsense "CUDA error: ..."          explain a pasted error
  logsense explain                    paste a longer one, then Ctrl-D

  logsense run -- python train.py     run a job, record it and the machine, explain it when it fails
  logsense watch train.log            follow a log that somebody else writes
  logsense last | runs                explain the last recorded run again, list them all
  logsense report                     all that a bug report needs, without secrets and names

  logsense survey DIR                 many jobs at once: a row for each, causes, nodes that fail again and again

  logsense doctor                     checks this machine from the driver up: what is wrong, how to mend it
  logsense gpus                       the GPUs of this machine: who holds them, what is wrong

  logsense mcp                        the same for agents, over the Model Context Protocol
  logsense causes | signatures        what it knows, to list, search and read
  logsense --help                     everything else
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line `arguments` (by default those of the process); gives the exit status."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_streams()
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        job, rest = carried(words)
        if job:
            return carry(job, rest)
        _spell_out(sys.stdout)
    try:
        from logsense.cli.renamed import renewed

        status = _main(renewed(words))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except BrokenPipeError:
        _silence(sys.stdout)
        return 0
    except Exception as error:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        from logsense.cli.errors import sentence
        from logsense.cli.output import note

        note(sentence(error))
        return STATUS_WRONG_USE
    if arguments is None:
        _leave(status)
    return status


def _leave(status: int) -> None:
    """Ends the process at once where nothing is left to do: to free all objects one by one would take a while."""
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
    from logsense.cli import quick

    command, rest = quick.command_first(arguments, COMMANDS)
    if command not in (None, "explain"):
        status = _full([command or "", *rest])
        if command != "mcp" and is_fed(0.0) and not is_shared():
            drain()  # whoever pipes a job into a command that reads no log must not end the job
        return status
    given = quick.parse(rest)
    if given is None and command is None and "--version" in rest:
        from logsense.version import __version__

        print(f"logsense {__version__}")
        return 0
    problems: list[str] = []
    if given is None and command and is_from_job() and not any(word in FOR_ALL for word in rest):
        from logsense.cli.lenient import lenient
        from logsense.cli.options import OPTIONS

        usable, inputs, problems = lenient(rest, OPTIONS)
        given = None if inputs else {**usable, "inputs": ()}
    if given is None:
        helps = command is None and any(word in FOR_ALL for word in rest)
        return _full(rest if helps else ["explain", *rest])
    if command is None and not given["inputs"] and not given.get("newest"):
        print(HELP, end="")
        return 0
    return explain(given, problems)


def _full(arguments: list[str]) -> int:
    from logsense.cli.app import run

    return run(arguments)


def _open_streams() -> None:
    """Opens what was closed when we were started: nothing is to be read there, and what is written is lost."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _spell_out(stream: object) -> None:
    """Lets `stream` print any text, in the characters that its encoding has."""
    if not hasattr(stream, "reconfigure"):
        return
    if (getattr(stream, "encoding", "") or "").lower().startswith("utf"):
        stream.reconfigure(errors="backslashreplace")
        return
    from logsense.render.clean import SPELLED

    stream.reconfigure(errors=SPELLED)


def _silence(stream: object) -> None:
    # Python would complain about the same broken pipe once more when it closes the stream.
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]
    except (OSError, ValueError):
        pass
