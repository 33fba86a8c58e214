"""Who searches blocks: threads of their own while the next are read, and the reader itself where they fall behind."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from queue import SimpleQueue

    from logsense.match.block import Block
    from logsense.match.engines import Engine

DENSE = 20_000  # hits in a block, from which on threads would only wait for each other
AHEAD = 2  # blocks more than there are threads may be under way: enough that no thread is ever idle


class Searches:
    """Takes blocks in their order and gives them back in it, searched, with up to `threads` threads.

    They are made here: concurrent.futures brings modules whose import takes longer than the search of many a log.
    """

    def __init__(self, engine: Engine, longest: int, threads: int) -> None:
        self._engine, self._longest, self._threads = engine, longest, threads
        self._wanted: SimpleQueue[_Search | None] | None = None
        self._pending: list[_Search] = []
        self._is_dense = True  # until a block has shown otherwise

    def __del__(self) -> None:
        if self._wanted:
            for _ in range(self._threads):
                self._wanted.put(None)

    def given(self, block: Block) -> Iterator[Block]:
        """Take `block` in, and give the blocks whose turn it is."""
        if self._is_dense or not self._threads:
            yield from self.rest()
        if not (self._threads and self._is_asked(block)):
            yield from self.rest()
            yield self.now(block)
            return
        if len(self._pending) > self._threads + AHEAD:
            self._help()
        while self._pending and (len(self._pending) > self._threads + AHEAD or self._pending[0].is_done):
            yield self._first()

    def rest(self) -> Iterator[Block]:
        """The blocks that have not been given back."""
        while self._pending:
            yield self._first()

    def now(self, block: Block) -> Block:
        """`block`, searched at once."""
        block.search(self._engine, self._longest)
        self._note(block)
        return block

    def _note(self, block: Block) -> None:
        self._is_dense = block.hits is not None and len(block.hits) > DENSE

    def _is_asked(self, block: Block) -> bool:
        """Whether a thread will search the block; where none can be started, none is asked again."""
        if self._wanted is None:
            from queue import SimpleQueue

            self._wanted = SimpleQueue()
            self._threads = _started(self._threads, self._wanted)
        if self._threads:
            self._pending.append(_Search(block, self._engine, self._longest))
            self._wanted.put(self._pending[-1])
        return bool(self._threads)

    def _help(self) -> None:
        """Search the first of the blocks for which no thread has been free."""
        for search in self._pending:
            if search.is_mine():
                search.do()
                return

    def _first(self) -> Block:
        """The oldest block, when it has been searched. Raises what the search raised."""
        block = self._pending.pop(0).result()
        self._note(block)
        return block


class _Search:
    """The search of one block, which the thread does that is the first to call it its own."""

    def __init__(self, block: Block, engine: Engine, longest: int) -> None:
        import threading

        self._block, self._engine, self._longest = block, engine, longest
        self._claim = threading.Lock()
        self._done = threading.Event()
        self._error: BaseException | None = None

    def is_mine(self) -> bool:
        """Whether the caller is the one who has to do it."""
        return self._claim.acquire(blocking=False)

    def do(self) -> None:
        """Search the block."""
        try:
            self._block.search(self._engine, self._longest)
        except BaseException as error:  # noqa: BLE001 - it is raised where the block is asked for
            self._error = error
        finally:
            self._done.set()

    @property
    def is_done(self) -> bool:
        """Whether nobody need wait for it."""
        return self._done.is_set()

    def result(self) -> Block:
        """The block, when it has been searched. Raises what the search raised."""
        self._done.wait()
        if self._error:
            raise self._error
        return self._block


def _started(count: int, wanted: SimpleQueue[_Search | None]) -> int:
    """Starts up to `count` threads that do what is `wanted`, until that is None; gives how many could be started."""
    import threading

    started = 0
    try:
        while started < count:
            threading.Thread(target=_work, args=(wanted,), daemon=True).start()
            started += 1
    except RuntimeError:
        pass  # the system lets us have no more
    return started


def _work(wanted: SimpleQueue[_Search | None]) -> None:
    while search := wanted.get():
        if search.is_mine():
            search.do()
        del search  # and with it the block's memory
