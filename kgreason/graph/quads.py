"""Which graph holds which asserted triple.

Reasoning is over the union of all graphs (DESIGN.md 4), so the engine knows only that a triple is asserted. While no
named graph is used, every asserted triple is of the default graph and nothing is kept here. The first named graph makes
the membership explicit: a Z-set of quads, graph 0 being the default one.

Invariant: a triple is asserted exactly if some graph holds it. Cost: 24 bytes a quad, once named graphs are used.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kgreason.engine.layout import Int32
from kgreason.zset.zset import ZSet


class Quads:
    """The asserted quads of a graph, or nothing while all of them are of the default graph."""

    def __init__(self, columns: Int32 | None = None) -> None:
        self._quads = None if columns is None else ZSet.of(columns)

    @property
    def columns(self) -> Int32 | None:
        """All asserted quads int32[n, 4]; None while only the default graph is used."""
        return None if self._quads is None else self._quads.columns

    def with_more(self, quads: Int32, asserted: Callable[[], Int32]) -> Quads:
        """The quads after some were asserted; `asserted` gives the triples int32[n, 3] asserted before."""
        if self._quads is None and not quads[:, 3].any():
            return self
        before = self._quads
        if before is None:
            triples = asserted()
            before = ZSet.of(np.column_stack([triples, np.zeros(len(triples), dtype=np.int32)]))
        merged = Quads()
        merged._quads = (before + ZSet.of(quads)).distinct()
        return merged
