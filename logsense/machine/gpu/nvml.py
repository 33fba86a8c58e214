"""The only file that speaks to the driver's management library (NVML), through NVIDIA's own `pynvml`.

https://docs.nvidia.com/deploy/nvml-api/ says what each call gives and in which unit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Why a value is not to be had, by the name of NVML's status.
REASONS = {
    "UNINITIALIZED": "NVML could not be started",
    "NOT_SUPPORTED": "this GPU does not support it",
    "NO_PERMISSION": "this user may not read it",
    "NOT_FOUND": "there is none",
    "INSUFFICIENT_POWER": "the GPU's power cables are not attached",
    "DRIVER_NOT_LOADED": "the NVIDIA kernel driver is not loaded",
    "TIMEOUT": "the driver did not answer in time",
    "IRQ_ISSUE": "the kernel could not handle an interrupt of the GPU",
    "LIBRARY_NOT_FOUND": "libnvidia-ml.so.1, a part of the driver, was not found",
    "FUNCTION_NOT_FOUND": "this driver is too old to tell",
    "GPU_IS_LOST": "the GPU has fallen off the bus or can't be reached",
    "RESET_REQUIRED": "the GPU must be reset first",
    "OPERATING_SYSTEM": "the operating system or control group blocks the GPU",
    "LIB_RM_VERSION_MISMATCH": "the loaded kernel driver and the driver's libraries have different versions",
    "IN_USE": "another program holds it",
    "MEMORY": "NVML ran out of memory",
    "NO_DATA": "nothing was measured yet",
    "GPU_NOT_FOUND": "no GPU was found",
}
LOST = "GPU_IS_LOST"


class NoValueError(Exception):
    """A value that is not to be had: `status` is NVML's name for why, and the message says it in words."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status = status


class Nvml:
    """An open NVML. Every call gives a value or raises NoValueError. Raises NoValueError where NVML can't be opened."""

    def __init__(self) -> None:
        try:
            import pynvml
        except Exception as error:  # noqa: BLE001 - a broken install may fail in any way
            raise NoValueError("LIBRARY_NOT_FOUND", f"nvidia-ml-py can't be imported: {error}") from None
        self._module: Any = pynvml
        self.ask(pynvml.nvmlInit)

    def ask(self, function: Any, *arguments: object) -> Any:
        """The value that `function`, or the function of NVML of this name, gives."""
        if isinstance(function, str):
            function = getattr(self._module, function, None)
            if function is None:
                raise NoValueError("FUNCTION_NOT_FOUND", REASONS["FUNCTION_NOT_FOUND"])
        try:
            value = function(*arguments)
        except self._module.NVMLError as error:
            status = self._status(getattr(error, "value", None))
            raise NoValueError(status, REASONS.get(status, str(error))) from None
        except Exception as error:  # noqa: BLE001 - an old library and a new module may disagree in any way
            raise NoValueError("UNKNOWN", f"{type(error).__name__}: {error}") from None
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else value

    def constant(self, name: str) -> int:
        """The number of this name. Raises NoValueError where the module does not know it."""
        value = getattr(self._module, name, None)
        if not isinstance(value, int):
            raise NoValueError("FUNCTION_NOT_FOUND", f"this nvidia-ml-py has no {name}")
        return value

    def close(self) -> None:
        """Closes NVML; that it was open is all that is lost."""
        try:
            self._module.nvmlShutdown()
        except Exception:  # noqa: BLE001, S110
            pass

    def _status(self, value: object) -> str:
        for name in dir(self._module):
            if name.startswith("NVML_ERROR_") and getattr(self._module, name) == value:
                return name.removeprefix("NVML_ERROR_")
        return "UNKNOWN"


class Patience:
    """Runs one piece of work at a time in a thread of its own: what hangs in the driver does not hang us."""

    def __init__(self) -> None:
        self._busy: threading.Thread | None = None

    def run(self, work: Callable[[], None], limit_s: float) -> bool:
        """Whether `work` was done within `limit_s` seconds. While an earlier one still hangs, nothing is begun."""
        if self._busy is not None and self._busy.is_alive():
            return False
        self._busy = threading.Thread(target=work, daemon=True)
        self._busy.start()
        self._busy.join(limit_s)
        return not self._busy.is_alive()


def owner_of(pid: int, own: Collection[int]) -> tuple[str, str | None, str | None]:
    """Whose the process `pid` is (see model.gpu.OWNERS), its name and its user, as far as this process can see."""
    import psutil

    owner = "ours" if pid in own else "other"
    try:
        process = psutil.Process(pid)
        with process.oneshot():
            return owner, process.name(), process.username()
    except psutil.AccessDenied:
        return owner, None, None
    except psutil.Error:
        return ("hidden" if _in_namespace() else "gone"), None, None
    except (OSError, ValueError, KeyError):
        return owner, None, None


def _in_namespace() -> bool:
    """Whether process numbers here are not the driver's: process 2 of the machine itself is kthreadd."""
    try:
        with open("/proc/2/comm", encoding="utf-8") as file:
            return file.read().strip() != "kthreadd"
    except OSError:
        return True
