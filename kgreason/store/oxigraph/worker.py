"""`answer`, `wait_for`: a SPARQL query, or any call, in another thread, so that the caller can stop waiting for it.

While pyoxigraph evaluates, Python handles no signal in the thread that asked. So another thread evaluates, and the one
that asked waits in a way that Ctrl-C and a timeout end. Oxigraph itself cannot be stopped: the thread that nobody
waits for any more ends once Oxigraph gives the next row or the answer, and keeps no process from ending.

Results of pyoxigraph belong to the thread that made them, single rows do not. So each worker keeps the results of one
query, and hands over batches of rows, which any thread may take (one at a time).

Invariant: rows come in order, each once, of one state of the store. Cost: 10 to 80 microseconds a query, as the system
wakes the thread, and as much for each batch of up to 4,096 rows. `is_short` tells the queries that need no worker.
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
from kgreason.store.oxigraph.results import Output, Results, Solutions, Triples, boolean, document

Result = TypeVar("Result")
_FIRST, _MOST = 64, 4096
"""Rows in the first batch, and in the largest."""
_LONG = 0.001
"""Seconds after which a batch is handed over as it is."""
_SHORTLY = 1.0
"""Seconds within which an idle worker drops its results; longer only where Python is ending."""
_LOOK = 0.1
"""Seconds after which a waiting thread looks whether there are rows already."""

_TERM = r"(?:\?\w+|<[^<>\s]*>|[\w-]*:[\w-]*|\"[^\"\\\n]*\")"
_SHORT = re.compile(
    rf"\s*(?:PREFIX\s+[\w-]*:\s*<[^<>\s]*>\s*)*(?:SELECT\s+(?:\*|(?:\?\w+\s*)+)|ASK)\s*(?:WHERE\s*)?"
    rf"\{{\s*(?:<[^<>\s]*>|(?!_:)[\w-]*:[\w-]*)\s+(?:a|{_TERM})\s+{_TERM}\s*\.?\s*\}}\s*",
    re.IGNORECASE,
)


def is_short(sparql: str) -> bool:
    """Whether a query asks for one triple pattern with a subject, and nothing else, so that it takes no time."""
    return len(sparql) < 1000 and _SHORT.fullmatch(sparql) is not None


def at_once(ask: Callable[[], Results]) -> Results | None:
    """The results that `ask` gives, all rows of them; None where these are too many to wait for."""
    results = ask()
    if isinstance(results, QueryBoolean):
        return results
    assert isinstance(results, QuerySolutions)
    rows, variables = list(islice(results, _MOST + 1)), results.variables
    if len(rows) > _MOST:
        return None
    left = iter(rows)
    whole = lambda output, syntax: document(variables, left).serialize(output, syntax)  # noqa: E731
    return cast(Results, Solutions(variables, left, whole))


def quads(ask: Callable[[], Iterator[Quad]]) -> Iterator[Quad]:
    """The quads that `ask` gives; where they are many, it is called once more, in another thread."""
    rows = list(islice(ask(), _MOST + 1))
    return iter(rows) if len(rows) <= _MOST else cast(Iterator[Quad], answer(cast(Any, ask)))


def answer(ask: Callable[[], Results], timeout: float | None = None) -> Results:
    """The results that `ask` gives, which is called in another thread; all rows are fetched within `timeout` seconds.

    Raises what `ask` raises, QueryTimeoutError here or while rows are fetched, QueryError for a row that fails.
    """
    query = _Query(_taken(), timeout)
    query.begin(ask)
    if query.answer is not None:
        return boolean(query.answer)
    if query.variables is None:
        return cast(Results, Triples(query.rows()))
    return cast(Results, Solutions(query.variables, query.rows(), partial(query.written, query.variables)))


def wait_for(call: Callable[[], Result], timeout: float | None = None) -> Result:
    """What a call gives that is made in another thread, or what it raises. Ctrl-C ends the waiting, not the call.

    Raises QueryTimeoutError after so many seconds.
    """
    worker = _taken()
    until = math.inf if timeout is None else time.monotonic() + timeout
    try:
        worker.submit(lambda _: call())
        while not worker.is_finished(min(_LOOK, until - time.monotonic())):
            if time.monotonic() >= until:
                raise QueryTimeoutError(f"the query took longer than {timeout:g} seconds")
    except BaseException:
        worker.give_up()
        raise
    try:
        return cast(Result, worker.value())
    finally:
        _IDLE.append(worker)


def is_left() -> bool:
    """Whether there is a call that nobody waits for."""
    _LEFT[:] = filter(threading.Thread.is_alive, _LEFT)
    return bool(_LEFT)


def stay_at_exit() -> None:
    """Where Python ends, wait for ever: for functions that Oxigraph calls in the thread of a call that is left.

    A thread that comes back to Python later would make the process fail.
    """
    if _ENDING.locked():
        with suppress(ValueError):
            _LEFT.remove(threading.current_thread())
        _ENDING.acquire()


@atexit.register
def _end() -> None:
    """Give calls that are left a moment to come to a function that stays."""
    if is_left():
        _ENDING.acquire(blocking=False)
        until = time.monotonic() + _SHORTLY / 4
        while is_left() and time.monotonic() < until:
            time.sleep(_LOOK / 20)


def _taken() -> _Worker:
    """A worker that nobody else has."""
    try:
        return _IDLE.pop()
    except IndexError:
        return _Worker()


class _Worker:
    """A thread that carries out one call at a time, and the results that it keeps between calls."""

    def __init__(self) -> None:
        self.is_given_up: bool = False
        self._wanted, self._done = threading.Lock(), threading.Lock()
        self._wanted.acquire()
        self._done.acquire()
        self._results: Any = None
        self._call: Callable[[_Worker], Any] | None = None
        self._value: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="kgreason query", daemon=True)
        self._thread.start()

    def submit(self, call: Callable[[_Worker], Any]) -> None:
        """Have a call carried out."""
        self._call = call
        self._wanted.release()

    def is_finished(self, seconds: float) -> bool:
        """Wait so long, or until the call is finished; whether it is."""
        return self._done.acquire(timeout=max(seconds, 0))

    def value(self) -> Any:
        """What the finished call gave. Raises what it raised."""
        value, error = self._value, self._error
        self._value = self._error = None
        try:
            if error is not None:
                raise error
            return value
        finally:
            del error  # its traceback has this frame, and frames that have the store, which is to be closed in time

    def give_up(self) -> None:
        """End the thread, now or when its call is finished."""
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
                traceback.clear_frames(error.__traceback__)  # they hold the results, which are to be dropped here
                self._error = error
            self._call = None
            self._done.release()
        self.forget()
        self._value = self._error = None

    # What follows is called in the thread of the worker.

    def begin(self, ask: Callable[[], Results], query: _Query) -> bool:
        """Ask, and fetch the first rows; whether there are no others."""
        results = ask()
        if isinstance(results, QueryBoolean):
            query.answer = bool(results)
            return True
        self._results = results
        query.variables = results.variables if isinstance(results, QuerySolutions) else None
        return self.fetch(_FIRST, query.ready)

    def fetch(self, most: int, ready: deque[Any]) -> bool:
        """Add some rows to those that are ready; whether these were the last ones."""
        until = time.perf_counter() + _LONG
        for row in self._results:
            ready.append(row)
            most -= 1
            if most == 0 or time.perf_counter() > until or self.is_given_up:
                return False
        self.forget()
        return True

    def forget(self) -> None:
        """Drop the results, which only the thread that made them can do."""
        self._results = None

    def write(self, file: _Rest, syntax: QueryResultsFormat) -> bool:
        """Serialize the rows that are not ready yet; there are none afterwards."""
        self._results.serialize(cast(IO[bytes], file), syntax)
        self.forget()
        return True


class _Query:
    """A worker's present query, as the thread sees it that asked."""

    def __init__(self, worker: _Worker, timeout: float | None) -> None:
        self._worker: _Worker | None = worker
        self._timeout = timeout
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._is_busy = self._is_done = False
        self.answer: bool | None = None
        self.variables: list[Variable] | None = None
        self.ready: deque[Any] = deque()
        """Rows that the worker has handed over."""

    def begin(self, ask: Callable[[], Results]) -> None:
        """Have the query evaluated up to its first rows."""
        self._submit(lambda worker: worker.begin(ask, self))
        while self._is_busy and not self.ready:
            self._wait()

    def _submit(self, call: Callable[[_Worker], bool]) -> None:
        """Have the worker do something, which says whether there are no more rows."""
        if (worker := self._worker) is None:
            raise QueryError("the query was given up")
        self._is_busy = True
        worker.submit(call)

    def _wait(self) -> None:
        """Wait a little, or until the worker is not busy any more. Raises what its work raised, QueryTimeoutError."""
        worker = self._worker
        assert worker
        try:
            if worker.is_finished(self._patience()):
                self._is_busy = False
                self._is_done = worker.value()
            else:
                self._check_time()
        except BaseException:
            self._give_up()
            raise
        if self._is_done:
            self._leave()

    def rows(self) -> Iterator[Any]:
        """All rows; the worker is free afterwards. Raises QueryError."""
        size = _FIRST
        try:
            while self.ready or not self._is_done:
                while self.ready:
                    yield self.ready.popleft()
                if not (self._is_done or self._is_busy):
                    size = min(2 * size, _MOST)
                    self._submit(partial(_Worker.fetch, most=size, ready=self.ready))
                while self._is_busy and not self.ready:
                    self._wait()
        except (OSError, RuntimeError, ValueError) as error:
            raise QueryError(f"the query cannot be evaluated: {error}") from error
        finally:
            self._give_up()

    def written(
        self, variables: list[Variable], output: Output = None, syntax: QueryResultsFormat | None = None
    ) -> bytes | None:
        """Write all rows as one document, or return it where there is no output."""
        while self._is_busy:
            self._wait()
        if self._is_done:
            return document(variables, self.ready).serialize(output, syntax)
        if isinstance(output, (str, PathLike)):
            syntax = syntax or QueryResultsFormat.from_extension(Path(output).suffix[1:])
        if syntax is None:
            return document(variables, ()).serialize(output, syntax)  # which raises
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
        """Write the rows that are ready, then have the worker write the others behind them."""
        end = _ENDS.get(syntax.file_extension, b"")
        beginning = _whole(variables, (), syntax).removesuffix(end)
        output.write(_whole(variables, self.ready, syntax).removesuffix(end))
        rest = _Rest(output, len(beginning), b"," if syntax == QueryResultsFormat.JSON else b"", self._is_unwanted)
        self.ready.clear()
        self._submit(lambda worker: worker.write(rest, syntax))
        while self._is_busy:
            self._wait()

    def _is_unwanted(self) -> bool:
        return self._worker is None

    def _leave(self) -> None:
        """Let others have the worker, which has no results any more."""
        worker, self._worker = self._worker, None
        if worker:
            _IDLE.append(worker)

    def _give_up(self) -> None:
        worker, self._worker = self._worker, None
        if worker and self._is_busy:
            worker.give_up()
        elif worker:  # its results keep the store open: they go before this returns
            worker.submit(_Worker.forget)
            if worker.is_finished(_SHORTLY):
                worker.value()
                _IDLE.append(worker)
            else:
                worker.give_up()

    def _patience(self) -> float:
        return _LOOK if self._deadline is None else min(_LOOK, self._deadline - time.monotonic())

    def _check_time(self) -> None:
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise QueryTimeoutError(f"the query took longer than {self._timeout:g} seconds")

    def __del__(self) -> None:
        self._give_up()


