"""Detect a loss or another number of a training loop that becomes NaN or infinite, or diverges."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from logsense.integrations.callbacks.alert import Alert

SMOOTH = 20
# A loss diverges if it is far above its best value and clearly above its first; noise is neither.
ABOVE_BEST, ABOVE_FIRST = 3.0, 1.5
LEAST_STEPS = 100
KEPT = 32


class Losses:
    """Check the loss and other numbers of each step. Each problem is reported once.

    With half precision, a few steps have no finite gradient while the loss scale adapts: `patience` is how many in a
    row are reported.
    """

    def __init__(self, patience: int = 5) -> None:
        self.patience = patience
        self.recent: deque[tuple[int | None, str, float]] = deque(maxlen=KEPT)
        self._window: deque[float] = deque(maxlen=SMOOTH)
        self._seen = 0
        self._first = self._best = math.inf
        self._best_step: int | None = None
        self._finite: tuple[int | None, float] | None = None
        self._finite_before: dict[str, bool] = {}
        self._in_a_row: dict[str, int] = {}
        self._reported: set[str] = set()

    def add_loss(self, value: float, step: int | None) -> Alert | None:
        """Add the loss of a step; return an alert if it is not finite or diverges."""
        self._keep(step, "loss", value)
        if not math.isfinite(value):
            if "loss" in self._reported:
                return None
            self._reported.add("loss")
            before = f"; the last finite one was {self._finite[1]:.4g}{_at(self._finite[0])}" if self._finite else ""
            advice = "Training from here on is wasted: stop, and resume from an earlier checkpoint."
            return Alert("loss", f"The loss is {_word(value)}{_at(step)}{before}. {advice}", step)
        self._finite = (step, value)
        self._seen += 1
        self._window.append(value)
        return self._divergence(step) if len(self._window) == SMOOTH else None

    def add_number(self, name: str, value: float, step: int | None) -> Alert | None:
        """Add another number of a step, such as the gradient norm; return an alert if it is not finite."""
        self._keep(step, name, value)
        if math.isfinite(value):
            self._in_a_row[name] = 0
            return None
        self._in_a_row[name] = self._in_a_row.get(name, 0) + 1
        if self._in_a_row[name] < self.patience or name in self._reported:
            return None
        self._reported.add(name)
        times = f" {self._in_a_row[name]} times in a row" if self._in_a_row[name] > 1 else ""
        kind = "gradient" if "grad" in name else "loss"
        return Alert(
            kind, f"{name} is {_word(value)}{times}{_at(step)}. The model does not learn from such steps.", step
        )

    def _keep(self, step: int | None, name: str, value: float) -> None:
        # Of a series of NaN values only the first is kept, so that they do not displace the last finite ones.
        if math.isfinite(value) or self._finite_before.get(name, True):
            self.recent.append((step, name, value))
        self._finite_before[name] = math.isfinite(value)

    def _divergence(self, step: int | None) -> Alert | None:
        level = sorted(self._window)[SMOOTH // 2]
        if math.isinf(self._first):
            self._first = level
        if level < self._best:
            self._best, self._best_step = level, step
        if "away" in self._reported or self._seen < LEAST_STEPS or self._best <= 0:
            return None
        if level < ABOVE_BEST * self._best or level < ABOVE_FIRST * self._first:
            return None
        self._reported.add("away")
        says = (
            f"The loss diverges: about {level:.4g}{_at(step)}, {self._best:.4g} at best{_at(self._best_step)}. "
            "A lower learning rate, a warm-up or gradient clipping can help."
        )
        return Alert("loss", says, step)


def detached(value: Any) -> Any:
    """Return `value`, without its autograd graph if it is a tensor: the graph would keep memory."""
    return value.detach() if hasattr(value, "detach") else value


def number_of(value: object) -> float | None:
    """Return a number, or an array or tensor with one element, as a float, else None. May block on a GPU."""
    if isinstance(value, bool):
        return None
    try:
        return float(detached(value))
    except Exception:  # noqa: BLE001 - frameworks raise all kinds of errors
        return None


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "infinite"


def _at(step: int | None) -> str:
    return f" at step {step:,}" if step is not None else ""
