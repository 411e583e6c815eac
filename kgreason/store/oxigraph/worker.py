"""`answer`, `call_in_worker`: run a SPARQL query, or any call, in another thread, so that the caller can stop waiting.

While a thread evaluates a query in pyoxigraph, Python handles no signal in this thread. So another thread, a *worker*,
evaluates the query, and the caller waits in a way that Ctrl-C and a timeout can end. Oxigraph itself cannot be stopped.
After the caller has given up, the worker goes on until Oxigraph gives the next row or the answer, and then ends. The
worker does not keep the process from ending.

In pyoxigraph only the thread that made the results may use them, but any thread may use a single row. So each worker
keeps the results of one query, and gives batches of rows to other threads. Any thread may take the rows, one thread at
a time.

Invariant: each row comes once, in order, and all rows are of one state of the store. Cost: 10 to 80 microseconds for a
query, to wake the thread, and the same for each batch of up to 4,096 rows. Queries that `is_short` accepts need no
worker.
"""

from __future__ import annotations

import atexit
import math
import os
import re
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from pyoxigraph import Quad, QueryBoolean, QueryResultsFormat, QuerySolutions, Variable

from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.interrupts import let_out
from kgreason.stacks import start_thread
from kgreason.store.oxigraph.failures import FAILURES, query_error
from kgreason.store.oxigraph.results import Output, Results, Solutions, Triples, boolean_answer, solutions_of_rows

Result = TypeVar("Result")
_FIRST, _MOST = 64, 4096
"""The number of rows in the first batch, and in the largest batch."""
_LONG = 0.001
"""After this many seconds a batch is handed over, even if it is not full."""
_SHORTLY = 1.0
"""An idle worker drops its results within this many seconds, except while Python is ending."""
_LOOK = 0.1
"""A waiting thread looks for rows, and for signals, after this many seconds."""

_TERM = r"(?:\?\w+|<[^<>\s]*>|[\w-]*:[\w-]*|\"[^\"\\\n]*\")"
_SHORT = re.compile(
    rf"\s*(?:PREFIX\s+[\w-]*:\s*<[^<>\s]*>\s*)*(?:SELECT\s+(?:\*|(?:\?\w+\s*)+)|ASK)\s*(?:WHERE\s*)?"
    rf"\{{\s*(?:<[^<>\s]*>|(?!_:)[\w-]*:[\w-]*)\s+(?:a|{_TERM})\s+{_TERM}\s*\.?\s*\}}\s*",
    re.IGNORECASE,
)


def is_short(sparql: str) -> bool:
    """Whether a query is surely fast: one triple pattern with a fixed subject, and nothing else."""
    return len(sparql) < 1000 and _SHORT.fullmatch(sparql) is not None


def small_results(ask: Callable[[], Results]) -> Results | None:
    """Call `ask` in this thread, and read all rows. Returns None if there are more rows than the largest batch has."""
    results = ask()
    if isinstance(results, QueryBoolean):
        return results
    assert isinstance(results, QuerySolutions)
    rows, variables = list(islice(results, _MOST + 1)), results.variables
    if len(rows) > _MOST:
        return None
    left = iter(rows)
    whole = lambda output, syntax: solutions_of_rows(variables, left).serialize(output, syntax)  # noqa: E731
    return cast(Results, Solutions(variables, left, whole))


def read_quads(ask: Callable[[], Iterator[Quad]]) -> Iterator[Quad]:
    """Return the quads that `ask` returns. If they are more than the largest batch has, a worker asks again."""
    rows = list(islice(ask(), _MOST + 1))
    return iter(rows) if len(rows) <= _MOST else cast(Iterator[Quad], answer(cast(Any, ask)))


def answer(ask: Callable[[], Results], timeout: float | None = None, stack: int = 0) -> Results:
    """Call `ask` in a worker, and return results whose rows come from this worker.

    All rows must be fetched within `timeout` seconds. `stack` is how many bytes of stack `ask` and its rows may take
    (`stacks.stack_for`). Raises the errors of `ask`, QueryTimeoutError here or while rows
    are fetched, and QueryError for a row that fails.
    """
    query = _Query(_idle_worker(stack), timeout)
    query.begin(ask)
    if query.answer is not None:
        return boolean_answer(query.answer)
    if query.variables is None:
        return cast(Results, Triples(query.rows()))
    return cast(Results, Solutions(query.variables, query.rows(), partial(query.write_all, query.variables)))


