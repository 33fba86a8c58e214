"""The full command line: help, completion and error messages, for every command."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import NamedTuple, Optional

import typer

from logsense.cli import options as more
from logsense.cli.options import OPTIONS, RUN_OPTIONS, SURVEY_OPTIONS, Option
from logsense.cli.parameters import argument as _argument
from logsense.cli.parameters import chosen, parameters_of, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

app = typer.Typer(
    name="logsense",
    help="Reads the log of a training run that died and says why.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="CMD 2>&1 | logsense passes CMD's output through and explains it when CMD ends. "
    "logsense INPUT is short for logsense explain INPUT.",
)
rules_app = typer.Typer(help="For authors: check, try and begin rules and signatures.", no_args_is_help=True)
app.add_typer(rules_app, name="rules")


class Known(NamedTuple):
    """A command as its help shows it: `arguments` are how each is written, and what it means."""

    path: str
    meaning: str
    arguments: tuple[tuple[str, str], ...]
    options: tuple[Option, ...]


KNOWN: list[Known] = []
_OPTIONS = {option.name: option for option in (*OPTIONS, *RUN_OPTIONS)}
_OPTIONS_OF_EXPLAIN = tuple(option.name for option in OPTIONS)
_OPTIONS_OF_LOGS = tuple(name for name in _OPTIONS_OF_EXPLAIN if name not in ("newest", "against"))
_OPTIONS_OF_WATCH = tuple(name for name in _OPTIONS_OF_LOGS if name != "pager")
_LOOKS = ("output", "color", "quiet", "verbose")
_CATALOG = ("rules", "corpus")


def run(arguments: Sequence[str]) -> int:
    """Runs the command in `arguments`; gives the exit status. What is wrong with them is said in one line."""
    command = typer.main.get_command(app)
    try:
        status = command.main(args=spelled(arguments, _OPTIONS.values()), prog_name="logsense", standalone_mode=False)
    except typer.Exit as ended:
        return ended.exit_code
    except Exception as error:
        # The class that all errors of use share has no public name in every version of typer.
        if not hasattr(error, "format_message"):
            raise
        from logsense.cli.output import note
        from logsense.cli.wrong_use import sentence

        says = sentence(error, *_meant(arguments))
        if not says:
            return 0  # help was printed instead
        note(says)
        return 2
    return status if isinstance(status, int) else 0


def _meant(arguments: Sequence[str]) -> tuple[str, tuple[Option, ...]]:
    """The command that `arguments` begin with, and its options."""
    for words in (2, 1):
        path = " ".join(arguments[:words])
        for known in KNOWN:
            if known.path == path:
                return f"logsense {path}", known.options
    return "logsense", tuple(_OPTIONS.values())


def _command(
    group: typer.Typer,
    name: str,
    meaning: str,
    function: Callable[[dict[str, object]], int],
    arguments: Iterable[inspect.Parameter] = (),
    options: Iterable[str | Option] = (),
) -> None:
    table = [_OPTIONS[option] if isinstance(option, str) else option for option in options]
    arguments = tuple(arguments)
    parameters = [*arguments, *(one for option in table for one in parameters_of(option))]
    path = f"rules {name}" if group is rules_app else name
    KNOWN.append(
        Known(path, meaning, tuple((one.default.metavar, one.default.help) for one in arguments), tuple(table))
    )

    def call(**given: object) -> int:
        return function(chosen(given, _OPTIONS))

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    group.command(name, help=meaning)(call)


def _explain(given: dict[str, object]) -> int:
    from logsense.cli.dispatch import explain

    return explain({**given, "inputs": tuple(given.get("inputs", ()))})  # type: ignore[arg-type]


def _run(given: dict[str, object]) -> int:
    from logsense.cli.run import run

    return run([str(word) for word in given.get("command", ())])  # type: ignore[attr-defined]


def _of(module: str, name: str = "run") -> Callable[[dict[str, object]], int]:
    """The function `name` of a module of this package, which is imported when it is called."""

    def call(given: dict[str, object]) -> int:
        function: Callable[[dict[str, object]], int] = getattr(import_module(f"logsense.cli.{module}"), name)
        return function(given)

    return call


@app.callback(invoke_without_command=True)
def _root(
    version: Optional[bool] = typer.Option(None, "--version", help="Say which version this is."),  # noqa: UP045
) -> None:
    if version:
        from logsense.version import __version__

        typer.echo(f"logsense {__version__}")
        raise typer.Exit


_INPUTS = _argument(
    "inputs",
    "[INPUT]...",
    "Log files, folders with a job's rank logs, archives, - for standard input, or the pasted text itself. "
    "Without any, a paste is read until Ctrl-D.",
)
_INPUTS_OR_LAST = _argument(
    "inputs", "[INPUT]...", "Logs, as for explain. Without any, the last recorded run or the newest log in this folder."
)
_CAUSE, _SIGNATURE = (
    _argument(
        "words", "[ID]", "The id to read about, or words to search for. Without any, all are listed.", completes=what
    )
    for what in ("causes", "signatures")
)
_PATHS = _argument("paths", "[PATH]...", "Files or folders of rules or signatures; by default all of the catalog.")

_COMMAND = _argument("command", "-- CMD...", "The command, with its options.")
_RUN = _argument(
    "run", "[RUN]", "Its number or name; by default the newest.", many=False, needed=False, completes="runs"
)
_SHELL = _argument("shell", "[SHELL]", "bash, zsh, fish or powershell; by default yours.", many=False, needed=False)

_command(app, "explain", "Say why a run failed, from its log.", _explain, [_INPUTS], _OPTIONS_OF_EXPLAIN)
_command(
    app,
    "run",
    "Run a command, record it and the machine, and explain it where it fails. Ends with the command's own status.",
    _run,
    [_COMMAND],
    (
        "format",
        "output",
        "color",
        "quiet",
        "verbose",
        "notify",
        *_CATALOG,
        "run_exit_code",
        "always",
        "unrecorded",
        "stall_after",
    ),
)
_command(
    app,
    "watch",
    "Follow logs that somebody else writes, over rotation and late creation; explain a failure or a stall at once.",
    _of("watch"),
    [_argument("files", "FILE...", "The logs of one job; they need not exist yet.")],
    (more.KEEP_ON, *_OPTIONS_OF_WATCH, "stall_after"),
)
_command(
    app,
    "last",
    "Explain the last recorded run again, or another one: by its number or name in logsense runs.",
    _of("runs", "last"),
    [_RUN],
    _OPTIONS_OF_LOGS,
)
_command(
    app,
    "report",
    "Write all that a bug report needs, without secrets and names: by default on what ran last.",
    _of("report"),
    [_INPUTS_OR_LAST],
    (more.REPORT_FORMAT, "output", "quiet", "live", *_CATALOG),
)
_command(
    app,
    "runs",
    "List the recorded runs, or throw old ones away.",
    _of("runs", "runs"),
    (),
    (more.KEEP, more.MAX_SIZE, more.DELETE, more.PLAIN_FORMAT, *_LOOKS),
)
_command(
    app,
    "doctor",
    "Check this machine from the driver up, name what is wrong and how to mend it. With --before -- CMD, run CMD where "
    "all is well. --quick tries nothing out on the GPUs.",
    _of("doctor"),
    (),
    (more.PYTHON, more.QUICK, more.BEFORE, more.CHECKUP_FORMAT, *_LOOKS, "redact", "exit_code", *_CATALOG),
)
_command(
    app,
    "survey",
    "Read many jobs and say what they failed of: a row for each, causes, nodes and GPUs that come again, weeks. What "
    "was read is kept, so that the next survey reads only what is new.",
    _of("survey"),
    [_argument("paths", "[PATH]...", "Folders of jobs, single logs, archives.")],
    (*SURVEY_OPTIONS, "output", "color", "quiet", "verbose", "exit_code", "redact", *_CATALOG),
)
_command(
    app,
    "gpus",
    "The live state of the GPUs: what is wrong, who holds their memory.",
    _of("gpus"),
    (),
    (more.PLAIN_FORMAT, *_LOOKS, "redact"),
)
_command(
    app,
    "causes",
    "List, search or read the causes that can be told.",
    _of("causes"),
    [_CAUSE],
    (more.PAGE_FORMAT, *_LOOKS, "pager", *_CATALOG),
)
_command(
    app,
    "signatures",
    "List, search or read the messages that are known.",
    _of("signatures"),
    [_SIGNATURE],
    (more.PAGE_FORMAT, *_LOOKS, "pager", *_CATALOG),
)
_command(
    app,
    "mcp",
    "Offer explain, doctor, gpus and causes to agents, over the Model Context Protocol on standard input.",
    _of("mcp"),
    (),
    (more.ROOT, *_CATALOG),
)
_command(
    app,
    "trust",
    "Let the rules and signatures that a project's pyproject.toml names count, as they are now; or list such projects.",
    _of("trust"),
    [_argument("folder", "[DIR]", "The project's folder.", many=False, needed=False)],
    (more.REMOVE,),
)
_command(app, "completion", "Print what teaches a shell to complete logsense.", _of("completion"), [_SHELL])
_command(
    rules_app,
    "lint",
    "Check rules and signatures; every problem with its place.",
    _of("rules", "lint"),
    [_PATHS],
    (more.STRICT, *_CATALOG),
)
_command(
    rules_app,
    "test",
    "Run the samples of signatures and the examples of rules.",
    _of("rules", "test"),
    [_PATHS],
    _CATALOG,
)
_command(
    rules_app,
    "new",
    "Write a signature and a rule to start from, for a line of a log.",
    _of("rules", "new"),
    [_argument("line", "LINE", "The line, as printed.", many=False)],
    (more.FOLDER,),
)
_command(
    rules_app,
    "pages",
    "Write a Markdown page for every cause and every message.",
    _of("rules", "pages"),
    (),
    (more.FOLDER,),
)
_command(rules_app, "schema", "Print the JSON Schema of both kinds of file, for editors.", _of("rules", "schema"))
