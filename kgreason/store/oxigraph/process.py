"""`answer`: run a SPARQL query over a store on disk in a process of its own, which can be killed at any moment.

    query -> `child`, a process that opens the store for reading -> rows in a pipe -> pyoxigraph's results

Oxigraph cannot be stopped, but a process can. The child is killed at the timeout, at Ctrl-C, and when the results are
dropped. All rows of the results are of the last commit before the call.

Invariant: the rows are complete, or end in an error. If the child ends early, this never looks like the end of the
rows. Cost: 50 milliseconds to start the process and open the store, then about 3 microseconds a row. The child waits
while the pipe is full, so it computes few rows that nobody has fetched.
"""

from __future__ import annotations

import json
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, cast

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, QueryResultsFormat, RdfFormat

from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.interrupts import let_out
from kgreason.store.oxigraph.child import UnopenedError
from kgreason.store.oxigraph.links import link_own_files
from kgreason.store.oxigraph.results import Results, Triples, boolean_answer

__all__ = ["UnopenedError", "answer"]
_CHILD = str(Path(__file__).with_name("child.py"))
_LOOK = 0.1
"""While no row comes, `let_out` is called after this many seconds."""
_RAISED = {kind.__name__: kind for kind in (UnopenedError, OSError, RuntimeError, SyntaxError, ValueError)}


def answer(
    path: Path,
    sparql: str,
    timeout: float,
    *,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    default_graph: NamedNode | BlankNode | None = None,
    stack: int = 0,
    most_bytes: int | None = None,
    keeper: object = None,
) -> Results:
    """Return the results of a query over the store at a path. All rows must be fetched within `timeout` seconds.

    `keeper` is an object to keep alive until the rows are fetched. `stack` is how many bytes of stack the query may
    take; 0 is the usual stack. `most_bytes` is how many bytes of memory the process may take; None is no limit.

    Raises QueryTimeoutError, here or while rows are fetched. Raises UnopenedError if the store is not there any more,
    and QueryError if the process ends early. Raises OSError, RuntimeError, SyntaxError, ValueError as pyoxigraph does.
    """
    request = {
        "path": str(path),
        "sparql": sparql,
        "prefixes": dict(prefixes or {}),
        "base": base,
        "default_graph": None if default_graph is None else str(default_graph),
        "seconds": None if timeout == float("inf") else timeout,
        "stack": stack,
        "bytes": most_bytes,
    }
    try:
        own = link_own_files(path)
    except FileNotFoundError as error:
        raise UnopenedError(str(error)) from error
    pipe = _Pipe(request | {"path": str(own or path)}, timeout, own, keeper)
    head = pipe.head()
    if "error" in head:
        kind, message = head["error"]
        raise _RAISED[kind](message)
    if "boolean" in head:
        return boolean_answer(head["boolean"])
    if head["rows"] == "solutions":
        return pyoxigraph.parse_query_results(cast(Any, pipe), QueryResultsFormat.JSON)
    return cast(Results, Triples(_triples(pipe)))


def _triples(pipe: _Pipe) -> Iterator[pyoxigraph.Triple]:
    for quad in pyoxigraph.parse(cast(Any, pipe), RdfFormat.N_TRIPLES, lenient=True):
        yield quad.triple


def _wait_for(pipe: IO[bytes]) -> None:
    """Wait until a pipe has bytes or is closed. Calls `let_out` meanwhile."""
    if not hasattr(select, "poll"):  # on Windows a pipe cannot be waited for
        return
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while not poll.poll(1000 * _LOOK):
        let_out()


class _Pipe:
    """The output of a child process, as a binary file.

    The child is killed if a read is interrupted, or if nobody refers to this object any more.
    """

    def __init__(self, request: Mapping[str, Any], timeout: float, own: Path | None, keeper: object) -> None:
        self._own, self._keeper = own, keeper
        self._timeout, self._deadline = timeout, time.monotonic() + timeout
        # With a session of its own the child gets no Ctrl-C from the terminal: its parent decides.
        self._process = subprocess.Popen(
            [sys.executable, "-P", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        with suppress(BrokenPipeError):  # the child has failed, and `head` raises the error
            assert self._process.stdin
            rest = memoryview(json.dumps(request).encode() + b"\n")
            while rest:  # a signal may interrupt a write in the middle
                rest = rest[self._process.stdin.write(rest) :]

    def head(self) -> dict[str, Any]:
        """Read the first line of the output as JSON: an error, a boolean, or the kind of the rows that follow.

        Raises QueryTimeoutError, QueryError.
        """
        line = bytearray()
        while not line.endswith(b"\n"):
            if not (byte := self.read(1)):
                raise QueryError("the process that evaluates the query has ended early")
            line += byte
        return cast("dict[str, Any]", json.loads(line))

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes. The result is empty after the child's last byte.

        Raises QueryTimeoutError, QueryError.
        """
        assert self._process.stdout
        try:
            _wait_for(self._process.stdout)
            piece = self._process.stdout.read(size)
        except BaseException:
            self._end()
            raise
        if not piece and self._process.wait() != 0:
            self._fail()
        return piece

    def _fail(self) -> None:
        if time.monotonic() >= self._deadline:
            raise QueryTimeoutError(f"the query took longer than {self._timeout:g} s")
        assert self._process.stderr
        lines = ["its process has ended early", *self._process.stderr.read().decode(errors="replace").split("\n")]
        last = next(filter(None, reversed(lines)))
        problem = next((line for line in lines if line.startswith("memory allocation of ")), last)
        raise QueryError(f"the query cannot be evaluated: {problem}")

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()
        if self._own is not None:
            shutil.rmtree(self._own, ignore_errors=True)

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self._end()
