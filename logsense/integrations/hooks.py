"""Hooks for programs that fail: what ends a program, a thread or a task is explained below its traceback."""

from __future__ import annotations

import os
import sys
import threading

from logsense.api import look_at_us, of_exception, worth_telling
from logsense.recorder.monitor_notes import is_first_report, reported_causes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any

    from logsense.api import Explanation

_hooks: dict[str, Any] = {}
# Exceptions in finalizers and forgotten tasks come in crowds.
MOST_STRAYS = 3


def install(*, format: str = "text", live: bool = False) -> None:
    """Explains every exception that ends this program or one of its threads, on standard error, below its traceback;
    also what Python itself can only report: an exception in a finalizer, or in an asyncio task that nobody awaits.

    With `live`, the state of this machine counts too. The hooks that were there before are called first and stay as
    they are; calling it twice changes nothing. Where explaining fails, nothing more is printed: the traceback is what
    counts.
    """
    if _hooks:
        return
    _hooks["main"], _hooks["thread"], _hooks["stray"] = sys.excepthook, threading.excepthook, sys.unraisablehook

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _hooks["main"](kind, error, trace)
        tell(error, format, live=live)

    def on_thread(arguments: threading.ExceptHookArgs) -> None:
        _hooks["thread"](arguments)
        if arguments.exc_value is not None:
            tell(arguments.exc_value, format, live=live)

    left = MOST_STRAYS

    def on_stray(arguments: sys.UnraisableHookArgs) -> None:
        nonlocal left
        _hooks["stray"](arguments)
        if arguments.exc_value is not None and left and not sys.is_finalizing():
            left -= 1
            tell(arguments.exc_value, format, live=live)

    _hooks["ours"] = (on_exception, on_thread, on_stray)
    sys.excepthook, threading.excepthook, sys.unraisablehook = _hooks["ours"]
    _hooks["tasks"] = _listen_to_tasks(format, live)


def uninstall() -> None:
    """Undoes `install`, unless somebody else put a hook on top meanwhile."""
    if not _hooks:
        return
    on_exception, on_thread, on_stray = _hooks["ours"]
    if sys.excepthook is on_exception:
        sys.excepthook = _hooks["main"]
    if threading.excepthook is on_thread:
        threading.excepthook = _hooks["thread"]
    if sys.unraisablehook is on_stray:
        sys.unraisablehook = _hooks["stray"]
    _asyncio_logger().removeHandler(_hooks["tasks"])
    _hooks.clear()


def installed() -> bool:
    """Whether what ends this program will be explained."""
    return bool(_hooks)


def tell(
    error: BaseException,
    format: str = "text",
    *,
    live: bool = False,
    to: Callable[[Explanation], object] | None = None,
) -> Explanation | None:
    """Explains `error`, once: on standard error where that says more than its traceback, or always to `to`.

    Gives what was said; None where nothing was.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)) or not is_first_report(error):
        return None
    try:
        found = of_exception(error, look_at_us if live else None)
        if to:
            to(found)
        elif worth_telling(found) and sys.stderr is not None:
            _show(found, format)
        else:
            return None
    except Exception:
        if os.environ.get("LOGSENSE_DEBUG"):
            raise
        return None
    reported_causes.update(filter(None, [found.cause]))
    return found


def _show(found: Explanation, format: str) -> None:
    terminal = sys.stderr.isatty()
    width = os.get_terminal_size(sys.stderr.fileno()).columns if terminal else 100
    color = terminal and not os.environ.get("NO_COLOR")
    sys.stderr.write("\n" + found.write(format, width=width or 100, color=color))
    sys.stderr.flush()


def _listen_to_tasks(format: str, live: bool) -> logging.Handler:
    """Every event loop's default handler of exceptions writes to this logger, so no loop has to be known.

    https://docs.python.org/3/library/asyncio-eventloop.html#error-handling-api
    """
    import logging

    class Tasks(logging.Handler):
        def __init__(self) -> None:
            super().__init__(logging.ERROR)
            self._left = MOST_STRAYS

        def emit(self, record: logging.LogRecord) -> None:
            if not _others_hear(self) and logging.lastResort:
                logging.lastResort.handle(record)  # it would have been shown without us
            error = record.exc_info[1] if record.exc_info else None
            if error is not None and self._left:
                self._left -= 1
                tell(error, format, live=live)

    handler = Tasks()
    _asyncio_logger().addHandler(handler)
    return handler


def _asyncio_logger() -> logging.Logger:
    import logging

    return logging.getLogger("asyncio")


def _others_hear(own: logging.Handler) -> bool:
    logger: logging.Logger | None = _asyncio_logger()
    while logger:
        if any(handler is not own for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False
