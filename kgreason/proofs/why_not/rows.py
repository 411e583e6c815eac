"""`Rows`: the present facts as columns, for joins with bindings (values of a rule's variables).

    bindings    ?x = :tom, ?y = :ann        atom [?y, :age, ?n]        ->  ?x = :tom, ?y = :ann, ?n = 41

Equal terms (owl:sameAs) are joined at their representatives, as the rules of the graph do. In place of a term of a
clique, a variable has the *primary* as its value: the representative that stands for all members. An atom
`x owl:sameAs y` holds for any two terms of a clique.

Law: without equal terms, the join has exactly the matches of the atom, up to `MOST` of them. Cost: a copy of all facts,
once; then a few passes over the facts with the atom's predicate or relation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.program.encoding import terms_of_row
from kgreason.materialize.materializer import Materializer
from kgreason.rules.model import Atom, Term, Variable
from kgreason.zset.columns import Int32

MOST = 10_000
"""The largest number of bindings that a join keeps."""
_UNKNOWN = -1
"""The id of the first term that the dictionary lacks. Each further such term gets the next smaller id."""


class Bindings(NamedTuple):
    """n bindings of k variables: `rows`, int32[n, k], has a row for each binding and a column for each variable."""

    variables: tuple[Variable, ...]
    rows: Int32

    def column(self, variable: Term) -> Int32 | None:
        """Return the values of a variable in the n bindings, int32[n]; None for a constant or another variable."""
        if not isinstance(variable, Variable) or variable not in self.variables:
            return None
        values: Int32 = self.rows[:, self.variables.index(variable)]
        return values


class Rows:
    """The facts that a graph had at the moment when this object was made."""

    def __init__(self, materializer: Materializer) -> None:
        self._materializer = materializer
        self._columns, self._tables, _ = materializer.engine.facts.contents()
        self._numbers = {kind: number for number, kind in enumerate(materializer.engine.tables)}
        self._unknown: list[str] = []
        self._found: dict[Atom, Int32] = {}
        self._of: dict[int, tuple[Int32, NDArray[np.int64]]] = {}

    def ids(self, texts: Sequence[str]) -> list[int]:
        """Return the ids of terms. A term that the dictionary lacks gets a number below 0."""
        found = self._materializer.dictionary.find(list(texts)).tolist()
        return [number or self._new_id(text) for number, text in zip(found, texts, strict=True)]

    def _new_id(self, text: str) -> int:
        if text not in self._unknown:
            self._unknown.append(text)
        return _UNKNOWN - self._unknown.index(text)

    def text(self, number: int) -> str:
        """Return the text of the term for which `ids` returned this number."""
        return self._unknown[_UNKNOWN - number] if number < 0 else self._materializer.dictionary.decode([number])[0]

    def single_binding(self, values: dict[Variable, str]) -> Bindings:
        """Return `Bindings` that consist of one binding with these values."""
        return Bindings(tuple(values), np.array([self.ids(list(values.values()))], dtype=np.int32).reshape(1, -1))

    def count(self, atom: Atom) -> int:
        """Return the number of facts that have the constants of an atom."""
        return len(self._matching_rows(atom))

    def join(self, bindings: Bindings, atom: Atom) -> Bindings:
        """Join bindings with the facts that match an atom. Returns at most `MOST` bindings.

        The new bindings have values for the variables of the atom as well.
        """
        found = self._bindings(bindings, atom)
        if self._materializer.equality is not None and atom.relation is None and atom.is_link:
            found = _union(found, self._where_equal(bindings, atom))
        return found

    def _bindings(self, bindings: Bindings, atom: Atom) -> Bindings:
        terms = terms_of_row(atom)
        rows = self._matching_rows(atom)
        places: dict[Variable, int] = {}
        for place, term in enumerate(terms):
            if isinstance(term, Variable):
                if term in places:
                    rows = rows[rows[:, place] == rows[:, places[term]]]
                places.setdefault(term, place)
        shared = [variable for variable in bindings.variables if variable in places]
        left = bindings.rows[:, [bindings.variables.index(variable) for variable in shared]]
        for column, variable in enumerate(shared):
            rows = rows[np.isin(rows[:, places[variable]], left[:, column])]
        right = rows[:, [places[variable] for variable in shared]]
        pairs = _matching_pairs(left, right)
        fresh = [variable for variable in places if variable not in shared]
        columns = [bindings.rows[pairs[:, 0]], rows[pairs[:, 1]][:, [places[variable] for variable in fresh]]]
        return Bindings((*bindings.variables, *fresh), np.unique(np.hstack(columns), axis=0)[:MOST].astype(np.int32))

    def _matching_rows(self, atom: Atom) -> Int32:
        if atom not in self._found:
            self._found[atom] = self._rows_of_constants(atom)
        return self._found[atom]

    def _rows_of_constants(self, atom: Atom) -> Int32:
        is_triple, terms = atom.relation is None, terms_of_row(atom)
        table = self._numbers.get((is_triple, len(terms)))
        if table is None:
            return self._columns[:0]
        key = 1 if is_triple else 0
        places = [place for place, term in enumerate(terms) if not isinstance(term, Variable)]
        ids = dict(zip(places, self.ids([str(terms[place]) for place in places]), strict=True))
        rows = self._slice(table, key, ids.pop(key, None))
        kept = np.ones(len(rows), dtype=np.bool_)
        for place, number in ids.items():
            kept &= self._columns[rows, place] == number
        found: Int32 = self._columns[rows[kept]]
        return found

    def _slice(self, table: int, key: int, value: int | None) -> NDArray[np.int64]:
        """Return the numbers of those rows of the table number `table` that have `value` in column `key`."""
        if table not in self._of:
            rows = np.flatnonzero(self._tables == table)
            rows = rows[np.argsort(self._columns[rows, key], kind="stable")]
            self._of[table] = self._columns[rows, key], rows
        keys, rows = self._of[table]
        if value is None:
            return rows
        low, high = np.searchsorted(keys, [value, value + 1])
        return rows[low:high]

    def _where_equal(self, bindings: Bindings, atom: Atom) -> Bindings:
        """Return the bindings under which subject and object of an atom `x owl:sameAs y` are in one clique.

        If one of them has no value, it gets the primary of the other. If neither has a value, no binding is returned.
        """
        ends = [self._ids_at_end(bindings, term) for term in (atom.terms[0], atom.terms[2])]
        (left, right), terms = ends, (atom.terms[0], atom.terms[2])
        if left is None and right is None:
            return Bindings(bindings.variables, bindings.rows[:0])
        if left is not None and right is not None:
            is_equal = self._is_in_clique(left) & (self.primaries(left) == self.primaries(right))
            return Bindings(bindings.variables, bindings.rows[is_equal])
        known, free = (left, terms[1]) if left is not None else (right, terms[0])
        assert known is not None
        assert isinstance(free, Variable)
        rows = np.column_stack([bindings.rows, self.primaries(known)])[self._is_in_clique(known)]
        return Bindings((*bindings.variables, free), rows.astype(np.int32))

    def _ids_at_end(self, bindings: Bindings, term: Term) -> Int32 | None:
        if isinstance(term, Variable):
            return bindings.column(term)
        return np.full(len(bindings.rows), self.ids([term])[0], dtype=np.int32)

    def primaries(self, ids: Int32) -> Int32:
        """Replace each id in int32[n] that is a member of a clique by the primary of the clique. Returns int32[n]."""
        slots = self._slots(ids)
        equality = self._materializer.equality
        return (
            ids if equality is None else np.where(slots > 0, equality.cliques.primaries(np.maximum(ids, 0), slots), ids)
        )

    def _is_in_clique(self, ids: Int32) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._slots(ids) > 0
        return found

    def _slots(self, ids: Int32) -> Int32:
        equality = self._materializer.equality
        if equality is None or not equality.cliques.live:
            return np.zeros(len(ids), dtype=np.int32)
        equality.cliques.reserve_slots(len(self._materializer.dictionary))
        return np.where(ids > 0, equality.cliques.slots(np.maximum(ids, 0)), 0).astype(np.int32)


def _matching_pairs(left: Int32, right: Int32) -> NDArray[np.int64]:
    """Return int64[n, 2]: the pairs (number of a row of `left`, number of an equal row of `right`).

    A row of `left` gets at most `MOST` pairs. As soon as there are `MOST` pairs in all, further rows get none.
    """
    numbers = np.zeros(len(left) + len(right), dtype=np.int64)
    if left.shape[1]:
        _, numbers = np.unique(np.concatenate([left, right]), axis=0, return_inverse=True)
    numbers = numbers.ravel()
    lefts, rights = numbers[: len(left)], numbers[len(left) :]
    order = np.argsort(rights, kind="stable")
    low, high = (np.searchsorted(rights[order], lefts, side=side) for side in ("left", "right"))
    counts = np.minimum(high - low, MOST)
    ends = np.cumsum(counts)
    kept = int(np.searchsorted(ends, MOST)) + 1  # the rest is left out
    counts, low, ends = counts[:kept], low[:kept], ends[:kept]
    owners = np.repeat(np.arange(len(counts)), counts)
    places = np.arange(len(owners)) - np.repeat(ends - counts, counts)
    return np.column_stack([owners, order[np.repeat(low, counts) + places]])


def _union(one: Bindings, other: Bindings) -> Bindings:
    """Return the bindings of `one` and those of `other`, each once. Both must have the same variables, in any order."""
    places = [other.variables.index(variable) for variable in one.variables] if len(other.rows) else []
    rows = np.concatenate([one.rows, other.rows[:, places]]) if len(other.rows) else one.rows
    return Bindings(one.variables, np.unique(rows, axis=0)[:MOST].astype(np.int32))
