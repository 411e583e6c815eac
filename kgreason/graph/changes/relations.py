"""`RelationDelta`: what a commit changed in a relation, fact by fact.

The *kind* of a fact is absent, inferred or asserted, as for triples. A fact is a tuple of terms in N-Triples syntax.

    delta.relation("edge").appeared()    disappeared()    turned(asserted=True)    to_pandas()

Cost: arrays of ids; a method that returns texts decodes them at each call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.graph.input.arguments import check_asserted
from kgreason.graph.input.terms import term_of
from kgreason.graph.results.cells import Cell
from kgreason.graph.results.frames import Frames
from kgreason.materialize.edit import KindChanges
from kgreason.materialize.relations.facts import relation_rows, relations_with_facts, texts_of, user_relations
from kgreason.materialize.state import SavedState
from kgreason.rules.model import Relation, Rule
from kgreason.rules.relations.declarations import is_internal
from kgreason.store.journal.facts import fact_text
from kgreason.store.journal.record import Signed
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32

KINDS = {ABSENT: "absent", INFERRED: "inferred", IS_ASSERTED: "asserted"}
_PRESENT = (INFERRED, IS_ASSERTED)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RelationDelta(Frames):
    """The facts of a relation whose kind changed.

    `facts` has the ids of their terms, int32[n, arity], with the kinds before and after; `dictionary` has the terms.
    `columns` are the names of the relation's places. As a table (`to_pandas`, `to_arrow`, `to_polars`) this delta has
    these columns, and then `before` and `after`.
    """

    name: str
    columns: tuple[str, ...]
    facts: KindChanges
    dictionary: Dictionary

    def __len__(self) -> int:
        """The number of facts with a changed kind."""
        return len(self.facts.rows)

    def __repr__(self) -> str:
        came, went = (
            len(rows) for rows in (self._rows_of_kinds((ABSENT,), _PRESENT), self._rows_of_kinds(_PRESENT, (ABSENT,)))
        )
        return f"<Delta of {self.name}: {came} appeared, {went} disappeared, {len(self) - came - went} turned>"

    def appeared(self, *, asserted: bool | None = None) -> list[tuple[str, ...]]:
        """Return the facts that appeared: with `asserted=True` asserted ones, with False inferred ones, else all."""
        return self._texts(self._rows_of_kinds((ABSENT,), _kinds(asserted)))

    def disappeared(self, *, asserted: bool | None = None) -> list[tuple[str, ...]]:
        """Return the facts that disappeared.

        With `asserted=True` only those that were asserted are returned, with False only those that were inferred.
        """
        return self._texts(self._rows_of_kinds(_kinds(asserted), (ABSENT,)))

    def turned(self, *, asserted: bool) -> list[tuple[str, ...]]:
        """Return the facts that turned asserted (`asserted=True`), or turned inferred (`asserted=False`).

        A fact turns asserted if it was inferred before, and turns inferred if it was asserted before.
        """
        check_asserted(asserted)
        return self._texts(self._rows_of_kinds((_PRESENT[not asserted],), (_PRESENT[asserted],)))

    def _rows_of_kinds(self, before: Sequence[int], after: Sequence[int]) -> Int32:
        """Return the ids, int32[k, arity], of the facts whose kind was in `before` and is now in `after`."""
        kept: NDArray[np.bool_] = np.isin(self.facts.before, before) & np.isin(self.facts.after, after)
        rows: Int32 = self.facts.rows[kept]
        return rows

    def _texts(self, rows: Int32) -> list[tuple[str, ...]]:
        return texts_of(rows, self.dictionary)

    def _table(self) -> tuple[Sequence[str], Iterable[Sequence[Cell]]]:
        return (*self.columns, "before", "after"), self._rows()

    def _rows(self) -> Iterator[Sequence[Cell]]:
        rows, before, after = self.facts
        kinds = zip(before.tolist(), after.tolist(), strict=True)
        for terms, (old, new) in zip(self._texts(rows), kinds, strict=True):
            yield *map(term_of, terms), KINDS[old], KINDS[new]


def asserted_facts(facts: KindChanges, dictionary: Dictionary) -> Signed:
    """Return those of `facts` that became asserted (1) or ceased to be asserted (-1), each as (sign, rule text).

    `facts` are changed facts of any of the user's relations, as in `Change.facts`.
    """
    was, is_ = facts.before == IS_ASSERTED, facts.after == IS_ASSERTED
    return (
        *_signed_texts(-1, facts.rows[was & ~is_], dictionary),
        *_signed_texts(1, facts.rows[is_ & ~was], dictionary),
    )


def texts_by_kind(facts: KindChanges, dictionary: Dictionary, before: int, after: int) -> list[str]:
    """Return those of `facts` whose kind was `before` and is now `after`, as rule text.

    `facts` are changed facts of any of the user's relations, as in `Change.facts`.
    """
    kept = (facts.before == before) & (facts.after == after)
    return [text for _, text in _signed_texts(1, facts.rows[kept], dictionary)]


def signed_facts(facts: KindChanges, dictionary: Dictionary, declared: Mapping[str, Relation]) -> Signed:
    """Return those of `facts` that appeared (1) or disappeared (-1), asserted or inferred, each as (sign, rule text).

    `facts` are changed facts of any of the user's relations, as in `Change.facts`. `declared` are the declarations of
    relations, by name. Facts of relations declared as `internal` are left out.
    """
    was, is_ = facts.before != ABSENT, facts.after != ABSENT
    found = (
        *_signed_texts(-1, facts.rows[was & ~is_], dictionary),
        *_signed_texts(1, facts.rows[is_ & ~was], dictionary),
    )
    internal = {name for name, relation in declared.items() if relation.kind == "internal"}
    return tuple((sign, text) for sign, text in found if text.partition("(")[0] not in internal)


def fact_lines(
    state: tuple[SavedState, Dictionary] | None, rules: Sequence[Rule], asserted: bool | None
) -> Iterator[str]:
    """Yield the facts of the user's relations in `state` as rule text. If `state` is None, there are no facts.

    With `asserted=True` only asserted facts are yielded, with False only inferred facts, with None all. `rules` are the
    user's rules. Facts of relations that these rules declare as `internal` are left out.
    """
    if state is None:
        return
    saved, dictionary = state
    for name, arity, number in relations_with_facts(saved, dictionary):
        if not is_internal(name, rules):
            for terms in texts_of(relation_rows(saved, number, arity, asserted=asserted), dictionary):
                yield fact_text(name, terms)


def _signed_texts(sign: int, rows: Int32, dictionary: Dictionary) -> Iterator[tuple[int, str]]:
    for name, arity, number in user_relations(rows[:, 0], dictionary):
        for terms in texts_of(np.ascontiguousarray(rows[rows[:, 0] == number, 1 : 1 + arity]), dictionary):
            yield sign, fact_text(name, terms)


def _kinds(asserted: bool | None) -> tuple[int, ...]:
    """Return the kinds that `asserted` stands for: True is asserted, False is inferred, None is both."""
    check_asserted(asserted)
    return _PRESENT if asserted is None else (IS_ASSERTED,) if asserted else (INFERRED,)
