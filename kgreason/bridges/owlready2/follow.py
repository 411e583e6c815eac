"""`follow` keeps a materialized graph up to date with an owlready2 World or Ontology.

    with KnowledgeGraph.open() as graph:
        followed = follow(default_world, graph)
        with followed:                          # one commit at the end of the block
            rex = Dog("rex", namespace=onto)
        followed.write_back()                   # instead of sync_reasoner(); needs no Java

Each ontology is a named graph with the IRI of the ontology as its name. So the graph shows which ontology asserts a
triple. If two ontologies assert the same triple and one ontology retracts it, the other ontology still asserts it.
Other triples of the graph are left alone. owlready2 keeps inferences in the ontology `http://inferrences/` (owlready2
spells it so). This ontology is not followed, so an inferred triple never comes back as an asserted one.

Threads: use an owlready2 world in one thread at a time. If several threads call `sync`, the calls run one after the
other, as for other writers of the graph. No other thread may edit the world during a sync.

Invariant: after a sync, and until the next edit, these named graphs hold exactly the triples of their ontologies. Cost:
the first sync copies everything; the cost of a later sync is proportional to what changed (log.py). A later sync reads
the whole quadstore only if an entity that may be a predicate or a datatype has got another IRI.
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

from kgreason.bridges.owlready2.edit_hooks import EditHooks
from kgreason.bridges.owlready2.inferences import INFERENCES, inferred_rows
from kgreason.bridges.owlready2.lines import Names, line, prefix_of
from kgreason.bridges.owlready2.log import ChangedRow, ChangeLog, Row, rows
from kgreason.bridges.owlready2.objects import replace_inferences
from kgreason.errors import InputError, RdfSyntaxError, StoreError
from kgreason.graph.changes.delta import Delta
from kgreason.graph.knowledge_graph import KnowledgeGraph


class Written(NamedTuple):
    """How many inferred triples `write_back` has added to the world (`come`), and how many it has removed (`gone`)."""

    come: int
    gone: int


def follow(source: Any, graph: KnowledgeGraph, *, name: str | None = None, at_once: bool = False) -> FollowedWorld:
    """Load an owlready2 World, or an Ontology and its imports, into a graph, and keep the graph up to date.

    `name` identifies the world, so that its blank nodes differ from the blank nodes of other worlds. The default is the
    path of the world's file; a world in memory gets a new name each time. With `at_once` every edit of the world is a
    commit of its own; otherwise edits wait for `sync`. Raises InputError if `source` is not a World or an Ontology, or
    has a triple that is not RDF. Raises the errors of a transaction, too.
    """
    if not isinstance(source, (owlready2.World, owlready2.Ontology)):
        raise InputError(f"pass a World or an Ontology of owlready2; got {source!r}")
    return FollowedWorld(source, graph, name, at_once)


class FollowedWorld:
    """The link between an owlready2 world and a graph; use `follow` to make one.

    As a context manager, a FollowedWorld calls `sync` at the end of the block. If an exception ends the block, the
    world keeps its edits, and the next sync commits these edits. `delta` is the delta of the last sync.
    """

    delta: Delta

    def __init__(self, source: Any, graph: KnowledgeGraph, name: str | None, at_once: bool) -> None:
        self._source, self._world, self._graph = source, source.world, graph
        self._prefix = prefix_of(name or _world_identity(self._world))
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
        """Bring the graph up to date with the world, in one commit. Returns the delta of this commit.

        Without changes no commit is made. Raises InputError for a triple that is not RDF, StoreError after `close`, and
        the errors of a transaction. After an error the edits wait for the next sync.
        """
        with self._graph.turn(), _quadstore():
            if self._is_closed:
                raise StoreError("cannot sync after close(): call follow() again")
            log, graphs = self._current_log(), self._ontologies()
            self._is_known = not log.has_missed_changes() and self._is_known
            removed, added = self._changes(log, graphs) if self._is_known else self._full_copy(graphs)
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
        """Return the change log of the world's quadstore.

        If `set_backend` has replaced the quadstore, make a new log.
        """
        db = self._world.graph.db
        if self._log is None or self._log.db is not db:
            self._log, self._is_known = ChangeLog(db), False
        return self._log

    def _ontologies(self) -> dict[int, str]:
        """Return the ontologies that are followed now: a dict from an ontology's number to the name of its graph."""
        found = self._world.graph.db.execute("SELECT c, iri FROM main.ontologies WHERE iri <> ?", (INFERENCES,))
        graphs = {c: iri.removesuffix("#") for c, iri in found}
        if self._source is self._world:
            return graphs
        is_there = self._source in self._world.ontologies.values()
        wanted = {each.graph.c for each in self._source.indirectly_imported_ontologies()} if is_there else set()
        return {c: graph for c, graph in graphs.items() if c in wanted}

    def _changes(self, log: ChangeLog, graphs: dict[int, str]) -> tuple[Iterable[str], Iterable[str]]:
        """Turn the changes in the log into N-Quads lines: those to remove from the graph, and those to add.

        `graphs` are the ontologies that are followed now, as `_ontologies` returns them.
        """
        renamed = log.renames()
        before, now = (self._names({storid: pair[side] for storid, pair in renamed.items()}) for side in (0, 1))
        noted = self._rows(log, graphs, renamed)
        old = set(self._lines((each.row for each in noted if each.was), self._graphs, before))
        new = set(self._lines((each.row for each in noted if each.is_now), graphs, now))
        return sorted(old - new), sorted(new - old)

    def _rows(
        self, log: ChangeLog, graphs: dict[int, str], renamed: dict[int, tuple[str, str | None]]
    ) -> list[ChangedRow]:
        """Return the rows whose N-Quads lines may have changed.

        - the rows in the log
        - the rows with a resource in `renamed`
        - all rows of each ontology that was not followed at the last sync and is followed now, or the other way round
        """
        noted = {each.row: each for each in log.changed_rows()}
        touched: set[Row] = set()
        for predicates in (False, True):
            if storids := [storid for storid, (_, iri) in renamed.items() if (iri is not None) == predicates]:
                touched |= log.rows_mentioning(storids, predicates=predicates)
        for c in dict(self._graphs.items() ^ graphs.items()):
            touched |= {row for objs in (True, False) for row in rows(log.db, f"c = {c}", objs=objs)}
        return [*noted.values(), *(ChangedRow(row, True, True) for row in touched if row not in noted)]

    def _full_copy(self, graphs: dict[int, str]) -> tuple[Iterable[str], Iterable[str]]:
        """Return N-Quads lines for a full copy of the world: those to remove from the graph, and those to add.

        To remove are all lines of the graph that belong to ontologies followed now or at the last sync. To add are all
        lines of the world that belong to ontologies followed now.
        """
        db = self._world.graph.db
        found = (row for objs in (True, False) for row in rows(db, "TRUE", objs=objs))
        return self._asserted_lines({*graphs.values(), *self._graphs.values()}), self._lines(
            found, graphs, self._names({})
        )

    def _asserted_lines(self, graphs: set[str]) -> list[str]:
        """Return the asserted quads of the named graphs `graphs`, as N-Quads lines."""
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
                    raise InputError(f"owlready2 has a triple that is not RDF: {bad} ({error.problem})") from error
        return tx.delta

    def write_back(self, *, values: bool = False, strict: bool = True) -> Written:
        """Sync, then write the inferences of the graph into the world.

        Inferences that an earlier call has written are removed if they are outdated. As with `sync_reasoner`, the
        inferences are direct types of individuals, direct superclasses and superproperties, equivalent classes and
        properties, and unsatisfiable classes (equivalent to Nothing). With `values`, values of object and data
        properties are inferences, too. The inferences become triples of the ontology `http://inferrences/`, and loaded
        Python objects show the inferences. If the user then adds a triple that the world already has as an inference,
        the triple does not become asserted; after `sync_reasoner` it is the same. If the graph has contradictions,
        raises OwlReadyInconsistentOntologyError and leaves the world as it was, unless `strict` is false.
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
            raise owlready2.OwlReadyInconsistentOntologyError(f"the graph has {len(found)} contradictions: {text}")

    def close(self) -> None:
        """Stop following. The graph and the world keep their triples."""
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
    """Yield the lines in lists of 50,000, so that little memory is needed."""
    rest = iter(lines)
    while batch := list(islice(rest, 50_000)):
        yield batch


def _world_identity(world: Any) -> str:
    in_memory = world.filename == ":memory:"
    return uuid.uuid4().hex if in_memory else str(Path(world.filename).resolve())


@contextmanager
def _quadstore() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"cannot use the quadstore of owlready2: {error}") from error
