"""How often a log is written to, and when its silence is one that means something."""

from __future__ import annotations

from collections import deque

# Below so many gaps nobody knows the rhythm of a log.
LEAST_GAPS = 20
UNKNOWN_S = 900.0
LEAST_S, MOST_S = 60.0, 3600.0
TIMES = 10.0


class Rhythm:
    """Learns from the moments at which output came. `fixed_s` is a limit that the user set."""

    def __init__(self, now_s: float, fixed_s: float | None = None) -> None:
        self._fixed_s = fixed_s
        self._gaps: deque[float] = deque(maxlen=500)
        self._last_s = now_s

    def heard(self, now_s: float) -> None:
        """Output came."""
        self._gaps.append(now_s - self._last_s)
        self._last_s = now_s

    def still(self, now_s: float) -> None:
        """Nothing came that belongs to the rhythm, but whoever makes it is alive."""
        self._last_s = now_s

    def silent_s(self, now_s: float) -> float:
        """For how long nothing has come."""
        return now_s - self._last_s

    @property
    def usual_s(self) -> float | None:
        """The gap that nineteen of twenty do not exceed; None where the rhythm is not known yet."""
        if len(self._gaps) < LEAST_GAPS:
            return None
        return sorted(self._gaps)[int(0.95 * (len(self._gaps) - 1))]

    @property
    def limit_s(self) -> float:
        """Silence that is longer than this is a stall: what the user set, or many times the usual gap."""
        if self._fixed_s is not None:
            return self._fixed_s
        if self.usual_s is None:
            return UNKNOWN_S
        return min(max(TIMES * self.usual_s, LEAST_S, 2 * max(self._gaps)), MOST_S)
