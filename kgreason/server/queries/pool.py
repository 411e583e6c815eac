"""`Pool`: the processes that evaluate queries, and the queue before them.

    ask -> a free process, or a new one -> head -> pieces of the document        at the deadline the process is killed

The time of a query begins when its process is ready. Before that it may wait as long in the queue.

Laws: at most `queries` processes run, and at most `queries_waiting` queries wait. A query sees the commit that its
request names, or a later one. A process is killed at the deadline of its query, or if its client goes away; the next
query may then start at once. Threads: everything here belongs to the event loop.

Cost: a query costs two messages through a pipe. The first query after a commit opens the store again in its process.
Opening takes some 7 milliseconds, and 35 more for each megabyte of Oxigraph's log. So `flush`, which empties the log,
is called when the processes have read some megabytes of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from kgreason import errors
from kgreason.errors import KgreasonError, QueryError, QueryTimeoutError
from kgreason.server.problems import Problem, busy_problem
from kgreason.server.queries.frames import DATA, END, HEADER, MISSING, PIECE, REQUEST, UNACCEPTABLE, frame
from kgreason.server.queries.nesting import parse_seconds
from kgreason.server.settings import Settings

_RUN = "import sys; from kgreason.server.queries.child import main; main(*sys.argv[1:])"
_EARLY = (
    "the query cannot be evaluated: its process has ended early; perhaps it needs more memory than the server allows,"
    " or the text is nested too deeply"
)
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
"""A query process does no linear algebra. NumPy would start a thread for each CPU, whose stack counts as memory."""
_BUFFER = 1 << 20
_READ = 4 << 20
"""After the processes have read this many bytes of Oxigraph's log, it is emptied, which takes about as long."""
_STARTING = 60
"""The seconds that a process may take to start."""


class Request(NamedTuple):
    """A request to a query process.

    - `sparql`: a query. If it is None, the process reads a whole graph: the graph with the name `graph`, or the default
      graph if `graph` is None.
    - `default_graphs`, `named_graphs`: the dataset; None if the query names its dataset.
    - `base`: the base of relative IRIs.
    - `solutions`: the format for solutions; None if the client accepts none. `triples`: the same for triples.
    - `commit`: the process sees the store as of this commit, or later.
    - `as_of`: a past commit; then the process sees the store as it was after this commit.
    - `prefixes`: the query may use them without a declaration.
    - `seconds`: how long the query may take; None, or more than the server allows, means what the server allows.
    - `checked`: a text to parse in place of a query, as (kind, text, format). The kind is "query", "update", "rules",
      "document" or "lines". For a document the text is the path of its file. For the lines of a transaction (`steps`)
      the text is the path of their file, and the format that of the file of steps.
    """

    sparql: str | None
    commit: int
    base: str | None = None
    default_graphs: list[str] | None = None
    named_graphs: list[str] | None = None
    graph: str | None = None
    solutions: str | None = None
    triples: str | None = None
    checked: tuple[str, str, str] | None = None
    prefixes: dict[str, str] | None = None
    seconds: float | None = None
    as_of: int | None = None


