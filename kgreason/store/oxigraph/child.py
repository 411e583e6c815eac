"""The script that answers one SPARQL query of a store on disk; `process` starts it.

    stdin    one line of JSON: path, sparql, prefixes, base, default_graph, seconds, stack, bytes; the parent keeps it
             open
    stdout   one line of JSON: {"boolean": ...}, {"rows": "solutions" | "triples"} or {"error": [kind, message]};
             then the rows: SPARQL results in JSON, or N-Triples
    stderr   the message of an error after the first line
    status   0 once all rows are written; 1 otherwise

The process ends itself after `seconds`, if it takes more than `bytes` of heap and stacks, and when its parent closes
stdin or ends. It imports pyoxigraph and nothing
from kgreason, so that it starts in 20 milliseconds.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import threading
from typing import Any, BinaryIO

from pyoxigraph import (
    BlankNode,
    NamedNode,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
)


class UnopenedError(Exception):
    """Raised if the store cannot be opened."""


_FAILURES = (UnopenedError, OSError, RuntimeError, SyntaxError, ValueError)
_LONGEST = 1_000_000
"""The longest time, in seconds, that a timer takes on every system: eleven days."""


def main() -> None:
    """Answer the query on stdin."""
    request, out = json.loads(sys.stdin.buffer.readline()), sys.stdout.buffer
    if request["seconds"] is not None:  # this timer of C does not wait for the GIL; its report goes to devnull
        silence = open(os.devnull, "w")  # noqa: SIM115
        faulthandler.dump_traceback_later(min(request["seconds"], _LONGEST), exit=True, file=silence)
    if request["bytes"] is not None:
        _limit_memory(request["bytes"])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if not request["stack"]:
        sys.exit(_write_answer(request, out))  # writes the message, if there is one, to stderr, and ends with status 1
    threading.stack_size(request["stack"])
    problems: list[str | None] = []
    thread = threading.Thread(target=lambda: problems.append(_write_answer(request, out)))
    thread.start()
    thread.join()
    sys.exit(problems[0] if problems else 1)


def _limit_memory(most: int) -> None:
    """Limit the memory that this process can write, where the system has such a limit."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _write_answer(request: dict[str, Any], out: BinaryIO) -> str | None:
    """Write the answer of a query. Returns the message of an error after the first line, otherwise None."""
    try:
        results = _results(request)
    except _FAILURES as error:
        kind = next(kind.__name__ for kind in _FAILURES if isinstance(error, kind))
        _write_head(out, {"error": [kind, getattr(error, "msg", None) or str(error)]})
        return None
    if isinstance(results, QueryBoolean):
        _write_head(out, {"boolean": bool(results)})
        return None
    try:
        _write(results, out)
    except _FAILURES as error:
        return str(error)
    return None


def _results(request: dict[str, Any]) -> QuerySolutions | QueryBoolean | QueryTriples:
    graph = request["default_graph"]
    default_graph = (BlankNode(graph[2:]) if graph.startswith("_:") else NamedNode(graph[1:-1])) if graph else None
    try:
        store = Store.read_only(request["path"])
    except _FAILURES as error:
        raise UnopenedError(str(error)) from error
    return store.query(
        request["sparql"], prefixes=request["prefixes"], base_iri=request["base"], default_graph=default_graph
    )


def _write(results: QuerySolutions | QueryTriples, out: BinaryIO) -> None:
    if isinstance(results, QuerySolutions):
        _write_head(out, {"rows": "solutions"})
        results.serialize(out, QueryResultsFormat.JSON)
    else:
        _write_head(out, {"rows": "triples"})
        results.serialize(out, RdfFormat.N_TRIPLES)
    out.flush()


def _write_head(out: BinaryIO, head: dict[str, Any]) -> None:
    out.write(json.dumps(head).encode() + b"\n")
    out.flush()


def _end_with_parent() -> None:
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


if __name__ == "__main__":
    main()
