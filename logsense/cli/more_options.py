"""The options that only one command has."""

from __future__ import annotations

from logsense.cli.options import Option


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
