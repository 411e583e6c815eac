"""`Writer`: the one thread that edits the graph and asks its engine. Calls to this thread wait in two queues.

    run    an edit          carried out, even if its client goes away
    ask    a question       needs the engine and changes nothing: /what-if, /explain, /rules and others

Edits go first. A question is ended, and what it has begun is rolled back, if it takes too long or too much memory, if
its client goes away, if an edit has waited too long for it, or if the server stops. An edit is ended only if the server
stops and the edit needs more than some seconds after that. A question that has waited for `_TURN` seconds goes before
the edits, at most once in `_TURN` seconds.

Law: a call is ended only where the graph is whole (`interrupts.let_out`), and an edit is not ended once it is a commit.
A process that opens the store sees the commit `Writer.commit` or a later one. Threads: `run`, `ask`, `flush` and
`close` belong to the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

from kgreason.errors import GraphBusyError, KgreasonError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.interrupts import watched
from kgreason.memory import give_back_memory, resident_bytes
from kgreason.server.problems import Problem, busy_problem, stopping_problem
from kgreason.server.queries.limits import CallLimits
from kgreason.server.states import States

_MOMENT = 2
"""So many seconds a reader waits for the edits before it."""
_LOGGER = logging.getLogger("kgreason.server")
Result = TypeVar("Result")
GRACE = 2.0
"""The seconds that an edit gets to end after the server was told to stop."""
_TURN = 5.0
_LARGE = 1 << 26
"""Freed memory goes back to the system when the process has this many bytes more than after the last time.

