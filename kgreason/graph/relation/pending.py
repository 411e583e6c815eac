"""`PendingFacts`: the facts of relations that a transaction inserts, deletes and upserts.

    insert   assert facts; of a fact with the key of another fact, an error
    delete   retract facts
    upsert   assert facts, and retract the facts with the same keys

Law: the edits count in their order, as if each of them were a commit of its own. A key is about asserted facts: of what
rules derive, nothing is checked. Cost: that of the edits; for a relation with a key also one look at all facts for each
transaction, and for each edit a look at the edits before it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.engine.memory.layout import IS_ASSERTED, Int32
from kgreason.engine.program.encoding import relation_text
from kgreason.errors import InputError
from kgreason.graph.relation.given import Terms
from kgreason.materialize.edit import NO_FACTS, Facts
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.operators.tables import are_among, unique
from kgreason.materialize.relations.facts import relations, texts_of
from kgreason.proofs.notation import NO_PREFIXES, fact_text
from kgreason.rules.model import Atom, Relation
from kgreason.rules.relations.declarations import MADE_BY_RULES, misfit
from kgreason.zset.order import grouped


class PendingFacts:
    """Rows to assert and to retract, by relation. It belongs to one transaction, and so to one thread."""

    def __init__(self, live: Materializer) -> None:
        self._live = live
        self._edits: dict[int, tuple[Int32, Int32]] = {}
        """By the id of the relation: rows to retract, and rows to assert, int32[n, w] with the id in front."""
        self._asserted: Int32 | None = None

    def __bool__(self) -> bool:
        return bool(self._edits)

    @property
    def removes(self) -> bool:
        """Whether facts are to be retracted."""
        return any(len(removed) for removed, _ in self._edits.values())

    def facts(self) -> Facts:
        """The rows to assert and to retract, by width."""
        if not self._edits:
            return NO_FACTS
        removed: dict[int, list[Int32]] = {}
        added: dict[int, list[Int32]] = {}
        for edit in self._edits.values():
            for part, rows in zip((removed, added), edit, strict=True):
                if len(rows):
                    part.setdefault(rows.shape[1], []).append(rows)
        gone, come = ({width: np.concatenate(rows) for width, rows in part.items()} for part in (removed, added))
        return Facts(come, gone)

    def insert(self, name: str, terms: list[Terms], relation: Relation | None) -> None:
        """Assert facts. Raises InputError for a fact with the key of another one."""
        rows = self._rows(name, terms)
        if relation is not None and relation.key:
            self._check_apart(rows, terms, relation)
            self._check_new(rows, terms, relation)
        self._note(rows[:0], rows)

    def delete(self, name: str, terms: list[Terms]) -> None:
        """Retract facts."""
        rows = self._rows(name, terms)
        self._note(rows, rows[:0])

    def upsert(self, name: str, terms: list[Terms], relation: Relation) -> None:
        """Assert facts, and retract those with their keys. Raises InputError if two of the facts have one key."""
        rows = self._rows(name, terms)
        self._check_apart(rows, terms, relation)
        same = self._with_keys(rows, relation)
        self._note(same[~are_among(same, rows)], rows)

    def check(self, declared: Relation) -> None:
        """Raise InputError if an asserted fact does not fit a declaration that is new."""
        before = self._before()
        numbers = np.unique(np.concatenate([before[:, 0], np.fromiter(self._edits, np.int32)]))
        for name, arity, number in relations(numbers[:, None].astype(np.int32), self._live.dictionary):
            if name == declared.name:
                rows = self._there(number, 1 + arity)
                if len(rows) and declared.kind in MADE_BY_RULES:
                    raise InputError(f"{name} is declared as {declared.kind}, but facts of it are asserted")
                terms = texts_of(np.ascontiguousarray(rows[:, 1:]), self._live.dictionary)
                for each in terms:
                    if problem := misfit(declared, each, is_derived=False):
                        raise InputError(f"{_text(declared, each)} is asserted: {problem}")
                if declared.key:
                    self._check_apart(rows, terms, declared)

    def _rows(self, name: str, terms: list[Terms]) -> Int32:
        """Facts as rows int32[n, w] of ids, at least one, each with the id of the relation in front."""
        dictionary, arity = self._live.dictionary, len(terms[0])
        number = int(dictionary.intern([relation_text(name, arity)])[0])
        ids = dictionary.intern([text for row in terms for text in row]) if arity else np.empty(0, dtype=np.int32)
        return np.insert(ids.astype(np.int32).reshape(len(terms), arity), 0, number, axis=1)

    def _note(self, removed: Int32, added: Int32) -> None:
        """Retract rows, then assert rows: of several edits of one fact the last one counts."""
        number = int((added if len(added) else removed)[0, 0])
        before = self._edits.get(number, (removed[:0], added[:0]))
        self._edits[number] = (
            unique([before[0][~are_among(before[0], added)], removed]),
            unique([before[1][~are_among(before[1], removed)], added]),
        )

    def _with_keys(self, rows: Int32, relation: Relation) -> Int32:
        """The facts that are asserted now, after the edits so far, and have the keys of `rows`."""
        there = self._there(int(rows[0, 0]), rows.shape[1])
        found: Int32 = there[are_among(_keys(there, relation), _keys(rows, relation))]
        return found

    def _there(self, number: int, width: int) -> Int32:
        """The facts of a relation that are asserted now, after the edits so far: int32[n, width]."""
        before = self._before()
        rows = np.zeros((int(np.count_nonzero(before[:, 0] == number)), width), dtype=np.int32)
        known = min(width, before.shape[1])
        rows[:, :known] = before[before[:, 0] == number, :known]
        removed, added = self._edits.get(number, (rows[:0], rows[:0]))
        return unique([rows[~are_among(rows, removed)], added])

    def _before(self) -> Int32:
        """The asserted facts of all relations as of the last commit, int32[n, w]."""
        if self._asserted is None:
            columns, tables, kinds = self._live.engine.circuit.facts.contents()
            self._asserted = columns[(kinds == IS_ASSERTED) & (tables != self._live.triples)]
        return self._asserted

    def _check_new(self, rows: Int32, terms: list[Terms], relation: Relation) -> None:
        """Raise InputError if another fact with the key of one of the rows is asserted."""
        there = self._with_keys(rows, relation)
        others = there[~are_among(there, rows)]
        if len(others):
            place = int(np.flatnonzero(are_among(_keys(rows, relation), _keys(others[:1], relation)))[0])
            other = tuple(self._live.dictionary.decode(others[0, 1:]))
            raise InputError(
                f"row {place + 1}: {_text(relation, terms[place])} has the key of {_text(relation, other)}, which is"
                " asserted; upsert replaces a fact by its key"
            )

    def _check_apart(self, rows: Int32, terms: list[Terms], relation: Relation) -> None:
        """Raise InputError if two different rows have one key."""
        groups = grouped(_keys(rows, relation))
        firsts: dict[bytes, int] = {}
        if len(groups.firsts()) == len(rows):
            return
        for place, key in enumerate(_keys(rows, relation)):
            first = firsts.setdefault(key.tobytes(), place)
            if terms[first] != terms[place]:
                one, other = _text(relation, terms[first]), _text(relation, terms[place])
                raise InputError(f"rows {first + 1} and {place + 1} have the same key: {one} and {other}")


def _keys(rows: Int32, relation: Relation) -> Int32:
    """The columns of the key."""
    return np.ascontiguousarray(rows[:, [1 + place for place in relation.key]])


def _text(relation: Relation, terms: Sequence[str]) -> str:
    return fact_text(Atom(relation.name, tuple(terms)), NO_PREFIXES)
