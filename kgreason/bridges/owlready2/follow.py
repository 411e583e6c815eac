"""`follow`: an owlready2 World or Ontology as the source of a materialized graph, live.

    with KnowledgeGraph.open() as graph:
        followed = follow(default_world, graph)
        with followed:                          # one commit at the end of the block
            rex = Dog("rex", namespace=onto)
        followed.write_back()                   # where sync_reasoner() would stand; no Java

Each ontology is a named graph, called by the ontology's IRI: which ontology asserts what stays visible, two may say the
same and one take it back, and what else the graph holds is left alone. The ontology `http://inferrences/` (owlready2
spells it so), where owlready2 keeps what reasoners found, is none of them: what is inferred never comes back as said.

Threads: owlready2's worlds are for one thread at a time. Syncs of several threads queue, as other writers of the graph
do; whoever edits the world meanwhile has to take turns.

Invariant: after a sync, and until the next edit, these named graphs hold what their ontologies hold, and nothing else.
Cost: the first sync is one of everything; after it a sync costs what changed (log.py), and a look through the quadstore
only where an entity that may be a predicate or a datatype got another IRI.
"""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import owlready2

from kgreason.bridges.owlready2.at_once import EditHooks
from kgreason.bridges.owlready2.inferred import INFERENCES, inferred_rows
from kgreason.bridges.owlready2.lines import Names, line, prefix_of
from kgreason.bridges.owlready2.log import ChangeLog, Noted, Row, rows
from kgreason.bridges.owlready2.objects import replace_inferences
from kgreason.errors import InputError, RdfSyntaxError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph


class Written(NamedTuple):
    """How many inferred triples of the world came, and how many went."""

    come: int
    gone: int


def follow(source: Any, graph: KnowledgeGraph, *, name: str | None = None, at_once: bool = False) -> FollowedWorld:
    """Load an owlready2 World, or an Ontology and what it imports, into a graph, and keep it up to date.

    `name` tells the world's blank nodes from those of others; it is the path of the world's file, and for a world in
    memory a new one each time, unless given. With `at_once` every edit is a commit of its own, not only those of
    `sync`. Raises InputError for what is neither world nor ontology, or no RDF, and what a transaction raises.
    """
    if not isinstance(source, (owlready2.World, owlready2.Ontology)):
        raise InputError(f"{source!r}: neither a World nor an Ontology of owlready2")
    return FollowedWorld(source, graph, name, at_once)


