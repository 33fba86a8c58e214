"""Hooks that explain exceptions that end a program, a thread or a task, below the traceback."""

from __future__ import annotations

import logging
import os
import sys
import threading
from asyncio import to_thread
from collections.abc import Callable
from contextlib import AsyncContextDecorator, ContextDecorator
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, TypeVar

from logsense.api import Explanation, adds_to_traceback, explain_exception, look_at_process
from logsense.recorder.monitor_notes import is_first_report, reported_causes
from logsense.util.errors import IgnoredErrors

_hooks: dict[str, Any] = {}
# Exceptions in finalizers and unawaited tasks come in large numbers.
MOST_UNRAISABLE = 3
Function = TypeVar("Function", bound=Callable[..., Any])


def install(*, format: str = "text", live: bool = False) -> None:
    """Explain every exception that ends this program or one of its threads, on standard error, below the traceback;
    also exceptions in finalizers and in unawaited asyncio tasks.

    `live` takes the state of this machine into account. Existing hooks are called first. Calling `install` twice has
    no effect. If explaining fails, nothing is printed after the traceback.
    """
    if _hooks:
        return
    _hooks["main"], _hooks["thread"], _hooks["unraisable"] = sys.excepthook, threading.excepthook, sys.unraisablehook

    def on_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _hooks["main"](kind, error, trace)
        report_exception(error, format, live=live)

    def on_thread(arguments: threading.ExceptHookArgs) -> None:
        _hooks["thread"](arguments)
        if arguments.exc_value is not None:
            report_exception(arguments.exc_value, format, live=live)

    left = MOST_UNRAISABLE

    def on_unraisable(arguments: sys.UnraisableHookArgs) -> None:
        nonlocal left
        _hooks["unraisable"](arguments)
        if arguments.exc_value is not None and left and not sys.is_finalizing():
            left -= 1
            report_exception(arguments.exc_value, format, live=live)

    _hooks["ours"] = (on_exception, on_thread, on_unraisable)
    sys.excepthook, threading.excepthook, sys.unraisablehook = _hooks["ours"]
    _hooks["tasks"] = _add_asyncio_handler(format, live)


def uninstall() -> None:
    """Undo `install`, except for hooks that other code has replaced."""
    if not _hooks:
        return
    on_exception, on_thread, on_unraisable = _hooks["ours"]
    if sys.excepthook is on_exception:
        sys.excepthook = _hooks["main"]
    if threading.excepthook is on_thread:
        threading.excepthook = _hooks["thread"]
    if sys.unraisablehook is on_unraisable:
        sys.unraisablehook = _hooks["unraisable"]
    _asyncio_logger().removeHandler(_hooks["tasks"])
    _hooks.clear()


def report_exception(
    error: BaseException,
    format: str = "text",
    *,
    live: bool = False,
    on_failure: Callable[[Explanation], object] | None = None,
) -> Explanation | None:
    """Explain `error`, once: to `on_failure`, or else to standard error if that adds something to the traceback.

    Return the explanation, or None if nothing was reported.
    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)) or not is_first_report(error):
        return None
    with IgnoredErrors():
        found = explain_exception(error, look_at_process if live else None)
        if on_failure:
            on_failure(found)
        elif adds_to_traceback(found) and sys.stderr is not None:
            _show(found, format)
        else:
            return None
        reported_causes.update(filter(None, [found.cause]))
        return found
    return None


def _show(found: Explanation, format: str) -> None:
    terminal = sys.stderr.isatty()
    width = os.get_terminal_size(sys.stderr.fileno()).columns if terminal else 100
    color = terminal and not os.environ.get("NO_COLOR")
    sys.stderr.write("\n" + found.write(format, width=width or 100, color=color))
    sys.stderr.flush()


def _add_asyncio_handler(format: str, live: bool) -> logging.Handler:
    """Add a handler to asyncio's logger, which the default exception handler of every event loop writes to.

    https://docs.python.org/3/library/asyncio-eventloop.html#error-handling-api
    """

    class Tasks(logging.Handler):
        def __init__(self) -> None:
            super().__init__(logging.ERROR)
            self._left = MOST_UNRAISABLE

        def emit(self, record: logging.LogRecord) -> None:
            if not _has_other_handlers(self) and logging.lastResort:
                logging.lastResort.handle(record)  # as without this handler
            error = record.exc_info[1] if record.exc_info else None
            if error is not None and self._left:
                self._left -= 1
                report_exception(error, format, live=live)

    handler = Tasks()
    _asyncio_logger().addHandler(handler)
    return handler


def _asyncio_logger() -> logging.Logger:
    return logging.getLogger("asyncio")


def _has_other_handlers(own: logging.Handler) -> bool:
    logger: logging.Logger | None = _asyncio_logger()
    while logger:
        if any(handler is not own for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


class Watched(ContextDecorator, AsyncContextDecorator):
    """Explain an exception that leaves a block, and let it propagate; `found` is then the explanation, else None.

    Use it with `with`, `async with`, or as a decorator of functions and coroutine functions. The explanation goes to
    `on_failure`, or else to standard error if it adds something to the traceback. `live` takes the state of this
    machine into account. An exception is explained once, however many blocks, hooks and handlers it passes.
    """

    def __init__(self, on_failure: Callable[[Explanation], object] | None = None, *, live: bool = True) -> None:
        self.found: Explanation | None = None
        self._on_failure, self._live = on_failure, live

    def __enter__(self) -> Watched:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            self.found = report_exception(error, live=self._live, on_failure=self._on_failure)

    async def __aenter__(self) -> Watched:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            await to_thread(self.__exit__, kind, error, trace)

    def __call__(self, function: Function) -> Function:
        """Return `function`, watched in every call."""
        decorator = AsyncContextDecorator if iscoroutinefunction(function) else ContextDecorator
        return decorator.__call__(self, function)


watching = Watched
