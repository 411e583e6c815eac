"""`Literals`: asserts the facts about literals that the rules of datatypes.dl (Table 8 of OWL 2 RL) need, when they do.

    dt_value, dt_ill     for each new literal that has the value of another one, or has no value
    dt_type              for each new literal and each datatype that is asked for
    dt_not, dt_differ    where rules have derived that a literal is in a datatype, or that it is the same as another
    dt_may_equal         for each owl:sameAs link, unless it is between two literals that are known to differ

Facts of dt_value, dt_ill, dt_not and dt_differ are true of the terms, whatever the graph holds. So they are never
retracted. The rules draw conclusions from them only while the graph uses the literals and has the type or link in
question. So the graph depends on its assertions alone, and not on literals that it had before. dt_may_equal is
retracted at the end of a commit that removed the link, and dt_type when no rule asks for the datatype any more.

A rule may link two literals of different values: prp-fp, prp-ifp, prp-key, cls-maxc2, cls-maxqc3, cls-maxqc4, a rule of
the user, or a chain of links through other terms. Such a link is reported as a contradiction: by the rules *-literals
of owl2rl.dl if both are values of one subject, else by eq-diff1. It is not followed: no triple is copied from one
literal to the other. A resource that is the same as both literals has the triples of both.

Invariant after `wanted` returns nothing: the rules derive what they would derive from all such truths. (Of dt_differ
one fact for each link, and one for each further value of a clique, is enough.) `rollback` forgets what was looked at
since the last `accept`.
Cost: nothing while no literal has a datatype. Otherwise it grows with the new terms (`values`) and with what rules
derive about literals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import DATATYPE_MAP, is_member
from kgreason.datatypes.value import DIR_LANG_STRING, LANG_STRING, STRING, Value
from kgreason.engine.engine import Changes, Engine
from kgreason.engine.memory.layout import ABSENT, Int32
from kgreason.engine.program.encoding import relation_text
from kgreason.engine.rebuild import Rows
from kgreason.materialize.literals.datatypes_in_use import IDS, NAMES, Asked, is_datatype
from kgreason.materialize.literals.values import News, Readings
from kgreason.materialize.same_as.representatives import NO_PAIRS, Equality, Follows
from kgreason.materialize.schema_rows import SAME_AS, TYPE, linked, related
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.order import grouped

_PLAIN = frozenset([STRING, LANG_STRING, DIR_LANG_STRING])
_NAMES = ("dt_value", "dt_type", "dt_differ", "dt_may_equal", "dt_not")


class Facts(NamedTuple):
    """Rows to assert and rows to retract, by table; tables without rows are left out."""

    added: Rows
    removed: Rows

    def __bool__(self) -> bool:
        return bool(self.added or self.removed)


NO_FACTS = Facts({}, {})
_NO_ROWS = np.empty((0, 3), dtype=np.int32)


class Literals:
    """The literals of a graph."""

    def __init__(
        self, engine: Engine, dictionary: Dictionary, equality: Equality | None, follows: Follows | None
    ) -> None:
        self._engine, self._dictionary, self._equality, self._follows = engine, dictionary, equality, follows
        self._readings = Readings(dictionary)
        self._value, self._type, self._differ, self._may_equal, self._not = dictionary.intern(
            relation_text(name, 2) for name in _NAMES
        ).tolist()
        self._ill = int(dictionary.intern([relation_text("dt_ill", 1)])[0])
        self._triples, self._single, self._pair = (
            engine.table(is_triple, width) for is_triple, width in ((True, 3), (False, 2), (False, 3))
        )
        self.asked = Asked()
        self._told = self._told_before = frozenset[int]()
        self._followed: list[Int32] = []
        self._left: list[Int32] = []

    def adopt(self) -> None:
        """Take the engine's facts as the state that is known; nothing is asserted for them."""
        self._readings.adopt()
        self.asked.accept()
        self._told = self._told_before = self.asked.datatypes

    def accept(self) -> None:
        """Make what was looked at final."""
        self._readings.accept()
        self.asked.accept()
        self._told_before, self._followed, self._left = self._told, [], []

    def rollback(self) -> None:
        """Forget what was looked at since the last `accept`."""
        self._readings.rollback()
        self.asked.rollback()
        self._told, self._followed, self._left = self._told_before, [], []

    def foreseen(self, added: Int32) -> Facts:
        """The facts about literals that a commit needs from its start; triples int32[n, 3] will be asserted."""
        return self._wanted([self._following(linked(added))])

    def wanted(self, changes: Changes) -> Facts:
        """The facts about literals that the changes of the commit so far need, and that are lacking."""
        return self._wanted(self._said(changes))

    def needless(self, changes: Changes) -> Facts:
        """The dt_may_equal facts of links that a commit removed, or made and removed again."""
        gone = linked(changes.rows[(changes.tables == self._triples) & (changes.after == ABSENT)])
        told = np.concatenate([related(self._may_equal, gone), *self._followed])
        told = told[grouped(told).firsts()]
        needless = self._are_facts(told) & ~self._are_facts(_as_links(told))
        rows = np.ascontiguousarray(told[needless])
        self._left.append(rows)
        return Facts({}, _filled({self._pair: rows}))

    def _are_facts(self, rows: Int32) -> NDArray[np.bool_]:
        """Whether each of rows is a present fact: bool[n]."""
        facts = self._engine.circuit.facts
        found: NDArray[np.bool_] = facts.kinds(facts.find(rows)) != ABSENT
        return found

    def _wanted(self, said: Iterable[Int32]) -> Facts:
        news, before = self._readings.look(), self._told
        self._told = self.asked.datatypes
        pairs = [*self._types(before, news)]
        if news and len(news.equal):
            pairs.append(related(self._value, news.equal))
        pairs += said
        single = [related(self._ill, news.ill)] if news and len(news.ill) else []
        removed = {self._pair: self._needless(before - self._told)}
        return Facts(_filled({self._pair: self._lacking(pairs), self._single: self._lacking(single)}), _filled(removed))

    def _lacking(self, parts: list[Int32]) -> Int32:
        """The rows that are not facts yet, each once."""
        parts = [part for part in parts if len(part)]
        if not parts:
            return _NO_ROWS
        rows = np.concatenate(parts)
        rows = rows[grouped(rows).firsts()]
        found: Int32 = rows[self._engine.circuit.facts.find(rows) < 0]
        return found

    # Membership

    def _types(self, before: frozenset[int], news: News | None) -> Iterator[Int32]:
        """The dt_type rows of new literals; of all literals for a datatype that no rule asked for before."""
        yield self._members(self._told - before, 0)
        if news:
            yield self._members(self._told & before, news.since)

    def _members(self, datatypes: Iterable[int], since: int) -> Int32:
        """The rows of dt_type for literals with a greater id than `since` that are in one of these datatypes."""
        names = [(number, NAMES[number]) for number in datatypes]
        if not names:
            return _NO_ROWS
        is_plain = any(DATATYPE_MAP[name].spaces & _PLAIN for _, name in names)
        ids = self._readings.literals(since) if is_plain else self._readings.typed(since)
        readings = zip(ids.tolist(), self._readings.of(ids), strict=True)
        found = [
            (self._type, literal, number)
            for literal, value in readings
            if isinstance(value, Value)
            for number, name in names
            if is_member(value, name)
        ]
        return np.array(found, dtype=np.int32).reshape(-1, 3)

    def _needless(self, gone: frozenset[int]) -> Int32:
        """The rows of dt_type for datatypes that no rule asks for any more."""
        if not gone:
            return _NO_ROWS
        rows, tables, _ = self._engine.circuit.facts.contents()
        kept = (tables == self._pair) & (rows[:, 0] == self._type) & np.isin(rows[:, 2], list(gone))
        return np.ascontiguousarray(rows[kept, :3])

    # Facts for what rules have derived

    def _said(self, changes: Changes) -> Iterator[Int32]:
        """The rows of dt_may_equal, dt_not and dt_differ that the changes of the commit so far need."""
        links = self._new(changes, SAME_AS)
        links = links[links[:, 0] != links[:, 1]]
        yield self._following(links)
        yield from (
            rows[self._are_facts(_as_links(rows))] for rows in self._left
        )  # these went and came back in one commit
        types = self._new(changes, TYPE)
        types = types[is_datatype(types[:, 1])] if len(types) else types
        groups = self._groups(changes, links)
        if len(types) or len(groups):
            yield related(self._not, self._outside(np.concatenate([types, self._of_cliques(types), self._in(groups)])))
        if len(links) or len(groups):
            yield related(self._differ, self._differing(links))
            yield related(self._differ, self._different(groups))

    def _following(self, links: Int32) -> Int32:
        """The dt_may_equal rows for the links int32[n, 2] that may be followed.

        With the group eq-literals there are none, as its rule says so of every link.
        """
        if self._follows is None or not len(links):
            return _NO_ROWS
        rows = related(self._may_equal, self._follows(links))
        self._followed.append(rows)
        return rows

    def _differing(self, links: Int32) -> Int32:
        """The links int32[n, 2] between literals of different values, unless a clique will report them."""
        if self._equality is not None and self._follows is None:
            return NO_PAIRS
        links = links[self._readings.is_literal(links).all(axis=1)]
        readings = zip(self._readings.of(links[:, 0]), self._readings.of(links[:, 1]), strict=True)
        differs = [isinstance(one, Value) and isinstance(other, Value) and one != other for one, other in readings]
        return links[np.array(differs, dtype=np.bool_)]

    def _new(self, changes: Changes, predicate: int) -> Int32:
        """Subjects and objects of the triples of a predicate that appeared: int32[n, 2]."""
        found = np.flatnonzero((changes.rows[:, 1] == predicate) & (changes.tables == self._triples))
        found = found[(changes.before[found] == ABSENT) & (changes.after[found] != ABSENT)]
        pairs: Int32 = changes.rows[found][:, [0, 2]]
        return pairs

    def _groups(self, changes: Changes, links: Int32) -> Int32:
        """Terms that a commit made equal: int32[n, 2] of the term that stands for the group, and member."""
        if self._equality is None:
            return links if self._follows is None else self._follows(links)
        found = self._equality.regrouped(changes)
        return NO_PAIRS if found is None else found.groups.members

    def _of_cliques(self, types: Int32) -> Int32:
        """Pairs int32[m, 2] of literal and type: the literals that are equal to terms with these types int32[n, 2]."""
        if self._equality is None or not len(types):
            return NO_PAIRS
        cliques = self._equality.cliques
        cliques.cover(int(types.max()))
        slots = cliques.slots(types[:, 0])
        members = cliques.members(np.unique(slots[slots > 0]))
        of_primary = defaultdict(list)
        for primary, member in members[self._readings.is_literal(members[:, 1])].tolist():
            of_primary[primary].append(member)
        primaries = cliques.primaries(types[:, 0], slots).tolist()
        found = [
            (literal, datatype)
            for primary, datatype in zip(primaries, types[:, 1].tolist(), strict=True)
            for literal in of_primary[primary]
        ]
        return np.array(found, dtype=np.int32).reshape(-1, 2)

    def _in(self, groups: Int32) -> Int32:
        """The literals of groups int32[n, 2] with the datatypes that the first term of the group has: int32[m, 2]."""
        literals = groups[self._readings.is_literal(groups[:, 1])]
        if not len(literals):
            return NO_PAIRS
        pairs = np.column_stack([np.repeat(literals, len(IDS), axis=0), np.tile(IDS, len(literals))])
        rows = np.insert(pairs[:, [0, 2]], 1, TYPE, axis=1)
        found: Int32 = pairs[self._engine.circuit.facts.find(rows) >= 0][:, 1:]
        return found

    def _outside(self, pairs: Int32) -> Int32:
        """The pairs int32[n, 2] of literal and datatype whose literal is known not to be in the datatype."""
        pairs = np.unique(pairs[self._readings.is_literal(pairs[:, 0])], axis=0)
        readings = self._readings.of(pairs[:, 0])
        is_outside = [
            reading is not None and not (isinstance(reading, Value) and is_member(reading, NAMES[datatype]))
            for reading, datatype in zip(readings, pairs[:, 1].tolist(), strict=True)
        ]
        return pairs[np.array(is_outside, dtype=np.bool_)]

    def _different(self, groups: Int32) -> Int32:
        """Pairs of literals with different values in one clique of groups int32[n, 2].

        The first of each pair is the literal of the clique whose text comes first. It is paired with one literal of
        each other value.
        """
        if self._equality is None:
            return NO_PAIRS
        literals = groups[self._readings.is_literal(groups[:, 1])]
        values: defaultdict[int, dict[Value, int]] = defaultdict(dict)
        texts = np.array(self._dictionary.decode(literals[:, 1]), dtype=object)
        literals = literals[np.argsort(texts, kind="stable")]
        for (group, literal), value in zip(literals.tolist(), self._readings.of(literals[:, 1]), strict=True):
            if isinstance(value, Value):
                values[group].setdefault(value, literal)
        found = [(first, other) for first, *others in map(dict.values, values.values()) for other in others]
        return np.array(found, dtype=np.int32).reshape(-1, 2)


def _as_links(rows: Int32) -> Int32:
    """Rows int32[n, 3] of a binary relation as owl:sameAs triples between the same two terms."""
    found: Int32 = rows[:, [1, 0, 2]]
    found[:, 1] = SAME_AS
    return found


def _filled(rows: Rows) -> Rows:
    """The tables that have rows."""
    return {table: part for table, part in rows.items() if len(part)}
