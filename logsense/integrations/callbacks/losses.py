"""Notices that the loss or another number of a training loop is no number any more, or runs away."""

from __future__ import annotations

import math
from collections import deque

from logsense.integrations.callbacks.alert import Alert

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SMOOTH = 20
# A loss runs away when it is far above its best and clearly above where it began; noise and late wobbles are neither.
ABOVE_BEST, ABOVE_BEGIN = 3.0, 1.5
LEAST_SEEN = 100
KEPT = 32


class Losses:
    """Looks at the loss and at other numbers of each step; says each thing once.

    Half precision may have a few steps without a finite gradient while it finds its scale: `patience` is how many of
    them in a row mean something.
    """

    def __init__(self, patience: int = 5) -> None:
        self.patience = patience
        self.recent: deque[tuple[int | None, str, float]] = deque(maxlen=KEPT)
        self._window: deque[float] = deque(maxlen=SMOOTH)
        self._seen = 0
        self._begin = self._best = math.inf
        self._best_step: int | None = None
        self._finite: tuple[int | None, float] | None = None
        self._finite_before: dict[str, bool] = {}
        self._in_a_row: dict[str, int] = {}
        self._told: set[str] = set()

    def see(self, value: float, step: int | None) -> Alert | None:
        """Takes the loss of a step in."""
        self._keep(step, "loss", value)
        if not math.isfinite(value):
            if "loss" in self._told:
                return None
            self._told.add("loss")
            before = f"; the last finite one was {self._finite[1]:.4g}{_at(self._finite[0])}" if self._finite else ""
            advice = "What is trained from here on is lost: stop, and go on from a checkpoint before it."
            return Alert("loss", f"The loss is {_word(value)}{_at(step)}{before}. {advice}", step)
        self._finite = (step, value)
        self._seen += 1
        self._window.append(value)
        return self._runs_away(step) if len(self._window) == SMOOTH else None

    def see_other(self, name: str, value: float, step: int | None) -> Alert | None:
        """Takes another number of a step in, such as the norm of the gradients."""
        self._keep(step, name, value)
        if math.isfinite(value):
            self._in_a_row[name] = 0
            return None
        self._in_a_row[name] = self._in_a_row.get(name, 0) + 1
        if self._in_a_row[name] < self.patience or name in self._told:
            return None
        self._told.add(name)
        times = f" {self._in_a_row[name]} times in a row" if self._in_a_row[name] > 1 else ""
        kind = "gradient" if "grad" in name else "loss"
        return Alert(
            kind, f"{name} is {_word(value)}{times}{_at(step)}. The weights do not learn from such steps.", step
        )

    def _keep(self, step: int | None, name: str, value: float) -> None:
        # Of many in a row that are no number, the first tells all; the last finite ones must not be lost over them.
        if math.isfinite(value) or self._finite_before.get(name, True):
            self.recent.append((step, name, value))
        self._finite_before[name] = math.isfinite(value)

    def _runs_away(self, step: int | None) -> Alert | None:
        level = sorted(self._window)[SMOOTH // 2]
        if math.isinf(self._begin):
            self._begin = level
        if level < self._best:
            self._best, self._best_step = level, step
        if "away" in self._told or self._seen < LEAST_SEEN or self._best <= 0:
            return None
        if level < ABOVE_BEST * self._best or level < ABOVE_BEGIN * self._begin:
            return None
        self._told.add("away")
        says = (
            f"The loss runs away: about {level:.4g}{_at(step)}, {self._best:.4g} at best{_at(self._best_step)}. "
            "A lower learning rate, a warm-up or clipped gradients may hold it."
        )
        return Alert("loss", says, step)


def detached(value: Any) -> Any:
    """`value` without what a tensor was made of, which would keep memory."""
    return value.detach() if hasattr(value, "detach") else value


def number_of(value: object) -> float | None:
    """`value` as a number where it is one, or an array or tensor of one element; a tensor may have to be waited for."""
    if isinstance(value, bool):
        return None
    try:
        return float(detached(value))
    except Exception:  # noqa: BLE001 - whatever a framework raises for what is no number
        return None


def _word(value: float) -> str:
    return "NaN" if math.isnan(value) else "infinite"


def _at(step: int | None) -> str:
    return f" at step {step:,}" if step is not None else ""