class Pool:
    """The query processes of a server."""

    def __init__(self, settings: Settings, flush: Callable[[], None] = lambda: None) -> None:
        """`flush` has Oxigraph's log emptied."""
        self._flush, self._read = flush, 0
        self._path, self._seconds, self._most = settings.store, settings.query_seconds, settings.answer_bytes
        self._waiting, self._bytes = settings.queries_waiting, settings.query_bytes
        self._free = settings.queries
        self._queue: list[asyncio.Future[None]] = []
        self._idle: list[Process] = []
        self._all: set[Process] = set()
        self._starting: set[Process] = set()
        self._past: dict[Process, int] = {}
        self._is_closed = False
        self.killed = 0
        """How many processes were killed: a limit was reached, or the client had gone."""

    @property
    def process_count(self) -> int:
        """How many query processes there are, idle ones included."""
        return len(self._all)

    @property
    def waiting(self) -> int:
        """How many queries wait for a process."""
        return len(self._queue)

    async def warm_up(self) -> None:
        """Start a process before the first query, but do not wait until it is ready."""
        self._idle.append(await self._start_process())

    async def ask(self, request: Request) -> Answer:
        """Send a request to a process. Returns the answer once its head and its first piece are there.

        Raises QueryError, QueryTimeoutError, Problem.
        """
        seconds = self._seconds if request.seconds is None else min(request.seconds, self._seconds)
        time = asyncio.get_running_loop().time
        await self._wait_for_place(time() + seconds)
        try:
            process = await self._ready_process(self._take_idle(request.as_of) or await self._start_process())
        except BaseException:
            self._free_place()
            raise
        if request.as_of is not None:
            self._past[process] = request.as_of
        answer = Answer(process, time() + seconds, seconds, self._take_back)
        try:
            await answer.begin(frame(REQUEST, json.dumps(request._asdict() | {"most": self._most}).encode()))
        except BaseException:
            answer.close()
            raise
        self._read += answer.read
        if self._read > _READ:
            self._read = 0
            self._flush()
        return answer

    def _take_idle(self, past: int | None) -> Process | None:
        """Take an idle process, if there is one: if possible one that has the past commit `past` in memory.

        A query of the present takes a process without a past commit, if possible.
        """
        if not self._idle:
            return None
        fitting = (process for process in reversed(self._idle) if self._past.get(process) == past)
        process = next(fitting, self._idle[-1])
        self._idle.remove(process)
        return process

    async def check(self, kind: str, text: str, form: str, base: str) -> None:
        """Parse a text in a query process, because the text may be nested too deeply, or take the parser long.

        Raises QueryError, QueryTimeoutError, and the errors of `steps.check_lines`.

        The arguments are those of `nesting.check`, or for the kind "lines" of `steps.check_lines`.
        """
        seconds = parse_seconds(kind, text)
        seconds = seconds and 2 * seconds  # with the time to wait for its turn
        await self.ask(Request(None, 0, base, checked=(kind, text, form), seconds=seconds))

    async def _wait_for_place(self, deadline: float) -> None:
        """Wait until fewer than `queries` queries run, and count one more.

        Raises Problem if too many queries wait already, or if the `deadline` passes meanwhile.
        """
        if self._free > 0:
            self._free -= 1
            return
        if len(self._queue) >= self._waiting:
            raise busy_problem("queries")
        turn = asyncio.get_running_loop().create_future()
        self._queue.append(turn)
        try:
            async with asyncio.timeout_at(deadline):
                await turn
        except BaseException as error:
            if turn in self._queue:
                self._queue.remove(turn)
            elif turn.done() and not turn.cancelled():
                self._free_place()
            if isinstance(error, TimeoutError):
                raise busy_problem("queries") from error
            raise

    def _free_place(self) -> None:
        """Let the next query that waits begin, because a query has ended."""
        while self._queue:
            turn = self._queue.pop(0)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _take_back(self, process: Process, is_complete: bool) -> None:
        """Take back the process of a query that has ended, and let the next query begin.

        `is_complete`: whether the whole answer was read. If not, the process is killed.
        """
        if is_complete and process.returncode is None and not self._is_closed:
            self._idle.append(process)
        else:
            self.killed += not self._is_closed
            self._kill(process)
        self._free_place()

    def _kill(self, process: Process) -> None:
        self._all.discard(process)
        self._starting.discard(process)
        self._past.pop(process, None)
        with suppress(ProcessLookupError):
            process.kill()

    async def _start_process(self) -> Process:
        if self._is_closed:
            raise Problem(503, "the server is stopping")
        told = (str(Path(self._path).resolve()), str(self._bytes or 0), str(os.getpid()))
        command = (sys.executable, "-P", "-c", _RUN, *told)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, limit=_BUFFER, start_new_session=True, env=os.environ | _ONE_THREAD
        )
        self._all.add(process)
        self._starting.add(process)
        return process

    async def _ready_process(self, process: Process) -> Process:
        """Wait until a process is ready, and return it. Raises QueryError or Problem if it does not start."""
        if process not in self._starting:
            return process
        assert process.stdout
        try:
            async with asyncio.timeout(_STARTING):
                await process.stdout.readexactly(HEADER.size)
        except (asyncio.IncompleteReadError, TimeoutError) as error:
            self._kill(process)
            await process.wait()
            raise busy_problem("queries") if isinstance(error, TimeoutError) else QueryError(_EARLY) from error
        except BaseException:  # the client has left
            self._kill(process)
            raise
        self._starting.discard(process)
        return process

    async def close(self) -> None:
        """Kill all processes."""
        self._is_closed = True
        processes = list(self._all)
        for process in processes:
            self._kill(process)
        for process in processes:
            await process.wait()


