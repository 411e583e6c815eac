"""`Literals`: asserts facts about literals, when the rules of datatypes.dl (Table 8 of OWL 2 RL) need them.

    dt_value        for each new literal that has the same value as another literal
    dt_ill          for each new literal that is ill-typed
    dt_type         for each new literal and each datatype that rules ask for, if the datatype has the literal's value
    dt_not          if rules have derived that a literal is in a datatype, and the datatype lacks the literal's value
    dt_differ       if rules have derived that two literals are the same, and their values differ
    dt_may_equal    for each link (owl:sameAs triple), unless it links two literals that are known to differ

Facts of dt_value, dt_ill, dt_not and dt_differ are true for their terms, whatever the graph holds. So they are never
retracted. The rules derive something from such a fact only while the graph uses its literals and has the other triples
that the rules read, such as a type or a link. So the graph depends on its assertions alone, and not on literals that it
had before. A fact of dt_may_equal is retracted at the end of a commit that removed the link, and a fact of dt_type when
no rule asks for the datatype any more.

Rules may link two literals of different values: prp-fp, prp-ifp, prp-key, cls-maxc2, cls-maxqc3, cls-maxqc4, a rule of
the user, or a chain of links through other terms. Such a link is reported as a contradiction: by the rules *-literals
of owl2rl.dl if both literals are values of one subject, otherwise by eq-diff1. The link is not followed: no triple is
copied from one literal to the other. An IRI or blank node that is the same as both literals has the triples of both.

Invariant after `due_facts` returns nothing: the rules derive the same as if all true facts about literals were given.
(Not all dt_differ facts are needed: one for each link between literals that differ, and in a clique whose literals have
several values, one for each value but the first, are enough.) `rollback` undoes all changes of the state since the last
`accept`.
Cost: nothing while no literal has a datatype. Otherwise it grows with the number of new terms (`values`) and of facts
that rules derive about literals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member
from kgreason.datatypes.value import DIR_LANG_STRING, LANG_STRING, STRING, Value
from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.program.encoding import relation_text
from kgreason.materialize.edit import Facts
from kgreason.materialize.literals.datatypes_in_use import IDS, NAMES, DatatypesInUse
from kgreason.materialize.literals.values import LiteralValues, NewTerms
from kgreason.materialize.same_as.representatives import NO_PAIRS, Equality, Follows
from kgreason.materialize.schema.rows import SAME_AS, TYPE, is_datatype, make_rows, same_as_pairs
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32
from kgreason.zset.order import distinct, group_rows

_PLAIN = frozenset([STRING, LANG_STRING, DIR_LANG_STRING])
_NAMES = ("dt_value", "dt_type", "dt_differ", "dt_may_equal", "dt_not")


_NO_ROWS = np.empty((0, 3), dtype=np.int32)


class Literals:
    """Says which facts about literals have to be asserted and retracted in the engine of one graph."""

    def __init__(
        self, engine: Engine, dictionary: Dictionary, equality: Equality | None, follows: Follows | None
    ) -> None:
        self._engine, self._dictionary, self._equality, self._follows = engine, dictionary, equality, follows
        self._values = LiteralValues(dictionary)
        self._value, self._type, self._differ, self._may_equal, self._not = dictionary.intern(
            relation_text(name, 2) for name in _NAMES
        ).tolist()
        self._ill = int(dictionary.intern([relation_text("dt_ill", 1)])[0])
        self._triples, self._single, self._pair = (
            engine.table(is_triple, width) for is_triple, width in ((True, 3), (False, 2), (False, 3))
        )
        self.in_use = DatatypesInUse()
        self.told = self._told_before = frozenset[int]()
        """The datatypes whose members are asserted."""
        self._followed: list[Int32] = []
        self._left: list[Int32] = []

    def adopt(self) -> None:
        """Treat all terms of the dictionary as known: the engine already has the facts about their literals."""
        self._values.adopt()
        self.told = self._told_before = self.in_use.datatypes

    def accept(self) -> None:
        """Make the changes of the state since the last `accept` final."""
        self._values.accept()
        self._told_before, self._followed, self._left = self.told, [], []

    def rollback(self) -> None:
        """Undo the changes of the state since the last `accept`."""
        self._values.rollback()
        self.told, self._followed, self._left = self._told_before, [], []

    def facts_ahead(self, added: Int32) -> Facts:
        """Return the facts about literals that a commit asserts and retracts before its rules run.

        `added`: the triples int32[n, 3] that the commit asserts.
        """
        return self._facts([self._may_equal_rows(same_as_pairs(added))])

    def due_facts(self, changes: Changes) -> Facts:
        """Return the facts about literals to assert and to retract, because of what the commit has changed so far."""
        return self._facts(self._equality_rows(changes))

    def needless_facts(self, changes: Changes) -> Facts:
        """Return the dt_may_equal facts to retract, because the commit has removed their owl:sameAs links."""
        gone = same_as_pairs(changes.rows[(changes.tables == self._triples) & (changes.after == ABSENT)])
        told = np.concatenate([make_rows(self._may_equal, gone), *self._followed])
        told = told[group_rows(told).firsts()]
        needless = self._are_facts(told) & ~self._are_facts(_as_links(told))
        rows = np.ascontiguousarray(told[needless])
        self._left.append(rows)
        return Facts.of({}, {self._pair: rows})

    def _are_facts(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows` whether it is a present fact: bool[n]."""
        facts = self._engine.facts
        found: NDArray[np.bool_] = facts.kinds(facts.find(rows)) != ABSENT
        return found

    def _facts(self, said: Iterable[Int32]) -> Facts:
        news, before = self._values.read_new_terms(), self.told
        self.told = self.in_use.datatypes
        pairs = [*self._type_rows(before, news)]
        if news and len(news.equal):
            pairs.append(make_rows(self._value, news.equal))
        pairs += said
        single = [make_rows(self._ill, news.ill)] if news and len(news.ill) else []
        removed = {self._pair: self._unread_type_rows(before - self.told)}
        return Facts.of({self._pair: self._new_rows(pairs), self._single: self._new_rows(single)}, removed)

    def _new_rows(self, parts: list[Int32]) -> Int32:
        """Join the arrays `parts`. Returns each row once, without the rows that are facts already."""
        parts = [part for part in parts if len(part)]
        if not parts:
            return _NO_ROWS
        rows = np.concatenate(parts)
        rows = rows[group_rows(rows).firsts()]
        found: Int32 = rows[self._engine.facts.find(rows) < 0]
        return found

    # Membership

    def _type_rows(self, before: frozenset[int], news: NewTerms | None) -> Iterator[Int32]:
        """Yield the dt_type rows that have to be asserted. A row says that a literal is in a datatype.

        `before`: the datatypes that rules asked for before. For these, only rows of new literals are yielded. For a
        datatype that rules ask for now and did not ask for before, rows of all literals are yielded. `news`: what is
        known of the new terms; None if there are none.
        """
        yield self._types_of_literals(self.told - before, 0)
        if news:
            yield self._types_of_literals(self.told & before, news.since)

    def _types_of_literals(self, datatypes: Iterable[int], since: int) -> Int32:
        """Return a dt_type row for each literal with an id above `since` and each of its types among `datatypes`."""
        names = [(number, NAMES[number]) for number in datatypes]
        if not names:
            return _NO_ROWS
        is_plain = any(DATATYPE_MAP[name].spaces & _PLAIN for _, name in names)
        ids = self._values.literals(since) if is_plain else self._values.comparable_literals(since)
        readings = zip(ids.tolist(), self._values.values_of(ids), strict=True)
        found = [
            (self._type, literal, number)
            for literal, value in readings
            if isinstance(value, Value)
            for number, name in names
            if is_member(value, name)
        ]
        return np.array(found, dtype=np.int32).reshape(-1, 3)

    def _unread_type_rows(self, gone: frozenset[int]) -> Int32:
        """Return the present dt_type rows of the datatypes `gone`. No rule asks for these datatypes any more."""
        if not gone:
            return _NO_ROWS
        rows, tables, _ = self._engine.facts.contents()
        kept = (tables == self._pair) & (rows[:, 0] == self._type) & np.isin(rows[:, 2], list(gone))
        return np.ascontiguousarray(rows[kept, :3])

    # Facts for what rules have derived

    def _equality_rows(self, changes: Changes) -> Iterator[Int32]:
        """Yield the dt_may_equal, dt_not and dt_differ rows to assert for what the commit has changed so far."""
        links = self._added_pairs(changes, SAME_AS)
        links = links[links[:, 0] != links[:, 1]]
        yield self._may_equal_rows(links)
        yield from (
            rows[self._are_facts(_as_links(rows))] for rows in self._left
        )  # the links of these rows were removed and came back in the same commit
        types = self._added_pairs(changes, TYPE)
        types = types[is_datatype(types[:, 1])] if len(types) else types
        groups = self._groups(changes, links)
        if len(types) or len(groups):
            yield make_rows(
                self._not,
                self._pairs_outside(
                    np.concatenate([types, self._types_in_cliques(types), self._types_of_first(groups)])
                ),
            )
        if len(links) or len(groups):
            yield make_rows(self._differ, self._different_pairs(links))
            yield make_rows(self._differ, self._different_in_groups(groups))

    def _may_equal_rows(self, links: Int32) -> Int32:
        """Return a dt_may_equal row for each pair of `links`, int32[n, 2], except pairs of literals known to differ.

        With the rule group eq-literals no rows are returned, because a rule of this group derives a dt_may_equal fact
        for every link.
        """
        if self._follows is None or not len(links):
            return _NO_ROWS
        rows = make_rows(self._may_equal, self._follows(links))
        self._followed.append(rows)
        return rows

    def _different_pairs(self, links: Int32) -> Int32:
        """Return the pairs among `links`, int32[n, 2], whose two literals have different values.

        With the rule group eq-literals no pairs are returned: there the two literals are in one clique, and
        `_different_in_groups` finds them.
        """
        if self._equality is not None and self._follows is None:
            return NO_PAIRS
        links = links[self._values.is_literal(links).all(axis=1)]
        readings = zip(self._values.values_of(links[:, 0]), self._values.values_of(links[:, 1]), strict=True)
        differs = [isinstance(one, Value) and isinstance(other, Value) and one != other for one, other in readings]
        return links[np.array(differs, dtype=np.bool_)]

    def _added_pairs(self, changes: Changes, predicate: int) -> Int32:
        """Return subject and object of each triple with `predicate` that the commit has added so far: int32[n, 2]."""
        found = np.flatnonzero((changes.rows[:, 1] == predicate) & (changes.tables == self._triples))
        found = found[(changes.before[found] == ABSENT) & (changes.after[found] != ABSENT)]
        pairs: Int32 = changes.rows[found][:, [0, 2]]
        return pairs

    def _groups(self, changes: Changes, links: Int32) -> Int32:
        """Return the groups of equal terms that the commit changed: int32[n, 2], a row for each member of a group.

        A row has the first term of the group, which stands for the group, and the member. `links`: the owl:sameAs pairs
        that are new. If the graph has no representatives, each of these pairs counts as a group, except pairs of
        literals known to differ.
        """
        if self._equality is None:
            return links if self._follows is None else self._follows(links)
        found = self._equality.change_of_cliques(changes)
        return NO_PAIRS if found is None else found.groups.members

    def _types_in_cliques(self, types: Int32) -> Int32:
        """Return pairs int32[m, 2] of a literal and a datatype: a term in the literal's clique has this type.

        `types`: pairs int32[n, 2] of a term and its type.
        """
        if self._equality is None or not len(types):
            return NO_PAIRS
        cliques = self._equality.cliques
        cliques.reserve_slots(int(types.max()))
        slots = cliques.slots(types[:, 0])
        members = cliques.members(distinct(slots[slots > 0]))
        of_primary = defaultdict(list)
        for primary, member in members[self._values.is_literal(members[:, 1])].tolist():
            of_primary[primary].append(member)
        primaries = cliques.primaries(types[:, 0], slots).tolist()
        found = [
            (literal, datatype)
            for primary, datatype in zip(primaries, types[:, 1].tolist(), strict=True)
            for literal in of_primary[primary]
        ]
        return np.array(found, dtype=np.int32).reshape(-1, 2)

    def _types_of_first(self, groups: Int32) -> Int32:
        """Return pairs int32[m, 2] of a literal and a datatype: the first term of the literal's group has this type.

        `groups`: pairs int32[n, 2] of a group's first term and a member. Rules derive types for the first term, which
        stands for its group.
        """
        literals = groups[self._values.is_literal(groups[:, 1])]
        if not len(literals):
            return NO_PAIRS
        pairs = np.column_stack([np.repeat(literals, len(IDS), axis=0), np.tile(IDS, len(literals))])
        rows = np.insert(pairs[:, [0, 2]], 1, TYPE, axis=1)
        found: Int32 = pairs[self._engine.facts.find(rows) >= 0][:, 1:]
        return found

    def _pairs_outside(self, pairs: Int32) -> Int32:
        """Return the pairs (literal, datatype) of `pairs` whose datatype does not contain the literal's value.

        An ill-typed literal is in no datatype. Literals of an unknown datatype are left out.
        """
        pairs = np.unique(pairs[self._values.is_literal(pairs[:, 0])], axis=0)
        readings = self._values.values_of(pairs[:, 0])
        is_outside = [
            reading is not None and not (isinstance(reading, Value) and is_member(reading, NAMES[datatype]))
            for reading, datatype in zip(readings, pairs[:, 1].tolist(), strict=True)
        ]
        return pairs[np.array(is_outside, dtype=np.bool_)]

    def _different_in_groups(self, groups: Int32) -> Int32:
        """Return pairs int32[m, 2] of literals that are in the same group but have different values.

        `groups`: pairs int32[n, 2] of a group's first term and a member. In each group, the literal whose text comes
        first is paired with one literal of each other value.
        """
        if self._equality is None:
            return NO_PAIRS
        literals = groups[self._values.is_literal(groups[:, 1])]
        values: defaultdict[int, dict[Value, int]] = defaultdict(dict)
        texts = np.array(self._dictionary.decode(literals[:, 1]), dtype=object)
        literals = literals[np.argsort(texts, kind="stable")]
        for (group, literal), value in zip(literals.tolist(), self._values.values_of(literals[:, 1]), strict=True):
            if isinstance(value, Value):
                values[group].setdefault(value, literal)
        found = [(first, other) for first, *others in map(dict.values, values.values()) for other in others]
        return np.array(found, dtype=np.int32).reshape(-1, 2)


def _as_links(rows: Int32) -> Int32:
    """Return a triple `x owl:sameAs y`, int32[n, 3], for each row (relation, x, y) of `rows`, int32[n, 3]."""
    found: Int32 = rows[:, [1, 0, 2]]
    found[:, 1] = SAME_AS
    return found