def call_in_worker(call: Callable[[], Result], timeout: float | None = None, stack: int = 0) -> Result:
    """Make a call in a worker, and return its result. Ctrl-C ends the waiting, but not the call.

    `stack` is how many bytes of stack the call may take (`stacks.stack_for`). Raises the errors of the call, and
    QueryTimeoutError after `timeout` seconds.
    """
    worker = _idle_worker(stack)
    until = math.inf if timeout is None else time.monotonic() + timeout
    try:
        worker.submit(lambda _: call())
        while not worker.is_finished(min(_LOOK, until - time.monotonic())):
            let_out()
            if time.monotonic() >= until:
                raise QueryTimeoutError(f"the query took longer than {timeout:g} s")
    except BaseException:
        worker.give_up()
        raise
    try:
        return cast(Result, worker.value())
    finally:
        worker.leave()


def has_abandoned_call() -> bool:
    """Whether a call that nobody waits for is still running."""
    _LEFT[:] = filter(threading.Thread.is_alive, _LEFT)
    return bool(_LEFT)


def stay_at_exit() -> None:
    """Wait for ever if Python is ending, otherwise do nothing. Oxigraph calls this in a worker that nobody waits for.

    If the thread of this worker came back to Python after the end of Python, the process would crash.
    """
    if _ENDING.locked():
        with suppress(ValueError):
            _LEFT.remove(threading.current_thread())
        _ENDING.acquire()


@atexit.register
def _wait_for_calls() -> None:
    """When Python ends, wait a moment for calls that nobody waits for, so that they finish or reach `stay_at_exit`."""
    if has_abandoned_call():
        _ENDING.acquire(blocking=False)
        until = time.monotonic() + _SHORTLY / 4
        while has_abandoned_call() and time.monotonic() < until:
            time.sleep(_LOOK / 20)


def _idle_worker(stack: int) -> _Worker:
    """Return a worker that is not in use: an idle one, or a new one, which may have a larger stack."""
    try:
        return _Worker(stack) if stack else _IDLE.pop()
    except IndexError:
        return _Worker()


class _Worker:
    """A thread that carries out one call at a time, and keeps the results of a query between calls.

    A worker with a large `stack` ends after its query; 0 is the usual stack. Raises QueryError if the system does not
    give so much stack.
    """

    def __init__(self, stack: int = 0) -> None:
        self.is_given_up: bool = False
        self._wanted, self._done = threading.Lock(), threading.Lock()
        self._wanted.acquire()
        self._done.acquire()
        self._results: Any = None
        self._call: Callable[[_Worker], Any] | None = None
        self._value: Any = None
        self._error: BaseException | None = None
        self._has_usual_stack = not stack
        self._thread = start_thread(stack, self._run, name="kgreason query", daemon=True)

    def submit(self, call: Callable[[_Worker], Any]) -> None:
        """Begin `call` in the worker's thread. It gets the worker as its argument."""
        self._call = call
        self._wanted.release()

    def is_finished(self, seconds: float) -> bool:
        """Wait at most `seconds` for the call. Returns whether the call is finished."""
        return self._done.acquire(timeout=max(seconds, 0))

    def value(self) -> Any:
        """Return the result of the call that has finished, or raise its error."""
        value, error = self._value, self._error
        self._value = self._error = None
        try:
            if error is not None:
                raise error
            return value
        finally:
            del error  # its traceback would keep frames, and so the store, alive: the store could not be closed in time

    def leave(self) -> None:
        """Let other queries use the worker, because it has finished its call. It has no results any more."""
        if self._has_usual_stack:
            _IDLE.append(self)
        else:
            self.give_up()

    def give_up(self) -> None:
        """End the thread: now, or after the call that runs in it."""
        self.is_given_up = True
        _LEFT.append(self._thread)
        with suppress(RuntimeError):  # the lock is free, as the thread has not begun its call
            self._wanted.release()

    def _run(self) -> None:
        while self._wanted.acquire() and not self.is_given_up:
            assert self._call
            try:
                self._value = self._call(self)
            except BaseException as error:
                traceback.clear_frames(error.__traceback__)  # the frames hold the results; this thread must drop them
                self._error = error
            self._call = None
            self._done.release()
        self.forget()
        self._value = self._error = None

    # The methods below run in the thread of the worker.

    def begin(self, ask: Callable[[], Results], query: _Query) -> bool:
        """Call `ask`, and hand its answer or its first rows to `query`. Returns True if no row is left."""
        results = ask()
        if isinstance(results, QueryBoolean):
            query.answer = bool(results)
            return True
        self._results = results
        query.variables = results.variables if isinstance(results, QuerySolutions) else None
        return self.fetch(_FIRST, query.ready)

    def fetch(self, most: int, ready: deque[Any]) -> bool:
        """Append at most `most` further rows to `ready`. Returns True if no row is left."""
        until = time.perf_counter() + _LONG
        for row in self._results:
            ready.append(row)
            most -= 1
            if most == 0 or time.perf_counter() > until or self.is_given_up:
                return False
        self.forget()
        return True

    def forget(self) -> None:
        """Drop the results. Only the thread that made them may do this."""
        self._results = None

    def write(self, file: _Rest, syntax: QueryResultsFormat) -> bool:
        """Write all rows that were not handed over yet to `file`. Returns True, because no row is left then."""
        try:
            self._results.serialize(cast(IO[bytes], file), syntax)
        except FAILURES as error:
            if file.is_broken:
                raise
            raise query_error(error) from error
        self.forget()
        return True


