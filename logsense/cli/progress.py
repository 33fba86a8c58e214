"""Show the progress of reading on standard error if it takes more than a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE_S = 1.0


@contextmanager
def progress_bar(patience_s: float = PATIENCE_S) -> Iterator[Callable[[int, int | None], None]]:
    """Yield a function that takes the bytes done and the total bytes (None: unknown). The bar disappears at the end."""
    start_s = time.monotonic()
    bar: Progress | None = None

    def show(done: int, total: int | None) -> None:
        nonlocal bar
        if bar is None and time.monotonic() - start_s >= patience_s:
            from rich import progress
            from rich.console import Console

            bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(bar_width=None),
                progress.DownloadColumn(binary_units=True),
                progress.TransferSpeedColumn(),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            bar.start()
            bar.add_task("reading", total=total)
        if bar:
            bar.update(bar.task_ids[0], completed=done, total=total)

    try:
        yield show
    finally:
        if bar:
            bar.stop()
