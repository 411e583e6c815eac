"""`Delta`: what a commit did to the graph, fact by fact.

A fact is absent, inferred or asserted; the delta holds each triple of which that changed, once. A triple that is
retracted but still entailed turns from asserted to inferred, and the reverse: neither appears nor disappears. Only RDF
triples are here: helper relations, contradictions and generalised triples stay inside. Asserted quads that came and
went, of named graphs too, stand beside them.

    delta.appeared()  delta.appeared(asserted=True)  delta.disappeared()  delta.turned(asserted=False)  delta.to_patch()
    delta.to_pandas()  delta.to_arrow()  delta.to_polars()

Cost: ids until they are asked for; texts then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.memory.layout import ABSENT, INFERRED, IS_ASSERTED, Int32
from kgreason.graph.results.cells import Cell
from kgreason.graph.results.frames import Frames
from kgreason.graph.results.notebook import SHOWN, table
from kgreason.materialize.edit import Work
from kgreason.materialize.quads.documents import named, of_graphs
from kgreason.rules.model import Triple
from kgreason.store.journal.record import changes
from kgreason.store.oxigraph.update import quads as quads_of
from kgreason.terms.dictionary import Dictionary

Int8: TypeAlias = NDArray[np.int8]
Quad: TypeAlias = tuple[str, str, str, str]
"""Subject, predicate, object and graph in N-Triples syntax; the default graph is the empty string."""


_COLUMNS = "subject", "predicate", "object", "graph", "before", "after"
_KINDS = {ABSENT: "absent", INFERRED: "inferred", IS_ASSERTED: "asserted"}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Delta(Frames):
    """The triples whose kind changed: rows int32[n, 3], what they were and are int8[n]; quads int32[m, 4] asserted.

    `commit` is the commit's number, 0 for one that was only tried. `missed` is how many quads were to be retracted and
    were not asserted; `work` tells how the commit was evaluated. As a table (`frames`) it has the columns subject,
    predicate, object, graph, before and after, the last two "absent", "inferred" or "asserted": the triples of the
    default graph, whose graph is null, and the quads of named graphs that came or went.
    """

    commit: int
    rows: Int32
    before: Int8
    after: Int8
    removed_quads: Int32
    added_quads: Int32
    missed: int
    work: Work
    dictionary: Dictionary

    def __len__(self) -> int:
        """The number of triples whose kind changed."""
        return len(self.rows)

    def __bool__(self) -> bool:
        return bool(len(self.rows) or len(self.removed_quads) or len(self.added_quads))

    def __repr__(self) -> str:
        came, went = self.after[self.before == ABSENT], self.before[self.after == ABSENT]
        turned = len(self.rows) - len(came) - len(went)
        name = f"commit {self.commit}" if self.commit else "no commit"
        return f"<Delta of {name}: {_counted(came)} appeared, {_counted(went)} disappeared, {turned} turned>"

    def _repr_html_(self) -> str:
        """The first changes, for notebooks."""
        return table(f"{self!r}", _COLUMNS, self._changes(SHOWN))

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return _COLUMNS, self._changes(None)

    def _changes(self, most: int | None) -> Iterator[Sequence[Cell]]:
        """The changes as rows of a table, of triples and of quads at most so many each."""
        kinds = zip(self.before[:most].tolist(), self.after[:most].tolist(), strict=True)
        triples = quads_of(self.dictionary.lines(*self.rows[:most].T))
        for triple, (before, after) in zip(triples, kinds, strict=True):
            yield *triple.triple, None, _KINDS[before], _KINDS[after]
        for quads, before, after in (
            (self.removed_quads, IS_ASSERTED, ABSENT),
            (self.added_quads, ABSENT, IS_ASSERTED),
        ):
            for quad in quads_of(self.dictionary.lines(*named(self.dictionary, quads)[:most].T)):
                yield *quad.triple, cast(Cell, quad.graph_name), _KINDS[before], _KINDS[after]

    def detached(self) -> Delta:
        """The same delta with a dictionary of its own: the graph's need not keep its terms."""
        tables = (self.rows, self.removed_quads, self.added_quads)
        ids = np.unique(np.concatenate([table.ravel() for table in tables]))
        ids = ids[ids > 0]
        own = Dictionary(self.dictionary.decode(ids))
        rows, removed, added = (
            np.where(table > 0, np.searchsorted(ids, table) + 1, 0).astype(np.int32) for table in tables
        )
        return replace(self, rows=rows, removed_quads=removed, added_quads=added, dictionary=own)

    def rows_that(self, *, before: tuple[int, ...], after: tuple[int, ...]) -> Int32:
        """The rows int32[k, 3] that were one of these kinds and are one of those."""
        return np.ascontiguousarray(self.rows[_are(self.before, before) & _are(self.after, after)])

    @property
    def disappeared_rows(self) -> Int32:
        """The triples int32[k, 3] that the graph has no more."""
        return self.rows_that(before=_kinds(None), after=(ABSENT,))

    def appeared(self, *, asserted: bool | None = None) -> list[Triple]:
        """The triples that the graph did not have before; only asserted, or only inferred ones, where that is asked."""
        return self._decoded(self.rows_that(before=(ABSENT,), after=_kinds(asserted)))

    def disappeared(self, *, asserted: bool | None = None) -> list[Triple]:
        """The triples that the graph has no more; only those that were asserted, or inferred, where that is asked."""
        return self._decoded(self.rows_that(before=_kinds(asserted), after=(ABSENT,)))

    def turned(self, *, asserted: bool) -> list[Triple]:
        """The triples that were inferred and are asserted now, or, with `asserted=False`, the reverse."""
        kinds = (INFERRED, IS_ASSERTED)
        return self._decoded(self.rows_that(before=(kinds[not asserted],), after=(kinds[asserted],)))

    def quads(self, *, added: bool) -> list[Quad]:
        """The asserted quads of graphs that came, or went; those of imported documents are in none."""
        quads = of_graphs(self.dictionary, self.added_quads if added else self.removed_quads)
        texts = iter(self.dictionary.decode(quads.ravel()))
        return list(zip(texts, texts, texts, texts, strict=True))

    @property
    def quad_lines(self) -> tuple[bytes, bytes]:
        """The asserted quads that went, and those that came, as lines of a journal: those of imported documents too."""
        return self.dictionary.lines(*self.removed_quads.T), self.dictionary.lines(*self.added_quads.T)

    def _decoded(self, rows: Int32) -> list[Triple]:
        texts = iter(self.dictionary.decode(rows.ravel()))
        return list(zip(texts, texts, texts, strict=True))

    @property
    def removed(self) -> bytes:
        """The triples that disappeared, and quads of named graphs that went, as N-Quads lines."""
        return self._lines(self.disappeared_rows, self.removed_quads)

    @property
    def added(self) -> bytes:
        """The triples that appeared, and quads of named graphs that came, as N-Quads lines."""
        return self._lines(self.rows_that(before=(ABSENT,), after=_kinds(None)), self.added_quads)

    def _lines(self, triples: Int32, quads: Int32) -> bytes:
        return self.dictionary.lines(*triples.T) + self.dictionary.lines(*named(self.dictionary, quads).T)

    def to_patch(self) -> str:
        """The delta as RDF Patch: rows of the default graph, which holds the closure, and quads of named graphs."""
        return changes(self.removed, self.added).decode()


def _counted(kinds: Int8) -> str:
    """How many facts have these kinds, and how many of them are asserted."""
    return f"{len(kinds)} ({int((kinds == IS_ASSERTED).sum())} asserted)" if len(kinds) else "0"


def _are(kinds: Int8, wanted: tuple[int, ...]) -> NDArray[np.bool_]:
    """Where a kind is one of those wanted: bool[n]. A commit of one triple asks this four times."""
    found: NDArray[np.bool_] = kinds == wanted[0]
    for kind in wanted[1:]:
        found |= kinds == kind
    return found


def _kinds(asserted: bool | None) -> tuple[int, ...]:
    return (INFERRED, IS_ASSERTED) if asserted is None else (IS_ASSERTED,) if asserted else (INFERRED,)
