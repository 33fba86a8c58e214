"""All commands with their arguments and options, declared once, and the overview that `logsense --help` prints."""

from __future__ import annotations

from logsense.cli.options import OPTIONS, RUN_OPTIONS, SURVEY_OPTIONS, Option, format_option
from logsense.util.noun import NamedTuple

OVERVIEW = """\
Usage: logsense [COMMAND] [OPTIONS] [INPUT]...

logsense reads the log of a failed training run and says why the run failed.

  python train.py 2>&1 | logsense   run a job; the explanation comes at its end
  logsense run -- python train.py   the same, recorded; keeps the exit status
  logsense train.log                explain a log, or a folder of rank logs
  logsense "CUDA error: ..."        explain an error (explain: paste it)

  last, runs   recorded runs        doctor, gpus          check this machine
  watch        follow a log         causes, signatures    what logsense knows
  report       for a bug report     rules                 write your own rules
  survey       summarize many jobs  mcp, trust, completion

-v shows all that is known. logsense COMMAND --help lists a command's options.
"""


class Argument(NamedTuple):
    """A positional argument: one word or `many`, optional unless `required`. `completion` is what shells suggest."""

    name: str
    metavar: str
    help: str
    many: bool = True
    required: bool = False
    completion: str = ""

    @property
    def usage(self) -> str:
        """Return the argument as a usage line shows it."""
        return f"{self.metavar if self.required else f'[{self.metavar}]'}{'...' if self.many else ''}"


class Command(NamedTuple):
    """A command. A `path` of two words is a subcommand.

    `function` is "module:name" within logsense.cli; "" for those that a job may depend on, which main.py runs itself.
    """

    path: str
    summary: str
    function: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()


PLAIN_FORMAT, CHECKUP_FORMAT = format_option("text", "json"), format_option("text", "json", "markdown")
PAGE_FORMAT = format_option("text", "json", "markdown", "html")
REPORT_FORMAT = format_option("markdown", "html", "prompt")
KEEP = Option("keep", ("--keep",), "Delete all but the N newest runs (at least 1).", metavar="N")
MAX_SIZE = Option("max_size", ("--max-size",), "Delete the oldest runs until the rest fit in SIZE.", metavar="SIZE")
DELETE = Option("delete", ("--delete",), "Delete this run.", metavar="RUN")
PYTHON = Option("python", ("--python",), "Check this Python (default: the one on the PATH).", metavar="PYTHON")
QUICK = Option("quick", ("--quick",), "Run nothing on the GPUs.", switch=True)
BEFORE = Option("before", ("--before",), "Check what CMD needs, then run it: --before -- CMD.", switch=True)
KEEP_ON = Option("keep_on", ("--keep-on",), "Continue after a failure or a good end, until Ctrl-C.", switch=True)
NEW_FOLDER = Option("output", ("--output", "-o"), "Write the file below DIR instead of printing it.", metavar="DIR")
PAGES_FOLDER = Option("output", ("--output", "-o"), "Write the pages to DIR (default: pages).", metavar="DIR")
REMOVE = Option("remove", ("--remove",), "Stop trusting the project in DIR.", metavar="DIR")
ROOT = Option("root", ("--root",), "Let agents read only logs and runs in DIR.", metavar="DIR")
STRICT = Option("strict", ("--strict",), "Exit with 1 also for problems in your own folders.", switch=True)

_OPTIONS = {option.name: option for option in (*OPTIONS, *RUN_OPTIONS)}


def _pick(*names: str) -> tuple[Option, ...]:
    return tuple(_OPTIONS[name] for name in names)


_QUIET = _OPTIONS["quiet"]._replace(help="Print no notes.")
_APPEARANCE = (_OPTIONS["output"]._replace(help="Write the output to FILE."), _OPTIONS["color"], _QUIET)
_CATALOG = _pick("rules", "corpus")
_LOG_OPTIONS = tuple(option for option in OPTIONS if option.name not in ("newest", "against"))
_WATCH_OPTIONS = tuple(option for option in _LOG_OPTIONS if option.name != "pager")
_RULE_PATHS = Argument("paths", "PATH", "Files or folders of rules or signatures (default: the whole catalog).")
_WORDS = "An id to read about, or words to search for. Without any, all are listed."

