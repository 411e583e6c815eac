"""The process that answers SPARQL queries over a store, one after the other; `pool` starts it.

The process opens the store for reading, and opens it again when the server asks for a later commit. Ctrl-C in the
terminal does not reach the process. The process ends when the server closes its input or kills it. Killing
is the only way to stop a query that runs in Oxigraph.

Law: an answer is complete, or its END frame says why it is not. Cost: opening a store takes some 20 milliseconds. A
query of a past commit also starts the engine, and needs memory for the whole graph.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import pyoxigraph
from pyoxigraph import DefaultGraph, NamedNode, QueryBoolean, QueryResultsFormat, QuerySolutions, Triple

from kgreason.errors import KgreasonError, QueryError, StoreError
from kgreason.graph.constructed.query_speller import QuerySpeller, SpellIn
from kgreason.graph.constructed.speller import spell_for_graph
from kgreason.graph.constructed.state_speller import StateSpeller
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.rdf.writing import write, write_results
from kgreason.server.queries.frames import DATA, END, HEAD, HEADER, MISSING, PIECE, READY, UNACCEPTABLE, frame
from kgreason.server.queries.nesting import problem_of_text
from kgreason.server.queries.steps import check_lines
from kgreason.sparql.query.evaluation import answer
from kgreason.stacks import stack_for, with_stack
from kgreason.store import snapshot
from kgreason.store.folder import Folder, Manifest
from kgreason.store.homes.reader import Reader
from kgreason.store.oxigraph.failures import FAILURES, query_error
from kgreason.store.oxigraph.results import Results
from kgreason.store.oxigraph.store import OxigraphStore
from kgreason.terms.dictionary import Dictionary

_STACK = 8 << 20
"""The usual size of a thread's stack."""
_NICE = 5
"""The priority of a query process is lower by this."""
_LOOK = 1
"""Every this many seconds the process looks whether the server still runs."""


def main(path: str, most_bytes: str, server: str) -> None:
    """Answer the queries that come on standard input, until the input ends.

    If the process would take more than `most_bytes` of memory, it ends; 0 means no limit. `server` is the number of the
    server's process, which may have ended already.
    """
    _limit_memory(int(most_bytes))
    _lower_priority()
    threading.Thread(target=_end_with_server, args=(int(server),), daemon=True).start()
    source, out = sys.stdin.buffer, sys.stdout.buffer
    _widen_pipe(out)
    out.write(frame(READY, b""))
    out.flush()
    reader = _Reader(Path(path))
    while len(header := source.read(HEADER.size)) == HEADER.size:
        request = json.loads(source.read(HEADER.unpack(header)[1]))
        _answer_with_stack(request, reader, out)


def _limit_memory(most_bytes: int) -> None:
    """Limit the memory of this process to `most_bytes`, if the operating system supports such a limit.

    The limit counts heap and stacks, the memory that the process can write. It does not count address space: each
    thread of RocksDB reserves 64 MiB of address space and uses hardly any, so threads could not start although memory
    was free. Stacks count whole, although threads use little of them. RocksDB may start a thread for each CPU, so this
    function adds the stacks of these threads to the limit.
    """
    if most_bytes:
        with suppress(ImportError):
            import resource

            stack, _ = resource.getrlimit(resource.RLIMIT_STACK)
            most_bytes += (os.cpu_count() or 1) * min(stack if stack > 0 else _STACK, _STACK)
            resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))


def _lower_priority() -> None:
    """Let the server have the processor first: its edits and short answers wait for nobody's long query."""
    with suppress(AttributeError, OSError):
        os.nice(_NICE)