class _Rest:
    """A binary file that the end of a document is written to, without its first bytes; `comma` comes ahead of a row.

    Raises OSError once the document is not wanted any more.
    """

    def __init__(self, output: IO[bytes], skipped: int, comma: bytes, is_unwanted: Callable[[], bool]) -> None:
        self._output, self._skipped, self._comma, self._is_unwanted = output, skipped, comma, is_unwanted

    def write(self, piece: bytes) -> int:
        """Write a piece of the document."""
        if self._is_unwanted():
            raise OSError("the rows are not wanted any more")
        kept = piece[self._skipped :]
        self._skipped = max(self._skipped - len(piece), 0)
        if kept:
            self._output.write(kept if kept.startswith(b"]") else self._comma + kept)
            self._comma = b""
        return len(piece)

    def flush(self) -> None:
        """Nothing is kept back."""


def _whole(variables: list[Variable], rows: Iterable[Any], syntax: QueryResultsFormat) -> bytes:
    return cast(bytes, document(variables, rows).serialize(format=syntax))


_ENDS = {"srj": b"]}}", "srx": b"</results></sparql>"}
"""How documents end behind their rows, by the extension of their format."""
_IDLE: list[_Worker] = []
_LEFT: list[threading.Thread] = []
"""The threads of workers that were given up, until somebody looks and they have ended."""
_ENDING = threading.Lock()
"""Locked while Python ends, if calls are left."""
if hasattr(os, "register_at_fork"):  # a child has none of its parent's threads
    os.register_at_fork(after_in_child=_IDLE.clear)
    os.register_at_fork(after_in_child=_LEFT.clear)
