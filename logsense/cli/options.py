"""The options of all commands, declared once."""

from __future__ import annotations

from logsense.util.noun import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logsense.catalog.files import Folder


FORMATS = ("text", "json", "markdown", "github", "html", "prompt", "sarif", "junit")
COLORS = ("auto", "always", "never")
PAGERS = ("auto", "never")


class Option(NamedTuple):
    """One option: `name` as an attribute, its flags, and what it takes: a switch, one of `choices`, or any value.

    A switch with `choices` may be given as one of them behind "="; by itself it is True.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    switch: bool = False
    choices: tuple[str, ...] = ()
    metavar: str = ""


OPTIONS = (
    Option("format", ("--format", "-f"), "How to write the answer.", choices=FORMATS),
    Option("output", ("--output", "-o"), "Write the answer to FILE instead of the terminal.", metavar="FILE"),
    Option("color", ("--color",), "Use colours; auto asks the terminal, NO_COLOR and FORCE_COLOR.", choices=COLORS),
    Option(
        "pager",
        ("--pager",),
        "Show what is longer than the terminal by LOGSENSE_PAGER, PAGER or less.",
        choices=PAGERS,
    ),
    Option(
        "quiet", ("--quiet", "-q"), "No progress, no notes, nothing at all unless a failure was found.", switch=True
    ),
    Option("verbose", ("--verbose", "-v"), "Also what speaks against, facts, references and noise.", switch=True),
    Option(
        "exit_code",
        ("--exit-code",),
        "End with status 1 when a failure was found. With =verdict: 75 where a new try may help, 76 on another node.",
        switch=True,
        choices=("failure", "verdict"),
    ),
    Option("live", ("--live",), "Also look at this machine, where the run ended just now.", switch=True),
    Option(
        "redact",
        ("--redact",),
        "Hide secrets, names of people and machines, addresses; say what was hidden.",
        switch=True,
    ),
    Option(
        "newest",
        ("--newest",),
        "Explain the log that was written last, here or in a folder that is named.",
        switch=True,
    ),
    Option(
        "against",
        ("--against",),
        "Also show what is new since a run that went well: its log, folder or archive.",
        metavar="GOOD_RUN",
    ),
    Option(
        "notify",
        ("--notify",),
        "When a failure is found, send a short, redacted message: to a webhook, a chat, a mail address; or desktop.",
        metavar="URL",
    ),
    Option("rules", ("--rules",), "Add the rules in DIR to the built-in ones.", metavar="DIR"),
    Option("corpus", ("--corpus",), "Add the signatures in DIR to the built-in ones.", metavar="DIR"),
)


# What `logsense run` takes besides most of these.
RUN_OPTIONS = (
    *(option for option in OPTIONS if option.name not in ("pager", "exit_code", "newest", "against")),
    Option(
        "run_exit_code",
        ("--exit-code",),
        "With =verdict, a failed run ends with 1, 75 (a new try may help) or 76 (on another node).",
        switch=True,
        choices=("verdict",),
    ),
    Option("always", ("--always",), "Explain the run also where it ended well.", switch=True),
    Option("unrecorded", ("--no-record",), "Keep nothing on disk.", switch=True),
    Option(
        "stall_after",
        ("--stall-after",),
        "Say what the job does when it prints nothing for so long; by default its own rhythm decides. 0 says nothing.",
        metavar="TIME",
    ),
)

SURVEY_FORMATS = ("text", "json", "csv", "parquet", "html")
ENGINES = ("local", "ray")
SURVEY_OPTIONS = (
    Option("format", ("--format", "-f"), "How to write the answer.", choices=SURVEY_FORMATS),
    Option("database", ("--database",), "Keep what was read in FILE, not in the user's state folder.", metavar="FILE"),
    Option("sql", ("--sql",), "Ask what was kept instead, read-only; the table is called jobs.", metavar="SELECT"),
    Option("jobs", ("--jobs", "-j"), "Read with N processes; by default one for each core.", metavar="N"),
    Option("engine", ("--engine",), "Read on this machine, or on a Ray cluster (RAY_ADDRESS).", choices=ENGINES),
)


class Settings(NamedTuple):
    """What the user asked for, from the command line, or else from settings files, or else by default.

    Only settings files name the `trusted` folders of knowledge.
    """

    inputs: tuple[str, ...] = ()
    format: str = "text"
    output: str | None = None
    color: str = "auto"
    pager: str = "auto"
    quiet: bool = False
    verbose: bool = False
    exit_code: bool | str = False
    live: bool = False
    redact: bool = False
    newest: bool = False
    against: str | None = None
    notify: str | None = None
    rules: str | None = None
    corpus: str | None = None
    trusted: tuple[Folder, ...] = ()


def _format(*choices: str) -> Option:
    return Option("format", ("--format", "-f"), "How to write the answer.", choices=choices)


PLAIN_FORMAT, CHECKUP_FORMAT = _format("text", "json"), _format("text", "json", "markdown")
PAGE_FORMAT, REPORT_FORMAT = _format("text", "json", "markdown", "html"), _format("markdown", "html", "prompt")
KEEP = Option("keep", ("--keep",), "Throw away all but the N newest.", metavar="N")
MAX_SIZE = Option("max_size", ("--max-size",), "Throw the oldest away until they take at most SIZE.", metavar="SIZE")
DELETE = Option("delete", ("--delete",), "Throw this one away.", metavar="RUN")
PYTHON = Option("python", ("--python",), "Check this Python; by default the one on the PATH.", metavar="PYTHON")
QUICK = Option("quick", ("--quick",), "Try nothing out on the GPUs.", switch=True)
BEFORE = Option(
    "before", ("--before",), "As the last option, before -- CMD: check what CMD needs, then run it.", switch=True
)
KEEP_ON = Option("keep_on", ("--keep-on",), "Go on after a failure or a good end, until Ctrl-C.", switch=True)
FOLDER = Option("output", ("--output", "-o"), "Write the files below DIR.", metavar="DIR")
REMOVE = Option("remove", ("--remove",), "Trust the project in DIR no longer.", metavar="DIR")
ROOT = Option("root", ("--root",), "Let agents read only logs and runs beneath DIR.", metavar="DIR")
STRICT = Option("strict", ("--strict",), "End with status 1 also for problems in folders of your own.", switch=True)
