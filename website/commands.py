"""Writes a page for every command, from the tables that define the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logsense.cli.commands import COMMANDS, Command
from logsense.cli.options import Option
from logsense.render.markdown import prose


class Additions(NamedTuple):
    """The additions to a page: example command lines with what each does, and a related page."""

    examples: tuple[tuple[str, str], ...]
    guide: str = ""


ADDITIONS = {
    "explain": Additions(
        (
            ("a log, a packed log, a notebook", "logsense train.log"),
            ("a folder with the logs of all ranks", "logsense logs/"),
            ("the text itself", 'logsense "CUDA error: an illegal memory access was encountered"'),
            ("a paste, up to Ctrl-D", "logsense explain"),
            ("a running job; every byte passes through", "python train.py 2>&1 | logsense"),
            ("the newest log", "logsense --newest"),
            ("what a good run did not print", "logsense bad.log --against good.log"),
            ("for an issue, without secrets and names", "logsense --redact --format markdown train.log"),
        ),
        "explaining.md",
    ),
    "run": Additions(
        (
            ("record the job and the machine, explain a failure", "logsense run -- python train.py"),
            ("several ranks", "logsense run -- torchrun --nproc-per-node 8 train.py"),
            ("tell a script whether to start again", "logsense run --exit-code=verdict -- ./train.sh"),
            ("notify you if it fails", "logsense run --notify desktop -- python train.py"),
        ),
        "running.md",
    ),
    "watch": Additions(
        (
            ("until it fails, ends or stalls", "logsense watch train.log"),
            ("all ranks of a job", "logsense watch logs/rank_*.log"),
            ("go on after a failure", "logsense watch --keep-on train.log"),
        ),
        "running.md",
    ),
    "last": Additions(
        (("the newest recorded run", "logsense last"), ("an earlier one", "logsense last 3")), "running.md"
    ),
    "report": Additions(
        (
            ("on the last run", "logsense report"),
            ("with the state of this machine", "logsense report --live --output report.md train.log"),
        ),
        "sharing.md",
    ),
    "runs": Additions(
        (("all recorded runs", "logsense runs"), ("delete old ones", "logsense runs --keep 10")), "running.md"
    ),
    "doctor": Additions(
        (
            ("this machine", "logsense doctor"),
            ("the environment of a job", "logsense doctor --python .venv/bin/python"),
            ("a check before the start", "logsense doctor --before -- python train.py"),
        ),
        "doctor.md",
    ),
    "survey": Additions(
        (
            ("a row for each job", "logsense survey /logs"),
            ("a page with charts", "logsense survey /logs --format html --output year.html"),
            (
                "query the cached results",
                'logsense survey --sql "SELECT cause, count(*) AS n FROM jobs GROUP BY cause"',
            ),
        ),
        "survey.md",
    ),
    "gpus": Additions((("who holds the GPUs, and what is wrong", "logsense gpus"),), "running.md"),
    "causes": Additions(
        (
            ("all of them", "logsense causes"),
            ("those with a word", "logsense causes memory"),
            ("one to read", "logsense causes gpu-memory.fragmentation"),
        ),
        "causes/index.md",
    ),
    "signatures": Additions(
        (
            ("those with a word", "logsense signatures nccl"),
            ("one to read", "logsense signatures pytorch.cuda-out-of-memory"),
        ),
        "messages/index.md",
    ),
    "mcp": Additions((("serve logs below one folder only", "logsense mcp --root /scratch/runs"),), "agents.md"),
    "trust": Additions(
        (
            ("use the current rules of the project in this folder", "logsense trust ."),
            ("list what is trusted", "logsense trust"),
            ("stop trusting it", "logsense trust --remove ."),
        ),
        "explaining.md",
    ),
    "completion": Additions((("now, in bash", "source <(logsense completion bash)"),), "shell.md"),
    "rules lint": Additions(
        (
            ("the built-in knowledge", "logsense rules lint"),
            ("your team's own", "logsense rules lint --strict --rules rules --corpus corpus"),
        ),
        "writing-rules.md",
    ),
    "rules test": Additions(
        (("what one message promises", "logsense rules test corpus/pytorch/cuda-out-of-memory.yaml"),),
        "writing-rules.md",
    ),
    "rules new": Additions(
        (("start from a line of a log", 'logsense rules new "RuntimeError: Expected 3 frobs, got 2"'),),
        "contributing.md",
    ),
    "rules pages": Additions((("into a folder", "logsense rules pages --output pages"),), "writing-rules.md"),
    "rules schema": Additions((("for an editor", "logsense rules schema > logsense.schema.json"),), "writing-rules.md"),
}


def page_name(command: Command) -> str:
    """Return the file name of a command's page in commands/."""
    return f"{command.path.replace(' ', '-')}.md"


def write(folder: Path) -> None:
    """Write the pages and their index into `folder`/commands."""
    (folder / "commands").mkdir(parents=True, exist_ok=True)
    rows = []
    for command in COMMANDS:
        (folder / "commands" / page_name(command)).write_text(page(command), "utf-8")
        rows.append(f"| [`logsense {command.path}`]({page_name(command)}) | {prose(command.summary)} |")
    index = ["# Commands", "`logsense INPUT` is short for `logsense explain INPUT`.", "| command | does |\n|---|---|"]
    (folder / "commands" / "index.md").write_text("\n\n".join(index) + "\n" + "\n".join(rows) + "\n", "utf-8")


def page(command: Command) -> str:
    """Return the Markdown page of a command."""
    return "\n\n".join(_blocks(command)) + "\n"


def _blocks(command: Command) -> Iterator[str]:
    shown = ADDITIONS.get(command.path, Additions(()))
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