class _Query:
    """The query that a worker is evaluating now, as seen by the thread that asked it."""

    def __init__(self, worker: _Worker, timeout: float | None) -> None:
        self._worker: _Worker | None = worker
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._is_busy = self._is_done = False
        self.answer: bool | None = None
        self.variables: list[Variable] | None = None
        self.ready: deque[Any] = deque()
        """The rows that the worker has handed over, and that nobody has taken yet."""

    def begin(self, ask: Callable[[], Results]) -> None:
        """Start the query, which `ask` evaluates, and wait for its first rows."""
        self._ask = ask  # which keeps the store, and a reader's own files, until the rows are fetched
        self._submit(lambda worker: worker.begin(ask, self))
        while self._is_busy and not self.ready:
            self._wait_a_moment()

    def _submit(self, call: Callable[[_Worker], bool]) -> None:
        """Begin `call` in the worker. It must return True if no row is left."""
        if (worker := self._worker) is None:
            raise QueryError("the query was stopped; run it again")
        self._is_busy = True
        worker.submit(call)

    def _wait_a_moment(self) -> None:
        """Wait at most `_LOOK` seconds for the worker's call. If the call has finished, note whether rows are left."""
        worker = self._worker
        assert worker
        try:
            if worker.is_finished(self._patience()):
                self._is_busy = False
                self._is_done = worker.value()
            else:
                let_out()
                self._check_time()
        except BaseException:
            self._give_up()
            raise
        if self._is_done:
            self._leave()

    def rows(self) -> Iterator[Any]:
        """Yield all rows, and then let other queries use the worker. Raises QueryError, QueryTimeoutError."""
        size = _FIRST
        try:
            while self.ready or not self._is_done:
                while self.ready:
                    yield self.ready.popleft()
                if not (self._is_done or self._is_busy):
                    size = min(2 * size, _MOST)
                    self._submit(partial(_Worker.fetch, most=size, ready=self.ready))
                while self._is_busy and not self.ready:
                    self._wait_a_moment()
        except FAILURES as error:
            raise query_error(error) from error
        finally:
            self._give_up()

    def write_all(
        self, variables: list[Variable], output: Output = None, syntax: QueryResultsFormat | None = None
    ) -> bytes | None:
        """Write all rows to `output` as one document in the format `syntax`.

        If `output` is None, return the document. If `syntax` is None, the name of the file `output` says the format.
        """
        while self._is_busy:
            self._wait_a_moment()
        if self._is_done:
            return solutions_of_rows(variables, self.ready).serialize(output, syntax)
        if isinstance(output, (str, PathLike)):
            syntax = syntax or QueryResultsFormat.from_extension(Path(output).suffix[1:])
        if syntax is None:
            return solutions_of_rows(variables, ()).serialize(output, syntax)  # raises pyoxigraph's error
        if isinstance(output, (str, PathLike)):
            with open(output, "wb") as file:
                self._write(variables, file, syntax)
        elif output is not None:
            self._write(variables, output, syntax)
        else:
            self._write(variables, memory := BytesIO(), syntax)
            return memory.getvalue()
        return None

    def _write(self, variables: list[Variable], output: IO[bytes], syntax: QueryResultsFormat) -> None:
        """Write one document. This thread writes the rows of `ready`; then the worker writes all other rows."""
        end = _ENDS.get(syntax.file_extension, b"")
        beginning = _serialize_all(variables, (), syntax).removesuffix(end)
        output.write(_serialize_all(variables, self.ready, syntax).removesuffix(end))
        rest = _Rest(output, len(beginning), b"," if syntax == QueryResultsFormat.JSON else b"", self._is_over)
        self.ready.clear()
        self._submit(lambda worker: worker.write(rest, syntax))
        while self._is_busy:
            self._wait_a_moment()

    def _is_over(self) -> bool:
        return self._worker is None

    def _leave(self) -> None:
        """Let other queries use the worker, because it has handed over all rows of this query."""
        worker, self._worker = self._worker, None
        if worker:
            worker.leave()

    def _give_up(self) -> None:
        worker, self._worker = self._worker, None
        if worker and self._is_busy:
            worker.give_up()
        elif worker:  # its results keep the store open, so drop them before this returns
            worker.submit(_Worker.forget)
            if worker.is_finished(_SHORTLY):
                worker.value()
                worker.leave()
            else:
                worker.give_up()

    def _patience(self) -> float:
        return _LOOK if self._deadline is None else min(_LOOK, self._deadline - time.monotonic())

    def _check_time(self) -> None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise QueryTimeoutError(f"the query took longer than {self._timeout:g} s")

    def __del__(self) -> None:
        self._give_up()


