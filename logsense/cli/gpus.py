"""`logsense gpus`: show the live state of the GPUs, problems first."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from logsense.cli.output import look_of, write
from logsense.cli.settings import settings_of
from logsense.machine.gpu.read import problems_of, read_gpus
from logsense.model.machine import Driver, Gpu
from logsense.model.values import show_bytes
from logsense.render.clean import one_line
from logsense.render.console import printed

MOST_PROCESSES = 4


def run(options: dict[str, object]) -> int:
    """Print the state of the GPUs; return the exit status."""
    settings = settings_of(options)
    driver, gpus = read_gpus()
    if settings.redact:
        from logsense.cli.explain import catalog_of
        from logsense.share.bundle import redacted_values

        driver, gpus = redacted_values((driver, gpus), catalog_of(settings))
    if settings.format == "json":
        text = as_json(driver, gpus)
    else:
        text = printed(look_of(sys.stdout, settings), *_items(driver, gpus))
    write(text, sys.stdout, settings)
    return 0


def _items(driver: Driver, gpus: tuple[Gpu, ...]) -> Iterator[Text | Table]:
    for gpu in gpus:
        for problem in problems_of(gpu):
            yield Text.assemble(("✗ ", "bold red"), (f"GPU {gpu.number}: ", "bold"), problem)
    if driver.problem:
        yield Text.assemble(("✗ ", "bold red"), ("No GPU can be read: ", "bold"), driver.problem)
        if driver.kernel:
            yield Text(f"  The loaded kernel driver is {driver.kernel}.")
        yield Text("  Run logsense doctor to find out why.", "dim")
    elif not gpus:
        yield Text(f"The driver {driver.version or ''} responds, but there is no GPU.")
    if gpus:
        yield Text(f"Driver {driver.version or '?'}, CUDA up to {driver.cuda or '?'}", "dim")
        yield _table(gpus)


def _table(gpus: tuple[Gpu, ...]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("", "GPU", "memory", "use", "°C", "W"):
        side: Any = "left" if title in ("GPU", "memory") else "right"
        table.add_column(title, justify=side, no_wrap=title != "GPU")
    table.add_column("held by", overflow="fold")
    for gpu in gpus:
        wrong = bool(problems_of(gpu))
        table.add_row(
            Text("" if gpu.parent else str(gpu.number), "bold red" if wrong else "bold"),
            Text(("└ " if gpu.parent else "") + one_line((gpu.name or gpu.uuid or "?").removeprefix("NVIDIA "))),
            _memory(gpu),
            "" if gpu.utilisation is None else f"{gpu.utilisation:.0%}",
            "" if gpu.temperature_celsius is None else str(gpu.temperature_celsius),
            "" if gpu.power_watts is None else f"{gpu.power_watts:.0f}",
            _holders(gpu),
        )
    return table


def _memory(gpu: Gpu) -> Text:
    if gpu.memory_used_bytes is None or not gpu.memory_total_bytes:
        return Text("lost" if gpu.lost else "", "red")
    share = (gpu.memory_used_bytes + (gpu.memory_reserved_bytes or 0)) / gpu.memory_total_bytes
    cells = round(share * 8)
    style = "red" if share > 0.95 else "yellow" if share > 0.8 else "green"
    used, total = show_bytes(gpu.memory_used_bytes), show_bytes(gpu.memory_total_bytes)
    return Text.assemble(("█" * cells, style), ("░" * (8 - cells), "dim"), f" {used} of {total}")


def _holders(gpu: Gpu) -> Text:
    shown = Text()
    for number, one in enumerate((gpu.processes or ())[:MOST_PROCESSES]):
        size = show_bytes(one.memory_used_bytes) if one.memory_used_bytes else ""
        name = {"hidden": "another container", "gone": "an ended process"}.get(one.owner, one.name or "?")
        shown.append(", " if number else "")
        shown.append(f"{one_line(name)} {one.pid} {size}".rstrip(), "red" if one.owner == "gone" else "")
    more = len(gpu.processes or ()) - MOST_PROCESSES
    return shown.append(f" and {more} more", "dim") if more > 0 else shown


def as_json(driver: Driver, gpus: tuple[Gpu, ...]) -> str:
    """Return the state of the GPUs and their problems as JSON."""
    data = {
        "schema": "logsense.gpus/1",
        "driver": _plain(driver),
        "gpus": [{**_plain(gpu), "trouble": problems_of(gpu)} for gpu in gpus],
    }
    return json.dumps(data, indent=1) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "_asdict"):
        return {key: _plain(one) for key, one in value._asdict().items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return dict(value) if hasattr(value, "keys") else value
