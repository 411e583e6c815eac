"""`last_edits`: what a transaction does to each quad in the end, if it edits the quad several times.

`without_idle_retractions`: the edit of a transaction without retractions that have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kgreason.materialize.edit import Edit, Facts
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import group_rows


def last_edits(signs: Sequence[int], parts: Sequence[Int32]) -> tuple[Int32, Int32]:
    """Keep the last edit of each quad. Returns the quads to retract, int32[n, 4], and the quads to assert, int32[m, 4].

    `parts` are arrays of edited quads, in order. `signs` has -1 (retract) or 1 (assert) for each array.
    """
    quads = np.concatenate(parts)
    of_quads = np.repeat(np.array(signs, dtype=np.int8), [len(part) for part in parts])
    if len(quads) > 1:
        lasts = np.sort(group_rows(quads).lasts())
        quads, of_quads = quads[lasts], of_quads[lasts]
    return quads[of_quads < 0], quads[of_quads > 0]


def without_idle_retractions(edit: Edit, dictionary: Dictionary, known: int, drop: Callable[[int], object]) -> Edit:
    """Return an edit without retractions that name new terms. A term is new if the transaction interned it.

    `known` is the size of the dictionary before the transaction. The graph cannot have a quad with a new term, so such
    a retraction has no effect. New terms that occur only in such retractions are dropped from the dictionary by `drop`.
    So the dictionary has exactly the terms of the journal, and replaying the journal gives the same state.
    """
    is_used = np.zeros(len(dictionary) + 1, dtype=np.bool_)
    is_used[: known + 1] = True
    for rows in (edit.added, *edit.facts.added.values()):
        is_used[rows] = True
    if is_used.all():
        return edit
    fresh = known + np.flatnonzero(is_used[known:])[1:]
    texts = dictionary.decode(fresh)
    drop(known)
    number = np.arange(len(is_used), dtype=np.int32)
    number[fresh] = dictionary.intern(texts)
    there = (edit.removed <= known).all(axis=1)
    come = {width: number[rows] for width, rows in edit.facts.added.items()}
    gone = {width: rows[(rows <= known).all(axis=1)] for width, rows in edit.facts.removed.items()}
    return edit._replace(
        removed=edit.removed[there],
        added=number[edit.added],
        unknown=int(np.count_nonzero(~there)),
        facts=Facts.of(come, gone),
    )
