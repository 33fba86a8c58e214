"""Who searches blocks: threads of their own while the next are read, and the reader itself where they fall behind."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future, ThreadPoolExecutor

    from logsense.match.block import Block
    from logsense.match.engines import Engine

DENSE = 20_000  # hits in a block, from which on threads would only wait for each other
AHEAD = 2  # blocks more than there are threads may be under way: enough that no thread is ever idle


class Searches:
    """Takes blocks in their order and gives them back in it, searched, with up to `threads` threads."""

    def __init__(self, engine: Engine, longest: int, threads: int) -> None:
        self._engine, self._longest, self._threads = engine, longest, threads
        self._pool: ThreadPoolExecutor | None = None
        self._pending: list[tuple[Block, Future[None]]] = []
        self._is_dense = True  # until a block has shown otherwise

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
        while self._pending and (len(self._pending) > self._threads + AHEAD or self._pending[0][1].done()):
            yield self._first()

    def rest(self) -> Iterator[Block]:
        """The blocks that have not been given back."""
        while self._pending:
            yield self._first()

    def now(self, block: Block) -> Block:
        """`block`, searched at once."""
        block.search(self._engine, self._longest)
        self._is_dense = sum(map(len, block.hits.values())) > DENSE
        return block

    def _is_asked(self, block: Block) -> bool:
        """Whether a thread will search the block; where none can be started, none is asked again."""
        from concurrent.futures import ThreadPoolExecutor

        self._pool = self._pool or ThreadPoolExecutor(self._threads)
        try:
            self._pending.append((block, self._pool.submit(block.search, self._engine, self._longest)))
        except RuntimeError:
            self._threads = 0
        return bool(self._threads)

    def _help(self) -> None:
        """Search the first of the blocks for which no thread has been free."""
        from concurrent.futures import Future

        for number, (block, search) in enumerate(self._pending):
            if search.cancel():
                done: Future[None] = Future()
                block.search(self._engine, self._longest)
                done.set_result(None)
                self._pending[number] = block, done
                return

    def _first(self) -> Block:
        """The oldest block, when it has been searched. Raises what the search raised."""
        block, search = self._pending.pop(0)
        search.result()
        self._is_dense = sum(map(len, block.hits.values())) > DENSE
        return block
