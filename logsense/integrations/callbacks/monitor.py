"""Watch one training loop: loss, memory, GPUs and pace. The adapters for frameworks use this monitor."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Any

from logsense.api import look_at_process
from logsense.integrations.callbacks.alert import Alert
from logsense.integrations.callbacks.losses import Losses, detached, number_of
from logsense.integrations.callbacks.memory import Gpus, Memory
from logsense.integrations.callbacks.pace import Pace
from logsense.integrations.hooks import install
from logsense.model.live import Live
from logsense.model.run import Sample
from logsense.recorder.history import facts_of, series_of
from logsense.recorder.monitor_notes import MonitorNotes, attach, register, unregister
from logsense.recorder.sampler import Sampler
from logsense.util.errors import IgnoredErrors

logger = logging.getLogger("logsense")
TICK_S = 1.0
MOST_SAMPLES = 720
# Reading a tensor on a device blocks until it is computed, so this is the minimum interval.
READ_DEVICE_EVERY_S = 1.0


class Monitor:
    """Warn about problems before they end the run: a loss that is NaN, infinite or diverges, growing memory, GPU
    faults, and stalled steps. Each is reported once, as a warning of the logger `logsense` and to `tell`. The monitor
    raises nothing and stops nothing.

    with Monitor() as monitor:
        for step, batch in enumerate(batches):
            loss = train(batch)
            monitor.step(loss, step=step)

    `stall_after_s` is the time without a step that counts as a stall; the default adapts to the duration of steps and
    is at least a minute. A thread, started by the first step, checks host and GPUs every `memory_every_s` seconds. With
    `explain`, an exception that ends the program is explained below its traceback, with what the monitor saw.
    """

    def __init__(
        self,
        *,
        stall_after_s: float | None = None,
        memory_every_s: float = 5.0,
        tell: Callable[[Alert], object] | None = None,
        explain: bool = True,
    ) -> None:
        self._settings: dict[str, Any] = {
            "stall_after_s": stall_after_s, "memory_every_s": memory_every_s, "tell": tell, "explain": explain
        }  # fmt: skip
        self._stall_after_s, self._every_s, self._tell, self._explain = self._settings.values()
        self._notes = MonitorNotes(self._lines, self._look)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._reset()

    def _reset(self) -> None:
        self.alerts: list[Alert] = []
        self.last_step: int | None = None
        self._losses, self._memory, self._gpus = Losses(), Memory(), Gpus()
        self._pace = Pace(time.monotonic(), self._stall_after_s)
        self._began_s = time.monotonic()
        self._samples: list[Sample] = []
        self._over = threading.Event()
        self._device_read_s = self._gpus_checked_s = 0.0
        self._unread: dict[str, Any] = {}

    @property
    def patience(self) -> int:
        """How many steps in a row without a finite gradient are reported; half precision starts with a few."""
        return self._losses.patience

    @patience.setter
    def patience(self, steps: int) -> None:
        self._losses.patience = steps

    def start(self) -> None:
        """Start watching; the first step does so too. A closed monitor starts afresh."""
        if self._thread:
            return
        if self._over.is_set():
            self._reset()
        if self._explain:
            install(live=True)
        unregister(self._notes)
        register(self._notes)
        self._thread = threading.Thread(target=self._watch, args=(self._over,), name="logsense", daemon=True)
        self._thread.start()

    def step(self, loss: Any = None, *, step: int | None = None, **others: Any) -> None:
        """Record a finished step. `loss` and `others` (such as grad_norm) are numbers or tensors with one element.
        `step` is its number; by default, the monitor counts.
        """
        self.start()
        now_s = time.monotonic()
        self.last_step = step if step is not None else (self.last_step or 0) + 1
        with self._lock:
            self._pace.step(now_s)
        self.see(loss, **others)
        if now_s - self._gpus_checked_s >= TICK_S:
            self._gpus_checked_s = now_s
            self._report(*self._memory.check_gpus(now_s - self._began_s, self.last_step))

    def see(self, loss: Any = None, **others: Any) -> None:
        """Record numbers of the last step that become known later."""
        values = {"loss": loss, **others}
        if any(map(_is_on_device, values.values())):
            now_s = time.monotonic()
            if now_s - self._device_read_s < READ_DEVICE_EVERY_S:
                self._unread = {name: detached(value) for name, value in values.items()}
                return
            self._device_read_s = now_s
        self._unread = {}
        self._check(values)

    def _check(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            number = number_of(value) if value is not None else None
            if number is not None:
                losses, at = self._losses, self.last_step
                self._report(losses.add_loss(number, at) if name == "loss" else losses.add_number(name, number, at))

    def alive(self) -> None:
        """Record progress other than a step, such as an evaluation or a checkpoint."""
        with self._lock:
            self._pace.alive(time.monotonic())

    def close(self, error: BaseException | None = None) -> None:
        """Stop watching. `error` is what ended the loop; the monitor's notes are attached to it for its explanation."""
        self._read_pending()
        thread, self._thread = self._thread, None
        self._over.set()
        if thread and thread is not threading.current_thread():
            thread.join(TICK_S)
        unregister(self._notes)
        if error is not None:
            attach(error, self._notes)

    def __enter__(self) -> Monitor:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(error)

    def __reduce__(self) -> tuple[object, ...]:
        # Frameworks pickle callbacks for the processes that they start; each gets a monitor of its own.
        return (partial(Monitor, **self._settings), ())

    def _watch(self, over: threading.Event) -> None:
        with IgnoredErrors():
            sampler = Sampler(os.devnull, os.getpid(), self._began_s)
            due_s = 0.0
            while not over.wait(TICK_S if self._samples else TICK_S / 4):
                now_s = time.monotonic()
                with self._lock:
                    stall = self._pace.look(now_s, self.last_step)
                self._report(stall)
                if now_s >= due_s:
                    due_s = now_s + self._every_s
                    self._add_sample(sampler.sample())

    def _read_pending(self) -> None:
        unread, self._unread = self._unread, {}
        self._check(unread)

    def _add_sample(self, sample: Sample) -> None:
        self._samples.append(sample)
        if len(self._samples) > MOST_SAMPLES:
            del self._samples[: MOST_SAMPLES // 2 : 2]
        self._report(self._memory.check_host(sample, self.last_step), *self._gpus.check(sample, self.last_step))

    def _report(self, *what: Alert | None) -> None:
        for one in what:
            if one is None:
                continue
            self.alerts.append(one)
            rank = _rank()
            logger.warning("%s%s", f"rank {rank}: " if rank else "", one.says)
            if self._tell:
                try:
                    self._tell(one)
                except Exception:
                    logger.exception("the function passed to Monitor as tell failed")

    def _lines(self) -> str:
        """Return the recent steps as lines of a log."""
        self._read_pending()
        lines = [f"step {step or 0} {name} {value:.6g}" for step, name, value in self._losses.recent]
        if self.last_step is not None:
            lines.append(f"step {self.last_step}")
        return "".join(f"{line}\n" for line in lines)

    def _look(self) -> Live:
        """Return the state of the machine, with its history since the loop started."""
        live, samples = look_at_process(), tuple(self._samples)
        return live._replace(facts={**facts_of(samples), **live.facts}, series=series_of(samples))


def _rank() -> str:
    """Return the rank of this process; "" if unknown."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    with IgnoredErrors():
        if distributed and distributed.is_available() and distributed.is_initialized():
            return str(distributed.get_rank())
    rank = os.environ.get("RANK", "")
    return rank if rank.isdecimal() else ""


def _is_on_device(value: object) -> bool:
    """Return whether `value` is on a device, so that reading it blocks."""
    return hasattr(value, "detach") and getattr(getattr(value, "device", None), "type", "cpu") != "cpu"
