"""A graph as SPARQL Update edits it: all operations of a request together are one commit, or none.

A WHERE sees the closure after all operations (*steps*) before it. So the engine first carries out these steps as
*attempts*, and then the WHERE reads the rows after them (`uncommitted_store`). In the end the attempts are rolled back,
and the request is committed as one edit. Laws: nobody else sees a step. After an error the graph is as it was, to the
last stamp and support.

Cost: that of the commit. A step before a WHERE is evaluated twice. `uncommitted_store` says what a WHERE costs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgreason.graph.commits import Committer
from kgreason.graph.input.last_edits import last_edits
from kgreason.graph.input.quads import quads_of_canonical_lines
from kgreason.graph.sparql_update.solution_speller import SolutionSpeller, other_spellings
from kgreason.graph.sparql_update.uncommitted_store import UncommittedStore, WhereLimits
from kgreason.graph.transaction import Transaction
from kgreason.interrupts import let_out
from kgreason.materialize.edit import Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.quads.documents import quads_of_named
from kgreason.rdf.document_prefixes import DocumentPrefixes
from kgreason.rdf.reader import read
from kgreason.sparql.editable_graph import Asserted
from kgreason.sparql.evaluate import Outcome, carry_out
from kgreason.sparql.operations import Load, Operation
from kgreason.sparql.query.numbers import depends_on_numbers, warn_caller, warning
from kgreason.sparql.where_clause import Select, Solution
from kgreason.store.homes.home import Home
from kgreason.store.rows import line_chunks
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct

_SOME = 10_000
"""Solutions that are rewritten together."""


class EditableGraph:
    """The graph as SPARQL Update edits it (the protocol `Editable`).

    `transaction` collects the edits of all steps. The caller ends the transaction.
    """

    def __init__(
        self, graph: Committer, home: Home, transaction: Transaction, wheres: WhereLimits | None = None
    ) -> None:
        """`wheres`: how to evaluate each WHERE so that it can be ended; None if it need not be ended."""
        self._graph, self._home, self._transaction = graph, home, transaction
        self._materializer = graph.materializer
        self._waiting: list[Edit] = []
        self._ahead = UncommittedStore(home, len(self._materializer.engine), wheres)
        self._has_attempts = False

    def run(self, operations: tuple[Operation, ...]) -> Outcome:
        """Carry out a request: collect its edits in the transaction. In the end roll back all attempts."""
        try:
            return carry_out(operations, self)
        finally:
            self._waiting.clear()  # after the commit of the request nothing must be attempted
            try:
                if self._has_attempts:
                    self._graph.abandon()
            finally:
                self._ahead.close()

    def _catch_up(self) -> None:
        """Attempt the steps that were not attempted yet. A WHERE needs their results before it reads the graph."""
        while self._waiting:
            self._has_attempts = True  # an attempt that fails must be rolled back as well
            self._ahead.note_steps(*self._graph.apply_tentatively(self._waiting.pop(0)))

    def count_entailed(self, outcome: Outcome) -> int:
        """Count the triples that a DELETE names and that stay in the default graph, because rules derive them.

        Call this only after the commit. `outcome` is the result of `run`.
        """
        if not any(outcome.named):
            return 0  # a request that deletes nothing need not look at the spellings of all literals
        known = len(self._materializer.dictionary)
        try:
            rows = self._encode(b"".join(outcome.named))
            rows = rows[rows[:, 3] == 0]
            owners, forms = self._forms(rows)
            asserted, shown = (
                are_asserted_in_graph(self._materializer, forms),
                self._materializer.are_shown(np.ascontiguousarray(forms[:, :3])),
            )
            counts = [np.bincount(owners[kind], minlength=len(rows)) for kind in (asserted, shown)]
            return int(((counts[0] == 0) & (counts[1] > 0)).sum())
        finally:
            self._materializer.dictionary.truncate(known)

    def _forms(self, quads: Int32) -> tuple[NDArray[np.int64], Int32]:
        """Return the quads, int32[n, 4], and then a quad for each spelling of an object that has several spellings.

        Returns two arrays, int64[m] and int32[m, 4]. The second array has all these quads. The first array says for
        each of them which quad it was made from: an index into `quads`.
        """
        spellings = self._graph.state.spellings
        shared = np.flatnonzero(spellings.are_shared(quads[:, 2]))
        objects = [spellings.of_term(term) for term in quads[shared, 2].tolist()]
        owners = np.append(np.arange(len(quads)), np.repeat(shared, [len(each) for each in objects]))
        forms = quads[owners]
        forms[len(quads) :, 2] = list(chain.from_iterable(objects))
        return owners, forms

    def solutions(self, select: Select, objects: Collection[str] = ()) -> Iterator[Solution]:
        """Evaluate a SELECT on the materialized graph after the steps so far.

        Literals that are values of the variables `objects` are as they are written. If Oxigraph may show one of them in
        another spelling, all solutions come from a wider SELECT. None comes from the first one then: STRUUID, RAND and
        BNODE give other values in each evaluation. Warns (NumberWarning) if the WHERE computes and the graph has a
        number that is too long for Oxigraph.
        """
        self._catch_up()
        if (number := self._graph.state.long_number) is not None and depends_on_numbers(select.query):
            warn_caller(warning(number))
        found = _list_solutions(self._ahead.solutions(select))
        values = (solution[name] for solution in found for name in objects)
        if other_spellings(self._graph.state, values) or (objects and select.gives_literals):
            return self._solutions_as_written(select, objects) or iter(found)
        return iter(found)

    def _solutions_as_written(self, select: Select, objects: Collection[str]) -> Iterator[Solution] | None:
        """Evaluate a wider SELECT, and rewrite its solutions. Returns None if our grammar lacks something in the WHERE.

        Oxigraph took the WHERE, so the update must not fail then: it inserts the normal forms.
        """
        from lark.exceptions import UnexpectedInput

        from kgreason.graph.sparql_update.origins import origins_of  # its parser takes time

        try:
            origins = origins_of(select, objects)
        except UnexpectedInput:
            return None
        rewriting = SolutionSpeller(self._graph.state, select, origins)
        found = iter(self._ahead.solutions(origins.select, is_known=False))
        return chain.from_iterable(map(rewriting.solutions, iter(lambda: list(islice(found, _SOME)), [])))

    def asserted(self, rows: bytes) -> Asserted:
        """Find the asserted quads that rows of Oxigraph stand for. `rows` are N-Quads lines.

        Returns the asserted quads, each in the spelling in which it was written, and the `rows` that stand for no
        asserted quad.
        """
        self._catch_up()
        quads = self._encode(rows)
        owners, forms = self._forms(quads)
        held = are_asserted_in_graph(self._materializer, forms)
        missing = np.bincount(owners[held], minlength=len(quads)) == 0
        lines = compress(rows.splitlines(keepends=True), missing)
        return Asserted(_lines(self._materializer.dictionary, np.unique(forms[held], axis=0)), b"".join(lines))

    def _encode(self, lines: bytes) -> Int32:
        return quads_of_canonical_lines(lines, self._materializer.dictionary)

    def graphs(self) -> Iterable[str]:
        """Return the names of all named graphs that have quads after the steps so far."""
        self._catch_up()
        quads = self._materializer.quads.columns
        if quads is None:
            return []
        names = distinct(quads_of_named(self._materializer.dictionary, quads)[:, 3])
        return self._materializer.dictionary.decode(names)

    def triples(self, graph: str | None) -> Iterable[bytes]:
        """Return the asserted triples of one graph after the steps so far, as chunks of N-Triples lines."""
        self._catch_up()
        quads = self._materializer.quads.columns
        if quads is None:
            rows = self._materializer.save().facts(True) if graph is None else np.empty((0, 3), dtype=np.int32)
        else:
            name = 0 if graph is None else int(self._materializer.dictionary.find([graph])[0]) or -1
            rows = np.ascontiguousarray(quads[quads[:, 3] == name, :3])
        return line_chunks(self._materializer.dictionary, rows)

    def read(self, load: Load) -> Iterable[bytes]:
        """Yield the quads of an RDF file as N-Quads lines.

        If `load` names a graph, all quads are put into this graph.
        """
        how: dict[str, Any] = {"name": load.source, "base": load.base, "threads": self._materializer.threads}
        how |= {
            "find": self._transaction.find,
            "beside": load.source is None,
        }  # a body that somebody sent has no folder
        how["prefixes"] = prefixes = DocumentPrefixes()
        for batch in read(load.path, self._materializer.dictionary, syntax=load.syntax, **how):
            quads = np.stack(batch, axis=1)
            if load.graph is not None:
                quads[:, 3] = self._materializer.dictionary.intern([load.graph])[0]
            yield _lines(self._materializer.dictionary, quads)
        self._transaction.remember_prefixes(prefixes.prefixes())

    def apply(self, removed: bytes, added: bytes) -> None:
        """Add a step to the transaction: retract the quads `removed`, then assert the quads `added`.

        Both are N-Quads lines.
        """
        quads = self._encode(removed), self._encode(added)
        self._transaction.retract_and_assert(*quads)
        self._waiting.append(Edit(*last_edits((-1, 1), quads)))


def _list_solutions(solutions: Iterable[Solution]) -> list[Solution]:
    """Return all solutions. They may be many, so that this calls `let_out` now and then."""
    found, each = list[Solution](), iter(solutions)
    while some := list(islice(each, _SOME)):
        found += some
        let_out()
    return found


def _lines(dictionary: Dictionary, quads: Int32) -> bytes:
    return dictionary.lines(*quads.T)


def are_asserted_in_graph(materializer: Materializer, quads: Int32) -> NDArray[np.bool_]:
    """For each of the quads, int32[n, 4], whether it is asserted in its graph: bool[n]."""
    if materializer.quads.is_explicit:
        return materializer.quads.holds(quads)
    found = materializer.engine.facts.are_asserted(np.ascontiguousarray(quads[:, :3]))
    asserted: NDArray[np.bool_] = found & (quads[:, 3] == 0)
    return asserted
