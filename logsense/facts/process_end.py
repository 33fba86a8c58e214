"""Facts about how the job's process ended, and the same in words."""

from __future__ import annotations

from logsense.model.live import Ended, Live, LiveFact

SIGNALLED = 128  # what a shell adds to the number of the signal that ended a command
LAST_SIGNAL = 31


def with_end(live: Live | None, ended: Ended | None) -> Live | None:
    """Return `live` with how the job ended as facts, under the names that launchers' messages state them by."""
    if ended is None:
        return live
    code = -ended.signal if ended.signal else ended.status
    signal = ended.signal or _signal_in(ended.status)
    status = SIGNALLED + ended.signal if ended.signal else ended.status
    known = {"process.exit_code": code, "process.signal": signal, "exit.status": status}
    known |= {"ended.status": ended.status, "ended.signal": ended.signal}
    facts = {name: LiveFact(value, "the end of the process") for name, value in known.items() if value is not None}
    live = live or Live("")
    return live._replace(facts={**live.facts, **facts}, ended=ended)


def ended_in_words(ended: Ended) -> str:
    """Return how the process ended: "with exit status 137 (128 + 9, SIGKILL)"; "" if that is unknown."""
    from signal import Signals

    number = ended.signal or _signal_in(ended.status)
    named = {signal.value: signal.name for signal in Signals}.get(number or 0, "")
    if ended.signal is not None:
        return f"by signal {ended.signal}" + (f" ({named})" if named else "")
    if ended.status is None:
        return ""
    return f"with exit status {ended.status}" + (f" ({SIGNALLED} + {number}, {named})" if named else "")


def _signal_in(status: int | None) -> int | None:
    """Return the number of the signal that a shell's exit status stands for."""
    return status - SIGNALLED if status and SIGNALLED < status <= SIGNALLED + LAST_SIGNAL else None
