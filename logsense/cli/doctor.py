"""`logsense doctor`: check this machine from the driver up; show what is wrong and how to fix it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from shutil import which

from logsense.advise.by_cause import advise
from logsense.cli.conclude import STATUS_FAILURE_FOUND
from logsense.cli.explain import catalog_of
from logsense.cli.options import Settings
from logsense.cli.output import is_terminal, look_of, note, write
from logsense.cli.settings import settings_of
from logsense.machine.doctor.check import check
from logsense.model.checkup import Checkup, Step
from logsense.model.knowledge import Catalog
from logsense.pipeline import explain_text
from logsense.render.checkup import render_checkup
from logsense.share.bundle import redacted_values
from logsense.util.errors import InputError

LEAST_CONFIDENCE = 0.5  # of a diagnosis to show


def run(options: dict[str, object]) -> int:
    """Check this machine and return the exit status.

    With `before`, the words of a command, check it for that command, which then replaces this process if all is well.
    """
    quick, python = bool(options.pop("quick", False)), options.pop("python", None)
    is_before, command = "before" in options, [str(word) for word in options.pop("before", ())]  # type: ignore[attr-defined]
    settings = settings_of(options)
    if is_before and not command:
        raise InputError("name the command to run: logsense doctor --before -- python train.py")
    if python and not which(str(python)):
        raise InputError(f"--python takes a Python interpreter; {python} can't be run")
    checkup = examine(command or ([str(python)] if python else []), settings, quick=quick)
    if command and checkup.good:
        _become(command, settings)
    shown = redacted_values(checkup, catalog_of(settings)) if settings.redact else checkup
    stream = sys.stderr if command else sys.stdout
    write(render_checkup(shown, settings.format, look_of(stream, settings)), stream, settings)
    return STATUS_FAILURE_FOUND if not checkup.good and (command or settings.exit_code) else 0


def _become(command: list[str], settings: Settings) -> None:
    note("this machine is ready", settings)
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)  # noqa: S606
    except OSError as error:
        raise InputError(f"can't run {command[0]}: {(error.strerror or '').lower()}") from None


def examine(command: Sequence[str], settings: Settings, *, quick: bool = False) -> Checkup:
    """Return the check-up, with explanations and fixes for failed steps. `quick` skips slow steps."""
    catalog = catalog_of(settings)
    show = is_terminal(sys.stderr) and not settings.quiet

    def on_step(step: Step) -> None:
        if show:
            print(f"\r\x1b[K{step.title} …", end="", file=sys.stderr, flush=True)

    table = catalog.table("variables")
    rows = table.rows if table else ()
    variable_rules = [(str(row["variable"]), str(row["value"]), str(row["says"])) for row in rows]
    checkup = check(command, on_step, quick=quick, variable_rules=variable_rules)
    if show:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return checkup._replace(steps=tuple(_explained(step, checkup, catalog) for step in checkup.steps))


def _explained(step: Step, checkup: Checkup, catalog: Catalog) -> Step:
    """Return a failed step with an explanation and fixes, based on its output, or else on the cause that it names."""
    if step.state not in ("failed", "warned"):
        return step
    diagnosis = None
    if step.log:
        report = explain_text(step.log, catalog, name=step.title, look=lambda: checkup.live)
        first = report.diagnoses[0] if report.diagnoses else None
        diagnosis = first if first and first.confidence >= LEAST_CONFIDENCE and not first.restates else None
    if diagnosis is None and step.cause:
        diagnosis = advise(step.cause, catalog, checkup.live)
    if diagnosis is None:
        return step
    return step._replace(cause=diagnosis.cause, explanation=diagnosis.explanation, fixes=diagnosis.fixes)
