"""Watch what is logged through Hugging Face Accelerate: `Accelerator(log_with=AccelerateTracker())`.

https://huggingface.co/docs/accelerate/usage_guides/tracking#implementing-custom-trackers
"""

from __future__ import annotations

from typing import Any

from accelerate.tracking import GeneralTracker

from logsense.integrations.callbacks.monitor import Monitor


class AccelerateTracker(GeneralTracker):  # type: ignore[misc]
    """Count each `accelerator.log({"loss": loss}, step=step)` as a step. `settings` are those of Monitor.

    The number whose name ends in `loss` is the loss; those with `grad` in the name are gradients. Call
    `accelerator.end_training()` at the end, as for every tracker.
    """

    name = "logsense"
    requires_logging_directory = False

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        super().__init__()
        self.monitor = monitor or Monitor(**settings)

    @property
    def tracker(self) -> Monitor:
        """The monitor, under the name that Accelerate expects."""
        return self.monitor

    def start(self) -> None:
        """Start watching."""
        self.monitor.start()

    def store_init_configuration(self, values: dict[str, Any]) -> None:
        """Ignore the run's settings."""

    def log(self, values: dict[str, Any], step: int | None = None, **_: Any) -> None:
        """Record a finished step and its numbers."""
        losses = [value for name, value in values.items() if name.split("/")[-1].endswith("loss")]
        gradients = {name: value for name, value in values.items() if "grad" in name}
        self.monitor.step(losses[0] if losses else None, step=step, **gradients)

    def finish(self) -> None:
        """Stop watching."""
        self.monitor.close()
