"""`Trainer(..., callbacks=[TransformersCallback()])` of Hugging Face Transformers.

https://huggingface.co/docs/transformers/main_classes/callback
"""

from __future__ import annotations

from transformers import TrainerCallback

from logsense.integrations.callbacks.monitor import Monitor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class TransformersCallback(TrainerCallback):  # type: ignore[misc]
    """Watches a Trainer. `settings` are those of Monitor, or `monitor` is one.

    A Trainer reports a loss that is no number as 0 or as the mean of the others, unless `logging_nan_inf_filter`
    is off; the norm of the gradients tells all the same.
    """

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        self.monitor = monitor or Monitor(**settings)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Begins to watch. Without half precision, a gradient that is not finite is one too many."""
        if not args.fp16:
            self.monitor.patience = 1
        self.monitor.start()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A step of the optimizer is finished."""
        self.monitor.step(step=state.global_step)

    def on_substep_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A part of a step, where gradients are gathered over several."""
        self.monitor.alive()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Takes in what the Trainer reports of its loss and gradients."""
        known = {name: logs[name] for name in ("loss", "grad_norm") if name in (logs or {})}
        self.monitor.see(**known)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """An evaluation goes on."""
        self.monitor.alive()

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """An evaluation has ended."""
        self.monitor.alive()

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A checkpoint was written."""
        self.monitor.alive()

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Ends watching."""
        self.monitor.close()