class Answer:
    """An answer that a query process sends: its `kind`, and its document in `pieces`. Call `close` in the end."""

    def __init__(self, process: Process, deadline: float, seconds: float, end: Callable[[Process, bool], None]) -> None:
        self._process, self._seconds, self._end = process, seconds, end
        self._is_complete = self._is_closed = self._is_late = False
        self._timer = asyncio.get_running_loop().call_at(deadline, self._expire)
        self._first = b""
        self.kind = ""
        self.read = 0
        """How many bytes of Oxigraph's log the process has read to open the store."""
        self.document: bytes | None = None
        """The whole document, if it is short; then `pieces` must not be called."""

    def _expire(self) -> None:
        self._is_late = True
        self.close()

    async def begin(self, request: bytes) -> None:
        """Send the request, and read the head and the first piece of the answer.

        Raises the error in the head, if there is one, and the errors of `pieces`.
        """
        assert self._process.stdin
        with suppress(ConnectionError):  # the process has ended, and reading tells why
            self._process.stdin.write(request)
            await self._process.stdin.drain()
        head = json.loads((await self._read_frame())[1])
        if "error" in head:
            await self._read_frame()
            self._is_complete = True
            raise _error(*head["error"])
        self.kind, self.read = head["kind"], head["read"]
        kind, self._first = await self._read_frame()
        if kind == DATA and len(self._first) < PIECE:  # only the last piece is so short
            await self._read_frame()
            self.document, self._is_complete = self._first, True
            self.close()

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the pieces of the document. Raises QueryError, and QueryTimeoutError after the deadline."""
        try:
            yield self._first
            while True:
                kind, payload = await self._read_frame()
                if kind == END:
                    self._is_complete = True
                    if payload:
                        raise QueryError(payload.decode())
                    return
                assert kind == DATA
                yield payload
        finally:
            self.close()

    async def _read_frame(self) -> tuple[bytes, bytes]:
        assert self._process.stdout
        try:
            kind, size = HEADER.unpack(await self._process.stdout.readexactly(HEADER.size))
            return kind, await self._process.stdout.readexactly(size)
        except asyncio.IncompleteReadError as error:
            if self._is_late:
                raise QueryTimeoutError(f"the query took longer than {self._seconds:g} s") from error
            raise QueryError(_EARLY) from error

    def close(self) -> None:
        """Give the process back to the pool if the answer is complete, else kill it. A second call does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._timer.cancel()
            self._end(self._process, self._is_complete)


def _error(kind: str, message: str) -> Exception:
    """Make an error from the head of an answer: `kind` is UNACCEPTABLE, MISSING or the name of an error class."""
    if kind == UNACCEPTABLE:
        return UnacceptableError(message)
    if kind == MISSING:
        return Problem(404, message)
    raised = getattr(errors, kind, QueryError)
    return QueryError(message) if not issubclass(raised, KgreasonError) or raised is KgreasonError else raised(message)


class UnacceptableError(QueryError):
    """The client accepts no format that its answer can have. The message is its kind: "solutions" or "triples"."""
