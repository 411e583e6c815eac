"""`update`: a SPARQL 1.1 Update request carried out on a graph, and what came of it.

A request may be several commits (`editing`). Law: its delta is what they did together: a triple that came and went
again is not in it, and it is applied by applying theirs in order. Cost: the commits, and one sort of their rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.layout import Int32
from kgreason.graph.delta import Delta, Work
from kgreason.graph.editing import Editing
from kgreason.graph.live import LiveGraph
from kgreason.graph.transaction import Transaction
from kgreason.sparql.parser import parse
from kgreason.store.oxigraph import OxigraphStore
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.order import grouped
from kgreason.zset.zset import ZSet


class Updated(NamedTuple):
    """What an update did: the deltas of its commits, in order, and `delta`, what they come to.

    Of the rows that its DELETEs named, `unasserted` had not been asserted, and `entailed` stay: they are entailed.
    """

    deltas: tuple[Delta, ...]
    unasserted: int
    entailed: int
    delta: Delta


def update(
    live: LiveGraph, store: OxigraphStore, begin: Callable[[], Transaction], sparql: str, source: str
) -> Updated:
    """Parse a request, then carry it out as a whole. Raises QueryError, and what a transaction raises."""
    operations = parse(sparql, source)
    editing = Editing(live, store, begin)
    unasserted, entailed = editing.run(operations)
    delta = composed(editing.deltas, live.materializer.dictionary)
    return Updated(tuple(editing.deltas), unasserted, entailed, delta)


def composed(deltas: Sequence[Delta], dictionary: Dictionary) -> Delta:
    """The delta that deltas of one graph, in their order, come to; its number is that of the last one, 0 for none."""
    if len(deltas) == 1:
        return deltas[0]
    rows = np.concatenate([np.empty((0, 3), dtype=np.int32), *(delta.rows for delta in deltas)])
    before = np.concatenate([np.empty(0, dtype=np.int8), *(delta.before for delta in deltas)])
    after = np.concatenate([np.empty(0, dtype=np.int8), *(delta.after for delta in deltas)])
    groups = grouped(rows)
    firsts, lasts = groups.firsts(), groups.lasts()
    changed = before[firsts] != after[lasts]
    firsts, lasts = firsts[changed], lasts[changed]
    number, missed = max((delta.commit for delta in deltas), default=0), sum(delta.missed for delta in deltas)
    kinds = before[firsts], after[lasts]
    return Delta(number, rows[firsts], *kinds, *_quads(deltas), missed, _work(deltas), dictionary)


def _quads(deltas: Sequence[Delta]) -> tuple[Int32, Int32]:
    """The quads that went in all, and those that came."""
    quads = ZSet.empty(4)
    for delta in deltas:
        quads += ZSet.of(delta.added_quads) - ZSet.of(delta.removed_quads)
    return quads.negative().columns, quads.positive().columns


def _work(deltas: Sequence[Delta]) -> Work:
    """All the work of commits; one Bootstrap among them makes it one."""
    works = [delta.work for delta in deltas]
    return Work(
        "bootstrap" if any(work.strategy == "bootstrap" for work in works) else "update",
        any(work.switched for work in works),
        sum(work.rewrites for work in works),
        sum(work.retranslated for work in works),
        works[-1].axioms if works else 0,
        sum(work.rules_added for work in works),
        sum(work.rules_removed for work in works),
    )
