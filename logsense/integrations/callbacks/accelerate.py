"""`Accelerator(log_with=AccelerateTracker())` of Hugging Face Accelerate: what is logged is watched.

https://huggingface.co/docs/accelerate/usage_guides/tracking#implementing-custom-trackers
"""

from __future__ import annotations

from accelerate.tracking import GeneralTracker

from logsense.integrations.callbacks.monitor import Monitor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class AccelerateTracker(GeneralTracker):  # type: ignore[misc]
    """Takes each `accelerator.log({"loss": loss}, step=step)` for a step. `settings` are those of Monitor.

    Numbers whose name ends in `loss` are the loss, those with `grad` in it are gradients. Call
    `accelerator.end_training()` at the end, as for every tracker.
    """

    name = "logsense"
    requires_logging_directory = False

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        super().__init__()
        self.monitor = monitor or Monitor(**settings)

    @property
    def tracker(self) -> Monitor:
        """The monitor, by the name that Accelerate asks for."""
        return self.monitor

    def start(self) -> None:
        """Begins to watch."""
        self.monitor.start()

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """The run's settings are not needed."""

    def log(self, values: dict[str, Any], step: int | None = None, **_: Any) -> None:
        """A step is finished, with what was logged of it."""
        losses = [value for name, value in values.items() if name.split("/")[-1].endswith("loss")]
        gradients = {name: value for name, value in values.items() if "grad" in name}
        self.monitor.step(losses[0] if losses else None, step=step, **gradients)

    def finish(self) -> None:
        """Ends watching."""
        self.monitor.close()
