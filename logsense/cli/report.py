"""`logsense report`: write a text or page about a failed run for a bug report."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Mapping
from types import MappingProxyType

from logsense.cli.conclude import selected_job
from logsense.cli.explain import catalog_of, explain_recorded, look_here
from logsense.cli.fallback import is_fed
from logsense.cli.newest import in_words, newest_job
from logsense.cli.options import Settings
from logsense.cli.output import note, write
from logsense.cli.runs import how_it_ended
from logsense.cli.settings import settings_of, stored_settings
from logsense.machine.now import setup_rows
from logsense.model.bundle import Bundle
from logsense.model.knowledge import Catalog
from logsense.model.run import RecordedRun
from logsense.recorder import runs
from logsense.render.bundle import render_bundle, render_prompt
from logsense.share.bundle import bundle_of, redacted_bundle, redacted_values
from logsense.sources.find import resolve
from logsense.sources.reread import readable_again
from logsense.survey.several_jobs import explain_apart
from logsense.util.errors import InputError

MOST_ATTEMPTS, MOST_SEARCHED = 5, 50
PIPE_S = 3.0  # how long to wait for input from a pipe if no log is named


def run(options: dict[str, object]) -> int:
    """Write the bundle for the inputs in `options`, or for the last run; return the exit status."""
    inputs = tuple(str(one) for one in options.pop("inputs", ()))  # type: ignore[attr-defined]
    if not inputs and is_fed(PIPE_S):
        inputs = ("-",)
    settings = settings_of({"format": "markdown", **options}, stored_settings())
    catalog = catalog_of(settings)
    found = None if inputs else runs.selected_run("1")
    newest = None if inputs else newest_job()
    if found and newest and newest.at_s > found.at_s + (found.after_s or 0) + 1:
        found = None
    if found:
        command = redacted_values((shlex.join(found.command),), catalog)[0]
        note(f"reporting on the last recorded run, {command} ({_when(found.at_s)})", settings)
        bundle = bundle_of_run(found, catalog, _setup(settings))
    elif inputs or newest:
        if newest and not inputs:
            note(f"reporting on {in_words(newest)} ({_when(newest.at_s)})", settings)
        bundle = _of_logs(inputs or (newest.logs if newest else ()), catalog, settings)
    else:
        raise InputError("there is no recorded run and no log in this folder; name the log to report on")
    bundle = redacted_bundle(bundle, catalog)
    text = render_prompt(bundle) if settings.format == "prompt" else render_bundle(bundle, settings.format)
    write(text, sys.stdout, settings)
    if settings.output:
        note(f"wrote {settings.output}; review it before you publish it", settings)
    return 0


def _of_logs(inputs: tuple[str, ...], catalog: Catalog, settings: Settings) -> Bundle:
    sources = readable_again(resolve(inputs, stdin=sys.stdin, on_problem=lambda error: note(str(error), settings)))
    jobs = explain_apart(sources, catalog, look=look_here if settings.live else None)
    job = selected_job(jobs, settings)
    return bundle_of(job.report, job.sources, setup=_setup(settings))


def bundle_of_run(found: RecordedRun, catalog: Catalog, setup: Mapping[str, str] = MappingProxyType({})) -> Bundle:
    """Return the bundle of a recorded run, not redacted. `setup` are rows about the machine."""
    source, report = explain_recorded(found, catalog)
    job = {"command": shlex.join(found.command), "folder": found.folder, "hostname": found.host}
    job |= {"began": _when(found.at_s), "ended": how_it_ended(found)}
    for number, one in enumerate(_earlier_attempts(found), 1):
        job[f"earlier attempt {number}"] = f"{shlex.join(one.command)} ({_when(one.at_s)}, {how_it_ended(one)})"
    return bundle_of(report, [source], job=job, setup=setup)


def _earlier_attempts(found: RecordedRun) -> list[RecordedRun]:
    """Return the last runs before `found` that were recorded in the same folder, newest first."""
    root = os.path.dirname(found.path)
    names = runs.run_names(root)
    older = names[names.index(found.name) + 1 :] if found.name in names else []
    loaded = (runs.load_run(root, name, whole=False) for name in older[:MOST_SEARCHED])
    return [one for one in loaded if one and one.folder == found.folder][:MOST_ATTEMPTS]


def _setup(settings: Settings) -> dict[str, str]:
    return setup_rows() if settings.live else {}


def _when(at_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at_s))
