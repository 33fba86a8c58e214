"""Write docs/logsense.1, the man page, from the program's own tables of commands and options.

python scripts/man_page.py             write it
python scripts/man_page.py --check     exit with status 1 if it is out of date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from logsense.cli.commands import COMMANDS, Command
from logsense.cli.options import Option

PAGE = Path(__file__).parents[1] / "docs" / "logsense.1"
DESCRIPTION = (
    "reads the log of a failed machine-learning training run and says why it failed: the root cause, the lines that "
    "prove it, and what to do. It needs no GPU and no network, and sends nothing anywhere."
)
STATUSES = (
    ("0", "The work was done; with --exit-code: and no failure was found."),
    ("1", "With --exit-code: a failure was found. With --exit-code=verdict: fix it before you run it again."),
    ("2", "Wrong use, or an input that can't be read."),
    ("75", "With --exit-code=verdict: run it again."),
    ("76", "With --exit-code=verdict: run it again on another machine."),
    ("126, 127", "logsense run: the command can't be run, or found. Else run ends with the command's own status."),
)
VARIABLES = (
    ("NO_COLOR, FORCE_COLOR", "No colors, or colors even without a terminal."),
    ("FORCE_HYPERLINK", "1: links in any terminal; 0: none."),
    ("LOGSENSE_PAGER, PAGER", "The pager for long output (default: less); empty or cat: none."),
    ("COLUMNS", "The width of the output in columns."),
    ("XDG_CONFIG_HOME", "The folder of logsense/config.toml (default: ~/.config)."),
    ("XDG_STATE_HOME", "The folder for recorded runs (default: ~/.local/state)."),
    ("XDG_CACHE_HOME", "The folder for the compiled catalog (default: ~/.cache)."),
    (
        "LOGSENSE_ROOT",
        "The folder that has /proc, /sys and /dev, for a container with those of its host (default: /).",
    ),
    ("GITHUB_STEP_SUMMARY", "The file to which --format github adds a summary."),
    ("LOGSENSE_NOTIFY", "The addresses that run, watch and the pipe notify of a failure, like --notify."),
    ("LOGSENSE_DEBUG", "Show the traceback of an internal error of logsense."),
)
EXAMPLES = (
    ("Explain a log, or what ran last", "logsense train.log\nlogsense --newest\nlogsense last"),
    ("Watch a run", "python train.py 2>&1 | logsense\nlogsense run -- python train.py"),
    ("Run again if that can help", "logsense run --exit-code=verdict -- ./run.sh\n[ $? -lt 75 ] || ./again.sh"),
    ("Ask others for help", "logsense report --live --output report.md"),
)  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    chosen = parser.parse_args(arguments)
    text = page()
    if chosen.check:
        return int(not PAGE.exists() or PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")
    return 0


def page() -> str:
    """Return the man page, in the macros of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield '.\\" Made by scripts/man_page.py; changes here are lost.'
    yield '.TH LOGSENSE 1 "" logsense "User Commands"'
    yield ".SH NAME"
    yield "logsense \\- explain why a training run failed, from its log"
    yield ".SH SYNOPSIS"
    for line in ("[OPTION]... [INPUT]...", "COMMAND [OPTION]... [ARGUMENT]..."):
        yield f".B logsense\n{_text(line)}\n.br"
    yield "CMD 2>&1 |\n.B logsense"
    yield ".SH DESCRIPTION"
    yield f".B logsense\n{_text(DESCRIPTION)}"
    yield ".P"
    yield 'Without a command, INPUT is explained, as by\n.BR "logsense explain" ;\nwithout any INPUT either, standard '
    yield "input is passed through and explained when it ends."
    yield ".SH COMMANDS"
    for command in COMMANDS:
        yield from _command(command)
    yield ".SH EXIT STATUS"
    yield from _listed(STATUSES)
    yield ".SH ENVIRONMENT"
    yield from _listed(VARIABLES)
    yield ".SH FILES"
    yield from _listed(
        (
            ("pyproject.toml", "Looks under [tool.logsense], of this folder or the nearest above it."),
            ("~/.config/logsense/config.toml", "Your own settings; the looks that a project sets win."),
            ("~/.local/state/logsense/runs", "Recorded runs."),
        )
    )
    yield ".SH EXAMPLES"
    for title, lines in EXAMPLES:
        yield f".TP\n{_text(title)}:\n.nf"
        yield _text(lines)
        yield ".fi"


def _command(command: Command) -> Iterator[str]:
    shown = " ".join(["[OPTION]...", *(argument.usage for argument in command.arguments)])
    yield f'.SS "logsense {command.path} {_text(shown)}"'
    yield _text(command.summary)
    for argument in command.arguments:
        yield f".TP\n.I {_text(argument.metavar)}\n{_text(argument.help)}"
    for one in command.options:
        flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in sorted(one.flags, key=len))
        yield f".TP\n{flags}{_value(one)}\n{_text(one.meaning)}"


def _value(option: Option) -> str:
    value = "|".join(option.choices) or option.metavar
    if option.switch:
        return f"[=\\fI{_text(value)}\\fR]" if value else ""
    return f" \\fI{_text(value)}\\fR"


def _listed(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for name, meaning in rows:
        yield f".TP\n.B {_text(name)}\n{_text(meaning)}"


def _text(text: str) -> str:
    """Escape `text` so that troff prints it unchanged."""
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("…", "...").replace("~", "\\(ti")
    )
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))


if __name__ == "__main__":
    sys.exit(main())
