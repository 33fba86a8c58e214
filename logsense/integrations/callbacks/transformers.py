"""Watch a Trainer of Hugging Face Transformers: `Trainer(..., callbacks=[TransformersCallback()])`.

https://huggingface.co/docs/transformers/main_classes/callback
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from logsense.integrations.callbacks.monitor import Monitor


class TransformersCallback(TrainerCallback):  # type: ignore[misc]
    """Watch a Trainer with `monitor`, or with a new Monitor with `settings`.

    A Trainer logs a NaN or infinite loss as 0 or as the mean of the others, unless `logging_nan_inf_filter` is off;
    the gradient norm shows it anyway.
    """

    def __init__(self, monitor: Monitor | None = None, **settings: Any) -> None:
        self.monitor = monitor or Monitor(**settings)

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Start watching. Without half precision, report the first gradient that is not finite."""
        if not args.fp16:
            self.monitor.patience = 1
        self.monitor.start()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Record a finished optimizer step."""
        self.monitor.step(step=state.global_step)

    def on_prediction_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Note a part of a step with gradient accumulation, of an evaluation, or that a checkpoint was written."""
        self.monitor.alive()

    on_substep_end = on_evaluate = on_save = on_prediction_step

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
        """Record the loss and gradient norm that the Trainer logs."""
        known = {name: logs[name] for name in ("loss", "grad_norm") if name in (logs or {})}
        self.monitor.see(**known)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Stop watching."""
        self.monitor.close()
