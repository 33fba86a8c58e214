"""The only module that calls the driver's management library (NVML), through NVIDIA's `pynvml`.

https://docs.nvidia.com/deploy/nvml-api/ describes each call and its unit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import Any

from logsense.util.files import text_of

# Why the driver can't be used, by the name of NVML's status.
REASONS = {
    "UNINITIALIZED": "NVML could not be initialized",
    "NO_PERMISSION": "this user may not read it",
    "DRIVER_NOT_LOADED": "the NVIDIA kernel driver is not loaded",
    "TIMEOUT": "the driver did not respond in time",
    "IRQ_ISSUE": "the kernel could not handle an interrupt of the GPU",
    "LIBRARY_NOT_FOUND": "libnvidia-ml.so.1, a part of the driver, was not found",
    "GPU_IS_LOST": "the GPU has fallen off the bus or can't be reached",
    "OPERATING_SYSTEM": "the operating system or control group blocks the GPU",
    "LIB_RM_VERSION_MISMATCH": "the loaded kernel driver and the driver's libraries have different versions",
    "MEMORY": "NVML ran out of memory",
}
LOST = "GPU_IS_LOST"


class NoValueError(Exception):
    """A value is unavailable: `status` is NVML's name for the reason, the message its description."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status = status


class Nvml:
    """An open NVML session. Its methods return a value or raise NoValueError, also if NVML can't be opened."""

    def __init__(self) -> None:
        try:
            import pynvml
        except Exception as error:  # noqa: BLE001 - a broken install may fail in any way
            raise NoValueError("LIBRARY_NOT_FOUND", f"nvidia-ml-py can't be imported: {error}") from None
        self._module: Any = pynvml
        self.call(pynvml.nvmlInit)

    def call(self, function: Any, *arguments: object) -> Any:
        """Return the result of `function`, which may be given by its name in NVML."""
        if isinstance(function, str):
            function = getattr(self._module, function, None)
            if function is None:
                raise NoValueError("FUNCTION_NOT_FOUND", "this nvidia-ml-py has no such function")
        try:
            value = function(*arguments)
        except self._module.NVMLError as error:
            status = self._status(getattr(error, "value", None))
            raise NoValueError(status, REASONS.get(status, str(error))) from None
        except Exception as error:  # noqa: BLE001 - library and module may be incompatible
            raise NoValueError("UNKNOWN", f"{type(error).__name__}: {error}") from None
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def constant(self, name: str) -> int:
        """Return the constant `name`. Raise NoValueError if the module does not have it."""
        value = getattr(self._module, name, None)
        if not isinstance(value, int):
            raise NoValueError("FUNCTION_NOT_FOUND", f"this nvidia-ml-py has no {name}")
        return value

    def close(self) -> None:
        """Close NVML; ignore errors."""
        try:
            self._module.nvmlShutdown()
        except Exception:  # noqa: BLE001, S110
            pass

    def _status(self, value: object) -> str:
        for name in dir(self._module):
            if name.startswith("NVML_ERROR_") and getattr(self._module, name) == value:
                return name.removeprefix("NVML_ERROR_")
        return "UNKNOWN"


class TimeLimit:
    """Run functions in a thread, one at a time, so that a hanging driver does not block the caller."""

    def __init__(self) -> None:
        self._busy: threading.Thread | None = None

    def run(self, work: Callable[[], None], limit_s: float) -> bool:
        """Return whether `work` finished within `limit_s` seconds; nothing starts while earlier work hangs."""
        if self._busy is not None and self._busy.is_alive():
            return False
        self._busy = threading.Thread(target=work, daemon=True)
        self._busy.start()
        self._busy.join(limit_s)
        return not self._busy.is_alive()


def owner_of(pid: int, own: Collection[int]) -> tuple[str, str | None]:
    """Return the owner of process `pid` (see GpuProcess) and its name, as far as they are visible."""
    import psutil

    owner = "ours" if pid in own else "other"
    try:
        return owner, psutil.Process(pid).name()
    except (psutil.AccessDenied, OSError):
        return owner, None
    except psutil.Error:
        return ("hidden" if _in_namespace() else "gone"), None


def _in_namespace() -> bool:
    """Return whether process numbers differ from the driver's: on the host, process 2 is kthreadd."""
    return text_of("/proc/2/comm") != "kthreadd"
