"""`Writer`: the one thread that edits the graph and asks its engine. Calls to this thread wait in a queue.

Law: a call in the queue is carried out, even if its client goes away. A process that opens the store sees the commit
`Writer.commit` or a later one. Threads: `run` belongs to the event loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kgreason.errors import KgreasonError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.server.problems import Problem, busy
from kgreason.server.states import States

_MOMENT = 2
"""So many seconds a reader waits for the edits before it."""
_LOGGER = logging.getLogger("kgreason.server")
Result = TypeVar("Result")


class Writer:
    """The one thread that edits a graph and asks its engine. At most `most` calls may wait for this thread."""

    def __init__(self, graph: KnowledgeGraph, most: int) -> None:
        self._most = most
        self.graph = graph
        """The graph, for calls that take no lock, such as reading the history."""
        self._thread = ThreadPoolExecutor(1, "kgreason writer")
        self._is_closed = False
        self.waiting = 0
        """How many calls run or wait."""
        self.states = States(graph.commit)
        graph.subscribe(self.states.add)

    @property
    def commit(self) -> int:
        """The number of the last commit."""
        return self.states.commit

    async def run(self, call: Callable[[KnowledgeGraph], Result]) -> Result:
        """Wait for the thread of the writer, and call `call(graph)` in it. Returns the result of `call`.

        Raises the errors of `call`, and Problem if too many calls wait.
        """
        if self._is_closed:
            raise Problem(503, "the server is stopping")
        if self.waiting > self._most:
            raise busy("edits")
        self.waiting += 1
        begun = self._thread.submit(self._run, call)
        begun.add_done_callback(lambda _: self._done())
        return await asyncio.shield(asyncio.wrap_future(begun))

    async def settle(self) -> bool:
        """Wait a moment until `states` has every commit that a process may see by now. Returns whether it has them."""
        if not self.waiting:
            return True
        if self._is_closed:
            return False
        calls = asyncio.wrap_future(self._thread.submit(lambda: None))
        return bool((await asyncio.wait([calls], timeout=_MOMENT))[0])

    def flush(self) -> None:
        """Have Oxigraph write its log to its tables, so that processes that open the store need not read the log.

        This does not wait, and does nothing if the server is stopping.
        """
        if not self._is_closed:
            self._thread.submit(self._flush)

    def _flush(self) -> None:
        try:
            self.graph.store.flush()
        except KgreasonError as error:
            _LOGGER.warning("the store cannot be flushed: %s", error)

    def _done(self) -> None:
        self.waiting -= 1

    def _run(self, call: Callable[[KnowledgeGraph], Result]) -> Result:
        try:
            return call(self.graph)
        finally:
            self.states.publish(self.graph.commit)

    def close(self) -> None:
        """Finish the calls that wait, and close the graph."""
        self._is_closed = True
        self._thread.shutdown(wait=True)
        self.graph.close()
