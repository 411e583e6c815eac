"""`Quads`: which graph holds which asserted triple.

Reasoning is over the union of all graphs (docs/architecture/laws.md), so the engine knows only that a triple is
asserted. While no named graph is used, every asserted triple is in the default graph, and nothing is kept here. When a
named graph is used for the first time, the quads become facts of a second engine, which has only the rule

    [?s, ?p, ?o] :- quad(?s, ?p, ?o, ?g) .

The delta of this engine says which triples become asserted and which are no longer asserted. Graph 0 is the default
graph. An imported document is a graph like any other here (`documents`).

Invariant: a triple is asserted exactly if some graph or document holds it. Cost: about 90 bytes a quad once named
graphs are used; a change costs what it changes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.program.shapes import EncodedRule, Pattern, Shape
from kgreason.materialize.schema.rows import make_rows
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int32
from kgreason.zset.order import group_rows

Is: TypeAlias = Callable[[Int32], NDArray[np.bool_]]
_QUAD = 1
"""The number that stands for the relation `quad`. This engine holds quads and triples alone, so no other relation
exists."""
_PART = 1 << 20
"""So many triples are looked up at a time."""


class AssertedChange(NamedTuple):
    """The result of a change of quads.

    - `removed`, `added`: the triples int32[n, 3] that are no longer asserted, and those that are newly asserted.
    - `quads`: the quads int32[m, 4] that were removed, and those that were added, since the commit began. None while
      only the default graph is used: `removed` and `added` then say the same, and `added` may have a triple several
      times.
    """

    removed: Int32
    added: Int32
    quads: tuple[Int32, Int32] | None = None


class Quads:
    """Keeps the asserted quads, once a named graph is or was used. Before that, nothing is kept.

    Call `change`, then `accept` or `rollback`. `columns`: the quads of a saved state, int32[n, 4], or None.
    """

    def __init__(self, columns: Int32 | None = None, threads: int | None = None) -> None:
        self._threads = threads
        self._engine: Engine | None = None
        self._before: Engine | None = None
        self._is_open = False
        if columns is not None:
            self._engine = _engine_with(columns, threads)

    @property
    def is_explicit(self) -> bool:
        """Whether quads are kept here, because a named graph is or was used."""
        return self._engine is not None

    @property
    def columns(self) -> Int32 | None:
        """All asserted quads int32[n, 4]; None while only the default graph is used."""
        if self._engine is None:
            return None
        columns, _, kinds = self._engine.facts.contents()
        return np.ascontiguousarray(columns[kinds == IS_ASSERTED, 1:])

    def holds(self, quads: Int32) -> NDArray[np.bool_]:
        """Return for each quad of `quads`, int32[n, 4], whether it is asserted: bool[n].

        Call this only if `is_explicit`.
        """
        assert self._engine is not None
        return self._engine.facts.are_asserted(make_rows(_QUAD, quads))

    def change(self, removed: Int32, added: Int32, asserted: Callable[[], Int32], is_asserted: Is) -> AssertedChange:
        """Remove the quads `removed`, and add the quads `added`: int32[n, 4] each, without a common quad.

        `asserted` returns the triples int32[n, 3] that are asserted now. `is_asserted` returns for each row of int32[n,
        3] whether the triple is asserted now: bool[n]. After this call, call `change` again, `accept` or `rollback`.
        """
        if self._engine is None and not added[:, 3].any():
            return _change_of_default_graph(removed, added, is_asserted)
        engine = _engine_with(default_graph_quads(asserted()), self._threads) if self._engine is None else self._engine
        if not self._is_open:
            engine.begin()
            self._before, self._engine, self._is_open = self._engine, engine, True
        engine.apply({_QUADS: make_rows(_QUAD, added)}, {_QUADS: make_rows(_QUAD, removed)}, strategy="update")
        return _asserted_change(engine, np.concatenate([removed[:, :3], added[:, :3]]), is_asserted)

    def accept(self) -> None:
        """Make a change final, if there is one."""
        if self._is_open and self._engine is not None:
            self._engine.accept()
        self._before, self._is_open = None, False

    def rollback(self) -> None:
        """Undo a change, if there is one."""
        if self._is_open and self._before is not None:
            self._before.rollback()
        if self._is_open:
            self._engine = self._before
        self._before, self._is_open = None, False


_QUADS, _TRIPLES = range(2)


def _engine_with(quads: Int32, threads: int | None) -> Engine:
    """Return an engine that holds these quads int32[n, 4]."""
    engine = Engine(threads=threads)
    tables = engine.table(False, 5), engine.table(True, 3)
    assert tables == (_QUADS, _TRIPLES)
    subject, predicate, object_, graph, quad = range(1, 6)
    body = Pattern(_QUADS, (quad, subject, predicate, object_, graph))
    rule = EncodedRule(Shape((Pattern(_TRIPLES, (subject, predicate, object_)),), (body,), 4), (_QUAD,))
    engine.bootstrap({_QUADS: make_rows(_QUAD, quads)}, [rule])
    return engine


def _asserted_change(engine: Engine, touched: Int32, is_asserted: Is) -> AssertedChange:
    """Return the triples of `touched` that are no longer or newly asserted, and all quads changed since `begin`.

    `touched`: the triples int32[n, 3] of the quads that were removed or added. `is_asserted`: tells which triples were
    asserted before.
    """
    touched = touched[group_rows(np.ascontiguousarray(touched)).firsts()]
    before, after = is_asserted(touched), engine.facts.find(touched) >= 0
    changes = engine.changes()
    of_quads = changes.tables == _QUADS
    quads, kinds = changes.rows[of_quads, 1:], (changes.after[of_quads], changes.before[of_quads])
    gone, new = (np.ascontiguousarray(quads[kind == ABSENT]) for kind in kinds)
    return AssertedChange(touched[before & ~after], touched[after & ~before], (gone, new))


def _change_of_default_graph(removed: Int32, added: Int32, is_asserted: Is) -> AssertedChange:
    """Return which triples are no longer asserted, and which are newly asserted, while only the default graph is used.

    `removed`, `added`: the quads to remove and to add. `removed` may have quads of other graphs: they are ignored.
    """
    gone = np.ascontiguousarray(removed[removed[:, 3] == 0, :3])
    return AssertedChange(gone[is_asserted(gone)] if len(gone) else gone, _without_asserted(added[:, :3], is_asserted))


def _without_asserted(triples: Int32, is_asserted: Is) -> Int32:
    """Return those of the triples int32[n, 3] that are not asserted. If none is asserted, no triple is copied."""
    known = np.zeros(len(triples), dtype=np.bool_)
    for low in range(0, len(triples), _PART):
        known[low : low + _PART] = is_asserted(triples[low : low + _PART])
    return triples[~known] if known.any() else triples


def default_graph_quads(triples: Int32, kept: NDArray[np.bool_] | None = None) -> Int32:
    """Turn triples int32[n, 3] into quads int32[m, 4] of the default graph.

    With `kept`, bool[n], only the triples where `kept` is true become quads.
    """
    if kept is None:
        kept = np.ones(len(triples), dtype=np.bool_)
    quads, end = np.zeros((int(np.count_nonzero(kept)), 4), dtype=np.int32), 0
    for low in range(0, len(triples), _PART):
        part = triples[low : low + _PART][kept[low : low + _PART]]
        start, end = end, end + len(part)
        quads[start:end, :3] = part
    return quads
