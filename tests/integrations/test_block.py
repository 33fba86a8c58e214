"""Blocks, functions and coroutines that are watched."""

from __future__ import annotations

import asyncio

import pytest

import logsense

MISSING = "No module named 'flash_attn'"


def test_what_leaves_the_block_is_explained_and_goes_on_its_way(capsys: pytest.CaptureFixture[str]) -> None:
    block = logsense.watching()
    with pytest.raises(ModuleNotFoundError), block:
        raise ModuleNotFoundError(MISSING)
    assert block.found
    assert block.found.cause == "env.package-missing"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "flash_attn is not installed" in captured.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3), ZeroDivisionError("division by zero")])
def test_where_there_is_nothing_to_add(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(type(error)), logsense.watching():
        raise error
    assert capsys.readouterr().err == ""


def test_a_block_without_an_exception() -> None:
    with logsense.watching() as block:
        pass
    assert block.found is None


def test_a_function_of_ones_own_gets_all() -> None:
    heard: list[logsense.Explanation] = []
    with pytest.raises(ZeroDivisionError), logsense.watching(heard.append, live=False):
        raise ZeroDivisionError("division by zero")
    assert len(heard) == 1


def test_a_function_of_ones_own_that_fails_changes_nothing() -> None:
    with pytest.raises(ModuleNotFoundError), logsense.watching(lambda found: 1 / 0):
        raise ModuleNotFoundError(MISSING)


def test_functions() -> None:
    heard: list[logsense.Explanation] = []

    @logsense.watching(heard.append)
    def train(rate: float, *, steps: int = 1) -> float:
        """Trains."""
        if steps > 1:
            raise ModuleNotFoundError(MISSING)
        return rate * steps

    assert train(0.5) == 0.5
    assert train.__doc__ == "Trains."
    with pytest.raises(ModuleNotFoundError):
        train(0.5, steps=2)
    assert [one.cause for one in heard] == ["env.package-missing"]


def test_coroutines_and_async_blocks_leave_the_loop_running() -> None:
    heard: list[logsense.Explanation] = []
    ticks = 0

    @logsense.watching(heard.append)
    async def serve() -> None:
        await asyncio.sleep(0)
        raise ModuleNotFoundError(MISSING)

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.001)

    async def main() -> None:
        ticking = asyncio.create_task(tick())
        with pytest.raises(ModuleNotFoundError):
            await serve()
        with pytest.raises(FileNotFoundError):
            async with logsense.watching(heard.append):
                raise FileNotFoundError(2, "No such file or directory", "/data/x.bin")
        found = await logsense.explain_async("CUDA error: device-side assert triggered")
        assert found
        ticking.cancel()

    asyncio.run(main())
    assert [one.cause for one in heard] == ["env.package-missing", "storage.file-missing"]
    assert ticks > 3
