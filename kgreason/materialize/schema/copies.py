"""`copies_and_firsts`: finds the copies of class expressions in columns, for a whole ontology at once.

    triples that describe blank nodes  ->  restrictions, intersections with their members  ->  from inside to outside,
                                                                                the first node of those with one key

Law: the result is that of `Expressions`, which follows edits (a test compares them). Cost: some sorting of the triples
for each level of nesting; microseconds for each expression. What is nested too deep is left to the caller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.terms import vocabulary as v
from kgreason.terms.vocabulary import VOCABULARY
from kgreason.zset.columns import Int32

ON, SOME, VALUE, SELF, AND, FIRST, REST, NIL = (
    VOCABULARY.index(name) + 1
    for name in (
        v.OWL_ON_PROPERTY, v.OWL_SOME_VALUES_FROM, v.OWL_HAS_VALUE, v.OWL_HAS_SELF, v.OWL_INTERSECTION_OF,
        v.RDF_FIRST, v.RDF_REST, v.RDF_NIL,
    )
)  # fmt: skip
_DEEPEST = 100
"""So many levels of nesting are read in columns."""
_NONE = np.empty(0, dtype=np.int32)


class _Pairs(NamedTuple):
    """Nodes that have exactly two triples, in the order of their predicates, and these predicates and objects."""

    nodes: Int32
    predicates: Int32
    objects: Int32


def copies_and_firsts(rows: Int32) -> tuple[Int32, Int32] | None:
    """Return the nodes for which another node stands, ascending, and these nodes: int32[n] each.

    `rows`: the triples that describe blank nodes, int32[n, 3], each once, sorted by subject and predicate. Returns None
    if expressions are nested too deep.
    """
    if not len(rows):
        return _NONE, _NONE
    nodes, starts, counts = np.unique(rows[:, 0], return_index=True, return_counts=True)
    single, double = starts[counts == 1], starts[counts == 2]
    pairs = _Pairs(rows[double, 0], *(np.stack([rows[double, n], rows[double + 1, n]], axis=1) for n in (1, 2)))
    ends = rows[single[rows[single, 1] == AND]]
    size = int(rows.max()) + 1
    is_open = np.zeros(size, dtype=np.bool_)
    is_open[nodes] = True
    numbers = np.arange(size, dtype=np.int32)
    restrictions, (owners, members) = _restrictions(pairs), _members(pairs, ends[:, 0], ends[:, 2], size)
    for _ in range(_DEEPEST):
        is_ready = ~is_open[restrictions[:, 3]] | (restrictions[:, 1] != SOME)
        ready, restrictions = restrictions[is_ready], restrictions[~is_ready]
        waiting = np.zeros(size, dtype=np.bool_)
        waiting[owners[is_open[members]]] = True
        is_whole = ~waiting[owners]
        whole = owners[is_whole], numbers[members[is_whole]]
        owners, members = owners[~is_whole], members[~is_whole]
        if not len(ready) and not len(whole[0]):
            found = nodes[numbers[nodes] != nodes]
            return found, numbers[found]
        has_inside = ready[:, 1] == SOME  # a value of owl:hasValue is an individual, whatever describes it
        ready[has_inside, 3] = numbers[ready[has_inside, 3]]
        for each, firsts in ((ready[:, 0], _first_nodes(ready[:, 0], ready[:, 1:])), _firsts_of_equal_sets(*whole)):
            numbers[each] = firsts
            is_open[each] = False
    return None


def _restrictions(pairs: _Pairs) -> Int32:
    """Return the restrictions as rows of node, predicate, property, and filler or value: int32[n, 4]."""
    found = [np.empty((0, 4), dtype=np.int32)]
    for place, other in ((0, 1), (1, 0)):
        is_one = (pairs.predicates[:, place] == ON) & np.isin(pairs.predicates[:, other], (SOME, VALUE, SELF))
        columns = pairs.nodes, pairs.predicates[:, other], pairs.objects[:, place], pairs.objects[:, other]
        found.append(np.stack([column[is_one] for column in columns], axis=1))
    return np.concatenate(found)


def _members(pairs: _Pairs, owners: Int32, lists: Int32, size: int) -> tuple[Int32, Int32]:
    """Return the members of lists, with the owners of the lists: int32[n] each. Lists that are not whole are left out.

    `owners`, `lists`: the owner and the first cell of each list.
    """
    first, rest = np.zeros(size, dtype=np.int32), np.zeros(size, dtype=np.int32)
    for place, other in ((0, 1), (1, 0)):
        is_cell = (pairs.predicates[:, place] == FIRST) & (pairs.predicates[:, other] == REST)
        cells = pairs.nodes[is_cell]
        first[cells], rest[cells] = pairs.objects[is_cell, place], pairs.objects[is_cell, other]
    if size > NIL:
        rest[NIL] = NIL
    ends = rest.copy()  # the cell at the end of a walk, or 0 after a node that is no cell; each turn doubles the walk
    for _ in range(32):
        ends = ends[ends]
    is_whole = (ends[lists] == NIL) & (lists != NIL)
    owners, cells = owners[is_whole], lists[is_whole]
    found, of = [_NONE], [_NONE]
    while len(cells):
        found.append(first[cells])
        of.append(owners)
        cells = rest[cells]
        goes_on = cells != NIL
        cells, owners = cells[goes_on], owners[goes_on]
    return np.concatenate(of), np.concatenate(found)


def _firsts_of_equal_sets(owners: Int32, members: Int32) -> tuple[Int32, Int32]:
    """Return the owners, each once, and the first owner with the same set of members: int32[n] each."""
    order = np.lexsort((members, owners))
    owners, members = owners[order], members[order]
    is_new = np.ones(len(owners), dtype=np.bool_)
    is_new[1:] = (owners[1:] != owners[:-1]) | (members[1:] != members[:-1])
    nodes, starts, sizes = np.unique(owners[is_new], return_index=True, return_counts=True)
    members, firsts = members[is_new], np.empty(len(nodes), dtype=np.int32)
    for size in np.unique(sizes).tolist():
        of_size = np.flatnonzero(sizes == size)
        firsts[of_size] = _first_nodes(nodes[of_size], members[starts[of_size, None] + np.arange(size)])
    return nodes, firsts


def _first_nodes(nodes: Int32, keys: Int32) -> Int32:
    """Return for each node, int32[n], the first node with the same key; `keys`: int32[n, k]."""
    order = np.lexsort((nodes, *keys.T))
    is_new = np.ones(len(nodes), dtype=np.bool_)
    is_new[1:] = _differ_from_last(keys[order])
    firsts = np.empty(len(nodes), dtype=np.int32)
    firsts[order] = nodes[order][is_new][np.cumsum(is_new) - 1]
    return firsts


def _differ_from_last(rows: Int32) -> NDArray[np.bool_]:
    """Return for each row but the first whether it differs from the row before."""
    found: NDArray[np.bool_] = (rows[1:] != rows[:-1]).any(axis=1)
    return found