def _widen_pipe(out: BinaryIO) -> None:
    """Make a pipe hold a whole piece, if the operating system can, so that fewer messages go back and forth."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 2 * PIECE)


def _end_with_server(server: int) -> None:
    """Wait until the process `server` has ended. Then end this process at once, even in the middle of a query."""
    while os.getppid() == server:
        time.sleep(_LOOK)
    os._exit(1)


class _Reader:
    """Keeps the store open for reading, as of the commit that was asked for last."""

    def __init__(self, path: Path) -> None:
        self._path, self._commit = path, -1
        self.log_bytes = 0
        """How many bytes of Oxigraph's log were read to open the store, since `take_log_bytes` was called last."""
        self._home: Reader | None = None
        self._past: KnowledgeGraph | None = None
        self._spell: SpellIn | None = None

    def past_store(self, number: int) -> OxigraphStore:
        """Return a copy in memory of the store as it was after commit `number`.

        The last copy is kept for later queries.
        """
        if self._past is None or self._past.commit != number:
            self._past = None  # before another one takes memory
            with KnowledgeGraph.open(self._path, read_only=True) as graph:
                self._past = graph.as_of(number)
        return self._past.store

    def store(self, commit: int) -> OxigraphStore:
        if self._home is None or commit != self._commit:
            self._home = Reader(Folder(self._path, write=False), Manifest([]))
            self._commit, self._spell = commit, None
            folder = self._home.store.path
            for log in folder.glob("*.log") if folder else ():
                with suppress(OSError):  # it was emptied and removed meanwhile
                    self.log_bytes += log.stat().st_size
        return self._home.store

    def spell(self, number: int | None, triples: Sequence[Triple], name: str | None) -> Sequence[Sequence[Triple]]:
        """Return how the graph writes each of `triples`, found after commit `number`, or by `store` if it is None.

        `name` is that of a named graph, as text; None means the closure.
        The engine does not run for the present state. So after the snapshot a literal is known as it was asserted; a
        triple that is only inferred since then stays as Oxigraph gives it.
        """
        if number is not None:
            assert self._past
            return spell_for_graph(self._past, number, triples, name)
        if self._spell is None:
            self._spell = self._start_spelling()
        try:
            return self._spell(triples, name)
        except MemoryError:
            self._spell = _unchanged
            return _unchanged(triples, name)

    def _start_spelling(self) -> SpellIn:
        home = self._home
        assert home

        def read_spelling() -> SpellIn:
            path = home.snapshot
            saved = snapshot.read_state(path) if path else None
            dictionary = snapshot.read_dictionary(path) if path else Dictionary()
            return StateSpeller(home.last, saved, dictionary, home.records_since_snapshot()).spell

        try:
            return home.read_consistently(read_spelling)
        except (StoreError, MemoryError):  # the snapshot was replaced meanwhile, or is too large for this process
            return _unchanged

    def take_log_bytes(self) -> int:
        """Return `log_bytes`, and begin to count anew."""
        read, self.log_bytes = self.log_bytes, 0
        return read


def _unchanged(triples: Sequence[Triple], _: str | None) -> Sequence[Sequence[Triple]]:
    return [[triple] for triple in triples]


class _Document(RawIOBase):
    """A file that sends what is written to it as frames: a HEAD, then DATA.

    Only the last DATA may be shorter than `PIECE`. `most` is the largest number of bytes; None is no limit. The HEAD
    tells `kind`, and `log` as `log_bytes` (`frames`).
    """

    def __init__(self, out: BinaryIO, most: int | None) -> None:
        self._out, self._most = out, most
        self.kind = "triples"
        self.log = 0
        self._pieces: list[bytes] = []
        self._size = self._total = 0
        self._is_begun = False

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        self._size += len(piece)
        self._total += len(piece)
        if self._most is not None and self._total > self._most:
            raise QueryError(f"the answer has more than {self._most:,} bytes")
        if self._size >= PIECE:
            self._send()
        return len(piece)

    def _send(self) -> None:
        head = b"" if self._is_begun else _head_frame({"kind": self.kind, "read": self.log})
        self._is_begun = True
        self._out.write(head + frame(DATA, b"".join(self._pieces)))
        self._out.flush()
        self._pieces.clear()
        self._size = 0

    def end(self) -> None:
        """Send the rest of the document, and then an END frame, which says that the document is complete."""
        self._send()
        self._out.write(frame(END, b""))
        self._out.flush()

    def fail(self, kind: str, message: str) -> None:
        """Send an error. It takes the place of the document, or comes after the part that was sent already.

        `kind` is the name of an error class of kgreason, or UNACCEPTABLE or MISSING (`frames`).
        """
        self._out.write(frame(END, message.encode()) if self._is_begun else _error_frames(kind, message))
        self._out.flush()


