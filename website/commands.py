"""A page for every command, made from the tables that the commands themselves are made from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logsense.cli.commands import COMMANDS, Command
from logsense.cli.options import Option
from logsense.render.markdown import prose


class Shown(NamedTuple):
    """What a page has beside the tables: command lines with what each does, and the page that tells more."""

    examples: tuple[tuple[str, str], ...]
    guide: str = ""


SHOWN = {
    "explain": Shown(
        (
            ("a log, a packed log, a notebook", "logsense train.log"),
            ("a folder with the logs of all ranks", "logsense logs/"),
            ("the text itself", 'logsense "CUDA error: an illegal memory access was encountered"'),
            ("a paste, up to Ctrl-D", "logsense explain"),
            ("what runs now; every byte passes through", "python train.py 2>&1 | logsense"),
            ("the log that was written last", "logsense --newest"),
            ("what a good run did not print", "logsense bad.log --against good.log"),
            ("for an issue, without secrets and names", "logsense --redact --format markdown train.log"),
        ),
        "explaining.md",
    ),
    "run": Shown(
        (
            ("records the job and the machine, explains a failure", "logsense run -- python train.py"),
            ("several ranks", "logsense run -- torchrun --nproc-per-node 8 train.py"),
            ("tells a script whether to start again", "logsense run --exit-code=verdict -- ./train.sh"),
            ("tells you when it fails", "logsense run --notify desktop -- python train.py"),
        ),
        "running.md",
    ),
    "watch": Shown(
        (
            ("until it fails, ends or stalls", "logsense watch train.log"),
            ("all ranks of a job", "logsense watch logs/rank_*.log"),
            ("go on after a failure", "logsense watch --keep-on train.log"),
        ),
        "running.md",
    ),
    "last": Shown((("the newest recorded run", "logsense last"), ("an earlier one", "logsense last 3")), "running.md"),
    "report": Shown(
        (
            ("on what ran last", "logsense report"),
            ("with what this machine runs on", "logsense report --live --output report.md train.log"),
        ),
        "sharing.md",
    ),
    "runs": Shown(
        (("all recorded runs", "logsense runs"), ("throw old ones away", "logsense runs --keep 10")), "running.md"
    ),
    "doctor": Shown(
        (
            ("this machine", "logsense doctor"),
            ("the environment of a job", "logsense doctor --python .venv/bin/python"),
            ("a check before the start", "logsense doctor --before -- python train.py"),
        ),
        "doctor.md",
    ),
    "survey": Shown(
        (
            ("a row for each job", "logsense survey /logs"),
            ("a page with charts", "logsense survey /logs --format html --output year.html"),
            ("ask what was kept", 'logsense survey --sql "SELECT cause, count(*) AS n FROM jobs GROUP BY cause"'),
        ),
        "survey.md",
    ),
    "gpus": Shown((("who holds the GPUs, and what is wrong", "logsense gpus"),), "running.md"),
    "causes": Shown(
        (
            ("all of them", "logsense causes"),
            ("those with a word", "logsense causes memory"),
            ("one to read", "logsense causes gpu-memory.fragmentation"),
        ),
        "causes/index.md",
    ),
    "signatures": Shown(
        (
            ("those with a word", "logsense signatures nccl"),
            ("one to read", "logsense signatures pytorch.cuda-out-of-memory"),
        ),
        "messages/index.md",
    ),
    "mcp": Shown((("serve logs below one folder only", "logsense mcp --root /scratch/runs"),), "agents.md"),
    "trust": Shown(
        (
            ("count the rules of the project in this folder, as they are now", "logsense trust ."),
            ("what is trusted", "logsense trust"),
            ("no longer", "logsense trust --remove ."),
        ),
        "explaining.md",
    ),
    "completion": Shown((("now, in bash", "source <(logsense completion bash)"),), "shell.md"),
    "rules lint": Shown(
        (
            ("the built-in knowledge", "logsense rules lint"),
            ("your team's own", "logsense rules lint --strict --rules rules --corpus corpus"),
        ),
        "writing-rules.md",
    ),
    "rules test": Shown((("the examples of one family", "logsense rules test rules/gpu-memory"),), "writing-rules.md"),
    "rules new": Shown(
        (("begin with a line of a log", 'logsense rules new "RuntimeError: Expected 3 frobs, got 2"'),),
        "contributing.md",
    ),
    "rules pages": Shown((("into a folder", "logsense rules pages --output pages"),), "writing-rules.md"),
    "rules schema": Shown((("for an editor", "logsense rules schema > logsense.schema.json"),), "writing-rules.md"),
}


def page_name(command: Command) -> str:
    """The file of a command's page, below commands/."""
    return f"{command.path.replace(' ', '-')}.md"


def write(folder: Path) -> None:
    """Writes the pages and their index below `folder`/commands."""
    (folder / "commands").mkdir(parents=True, exist_ok=True)
    rows = []
    for command in COMMANDS:
        (folder / "commands" / page_name(command)).write_text(page(command), "utf-8")
        rows.append(f"| [`logsense {command.path}`]({page_name(command)}) | {prose(command.summary)} |")
    index = ["# Commands", "`logsense INPUT` is short for `logsense explain INPUT`.", "| command | does |\n|---|---|"]
    (folder / "commands" / "index.md").write_text("\n\n".join(index) + "\n" + "\n".join(rows) + "\n", "utf-8")


def page(command: Command) -> str:
    """The Markdown page of one command."""
    return "\n\n".join(_blocks(command)) + "\n"


def _blocks(command: Command) -> Iterator[str]:
    shown = SHOWN.get(command.path, Shown(()))
    usage = " ".join(["logsense", command.path, "[OPTION]...", *(one.usage for one in command.arguments)])
    yield f"# logsense {command.path}"
    yield prose(command.summary)
    yield f"```text\n{usage}\n```"
    if shown.examples:
        yield "## Examples"
        yield "```sh\n" + "\n\n".join(f"# {says}\n{line}" for says, line in shown.examples) + "\n```"
    if command.arguments:
        yield "## Arguments"
        rows = (f"| `{one.metavar}` | {_cell(one.help)} |" for one in command.arguments)
        yield "| argument | is |\n|---|---|\n" + "\n".join(rows)
    if command.options:
        yield "## Options"
        rows = (f"| {_flags(option)} | {_cell(option.meaning)} |" for option in command.options)
        yield "| option | does |\n|---|---|\n" + "\n".join(rows)
    if shown.guide:
        yield f"More: [{shown.guide.removesuffix('.md').removesuffix('/index')}](../{shown.guide})."


def _flags(option: Option) -> str:
    value = option.metavar or "|".join(option.choices)
    *others, last = sorted(option.flags, key=len)
    if value:
        last += f"[={value}]" if option.switch else f" {value}"
    return ", ".join(f"`{flag}`" for flag in [*others, last])


def _cell(text: str) -> str:
    return prose(text).replace("|", "\\|")
