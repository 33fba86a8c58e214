"""The state of the machine that the steps of a check share."""

from __future__ import annotations

from collections.abc import Mapping

from logsense.model.machine import Driver, Environment, Gpu, Host
from logsense.util.noun import NamedTuple


class MachineState(NamedTuple):
    """The state of the machine that the steps of a check share."""

    driver: Driver
    gpus: tuple[Gpu, ...]
    host: Host
    environment: Environment
    environ: Mapping[str, str]

    @property
    def interpreter(self) -> str | None:
        """The Python that the job would use."""
        return self.environment.interpreter.executable if self.environment.interpreter else None
