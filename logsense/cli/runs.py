"""`logsense last` and `logsense runs`: explains and lists the runs that were recorded."""

from __future__ import annotations

import sys

from logsense.cli.command_settings import settings_of
from logsense.cli.conclude import conclude
from logsense.cli.explain import catalog_of
from logsense.cli.output import look_of, note, write
from logsense.model.values import show_bytes, show_seconds, to_bytes, to_count
from logsense.pipeline import explain
from logsense.recorder import runs as kept_runs
from logsense.recorder.folder import state_folder
from logsense.recorder.history import live_of
from logsense.recorder.recorded import recorded_source
from logsense.util.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from logsense.cli.options import Settings
    from logsense.model.run import RecordedRun

MOST_RANKS = 8


def last(given: dict[str, object]) -> int:
    """Explains the newest recorded run, or the one that is named; gives the exit status."""
    from logsense.cli.settings import stored_settings_without_notify

    root = _root()
    wanted = str(given.pop("run", None) or "1")
    settings = settings_of(given, stored_settings_without_notify())
    name = kept_runs.find_run(root, wanted)
    if name is None:
        names = kept_runs.run_names(root)
        if not names:
            raise InputError("no run was recorded yet; logsense run -- CMD records one")
        raise InputError(f"no recorded run is called {wanted}, or several are (see logsense runs)")
    found = kept_runs.load_run(root, name)
    if found is None:
        raise InputError(f"the run {name} can't be read")
    if found.rank:
        first = _note_ranks(found, root, settings)
        if first and wanted == "1":  # the newest was meant; which rank that is depends on chance
            found = kept_runs.load_run(root, first.name) or found
    if found.running:
        note("this run still goes on", settings)
    elif found.rebooted:
        note("the end of this run was not seen: the machine was started anew", settings)
    elif found.ended is None and not found.closed:
        note("the end of this run was not seen: it was killed together with the recorder", settings)
    details_command = "logsense last -v" if wanted == "1" else f"logsense last {wanted} -v"
    return explain_run(found, settings, sys.stdout, details_command)


def _note_ranks(found: RecordedRun, root: str, settings: Settings) -> RecordedRun | None:
    """Says where the ranks of the job of `found` are; gives the one that failed first."""
    from logsense.recorder.ranks import first_failed, runs_of_job

    known = [kept_runs.load_run(root, one, whole=False) for one in kept_runs.run_names(root)]
    ranks = runs_of_job(found, [one for one in known if one])
    first = first_failed(ranks)
    shown = first or found
    count = found.rank.ranks if found.rank else 0
    says = [
        f"rank {one.rank.number}: {how_it_ended(one)}"
        + ("" if one.name == shown.name else f", logsense last {one.name}")
        for one in sorted(ranks, key=lambda one: one.rank.number if one.rank else 0)[:MOST_RANKS]
        if one.rank
    ]
    if len(ranks) > MOST_RANKS:
        says.append("more in logsense runs")
    if count > len(ranks):
        says.append(f"{count - len(ranks)} of {count} ranks left no run in {root}: see their own logs")
    note("; ".join(says), settings)
    return first


def explain_run(found: RecordedRun, settings: Settings, stream: TextIO, details_command: str) -> int:
    """Explains a recorded run on `stream`, `details_command` shows all of it; gives the exit status."""
    source = recorded_source(found.output, "output")
    report = explain([source], catalog_of(settings), ended=found.ended, look=lambda: live_of(found))
    return conclude(report, settings, stream, details_command=details_command)


def runs(given: dict[str, object]) -> int:
    """Lists the recorded runs, or throws some away; gives the exit status."""
    root = _root()
    keep, most, name = given.pop("keep", None), given.pop("max_size", None), given.pop("delete", None)
    settings = settings_of(given)
    if name is not None:
        found = kept_runs.find_run(root, str(name))
        if found is None:
            raise InputError(f"no recorded run is called {name} (see logsense runs)")
        kept_runs.delete_run(root, found)
        note(f"deleted {found}", settings)
        return 0
    if keep is not None or most is not None:
        size = to_bytes(str(most)) if most is not None else kept_runs.KEPT_BYTES
        number = kept_runs.KEPT_RUNS if keep is None else to_count(str(keep))
        if size is None or number is None:
            raise InputError("--keep takes a number of runs, --max-size a size such as 500 MiB")
        gone = kept_runs.prune(root, number, size)
        note(f"deleted {len(gone)} run{'' if len(gone) == 1 else 's'}", settings)
        return 0
    found_runs = [kept_runs.load_run(root, one, whole=False) for one in kept_runs.run_names(root)]
    known = [one for one in found_runs if one]
    text = _json(known) if settings.format == "json" else _table(known, settings)
    write(text, sys.stdout, settings)
    return 0


def how_it_ended(run: RecordedRun) -> str:
    """The end of a run in a few words."""
    if run.ended is None:
        known = (("pipe ended", run.closed), ("runs", run.running), ("machine restarted", run.rebooted))
        return next((words for words, holds in known if holds), "killed with us")
    if run.ended.signal:
        return f"signal {run.ended.signal}"
    return "well" if run.ended.status == 0 else f"status {run.ended.status}"


def _root() -> str:
    root = state_folder()
    if root is None:
        raise InputError("there is no home folder that runs could be kept in (set XDG_STATE_HOME)")
    return root


def _table(found: list[RecordedRun], settings: Settings) -> str:
    from time import localtime, strftime

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    if not found:
        return "No run was recorded yet; logsense run -- CMD records one.\n"
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title, style, side in (
        ("", "dim", "right"), ("began", "", "left"), ("ended", "", "left"), ("after", "", "right"),
        ("kept", "dim", "right"), ("command", "", "left"),
    ):  # fmt: skip
        table.add_column(title, style=style, justify=side, no_wrap=title != "command", overflow="ellipsis")  # type: ignore[arg-type]
    for number, run in enumerate(found, 1):
        ended = how_it_ended(run)
        table.add_row(
            str(number),
            strftime("%Y-%m-%d %H:%M", localtime(run.at_s)),
            Text(ended, "" if ended in ("well", "runs", "pipe ended") else "red"),
            show_seconds(run.after_s) if run.after_s is not None else "",
            show_bytes(run.size_bytes),
            Text(_one_line(" ".join(run.command)), no_wrap=True, overflow="ellipsis"),
        )
    look = look_of(sys.stdout, settings)
    console = Console(width=look.width, no_color=not look.color, force_terminal=look.color, highlight=False)
    with console.capture() as captured:
        console.print(table)
    text = "\n".join(line.rstrip() for line in captured.get().splitlines() if line.strip())
    return f"{text}\n"


def _json(found: list[RecordedRun]) -> str:
    import json

    listed = [
        {
            "name": run.name,
            "path": run.path,
            "command": list(run.command),
            "folder": run.folder,
            "host": run.host,
            "began": run.at_s,
            "after_s": run.after_s,
            "status": run.ended.status if run.ended else None,
            "signal": run.ended.signal if run.ended else None,
            "running": run.running,
            "size_bytes": run.size_bytes,
        }
        for run in found
    ]
    return json.dumps({"schema": "logsense.runs/1", "runs": listed}, indent=1) + "\n"


def _one_line(text: str) -> str:
    from logsense.render.clean import one_line

    return one_line(text)
