"""`logsense last` and `logsense runs`: explain and list recorded runs."""

from __future__ import annotations

import json
import sys
from time import localtime, strftime
from typing import TextIO

from rich.text import Text

from logsense.cli.conclude import conclude
from logsense.cli.explain import catalog_of, explain_recorded
from logsense.cli.options import Settings
from logsense.cli.output import look_of, note, write
from logsense.cli.settings import settings_of, stored_settings_without_notify
from logsense.model.run import RecordedRun
from logsense.model.values import show_bytes, show_seconds, to_bytes, to_count
from logsense.recorder import runs as kept_runs
from logsense.recorder.folder import state_folder
from logsense.recorder.runs import first_failed, runs_of_job
from logsense.render.clean import one_line
from logsense.render.console import printed, table_of
from logsense.util.errors import InputError

MOST_RANKS = 8
RUNNING, PIPE_CLOSED = "running", "pipe closed"


def last(options: dict[str, object]) -> int:
    """Explain the newest recorded run, or the one in `options`; return the exit status."""
    root = _root()
    wanted = str(options.pop("run", None) or "1")
    settings = settings_of(options, stored_settings_without_notify())
    name = kept_runs.find_run(root, wanted)
    if name is None:
        names = kept_runs.run_names(root)
        if not names:
            raise InputError("no run is recorded yet; logsense run -- CMD records one")
        raise InputError(f"no single run matches {wanted!r} (see logsense runs)")
    found = kept_runs.load_run(root, name)
    if found is None:
        raise InputError(f"the run {name} can't be read")
    if found.rank:
        first = _note_ranks(found, root, settings)
        if first and wanted == "1":  # which rank of the newest job is the newest run depends on chance
            found = kept_runs.load_run(root, first.name) or found
    if found.running:
        note("this run is still running", settings)
    elif found.rebooted:
        note("the end of this run is unknown: the machine rebooted", settings)
    elif found.ended is None and not found.closed:
        note("the end of this run is unknown: it was killed together with the recorder", settings)
    details_command = "logsense last -v" if wanted == "1" else f"logsense last {wanted} -v"
    return explain_run(found, settings, sys.stdout, details_command)


def _note_ranks(found: RecordedRun, root: str, settings: Settings) -> RecordedRun | None:
    """Print a note on the ranks of the job of `found`; return the run of the rank that failed first."""
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
    """Explain a recorded run on `stream`; return the exit status. `details_command` shows the whole report."""
    _, report = explain_recorded(found, catalog_of(settings))
    return conclude(report, settings, stream, details_command=details_command)


def runs(options: dict[str, object]) -> int:
    """List the recorded runs, or delete some; return the exit status."""
    root = _root()
    keep, max_size, name = options.pop("keep", None), options.pop("max_size", None), options.pop("delete", None)
    settings = settings_of(options)
    if name is not None:
        found = kept_runs.find_run(root, str(name))
        if found is None:
            raise InputError(f"no single run matches {str(name)!r} (see logsense runs)")
        kept_runs.delete_run(root, found)
        note(f"deleted {found}", settings)
        return 0
    if keep is not None or max_size is not None:
        size = to_bytes(str(max_size)) if max_size is not None else kept_runs.KEPT_BYTES
        number = kept_runs.KEPT_RUNS if keep is None else to_count(str(keep))
        if size is None or number is None:
            raise InputError("--keep takes a number of runs, --max-size a size such as 500 MiB")
        deleted = kept_runs.prune(root, number, size)
        kept = (
            "; the newest stays (logsense runs --delete 1 deletes it)"
            if not number and kept_runs.run_names(root)
            else ""
        )
        note(f"deleted {len(deleted)} run{'' if len(deleted) == 1 else 's'}{kept}", settings)
        return 0
    found_runs = [kept_runs.load_run(root, one, whole=False) for one in kept_runs.run_names(root)]
    known = [one for one in found_runs if one]
    text = _json(known) if settings.format == "json" else _table(known, settings)
    write(text, sys.stdout, settings)
    return 0


def how_it_ended(run: RecordedRun) -> str:
    """Return how a run ended, in a few words."""
    if run.ended is None:
        known = ((PIPE_CLOSED, run.closed), (RUNNING, run.running), ("machine rebooted", run.rebooted))
        return next((words for words, holds in known if holds), "killed with the recorder")
    if run.ended.signal:
        return f"signal {run.ended.signal}"
    return f"status {run.ended.status}"


def _root() -> str:
    root = state_folder()
    if root is None:
        raise InputError("there is no home folder to store runs in (set XDG_STATE_HOME)")
    return root


def _table(found: list[RecordedRun], settings: Settings) -> str:
    if not found:
        return "No run is recorded yet; logsense run -- CMD records one.\n"
    columns = (
        ("", "dim", "right"), ("began", "", "left"), ("ended", "", "left"), ("after", "", "right"),
        ("size", "dim", "right"), ("command", "", "left"),
    )  # fmt: skip
    table = table_of(columns, [_row(number, run) for number, run in enumerate(found, 1)], wrapped=("command",))
    return printed(look_of(sys.stdout, settings), table)


def _row(number: int, run: RecordedRun) -> list[str | Text]:
    ended = how_it_ended(run)
    return [
        str(number),
        strftime("%Y-%m-%d %H:%M", localtime(run.at_s)),
        Text(ended, "" if ended in ("status 0", RUNNING, PIPE_CLOSED) else "red"),
        show_seconds(run.after_s) if run.after_s is not None else "",
        show_bytes(run.size_bytes),
        Text(one_line(" ".join(run.command)), no_wrap=True, overflow="ellipsis"),
    ]


def _json(found: list[RecordedRun]) -> str:
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
