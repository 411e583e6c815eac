"""`filter_delta`: the part of a delta that a pattern of terms and a kind of fact choose.

    filtered(delta, (None, "<http://e/knows>", None))        the triples and quads with this predicate
    filtered(delta, asserted=True)                           triples that became asserted, or ceased to be asserted

Law: with `asserted=True` the results for all commits, added up, are the asserted triples of the graph; with False they
are the inferred ones. So a triple that turns from asserted to inferred disappears with True, and appears with False.
Cost: a look at each row of the delta.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgreason.graph.changes.delta import Delta
from kgreason.materialize.edit import NO_KINDS
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32

Terms = Sequence[str | None]


def filter_delta(delta: Delta, terms: Terms = (None, None, None), asserted: bool | None = None) -> Delta:
    """Return a delta with only the triples and quads that have these terms at these places; None is any term.

    `asserted` chooses one kind of fact, as the module describes. Facts of relations are left out.
    """
    change = delta.change
    before, after = (_reduce_kinds(kinds, asserted) for kinds in (change.before, change.after))
    kept = (before != after) & _have_terms(delta, change.rows, terms)
    quads = [
        each[:0] if asserted is False else each[_have_terms(delta, each, terms)]
        for each in (change.removed_quads, change.added_quads)
    ]
    rows = np.ascontiguousarray(change.rows[kept])
    change = change._replace(
        rows=rows, before=before[kept], after=after[kept], removed_quads=quads[0], added_quads=quads[1], facts=NO_KINDS
    )
    return replace(delta, change=change)


def _reduce_kinds(kinds: Any, asserted: bool | None) -> Any:
    """Make every kind "absent" except one: "asserted" if `asserted` is True, "inferred" if it is False.

    With None the kinds stay as they are.
    """
    if asserted is None:
        return kinds
    kind = IS_ASSERTED if asserted else INFERRED
    return np.where(kinds == kind, kind, ABSENT).astype(np.int8)


def _have_terms(delta: Delta, rows: Int32, terms: Terms) -> NDArray[np.bool_]:
    """For each row, whether it has the given terms at their places: bool[n]. None is any term."""
    found = np.ones(len(rows), dtype=np.bool_)
    for place, term in enumerate(terms):
        if term is not None:
            number = int(delta.dictionary.find([term])[0])
            found &= (rows[:, place] == number) if number else False
    return found
