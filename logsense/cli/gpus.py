"""`logsense gpus`: show the live state of the GPUs, problems first."""

from __future__ import annotations

import json
import sys
from typing import Any

from logsense.cli.options import Settings
from logsense.cli.output import look_of, write
from logsense.cli.settings import settings_of
from logsense.machine.gpu.read import problems_of, read_gpus
from logsense.model.machine import Driver, Gpu
from logsense.model.values import show_bytes
from logsense.render.clean import one_line

MOST_PROCESSES = 4


def run(options: dict[str, object]) -> int:
    """Print the state of the GPUs; return the exit status."""
    settings = settings_of(options)
    driver, gpus = read_gpus()
    if settings.redact:
        from logsense.cli.explain import catalog_of
        from logsense.share.bundle import redacted_values

        driver, gpus = redacted_values((driver, gpus), catalog_of(settings))
    text = as_json(driver, gpus) if settings.format == "json" else _text(driver, gpus, settings)
    write(text, sys.stdout, settings)
    return 0


def _text(driver: Driver, gpus: tuple[Gpu, ...], settings: Settings) -> str:
    from rich.console import Console

    look = look_of(sys.stdout, settings)
    console = Console(
        width=look.width, no_color=not look.color, force_terminal=look.color, highlight=False, emoji=False, markup=False
    )
    with console.capture() as captured:
        _print(console, driver, gpus)
    return "\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n"


def _print(console: Any, driver: Driver, gpus: tuple[Gpu, ...]) -> None:
    from rich.text import Text

    for gpu in gpus:
        for problem in problems_of(gpu):
            console.print(Text.assemble(("✗ ", "bold red"), (f"GPU {gpu.number}: ", "bold"), problem))
    if driver.problem:
        console.print(Text.assemble(("✗ ", "bold red"), ("No GPU can be read: ", "bold"), driver.problem))
        if driver.kernel:
            console.print(f"  The loaded kernel driver is {driver.kernel}.")
        console.print(Text("  Run logsense doctor to find out why.", "dim"))
        if not gpus:
            return
    elif not gpus:
        console.print(f"The driver {driver.version or ''} responds, but there is no GPU.")
        return
    console.print(Text(f"Driver {driver.version or '?'}, CUDA up to {driver.cuda or '?'}", "dim"))
    console.print(_table(gpus))


def _table(gpus: tuple[Gpu, ...]) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("", "GPU", "memory", "use", "°C", "W"):
        side: Any = "left" if title in ("GPU", "memory") else "right"
        table.add_column(title, justify=side, no_wrap=title != "GPU")
    table.add_column("held by", overflow="fold")
    for gpu in gpus:
        wrong = bool(problems_of(gpu))
        table.add_row(
            Text("" if gpu.parent else str(gpu.number), "bold red" if wrong else "bold"),
            Text(("└ " if gpu.parent else "") + _name(gpu)),
            _memory(gpu),
            "" if gpu.utilisation is None else f"{gpu.utilisation:.0%}",
            "" if gpu.temperature_celsius is None else str(gpu.temperature_celsius),
            "" if gpu.power_watts is None else f"{gpu.power_watts:.0f}",
            _holders(gpu),
        )
    return table


def _name(gpu: Gpu) -> str:
    return one_line((gpu.name or gpu.uuid or "?").removeprefix("NVIDIA "))


def _memory(gpu: Gpu) -> Any:
    from rich.text import Text

    if gpu.memory_used_bytes is None or not gpu.memory_total_bytes:
        return Text("lost" if gpu.lost else "", "red")
    share = (gpu.memory_used_bytes + (gpu.memory_reserved_bytes or 0)) / gpu.memory_total_bytes
    cells = round(share * 8)
    style = "red" if share > 0.95 else "yellow" if share > 0.8 else "green"
    used, total = show_bytes(gpu.memory_used_bytes), show_bytes(gpu.memory_total_bytes)
    return Text.assemble(("█" * cells, style), ("░" * (8 - cells), "dim"), f" {used} of {total}")


def _holders(gpu: Gpu) -> Any:
    from rich.text import Text

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