class _Rest:
    """A binary file for the rest of a document whose first rows are in `output` already.

    The writer writes a complete document to this file. The file drops the first `skipped` bytes, which are the text
    before the first row, and writes the others to `output`. `comma` separates the rows in `output` from the next row.
    Raises OSError once nobody wants the document any more (`is_unwanted`).
    """

    def __init__(self, output: IO[bytes], skipped: int, comma: bytes, is_unwanted: Callable[[], bool]) -> None:
        self._output, self._skipped, self._comma, self._is_unwanted = output, skipped, comma, is_unwanted
        self.is_broken = False
        """Whether a write has failed: then the error is one of `output`, and not one of the query."""

    def write(self, piece: bytes) -> int:
        """Write a piece of the document."""
        self.is_broken = True
        if self._is_unwanted():
            raise OSError("nobody wants the rows any more")
        kept = piece[self._skipped :]
        self._skipped = max(self._skipped - len(piece), 0)
        if kept:
            self._output.write(kept if kept.startswith(b"]") else self._comma + kept)
            self._comma = b""
        self.is_broken = False
        return len(piece)

    def flush(self) -> None:
        """Do nothing: every piece is written at once."""


def _serialize_all(variables: list[Variable], rows: Iterable[Any], syntax: QueryResultsFormat) -> bytes:
    return cast(bytes, solutions_of_rows(variables, rows).serialize(format=syntax))


_ENDS = {"srj": b"]}}", "srx": b"</results></sparql>"}
"""The end of a document behind its rows, by the file extension of the format."""
_IDLE: list[_Worker] = []
_LEFT: list[threading.Thread] = []
"""The threads of workers that were given up; `has_abandoned_call` removes those that have ended."""
_ENDING = threading.Lock()
"""Locked while Python ends, if calls that nobody waits for are still running."""
if hasattr(os, "register_at_fork"):  # the threads of a parent process do not exist in its child
    os.register_at_fork(after_in_child=_IDLE.clear)
    os.register_at_fork(after_in_child=_LEFT.clear)
