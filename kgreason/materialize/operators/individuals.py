"""`Individuals`: which terms owl:sameAs makes equal while a commit is open.

An *individual* is what equal terms stand for, and these terms are its names. Terms are equal if they have the same
representative (`same_as`). With the option `same_as="rules"`, terms are equal if rules derive `x owl:sameAs y`. Each
individual has a *first name*: IRIs come first, then blank nodes, literals and triple terms, each in the order of UTF-8.
Law: first names depend on the present facts alone, not on the order of commits.

Cost: `names` looks at all facts. The other methods cost nothing while no rule follows owl:sameAs. With representatives,
they look at the links that the commit changed. Without representatives, `moved_terms` looks at these changes,
`has_equal_terms` and `have_replaced_terms` at all owl:sameAs triples, and `first_names` at all facts.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.materialize.interest import Pattern, PlainPattern
from kgreason.materialize.same_as.cliques import sort_pairs
from kgreason.materialize.same_as.representatives import Equality
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.rules.model import Rule
from kgreason.rules.strata import is_equality
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32
from kgreason.zset.order import distinct

_NONE = np.empty(0, dtype=np.int32)


class Individuals:
    """Tells which terms of a graph are equal. One thread at a time: the caller holds the graph's lock."""

    def __init__(self, engine: Engine, dictionary: Dictionary, equality: Equality | None) -> None:
        self._engine, self._dictionary, self._equality = engine, dictionary, equality
        self.triples = engine.table(True, 3)
        """The table of the triples."""
        self.is_linked = self._was_linked = equality is not None
        """Whether rules follow owl:sameAs."""

    def follow(self, rules: Iterable[Rule]) -> None:
        """Find out whether `rules`, the rules that are in force now, can make terms equal."""
        self.is_linked = self._equality is not None or any(map(is_equality, rules))

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts by which terms become equal or different."""
        equality = self._equality
        links = [PlainPattern(self.triples, {1: SAME_AS})] if self.is_linked else []
        return [*links, PlainPattern(equality.rep_table, {0: equality.rep})] if equality else [*links]

    def accept(self) -> None:
        """Make the change of rules final."""
        self._was_linked = self.is_linked

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self.is_linked = self._was_linked

    def moved_terms(self, changes: Changes) -> Int32:
        """Return the terms that may have gained or lost an equal term in the commit so far: int32[n].

        The result may also have terms for which nothing has changed.
        """
        if not self.is_linked:
            return _NONE
        if self._equality is not None:
            return self._equality.regrouped_terms(changes)
        links = changes.rows[(changes.rows[:, 1] == SAME_AS) & (changes.tables == self.triples)]
        return distinct(links[:, [0, 2]]).astype(np.int32)

    def names(self, terms: Iterable[int]) -> dict[int, Int32]:
        """Return for each term of `terms` all terms that are equal to it, with the term itself."""
        rows, tables, _ = self._engine.facts.contents()
        equality = self._equality
        if equality is None:
            pairs = rows[(tables == self.triples) & (rows[:, 1] == SAME_AS)][:, [0, 2]]
        else:
            pairs = rows[(tables == equality.rep_table) & (rows[:, 0] == equality.rep), 1:3]
        found = {}
        for term in terms:
            linked = pairs[pairs[:, 0] == term, 1]
            others = linked if equality is None else pairs[np.isin(pairs[:, 1], linked), 0]
            found[term] = np.union1d(others, [term]).astype(np.int32)
        return found

    def first_names(self, ids: Int32, changes: Changes) -> Int32:
        """Return `ids`, of any shape, with each id replaced by the first name of its individual.

        `changes`: the changes of the commit so far, which may have made terms equal.
        """
        if not self.is_linked or not ids.size:
            return ids
        terms = distinct(ids)
        pairs = self._numbered_cliques(terms) if self._equality is None else self._equality.groups_of(terms, changes)
        if not len(pairs):
            return ids
        labels = np.unique(pairs[:, 0], return_inverse=True)[1]
        firsts = self._dictionary.first_terms(np.ascontiguousarray(pairs[:, 1]), labels)[labels]
        at = np.argsort(pairs[:, 1], kind="stable")
        members = pairs[at, 1]
        places = np.minimum(np.searchsorted(members, ids), len(members) - 1)
        found: Int32 = np.where(members[places] == ids, firsts[at][places], ids).astype(np.int32)
        return found

    def has_equal_terms(self) -> bool:
        """Whether some term may be equal to another term."""
        if self._equality is not None:
            return bool(self._equality.cliques.live)
        return self.is_linked and len(self._links()) > 0

    def have_replaced_terms(self, keys: Int32, changes: Changes) -> NDArray[np.bool_]:
        """Return for each row of `keys`, int32[n, k], whether one of its terms is represented by another term: bool[n].

        A term is represented by the primary of its clique; in a graph without representatives, by the first name.
        """
        if not self.is_linked or not keys.size:
            return np.zeros(len(keys), dtype=np.bool_)
        if self._equality is not None:
            return np.asarray(self._equality.is_secondary(keys, changes).any(axis=1))
        pairs = self._links()
        pairs = pairs[np.isin(pairs[:, 0], keys)]
        terms, places = np.unique(pairs[:, 0], return_inverse=True)
        names = np.concatenate([pairs[:, 1], terms])
        firsts = self._dictionary.first_terms(names, np.concatenate([places, np.arange(len(terms))]))
        return np.asarray(np.isin(keys, terms[firsts != terms]).any(axis=1))

    def _links(self) -> Int32:
        """Return subject and object of each present owl:sameAs triple: int32[n, 2].

        Cost: that of the links, or a pass over all facts if no rule of this engine reads links. (A part on Spark may
        have none of the rules that make terms equal.)
        """
        found = self._engine.rows_with(self.triples, {1: SAME_AS})
        if found is None:
            rows, tables, _ = self._engine.facts.contents()
            found = rows[(tables == self.triples) & (rows[:, 1] == SAME_AS)]
        facts = self._engine.facts
        rows = np.ascontiguousarray(found[:, :3])
        rows = rows[facts.kinds(facts.find(rows)) != ABSENT]
        return np.ascontiguousarray(rows[:, [0, 2]])

    def _numbered_cliques(self, terms: Int32) -> Int32:
        """Return pairs int32[m, 2] of a number and a term. Equal terms have the same number: the smallest of their ids.

        The terms are those of `terms` that are the subject of a link, and the terms that are equal to them.
        """
        rows, tables, _ = self._engine.facts.contents()
        links = rows[(tables == self.triples) & (rows[:, 1] == SAME_AS)][:, [0, 2]]
        links = links[np.isin(links[:, 0], terms)]
        ends, where = np.unique(links[:, 0], return_inverse=True)
        least = ends.copy()
        np.minimum.at(least, where, links[:, 1])
        pairs = np.concatenate([np.column_stack([least[where], links[:, column]]) for column in range(2)])
        return sort_pairs(pairs)