COMMANDS = (
    Command(
        "explain",
        "Explain why a run failed, from its log.",
        "",
        (
            Argument(
                "inputs",
                "INPUT",
                "Log files, folders of rank logs, archives, - for standard input, or the pasted text itself. "
                "Without any, a paste is read until Ctrl-D.",
            ),
        ),
        OPTIONS,
    ),
    Command(
        "run",
        "Run a command, record it and the machine, and explain it if it fails. The exit status is the command's.",
        "",
        (Argument("command", "-- CMD", "The command, with its options.", required=True),),
        tuple(option for option in RUN_OPTIONS if option.name != "live"),  # the machine is always looked at
    ),
    Command(
        "watch",
        "Follow the logs of a job, also if they are rotated or don't exist yet; explain a failure or a stall at once.",
        "",
        (Argument("files", "FILE", "The logs of one job; they need not exist yet.", required=True),),
        (KEEP_ON, *_WATCH_OPTIONS, *_pick("stall_after")),
    ),
    Command(
        "last",
        "Explain a recorded run again.",
        "runs:last",
        (
            Argument(
                "run",
                "RUN",
                "Its number or name in logsense runs (default: the newest).",
                many=False,
                completion="runs",
            ),
        ),
        _LOG_OPTIONS,
    ),
    Command(
        "report",
        "Write a bug report without secrets and names.",
        "report:run",
        (
            Argument(
                "inputs",
                "INPUT",
                "Logs, as for explain (default: the last recorded run, or the newest log in this folder).",
            ),
        ),
        (REPORT_FORMAT, *_pick("output"), _QUIET, *_pick("live", "rules", "corpus")),
    ),
    Command(
        "runs",
        "List or delete recorded runs.",
        "runs:runs",
        (),
        (KEEP, MAX_SIZE, DELETE, PLAIN_FORMAT, *_APPEARANCE),
    ),
    Command(
        "doctor",
        "Check this machine from the driver up: what is wrong, and how to fix it.",
        "doctor:run",
        (),
        (
            *(PYTHON, QUICK, BEFORE, CHECKUP_FORMAT, *_APPEARANCE),
            _OPTIONS["verbose"]._replace(help="Show what each step found."),
            _OPTIONS["exit_code"]._replace(help="Exit with 1 if something is wrong.", choices=()),
            *_pick("redact", "rules", "corpus"),
        ),
    ),
    Command(
        "survey",
        "Summarize many jobs: one row each, top causes, repeat offenders, weekly trends. Results are cached.",
        "survey:run",
        (Argument("paths", "PATH", "Folders of jobs, single logs, archives."),),
        (
            *(*SURVEY_OPTIONS, *_APPEARANCE),
            _OPTIONS["verbose"]._replace(help="Show all rows, also of jobs that completed."),
            _OPTIONS["exit_code"]._replace(help="Exit with 1 if a job failed.", choices=()),
            *_pick("pager", "redact", "rules", "corpus"),
        ),
    ),
    Command(
        "gpus",
        "Show the live state of the GPUs: faults, and who holds their memory.",
        "gpus:run",
        (),
        (PLAIN_FORMAT, *_APPEARANCE, *_pick("redact")),
    ),
    Command(
        "causes",
        "List, search or show known causes.",
        "causes:run",
        (Argument("words", "ID", _WORDS, completion="causes"),),
        (PAGE_FORMAT, *_APPEARANCE, *_pick("pager", "rules", "corpus")),
    ),
    Command(
        "signatures",
        "List, search or show the known messages (signatures).",
        "signatures:run",
        (Argument("words", "ID", _WORDS, completion="signatures"),),
        (PAGE_FORMAT, *_APPEARANCE, *_pick("pager", "rules", "corpus")),
    ),
    Command(
        "mcp",
        "Serve explain, doctor, gpus and causes to agents over the Model Context Protocol (standard input).",
        "mcp:run",
        (),
        (ROOT, *_CATALOG),
    ),
    Command(
        "trust",
        "Trust the rules and signatures that a project's pyproject.toml names, in their present state.",
        "trust:run",
        (Argument("folder", "DIR", "The project's folder. Without it, trusted projects are listed.", many=False),),
        (REMOVE,),
    ),
    Command(
        "completion",
        "Print the shell completion script.",
        "completion:print_script",
        (Argument("shell", "SHELL", "bash, zsh, fish or powershell (default: yours).", many=False),),
    ),
    Command(
        "rules lint",
        "Check rules and signatures, and list every problem with its place.",
        "rules:lint",
        (_RULE_PATHS,),
        (STRICT, *_CATALOG),
    ),
    Command(
        "rules test", "Run the samples of signatures and the examples of rules.", "rules:test", (_RULE_PATHS,), _CATALOG
    ),
    Command(
        "rules new",
        "Print the file of a new signature to start from, made from a line of a log.",
        "rules:new",
        (Argument("line", "LINE", "The line, as printed.", many=False, required=True),),
        (NEW_FOLDER,),
    ),
    Command(
        "rules pages", "Write a Markdown page for every cause and every message.", "rules:pages", (), (PAGES_FOLDER,)
    ),
    Command("rules schema", "Print the JSON Schema of rules and signatures, for editors.", "rules:schema"),
)
GROUPS = {"rules": "Check, test and write rules (causes and their fixes) and signatures (messages)."}
COMMAND_NAMES = tuple(dict.fromkeys(command.path.partition(" ")[0] for command in COMMANDS))