So many calls that each leave a little are seen, and so is what other threads leave.
"""


class QuestionLimits(NamedTuple):
    """What a question may use.

    - `seconds`: how long it may run
    - `bytes`: by how many bytes the memory of the process may grow meanwhile; None is no limit
    - `hold`: how many seconds an edit may wait for it
    """

    seconds: float = 10
    bytes: int | None = None
    hold: float = 0.5


class _Call:
    """A call in a queue: an edit, or with `means` a question. `is_unwanted` is set once its client has gone away.

    A turn (`is_turn`) edits nothing: who waits for it has waited for all edits before it.
    """

    def __init__(
        self, call: Callable[[KnowledgeGraph], Any], means: QuestionLimits | None = None, *, is_turn: bool = False
    ) -> None:
        self.call, self.means, self.is_turn = call, means, is_turn
        self.future: Future[Any] = Future()
        self.is_unwanted = False
        self.since = time.monotonic()


class Writer:
    """The one thread that edits a graph and asks its engine.

    At most `most` edits, and as many questions, may wait for this thread. `is_stopping` says whether the server stops.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        most: int,
        means: QuestionLimits | None = None,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._most, self._means, self._is_stopping = most, means or QuestionLimits(), is_stopping
        self.graph = graph
        """The graph, for calls that take no lock, such as reading the history."""
        self._edits: deque[_Call] = deque()
        self._questions: deque[_Call] = deque()
        self._news = threading.Condition()
        self._is_closed = self._is_flush_due = False
        self._stop_at: float | None = None
        self._asked_at = time.monotonic()
        self._least = resident_bytes() or 0
        self.waiting = self.asking = 0
        """How many edits, and how many questions, run or wait."""
        self.committed: Callable[[float], object] = lambda _: None
        """Called in the thread of the writer with the seconds of each call that made a commit."""
        self._turn: tuple[_Call, asyncio.Future[Any]] | None = None
        self.states = States(graph.commit)
        graph.subscribe(self.states.add)
        self._thread = threading.Thread(target=self._run_calls, name="kgreason writer", daemon=True)
        self._thread.start()

    @property
    def commit(self) -> int:
        """The number of the last commit."""
        return self.states.commit

    async def run(self, call: Callable[[KnowledgeGraph], Result]) -> Result:
        """Wait for the thread of the writer, and edit the graph by `call(graph)` in it. Returns the result of `call`.

        Raises the errors of `call`, and Problem if too many edits wait.
        """
        if self.waiting > self._most:
            raise busy_problem("edits")
        return await asyncio.shield(self._enter(_Call(call), self._edits))

    async def ask(self, call: Callable[[KnowledgeGraph], Result]) -> Result:
        """Wait for the thread of the writer, and call `call(graph)` in it, which must change nothing.

        If this is cancelled, the call ends soon. Raises the errors of `call`, and Problem, QueryTimeoutError,
        LimitError, GraphBusyError if it was ended; see above.
        """
        if self.asking > self._most:
            raise busy_problem("questions")
        asked = _Call(call, self._means)
        try:
            return cast(Result, await asyncio.shield(self._enter(asked, self._questions)))
        except asyncio.CancelledError:
            asked.is_unwanted = True
            raise

    def _enter(self, call: _Call, queue: deque[_Call]) -> asyncio.Future[Any]:
        if self._is_closed:
            raise stopping_problem()
        self._count(call, 1)
        found = asyncio.wrap_future(call.future)
        found.add_done_callback(partial(self._leave_queue, call))
        with self._news:
            queue.append(call)
            self._news.notify()
        return found

    def _leave_queue(self, call: _Call, found: asyncio.Future[Any]) -> None:
        self._count(call, -1)
        if not found.cancelled():
            found.exception()  # nobody may wait for it any more, and asyncio would log that

    def _count(self, call: _Call, more: int) -> None:
        if call.is_turn:
            return
        if call.means is None:
            self.waiting += more
        else:
            self.asking += more

    async def wait_for_states(self) -> bool:
        """Wait a moment until `states` has every commit that a process may see by now. Returns whether it has them."""
        if not self.waiting:
            return True
        if self._is_closed:
            return False
        if self._turn is None or self._turn[0].future.done():
            call = _Call(lambda _: None, is_turn=True)
            self._turn = call, self._enter(call, self._edits)
        return bool((await asyncio.wait([self._turn[1]], timeout=_MOMENT))[0])

    def flush(self) -> None:
        """Have Oxigraph write its log to its tables, so that processes that open the store need not read the log.

        This does not wait, and does nothing if the server is stopping.
        """
        with self._news:
            self._is_flush_due = True
            self._news.notify()

    def close(self) -> None:
        """Finish the calls that wait, and close the graph."""
        with self._news:
            self._is_closed = True
            self._news.notify()
        self._thread.join()
        self.graph.close()

    # The methods below run in the thread of the writer.

    def _run_calls(self) -> None:
        while (call := self._next_call()) is not None:
            if call == "flush":
                self._flush()
            else:
                self._carry_out(cast(_Call, call))

    def _next_call(self) -> Any:
        """Wait for a call, and take it from its queue. Returns "flush" if that is due, and None at the end."""
        with self._news:
            while not (self._edits or self._questions or self._is_flush_due or self._is_closed):
                self._news.wait()
            if self._is_flush_due and not self._edits:
                self._is_flush_due = False
                return "flush"
            if self._questions and (not self._edits or self._is_turn(self._questions[0])):
                self._asked_at = time.monotonic()
                return self._questions.popleft()
            return self._edits.popleft() if self._edits else None

    def _is_turn(self, question: _Call) -> bool:
        """Whether a question has waited so long for edits that it goes before them."""
        return time.monotonic() - max(question.since, self._asked_at) > _TURN

    def _carry_out(self, call: _Call) -> None:
        commit, begun = self.graph.commit, time.perf_counter()
        end = self._end_of_edit(commit) if call.means is None else self._end_of_question(call, call.means)
        try:
            with watched(end):
                if call.means is not None:
                    end()
                result = call.call(self.graph)
        except BaseException as error:
            self._after_call(commit, begun)
            call.future.set_exception(error)
        else:
            self._after_call(commit, begun)
            call.future.set_result(result)

    def _after_call(self, commit: int, begun: float) -> None:
        """Note the last commit, and give freed memory back if the process has grown by much since the last time.

        `commit` is the last commit before the call, which began at `begun`.
        """
        self.states.publish(self.graph.commit)
        if self.commit != commit:
            self.committed(time.perf_counter() - begun)
        if (resident_bytes() or 0) > self._least + _LARGE:
            give_back_memory()
            self._least = resident_bytes() or 0

    def _end_of_edit(self, commit: int) -> Callable[[], None]:
        """Return a function that raises Problem if the edit that runs must end because the server stops.

        `commit` is the number of the commit before the edit.
        """

        def end() -> None:
            is_due = self._is_stopped() and self._stop_at is not None and time.monotonic() > self._stop_at
            if is_due and self.graph.commit == commit:
                raise stopping_problem()

        return end

    def _end_of_question(self, call: _Call, means: QuestionLimits) -> Callable[[], None]:
        """Return a function that raises an error if the question `call` must end."""
        begun = time.monotonic()
        look = CallLimits(means.seconds, means.bytes, self._is_stopped).begin("the question")

        def end() -> None:
            if call.is_unwanted:
                raise Problem(400, "the client has gone away")
            look()
            if (first := self._first_edit()) is not None and time.monotonic() - max(begun, first) > means.hold:
                raise GraphBusyError("the question was ended, because an edit waited for it; ask again")

        return end

    def _first_edit(self) -> float | None:
        """Return since when the first edit in the queue waits, or None if no edit waits."""
        with self._news:
            return next((each.since for each in self._edits if not each.is_turn), None)

    def _is_stopped(self) -> bool:
        """Whether the server stops. The first call that finds this out sets the time at which edits must end."""
        if not (self._is_closed or self._is_stopping()):
            return False
        if self._stop_at is None:
            self._stop_at = time.monotonic() + GRACE
        return True

    def _flush(self) -> None:
        try:
            self.graph.store.flush()
        except KgreasonError as error:
            _LOGGER.warning("the store cannot be flushed: %s", error)