def _head_frame(head: dict[str, Any]) -> bytes:
    return frame(HEAD, json.dumps(head).encode())


def _error_frames(kind: str, message: str) -> bytes:
    return _head_frame({"error": [kind, message]}) + frame(END, b"")


class _RefusedError(Exception):
    """Raised if a request cannot be answered. The arguments are UNACCEPTABLE or MISSING (`frames`), and a message."""


def _answer_with_stack(request: dict[str, Any], reader: _Reader, out: BinaryIO) -> None:
    """Answer a request in a thread with as much stack as its query may take."""
    try:
        with_stack(stack_for(request["sparql"] or ""), lambda: _answer(request, reader, out))
    except QueryError as error:
        _Document(out, None).fail("QueryError", str(error))


def _answer(request: dict[str, Any], reader: _Reader, out: BinaryIO) -> None:
    document = _Document(out, request["most"])
    try:
        if request["checked"]:
            _check(request["checked"], request["base"])
            document.end()
            return
        number = request["as_of"]
        store = reader.store(request["commit"]) if number is None else reader.past_store(number)
        document.log = reader.take_log_bytes()
        if request["sparql"] is None:
            _write_graph(store, request, document)
        else:
            _write_results(_results(store, request, partial(reader.spell, number)), request, document)
        document.end()
    except _RefusedError as error:
        document.fail(*error.args)
    except KgreasonError as error:
        document.fail(type(error).__name__, str(error))
    except FAILURES as error:
        document.fail("QueryError", str(query_error(error)))


def _check(checked: list[str], base: str) -> None:
    """Parse a text, to see whether its parser survives it. `checked`: kind, text, format (`nesting.problem_of_text`).

    The kind "lines" is that of `steps.check_lines`, whose arguments are the text and the format.
    Raises QueryError if the text does not parse. A text that is nested too deeply ends the process.
    """
    kind, text, form = checked
    if kind == "lines":
        check_lines(Path(text), Path(form))
    elif problem := problem_of_text(kind, text, form, base):
        raise QueryError(problem)


def _results(store: OxigraphStore, request: dict[str, Any], spell: SpellIn) -> Results:
    sparql, base, prefixes = request["sparql"], request["base"], request["prefixes"] or {}
    graphs: dict[str, Any] = {name: _names(request[name]) for name in ("default_graphs", "named_graphs")}
    ask = partial(store.evaluate, prefixes=prefixes, base=base, **graphs)
    return answer(
        sparql, prefixes, base, ask, QuerySpeller(spell, sparql, prefixes, base, graphs["default_graphs"]).spell
    )


def _names(iris: list[str] | None) -> list[NamedNode] | None:
    return None if iris is None else [NamedNode(iri) for iri in iris]


def _write_results(results: Results, request: dict[str, Any], document: _Document) -> None:
    """Write the results of a query to the document.

    The request names a format for solutions (also for the answer of an ASK) and a format for triples. Raises
    _RefusedError if it names no format for these results.
    """
    is_table = isinstance(results, (QuerySolutions, QueryBoolean))
    if (suffix := request["solutions" if is_table else "triples"]) is None:
        raise _RefusedError(UNACCEPTABLE, "solutions" if is_table else "triples")
    document.kind = "solutions" if is_table else "triples"
    file = cast(IO[bytes], document)
    if isinstance(results, (QuerySolutions, QueryBoolean)):
        results.serialize(file, QueryResultsFormat.from_extension(_SUFFIXES.get(suffix, suffix)))
    else:
        write_results(results, file, suffix)


_SUFFIXES = {"json": "srj", "xml": "srx"}


def _write_graph(store: OxigraphStore, request: dict[str, Any], document: _Document) -> None:
    name = NamedNode(request["graph"]) if request["graph"] else DefaultGraph()
    quads = store.match(None, None, None, name)
    first = next(quads, None)
    if first is None and request["graph"]:
        raise _RefusedError(MISSING, f"there is no graph <{request['graph']}>")

    def triples() -> Iterator[pyoxigraph.Triple]:
        if first is not None:
            yield first.triple
        for quad in quads:
            yield quad.triple

    write(triples(), cast(IO[bytes], document), request["triples"])


if __name__ == "__main__":
    main(*sys.argv[1:])
