"""Report what a silent job is doing, without touching it."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection

from logsense.cli.explain import catalog_of
from logsense.cli.options import Settings
from logsense.cli.output import is_terminal, look_of
from logsense.machine.gpu.read import read_gpus
from logsense.machine.host.processes import describe_processes, tree
from logsense.machine.now import read_machine
from logsense.model.live import Live, LiveFact
from logsense.model.machine import ProcessState
from logsense.model.values import show_seconds
from logsense.pipeline import explain
from logsense.recorder.output import recorded_source
from logsense.recorder.runs import load_run
from logsense.render.clean import one_line
from logsense.render.formats import render
from logsense.render.layout import Look, Sheet

MOST_PROCESSES, MOST_FRAMES = 6, 3


def look_at_stall(pids: Collection[int], silent_s: float) -> tuple[Live, tuple[ProcessState, ...]]:
    """Return the state of the machine and of the processes `pids` of a job that has been silent for `silent_s`."""
    processes = describe_processes(pids)
    live = read_machine(pids)
    facts = dict(live.facts)
    facts["job.stalled_for"] = LiveFact(silent_s, "its output")
    if processes:
        waiting = sum("device" in one.state for one in processes)
        facts["job.waiting_for_device"] = LiveFact(waiting, "its processes, now")
        facts["job.cores_busy"] = LiveFact(sum(one.cpu_share or 0.0 for one in processes), "its processes, now")
    _, gpus = read_gpus(pids, 3.0)
    ours = [gpu for gpu in gpus if any(one.owner == "ours" for one in gpu.processes or ())] or list(gpus)
    use = [gpu.utilisation for gpu in ours if gpu.utilisation is not None]
    if use:
        facts["gpu.least_use"] = LiveFact(min(use), "NVML, now")
        facts["gpu.most_use"] = LiveFact(max(use), "NVML, now")
    return live._replace(facts=facts), processes


def stall_text(
    silent_s: float, usual_s: float | None, live: Live, processes: tuple[ProcessState, ...], look: Look
) -> str:
    """Return the report: how long the job has been silent, and what its processes and GPUs do."""
    sheet = Sheet(look)
    usual = f"; output usually comes every {show_seconds(usual_s)}" if usual_s else ""
    sheet.prose([(f"No output for {show_seconds(silent_s)}{usual}", "bold")], first=("! ", "risk"))
    use = live.facts.get("gpu.most_use")
    if use is not None and isinstance(use.value, float):
        least = live.facts["gpu.least_use"].value
        assert isinstance(least, float)
        share = f"{use.value:.0%}" if use.value - least < 0.05 else f"between {least:.0%} and {use.value:.0%}"
        sheet.prose([(f"The job's GPUs are in use {share} of the time", "")], indent=2)
    for one in processes[:MOST_PROCESSES]:
        busy = f", {one.cpu_share:.0%} of a core" if one.cpu_share is not None else ""
        waits = f", in {one.waits_in}" if one.waits_in else ""
        line = f"{one_line(one.name)}, {one.state}{busy}{waits}"
        sheet.prose([(line, "")], first=(f"{one.pid} ", "bold"), indent=2)
        for frame in one.stack[:MOST_FRAMES]:
            sheet.prose([(one_line(frame), "dim")], indent=6)
    if len(processes) > MOST_PROCESSES:
        sheet.prose([(f"and {len(processes) - MOST_PROCESSES} more processes", "dim")], indent=2)
    return sheet.text()


def main(arguments: list[str]) -> None:
    """Print the report for `logsense run`, in a process of its own.

    `arguments` are the run's folder, the PID, the silence and the usual interval (or 0), both in seconds.
    """
    path, pid, silent_s, usual_s = arguments[0], int(arguments[1]), float(arguments[2]), float(arguments[3])
    live, processes = look_at_stall(tree(pid), silent_s)
    settings = Settings()
    appearance = look_of(sys.stderr, settings)
    text = "\n" + stall_text(silent_s, usual_s or None, live, processes, appearance)
    run = load_run(*os.path.split(path), whole=False)
    if run:
        report = explain([recorded_source(run.output)], catalog_of(settings), look=lambda: live)
        if report.diagnoses:
            text += "\n" + render(report, "text", appearance)
    # The job may have set its terminal to raw mode, which does not add a carriage return to a line feed.
    sys.stderr.write(text.replace("\n", "\r\n") if is_terminal(sys.stderr) else text)
    sys.stderr.flush()
