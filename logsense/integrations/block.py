"""`with logsense.watching():` explains what leaves a block of code, without holding it up."""

from __future__ import annotations

from logsense.integrations.hooks import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, TypeVar

    from logsense.api import Explanation

    Function = TypeVar("Function", bound=Callable[..., Any])


class Watched:
    """A block that is watched. `found` is the explanation of what left it, or None.

    It goes with `with`, with `async with`, and as a decorator of functions and coroutine functions.
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
            self.found = tell(error, live=self._live, to=self._on_failure)

    async def __aenter__(self) -> Watched:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        from asyncio import to_thread

        if error is not None:
            await to_thread(self.__exit__, kind, error, trace)

    def __call__(self, function: Function) -> Function:
        """`function`, watched in every call."""
        from functools import wraps
        from inspect import iscoroutinefunction

        settings = self._on_failure, self._live

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            with Watched(settings[0], live=settings[1]):
                return function(*arguments, **named)

        @wraps(function)
        async def call_later(*arguments: Any, **named: Any) -> Any:
            async with Watched(settings[0], live=settings[1]):
                return await function(*arguments, **named)

        return call_later if iscoroutinefunction(function) else call  # type: ignore[return-value]


def watching(on_failure: Callable[[Explanation], object] | None = None, *, live: bool = True) -> Watched:
    """Explains an exception that leaves the block, and lets it go on its way.

    The explanation goes to standard error where it says more than the traceback will, or is handed to `on_failure`,
    always. With `live`, the state of this machine counts too. An exception is explained once, however many blocks,
    hooks and handlers it meets.
    """
    return Watched(on_failure, live=live)
