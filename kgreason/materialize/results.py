"""`Results`: what a commit has changed, as users see it: triples, facts of relations, contradictions, and the work.

Law: the result of a commit is the difference of what users saw before and what they see after it. Cost: a look at the
facts that changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.materialize.edit import NO_KINDS, Change, Refuted, Work
from kgreason.materialize.edit import Kinds as RelationKinds
from kgreason.materialize.materialized import Materialized
from kgreason.materialize.program import (
    ProgramChange,
)
from kgreason.materialize.quads.asserted import Asserted, in_default_graph
from kgreason.materialize.relations.changes import CONTRADICTION, USER
from kgreason.materialize.same_as.images import Kinds, sides
from kgreason.materialize.schema.rows import (
    DIFFERENT_FROM,
    SAME_AS,
)
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int32, Int64

_PART = 1 << 20
"""So many facts are looked at together, so that a look at all of a large load takes little memory."""


class Results(Materialized):
    """Tells what the open commit of a materializer has changed."""

    _axioms = 0
    """How many axioms the closed schema has."""

    def _result(self, changes: Changes, asserted: Asserted, wanted: int, steps: Sequence[ProgramChange]) -> Change:
        facts = self._facts(changes)
        equality = self.equality
        found = equality.visible_changes(changes, facts) if equality and equality in self._touched else facts
        rows, before, after = seen = self._visible(changes, facts, found)
        shown = self.dictionary.are_rdf(rows)
        if not shown.all():
            rows, before, after = rows[shown], before[shown], after[shown]
        rows = np.ascontiguousarray(rows)
        was, is_now = before == IS_ASSERTED, after == IS_ASSERTED
        removed, added = asserted.quads or (
            in_default_graph(rows, was & ~is_now),
            in_default_graph(rows, is_now & ~was),
        )
        work, (related, refuted) = self._work(changes, steps), self._related(changes)
        is_same = seen is facts and asserted.quads is None
        is_plain = is_same and len(rows) == len(changes.rows)
        missed = wanted - len(removed)
        return Change(rows, before, after, removed, added, missed, work, refuted, related, is_plain)

    def _visible(self, changes: Changes, facts: Kinds, found: Kinds) -> Kinds:
        """Return how a commit changes the triples that users see, without the spellings that they do not see.

        `facts`: the changed facts that are triples. `found`: the changed triples with all spellings.
        """
        if self.visible is None or self.literals is None:
            return found
        if self.literals in self._touched:
            self._touched[self.visible] = None
            self.visible.follow(changes, self.engine.table(False, 3))
        if not len(self.visible.values.pairs):
            return found
        is_equal = self.equality is not None and self.equality in self._touched
        before, after = self.equality.sides(facts) if self.equality and is_equal else sides(facts, self._kinds)
        return self.visible.change(found, before, after)

    def _related(self, changes: Changes) -> tuple[RelationKinds, Refuted]:
        """Return the changed facts that belong to relations of the user, and how the commit changed contradictions.

        The facts have their kinds before and after. Cost: a look at the facts that changed.
        """
        if self.keys.are_any:
            self._touched[self.keys] = None
            self.keys.take(changes)
        is_other = changes.tables != self.triples
        is_respelled = not is_other.all() and _is_respelled(changes.rows)
        if not is_other.any():
            return NO_KINDS, Refuted(False, False, is_respelled)
        if self.equality:
            is_respelled |= self.equality.has_pairs(changes.rows, changes.tables)
        parts = [self._owned(changes.rows, is_other, low) for low in range(0, len(is_other), _PART)]
        own, false = (np.concatenate(each) for each in zip(*parts, strict=True))
        kinds = RelationKinds(np.ascontiguousarray(changes.rows), changes.before, changes.after)
        if len(own) < len(changes.rows):
            rows, before, after = kinds
            kinds = RelationKinds(rows.take(own, axis=0), before.take(own), after.take(own))
        came, went = (bool((kinds[false] == ABSENT).any()) for kinds in (changes.before, changes.after))
        return kinds, Refuted(came, went, is_respelled)

    def _owned(self, rows: Int32, is_other: NDArray[np.bool_], low: int) -> tuple[Int64, Int64]:
        """Return the places of the facts of the user's relations, and of contradictions, in a part of `rows`.

        `is_other`: for each row whether the row is a fact of a relation. The part begins at `low`.
        """
        others = np.flatnonzero(is_other[low : low + _PART]) + low
        owners = self._owners.of(rows[others, 0])
        return others[owners == USER], others[owners == CONTRADICTION]

    def _facts(self, changes: Changes) -> Kinds:
        """Return the changed facts that are triples, with their kinds before and after.

        If they come first among the changes, as they do after the first load, they are not copied.
        """
        kept = changes.tables == self.triples
        n = int(np.count_nonzero(kept))
        if kept[:n].all():
            return Kinds(changes.rows[:n, :3], changes.before[:n], changes.after[:n])
        return Kinds(np.ascontiguousarray(changes.rows[kept, :3]), changes.before[kept], changes.after[kept])

    def _work(self, changes: Changes, steps: Sequence[ProgramChange]) -> Work:
        return Work(
            changes.strategy,
            changes.switched,
            changes.rewrites,
            sum(step.retranslated for step in steps),
            self._axioms,
            sum(len(step.added) for step in steps),
            sum(len(step.removed) for step in steps),
        )


def _is_respelled(rows: Int32) -> bool:
    """Whether an owl:sameAs or owl:differentFrom triple is among the triples `rows`, int32[n, w]."""
    return bool(((rows[:, 1] == SAME_AS) | (rows[:, 1] == DIFFERENT_FROM)).any())
