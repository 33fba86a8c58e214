"""Show the progress of reading on standard error if it takes more than a second."""

from __future__ import annotations

import time
from types import TracebackType

TYPE_CHECKING = False
if TYPE_CHECKING:
    import rich.progress

PATIENCE_S = 1.0


class Progress:
    """A progress bar: call it with the bytes done and the total bytes (None: unknown). It disappears at the end."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._start = time.monotonic()
        self._patience = patience_s
        self._bar: rich.progress.Progress | None = None

    def __call__(self, done: int, total: int | None) -> None:
        """Show that `done` of `total` bytes are read."""
        if self._bar is None:
            if time.monotonic() - self._start < self._patience:
                return
            self._bar = _bar()
            self._bar.start()
            self._bar.add_task("reading", total=total)
        self._bar.update(self._bar.task_ids[0], completed=done, total=total)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def _bar() -> rich.progress.Progress:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        DownloadColumn(binary_units=True),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
