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
    """A command-line option: its attribute `name`, its flags, and its value.

    The value is a switch, one of `choices`, or any text. A switch with `choices` also accepts `--flag=CHOICE`; without
    a choice it is True.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    switch: bool = False
    choices: tuple[str, ...] = ()
    metavar: str = ""

    @property
    def meaning(self) -> str:
        """Return the help text as a sentence, with the choices of a value."""
        if self.switch or not self.choices:
            return self.help
        return f"{self.help}: {', '.join(self.choices[:-1])} or {self.choices[-1]}."


def format_option(*choices: str) -> Option:
    """Return the option --format with these choices."""
    return Option("format", ("--format", "-f"), "Output format", choices=choices, metavar="FORMAT")


_READERS = "Output format (github is for Actions, prompt for a language model)"
OPTIONS = (
    format_option(*FORMATS)._replace(help=_READERS),
    Option("output", ("--output", "-o"), "Write the report to FILE.", metavar="FILE"),
    Option("color", ("--color",), "Color the output", choices=COLORS, metavar="WHEN"),
    Option("pager", ("--pager",), "Page long output", choices=PAGERS, metavar="WHEN"),
    Option("quiet", ("--quiet", "-q"), "Print nothing unless a failure is found.", switch=True),
    Option("verbose", ("--verbose", "-v"), "Show all evidence, fixes, other causes and facts.", switch=True),
    Option(
        "exit_code",
        ("--exit-code",),
        "Exit with 1 if a failure is found; as a verdict 1 means fix first, 75 retry, 76 retry on another node.",
        switch=True,
        choices=("failure", "verdict"),
    ),
    Option("live", ("--live",), "Also check this machine, if the run has just ended on it.", switch=True),
    Option("redact", ("--redact",), "Hide secrets, user names, hosts and addresses.", switch=True),
    Option("newest", ("--newest",), "Explain the newest log, here or in the folder given.", switch=True),
    Option("against", ("--against",), "Show what is new compared with a good run's log.", metavar="GOOD_RUN"),
    Option(
        "notify",
        ("--notify",),
        "Send a redacted message on failure: a webhook, chat or mail URL, or desktop.",
        metavar="URL",
    ),
    Option("rules", ("--rules",), "Add the rules in DIR to the built-in ones (see logsense rules).", metavar="DIR"),
    Option("corpus", ("--corpus",), "Add the signatures in DIR (see logsense signatures).", metavar="DIR"),
)
# The options of `logsense run`, in addition to most of the above.
RUN_OPTIONS = (
    *(option for option in OPTIONS if option.name not in ("pager", "exit_code", "newest", "against")),
    Option(
        "run_exit_code",
        ("--exit-code",),
        "Exit with 1 (fix first), 75 (retry) or 76 (retry on another node) if it fails.",
        switch=True,
        choices=("verdict",),
    ),
    Option("always", ("--always",), "Explain the run even if it succeeds.", switch=True),
    Option("unrecorded", ("--no-record",), "Keep nothing on disk.", switch=True),
    Option(
        "stall_after",
        ("--stall-after",),
        "Report on the job after this much silence (default: adaptive; 0 turns it off).",
        metavar="TIME",
    ),
)

SURVEY_FORMATS = ("text", "json", "csv", "parquet", "html")
ENGINES = ("local", "ray")
SURVEY_OPTIONS = (
    format_option(*SURVEY_FORMATS),
    Option("database", ("--database",), "Keep the results in FILE, not in the state folder.", metavar="FILE"),
    Option("sql", ("--sql",), "Query the kept results (table: jobs) instead; read-only.", metavar="SELECT"),
    Option("jobs", ("--jobs", "-j"), "Use N processes (default: one per core).", metavar="N"),
    Option("engine", ("--engine",), "Where to read the logs", choices=ENGINES, metavar="ENGINE"),
)


class Settings(NamedTuple):
    """The settings of a call: from the command line, else from settings files, else the defaults.

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
