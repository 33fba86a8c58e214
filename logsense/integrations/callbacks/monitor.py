"""Watches one training loop: loss, memory and pace. All frameworks' adapters are made of it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time

from logsense.api import look_at_us
from logsense.integrations.callbacks.alert import Alert
from logsense.integrations.callbacks.gpus import Gpus
from logsense.integrations.callbacks.losses import Losses, detached, number_of
from logsense.integrations.callbacks.memory import Memory
from logsense.integrations.callbacks.pace import Pace
from logsense.integrations.hooks import install
from logsense.recorder.history import facts_of, series_of
from logsense.recorder.monitor_notes import MonitorNotes, attach, register, unregister
from logsense.recorder.sampler import Sampler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from logsense.model.live import Live
    from logsense.model.run import Sample

logger = logging.getLogger("logsense")
TURN_S = 1.0
MOST_SAMPLES = 720
# A tensor on a device has to be waited for: it is looked at no more often than this.
LOOK_EVERY_S = 1.0


class Monitor:
    """Tells, before it ends the run, of a loss that is no number or runs away, of memory that climbs, of trouble
    with GPUs, of steps that stall: each once, as a warning of the logger `logsense` and to `tell`. It raises nothing
    and stops nothing.

    with Monitor() as monitor:
        for step, batch in enumerate(batches):
            loss = train(batch)
            monitor.step(loss, step=step)

    `stall_after_s` is what counts as a stall; by default that follows from how long steps take, and is a minute at
    least. Host and GPUs are looked at every `memory_every_s` seconds, by a thread that the first step starts. With
    `explain`, an exception that ends the program is explained below its traceback, with what was seen here.
    """

    def __init__(
        self,
        *,
        stall_after_s: float | None = None,
        memory_every_s: float = 5.0,
        tell: Callable[[Alert], object] | None = None,
        explain: bool = True,
    ) -> None:
        self._settings = (stall_after_s, memory_every_s, tell, explain)
        self._stall_after_s, self._every_s, self._tell, self._explain = self._settings
        self._witness = MonitorNotes(self._lines, self._look)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._begin()

    def _begin(self) -> None:
        self.alerts: list[Alert] = []
        self.last_step: int | None = None
        self._losses, self._memory, self._gpus = Losses(), Memory(), Gpus()
        self._pace = Pace(time.monotonic(), self._stall_after_s)
        self._began_s = time.monotonic()
        self._samples: list[Sample] = []
        self._over = threading.Event()
        self._looked_s = self._gpu_looked_s = 0.0
        self._unseen: dict[str, Any] = {}

    @property
    def patience(self) -> int:
        """How many steps in a row without a finite gradient are told; half precision has a few while it begins."""
        return self._losses.patience

    @patience.setter
    def patience(self, steps: int) -> None:
        self._losses.patience = steps

    def start(self) -> None:
        """Begins to watch; the first step does so too. A monitor that was closed begins anew."""
        if self._thread:
            return
        if self._over.is_set():
            self._begin()
        if self._explain:
            install(live=True)
        unregister(self._witness)
        register(self._witness)
        self._thread = threading.Thread(target=self._watch, args=(self._over,), name="logsense", daemon=True)
        self._thread.start()

    def step(self, loss: Any = None, *, step: int | None = None, **others: Any) -> None:
        """A step is finished. `loss` and `others` (such as grad_norm) are numbers or tensors of one element; `step` is
        its number, counted here where it is not given.
        """
        self.start()
        now_s = time.monotonic()
        self.last_step = step if step is not None else (self.last_step or 0) + 1
        with self._lock:
            self._pace.step(now_s)
        self.see(loss, **others)
        if now_s - self._gpu_looked_s >= TURN_S:
            self._gpu_looked_s = now_s
            self._say(*self._memory.see_gpus(now_s - self._began_s, self.last_step))

    def see(self, loss: Any = None, **others: Any) -> None:
        """Numbers of the last step that became known later."""
        values = {"loss": loss, **others}
        if any(map(_far, values.values())):
            now_s = time.monotonic()
            if now_s - self._looked_s < LOOK_EVERY_S:
                self._unseen = {name: detached(value) for name, value in values.items()}
                return
            self._looked_s = now_s
        self._unseen = {}
        self._look_at(values)

    def _look_at(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            number = number_of(value) if value is not None else None
            if number is not None:
                losses, at = self._losses, self.last_step
                self._say(losses.see(number, at) if name == "loss" else losses.see_other(name, number, at))

    def alive(self) -> None:
        """Something goes on that is no step: an evaluation, a checkpoint that is written."""
        with self._lock:
            self._pace.alive(time.monotonic())

    def close(self, error: BaseException | None = None) -> None:
        """Ends watching. `error` is what ended the loop: whoever explains it later gets to know what was seen here."""
        self._catch_up()
        thread, self._thread = self._thread, None
        self._over.set()
        if thread and thread is not threading.current_thread():
            thread.join(TURN_S)
        unregister(self._witness)
        if error is not None:
            attach(error, self._witness)

    def __enter__(self) -> Monitor:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(error)

    def __reduce__(self) -> tuple[object, ...]:
        # Frameworks send callbacks to the processes that they start; each has a monitor of its own.
        return (_made, self._settings)

    def _watch(self, over: threading.Event) -> None:
        sampler = Sampler(os.devnull, os.getpid(), self._began_s)
        due_s = 0.0
        while not over.wait(TURN_S if self._samples else TURN_S / 4):
            now_s = time.monotonic()
            try:
                with self._lock:
                    stall = self._pace.look(now_s, self.last_step)
                self._say(stall)
                if now_s >= due_s:
                    due_s = now_s + self._every_s
                    self._take(sampler.take())
            except Exception:
                if os.environ.get("LOGSENSE_DEBUG"):
                    raise
                return

    def _catch_up(self) -> None:
        unseen, self._unseen = self._unseen, {}
        self._look_at(unseen)

    def _take(self, sample: Sample) -> None:
        self._samples.append(sample)
        if len(self._samples) > MOST_SAMPLES:
            del self._samples[: MOST_SAMPLES // 2 : 2]
        self._say(self._memory.see_host(sample, self.last_step), *self._gpus.see(sample, self.last_step))

    def _say(self, *what: Alert | None) -> None:
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
                    logger.exception("the function that Monitor was told to tell has failed")

    def _lines(self) -> str:
        """What a log of this loop would say."""
        self._catch_up()
        lines = [f"step {step or 0} {name} {value:.6g}" for step, name, value in self._losses.recent]
        if self.last_step is not None:
            lines.append(f"step {self.last_step}")
        return "".join(f"{line}\n" for line in lines)

    def _look(self) -> Live:
        """The machine now, and how it came to that while the loop ran."""
        live, samples = look_at_us(), tuple(self._samples)
        return live._replace(facts={**facts_of(samples), **live.facts}, series=series_of(samples))


def _rank() -> str:
    """The rank of this process in its job; "" where it is the only one, or nobody has said."""
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    try:
        if distributed and distributed.is_available() and distributed.is_initialized():
            return str(distributed.get_rank())
    except Exception:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
    rank = os.environ.get("RANK", "")
    return rank if rank.isdecimal() else ""


def _far(value: object) -> bool:
    """Whether `value` lies on a device, which has to finish what it does before it can be read."""
    return hasattr(value, "detach") and getattr(getattr(value, "device", None), "type", "cpu") != "cpu"


def _made(
    stall_after_s: float | None, memory_every_s: float, tell: Callable[[Alert], object] | None, explain: bool
) -> Monitor:
    return Monitor(stall_after_s=stall_after_s, memory_every_s=memory_every_s, tell=tell, explain=explain)
