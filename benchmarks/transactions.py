"""The time of transactions of a `KnowledgeGraph` until SPARQL sees them, and of the same updates in Oxigraph alone.

A commit ends when the store has it, so that the next query sees it; a query checks this, and its time does not count.
Lines of N-Triples are added or deleted. A turn does both, so that the graph is then as before.

Cost: what the commits take.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pyoxigraph

from benchmarks.states import Turn, seconds
from kgreason.graph.knowledge_graph import KnowledgeGraph

_sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)


class Rival(NamedTuple):
    """An Oxigraph store of the same rows, and on disk a file that stands for a journal."""

    store: pyoxigraph.Store
    journal: int | None

    def copy(self, graph: KnowledgeGraph) -> None:
        """Take in all rows of a graph."""
        for chunk in graph.dump():
            self.store.bulk_load(chunk, pyoxigraph.RdfFormat.N_TRIPLES)

    def turn(self, line: bytes) -> Turn:
        """Insert and delete a row, each in a request of its own that follows a sync of the journal.

        The row is looked up first, as `turn` of the other side does.
        """
        text = line.decode()
        self.store.query(f"ASK {{ {text} }}")
        inserted = seconds(lambda: self._update(f"INSERT DATA {{ {text} }}"))
        return Turn(seconds(lambda: self._update(f"DELETE DATA {{ {text} }}")), inserted)

    def _update(self, request: str) -> None:
        if self.journal is not None:
            os.write(self.journal, request.encode())
            _sync(self.journal)
        self.store.update(request)


def turn(graph: KnowledgeGraph, lines: bytes) -> Turn:
    """Delete lines and add them again where SPARQL sees them; else the reverse."""
    is_there = _sees(graph, lines)
    taken = {added: commit(graph, lines, added=added) for added in (not is_there, is_there)}
    return Turn(taken[False], taken[True])


def commit(graph: KnowledgeGraph, lines: bytes, *, added: bool) -> float:
    """The seconds of one commit. Raises RuntimeError if SPARQL does not see its result."""
    gc.collect(0)
    start = time.perf_counter()
    with graph.transaction() as tx:
        (tx.add_lines if added else tx.remove_lines)(lines)
    taken = time.perf_counter() - start
    if not tx.delta or (added and not _sees(graph, lines)):
        raise RuntimeError(f"SPARQL does not see the commit of these lines: {lines[:200]!r}")
    return taken


def _sees(graph: KnowledgeGraph, lines: bytes) -> bool:
    """Whether SPARQL sees the first of lines."""
    return bool(graph.query(f"ASK {{ {lines.splitlines()[0].decode()} }}"))


def samples(lines: Sequence[bytes], size: int) -> Iterator[bytes]:
    """Samples of `size` lines, spread evenly and without end, that share none until all lines were in one."""
    step = len(lines) // size
    while True:
        for first in range(step):
            yield b"".join(lines[first::step][:size])


def new_lines(graph: KnowledgeGraph, predicate: str) -> Iterator[bytes]:
    """Rows of a predicate that the graph does not have: the subject of one row, the object of another."""
    found = graph.select(f"SELECT ?s ?o {{ ?s {predicate} ?o }}")
    pairs = sorted((str(row["s"]), str(row["o"])) for row in found)
    known = set(pairs)
    for shift in range(1, len(pairs)):
        for (subject, _), (_, other) in zip(pairs, pairs[shift:], strict=False):
            if (subject, other) not in known:
                known.add((subject, other))
                yield f"{subject} {predicate} {other} .\n".encode()
