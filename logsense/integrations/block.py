"""`with logsense.watching():` explains an exception that leaves a block of code, and lets it propagate."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from types import TracebackType
from typing import Any, TypeVar

from logsense.api import Explanation
from logsense.integrations.hooks import report_exception

Function = TypeVar("Function", bound=Callable[..., Any])


class Watched:
    """A watched block. `found` is the explanation of the exception that left it, or None.

    Use it with `with`, `async with`, or as a decorator of functions and coroutine functions.
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
        on_failure, live = self._on_failure, self._live

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            with Watched(on_failure, live=live):
                return function(*arguments, **named)

        @wraps(function)
        async def call_async(*arguments: Any, **named: Any) -> Any:
            async with Watched(on_failure, live=live):
                return await function(*arguments, **named)

        return call_async if iscoroutinefunction(function) else call  # type: ignore[return-value]


def watching(on_failure: Callable[[Explanation], object] | None = None, *, live: bool = True) -> Watched:
    """Explain an exception that leaves the block, and let it propagate.

    The explanation goes to `on_failure`, or else to standard error if it adds something to the traceback. `live` takes
    the state of this machine into account. An exception is explained once, however many blocks, hooks and handlers it
    passes.
    """
    return Watched(on_failure, live=live)
