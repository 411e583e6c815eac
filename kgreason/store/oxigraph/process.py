"""`answer`: a SPARQL query of a store on disk, evaluated in a process of its own, which can be ended at any moment.

    query -> `child`, a process that opens the store for reading -> rows in a pipe -> pyoxigraph's results

Oxigraph cannot be told to stop, a process can. The child is killed at the timeout, at Ctrl-C, and when the results
are dropped. It sees the last commit before the call, and that state alone.

Invariant: rows are complete or end in an error: a child that ends early never looks like the end of its rows.
Cost: 50 milliseconds for the process and its opening of the store, then about 3 microseconds a row. Nothing is read
ahead but what a pipe holds.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, QueryResultsFormat, RdfFormat

from kgreason.errors import QueryError, QueryTimeoutError
from kgreason.store.oxigraph.child import UnopenedError
from kgreason.store.oxigraph.results import Results, Triples, boolean

__all__ = ["UnopenedError", "answer"]
_CHILD = str(Path(__file__).with_name("child.py"))
_RAISED = {kind.__name__: kind for kind in (UnopenedError, OSError, RuntimeError, SyntaxError, ValueError)}


def answer(
    path: Path,
    sparql: str,
    timeout: float,
    *,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    default_graph: NamedNode | BlankNode | None = None,
) -> Results:
    """The results of a query over the store at a path, all of them fetched within `timeout` seconds.

    Raises QueryTimeoutError, here or while rows are fetched; OSError, RuntimeError, SyntaxError, ValueError as
    pyoxigraph does; UnopenedError where the store is not there any more; QueryError where the process ends early.
    """
    request = {
        "path": str(path),
        "sparql": sparql,
        "prefixes": dict(prefixes or {}),
        "base": base,
        "default_graph": None if default_graph is None else str(default_graph),
        "seconds": None if timeout == float("inf") else timeout,
    }
    pipe = _Pipe(request, timeout)
    head = pipe.head()
    if "error" in head:
        kind, message = head["error"]
        raise _RAISED[kind](message)
    if "boolean" in head:
        return boolean(head["boolean"])
    if head["rows"] == "solutions":
        return pyoxigraph.parse_query_results(cast(Any, pipe), QueryResultsFormat.JSON)
    return cast(Results, Triples(_triples(pipe)))


def _triples(pipe: _Pipe) -> Iterator[pyoxigraph.Triple]:
    for quad in pyoxigraph.parse(cast(Any, pipe), RdfFormat.N_TRIPLES, lenient=True):
        yield quad.triple


class _Pipe:
    """What a child writes, as a binary file; the child is killed when this is dropped, or interrupted."""

    def __init__(self, request: Mapping[str, Any], timeout: float) -> None:
        self._timeout, self._deadline = timeout, time.monotonic() + timeout
        # A session of its own keeps Ctrl-C in a terminal from the child: its parent decides.
        self._process = subprocess.Popen(
            [sys.executable, "-P", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        with suppress(BrokenPipeError):  # the child has failed, which `head` tells
            assert self._process.stdin
            rest = memoryview(json.dumps(request).encode() + b"\n")
            while rest:  # a signal may end a write half way
                rest = rest[self._process.stdin.write(rest) :]

    def head(self) -> dict[str, Any]:
        """The first line."""
        line = bytearray()
        while not line.endswith(b"\n"):
            if not (byte := self.read(1)):
                raise QueryError("the process that evaluates the query has ended early")
            line += byte
        return cast("dict[str, Any]", json.loads(line))

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes; none once the child has written everything. Raises QueryTimeoutError, QueryError."""
        assert self._process.stdout
        try:
            piece = self._process.stdout.read(size)
        except BaseException:
            self._end()
            raise
        if not piece and self._process.wait() != 0:
            self._fail()
        return piece

    def _fail(self) -> None:
        if time.monotonic() >= self._deadline:
            raise QueryTimeoutError(f"the query took longer than {self._timeout:g} seconds")
        assert self._process.stderr
        lines = self._process.stderr.read().decode(errors="replace").split("\n")
        problem = next(filter(None, reversed(lines)), "the process that evaluates it has ended early")
        raise QueryError(f"the query cannot be evaluated: {problem}")

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                stream.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self._end()