class FollowedWorld:
    """The tie between an owlready2 world and a graph; use `follow`.

    As a context manager it syncs at the end of the block, unless an exception ends it: then the edits, which the world
    has all the same, wait for the next sync. `delta` is that of the last sync.
    """

    delta: Delta

    def __init__(self, source: Any, graph: KnowledgeGraph, name: str | None, at_once: bool) -> None:
        self._source, self._world, self._graph = source, source.world, graph
        self._prefix = prefix_of(name or _identity(self._world))
        self._graphs: dict[int, str] = {}
        self._log: ChangeLog | None = None
        self._is_known = False
        self._hooks: EditHooks | None = None
        self._is_closed = False
        try:
            self.sync()
        except BaseException:
            self.close()
            raise
        if at_once:
            self._hooks = EditHooks(self._world, self.sync)

    def sync(self) -> Delta:
        """Bring the graph up to date with the world, in one commit, or none where nothing changed; its delta.

        Raises InputError for a triple that is no RDF, StoreError after `close`, and what a transaction raises; the
        edits then wait for the next sync.
        """
        with self._graph.turn(), _quadstore():
            if self._is_closed:
                raise StoreError("follow() was ended by close()")
            log, graphs = self._current_log(), self._followed()
            self._is_known = not log.missed() and self._is_known
            removed, added = self._changes(log, graphs) if self._is_known else self._everything(graphs)
            before, taken = (self._graphs, self._is_known), log.take()
            self._graphs, self._is_known = graphs, True
            try:
                self.delta = self._commit(removed, added)
            except BaseException:
                self._graphs, self._is_known = before
                log.put_back(taken)
                raise
        return self.delta

    def _current_log(self) -> ChangeLog:
        """The log of the world's quadstore, which `set_backend` may have replaced by another."""
        db = self._world.graph.db
        if self._log is None or self._log.db is not db:
            self._log, self._is_known = ChangeLog(db), False
        return self._log

    def _followed(self) -> dict[int, str]:
        """The ontologies followed now, by number, each with the name of its graph."""
        found = self._world.graph.db.execute("SELECT c, iri FROM main.ontologies WHERE iri <> ?", (INFERENCES,))
        graphs = {c: iri.removesuffix("#") for c, iri in found}
        if self._source is self._world:
            return graphs
        is_there = self._source in self._world.ontologies.values()
        wanted = {each.graph.c for each in self._source.indirectly_imported_ontologies()} if is_there else set()
        return {c: graph for c, graph in graphs.items() if c in wanted}

    def _changes(self, log: ChangeLog, graphs: dict[int, str]) -> tuple[Iterable[str], Iterable[str]]:
        """The lines that the graph has and should not, and those that it should have and does not."""
        renamed = log.renamed()
        before, now = (self._names({storid: pair[side] for storid, pair in renamed.items()}) for side in (0, 1))
        noted = self._noted(log, graphs, renamed)
        old = set(self._lines((each.row for each in noted if each.was), self._graphs, before))
        new = set(self._lines((each.row for each in noted if each.is_now), graphs, now))
        return sorted(old - new), sorted(new - old)

    def _noted(self, log: ChangeLog, graphs: dict[int, str], renamed: dict[int, tuple[str, str | None]]) -> list[Noted]:
        """The rows that changed, those that mention what was renamed, and all of ontologies that join or leave."""
        noted = {each.row: each for each in log.changed()}
        touched: set[Row] = set()
        for predicates in (False, True):
            if storids := [storid for storid, (_, iri) in renamed.items() if (iri is not None) == predicates]:
                touched |= log.mentioning(storids, predicates=predicates)
        for c in dict(self._graphs.items() ^ graphs.items()):
            touched |= {row for objs in (True, False) for row in rows(log.db, f"c = {c}", objs=objs)}
        return [*noted.values(), *(Noted(row, True, True) for row in touched if row not in noted)]

    def _everything(self, graphs: dict[int, str]) -> tuple[Iterable[str], Iterable[str]]:
        """The lines that the graph has of these ontologies, and those of the world."""
        db = self._world.graph.db
        found = (row for objs in (True, False) for row in rows(db, "TRUE", objs=objs))
        return self._held({*graphs.values(), *self._graphs.values()}), self._lines(found, graphs, self._names({}))

    def _held(self, graphs: set[str]) -> list[str]:
        """The lines of named graphs."""
        if not any(self._graph.query(f"ASK {{ GRAPH <{graph}> {{ ?s ?p ?o }} }}") for graph in graphs):
            return []
        ends = tuple(f" <{graph}> ." for graph in graphs)
        text = b"".join(self._graph.dump(asserted=True, graphs=True)).decode()
        return [each for each in text.split("\n") if each.endswith(ends)]

    def _names(self, known: dict[int, str | None]) -> Names:
        names = Names(self._world.graph.db)
        names.update(known)
        return names

    def _lines(self, found: Iterable[Row], graphs: dict[int, str], names: Names) -> Iterator[str]:
        lines = (line(row, graphs[row.c], names.__getitem__, self._prefix) for row in found if row.c in graphs)
        return (each for each in lines if each is not None)

    def _commit(self, removed: Iterable[str], added: Iterable[str]) -> Delta:
        with self._graph.transaction() as tx:
            for batch in _batches(removed):
                tx.remove_lines("\n".join(batch).encode())
            for batch in _batches(added):
                try:
                    tx.add_lines("\n".join(batch).encode())
                except RdfSyntaxError as error:
                    bad = batch[(error.line or 1) - 1]
                    raise InputError(f"owlready2 has a triple that is no RDF: {bad} ({error.problem})") from error
        return tx.delta

    def write_back(self, *, values: bool = False, strict: bool = True) -> Written:
        """Sync, then show in the world what the graph infers; the next call takes away what it infers no more.

        Direct types of individuals, direct superclasses and superproperties, equivalent classes and properties, and
        unsatisfiable classes (equivalent to Nothing), as `sync_reasoner` does; with `values` the values of object and
        data properties as well. They are triples of the ontology `http://inferrences/`, and in the objects that are
        loaded; so an edit that repeats one of them says nothing new, as after `sync_reasoner`. Raises
        OwlReadyInconsistentOntologyError where the graph has contradictions, unless `strict` is false;
        the world is then as it was.
        """
        self.sync()
        if strict:
            self.check()
        with _quadstore():
            return Written(*replace_inferences(self._world, inferred_rows(self._world, self._graph, values=values)))

    def check(self) -> None:
        """Raise OwlReadyInconsistentOntologyError if the graph, as of the last sync, has contradictions."""
        if found := self._graph.contradictions():
            text = "; ".join(map(str, found))
            raise owlready2.OwlReadyInconsistentOntologyError(f"{len(found)} contradictions: {text}")

    def close(self) -> None:
        """Follow no more; the graph keeps what it has, and so does the world."""
        if self._hooks:
            self._hooks.release()
        if self._log:
            with _quadstore():
                self._log.close()
        self._hooks, self._log, self._is_closed = None, None, True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None:
            self.sync()


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Lines, so many at a time that they take little room."""
    rest = iter(lines)
    while batch := list(islice(rest, 50_000)):
        yield batch


def _identity(world: Any) -> str:
    in_memory = world.filename == ":memory:"
    return uuid.uuid4().hex if in_memory else str(Path(world.filename).resolve())


@contextmanager
def _quadstore() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"the quadstore of owlready2: {error}") from error
