"""`SchemaStratum`: closes the schema triples by the generic scm-* rules, in an engine of its own without the data.

The closed schema is translated to rules (docs/architecture/ontology.md). The asserted axioms alone would give too few
rules. Translated rules may derive schema triples in the engine of the data. No rules are made from such triples:
otherwise rules could support themselves.

Invariant: the facts of this engine are the asserted schema triples, the facts about their restrictions (`twins.py`),
and the facts that the closing rules derive from both. Cost: the memory of an engine that holds the schema. The time of
a change is in proportion to the facts that it changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import values
from kgreason.datatypes.value import Value
from kgreason.engine.engine import Engine
from kgreason.engine.limits import Check
from kgreason.materialize.schema.rows import are_limits
from kgreason.materialize.schema.twins import NOTHING_SAID, TwinChange
from kgreason.rules.model import Rule
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, Int32
from kgreason.zset.zset import ZSet


class ClosureChange(NamedTuple):
    """A change of the closed schema: the triples that left it, and those that joined it, int32[n, 3] each."""

    removed: Int32
    added: Int32


_NO_ROWS = np.empty((0, 3), dtype=np.int32)
_NOTHING = ClosureChange(_NO_ROWS, _NO_ROWS)


def _change_between(before: ClosureChange, after: ClosureChange) -> ClosureChange:
    """Return the change of the closed schema between two moments of a commit.

    `before`: the change from the start of the commit to the first moment. `after`: the change from the start of the
    commit to the second moment.
    """
    then, now = (ZSet.of(change.added) - ZSet.of(change.removed) for change in (before, after))
    news = (now - then).consolidate()
    return ClosureChange(news.negative().columns, news.positive().columns)


class SchemaStratum:
    """Closes the schema triples by the closing rules. Call `change`, then `accept` or `rollback`.

    The first change adds the closing rules; `is_ready` is set when this change is accepted. A closing rule without a
    body derives axiomatic triples, even if the schema is empty.
    """

    def __init__(self, dictionary: Dictionary, closing: tuple[Rule, ...], threads: int | None = None) -> None:
        self._dictionary, self._engine = dictionary, Engine(threads=threads)
        self._triples = self._engine.table(True, 3)
        self._rules = self._engine.encode(closing, dictionary.intern)
        self._is_open = self.is_ready = False
        self._told = _NOTHING

    def change(
        self, removed: Int32, added: Int32, check: Check, budget: int | None = None, said: TwinChange = NOTHING_SAID
    ) -> ClosureChange:
        """Retract the schema triples `removed` and assert `added`. Returns the change of the closed schema.

        `removed`, `added`: int32[n, 3]. `said`: how these triples change the facts about restrictions (`Twins.change`).
        `check` and `budget` are passed to `Engine.apply`. After this call, also if it raises LimitError, call `change`
        again, `accept` or `rollback`.
        """
        is_first = not self._is_open
        less, more = ({self._engine.table(False, width): rows for width, rows in part.items()} for part in said[:2])
        asserted, retracted = {self._triples: added, **more}, {self._triples: removed, **less}
        if is_first:
            self._engine.begin()  # before `_is_open`: else an interrupt here makes `rollback` undo the commit before
            self._is_open, self._told = True, _NOTHING
        rules = () if self.is_ready or not is_first else self._rules
        self._engine.apply(asserted, retracted, rules, budget=budget, check=check)
        changes = self._engine.changes()  # since the commit began
        is_triple, rows = changes.tables == self._triples, np.ascontiguousarray(changes.rows[:, :3])
        gone, come = rows[is_triple & (changes.after == ABSENT)], rows[is_triple & (changes.before == ABSENT)]
        told, self._told = self._told, ClosureChange(gone, come)
        return self._told if is_first else _change_between(told, self._told)

    def accept(self) -> None:
        """Make the changes since the last `accept` final, if there are any."""
        if self._is_open:
            self._engine.accept()
            self._is_open, self.is_ready = False, True

    def rollback(self) -> None:
        """Undo the changes since the last `accept`, if there are any."""
        if self._is_open:
            self._engine.rollback()
            self._is_open = False

    def closure(self) -> Int32:
        """Return the closed schema: int32[n, 3], in the order of ids."""
        columns, tables, _ = self._engine.facts.contents()
        rows = columns[tables == self._triples, :3]
        return np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])

    def holds(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 3], whether it is in the closed schema: bool[n]."""
        found: NDArray[np.bool_] = self._engine.facts.find(rows) >= 0
        return found

    def missing_triples(self, rows: Int32) -> Int32:
        """Return the schema triples of `rows`, int32[n, 3], that are not in the closed schema.

        Limits of cardinalities may be compared by value, so that "01" is not lacking if the closed schema has "1": if
        all lacking triples are limits (`are_limits`) and the closed schema has each of them with an equal value, no
        triple is returned.
        """
        lacking: Int32 = rows[~self.holds(rows)]
        if len(lacking) and are_limits(lacking).all():
            closure = self.closure()
            if self._values(lacking) <= self._values(closure[are_limits(closure)]):
                return _NO_ROWS
        return lacking

    def _values(self, rows: Int32) -> set[tuple[int, int, object]]:
        """Return each triple of `rows` as (id of the subject, id of the predicate, value of the object).

        In place of an object that has no value stands its text.
        """
        texts = self._dictionary.decode(rows[:, 2])
        literals = [text for text in texts if text.startswith('"')]
        known = dict(zip(literals, values(literals), strict=True))
        found = (value if isinstance(value := known.get(text), Value) else text for text in texts)
        return {
            (subject, predicate, value) for (subject, predicate, _), value in zip(rows.tolist(), found, strict=True)
        }

    def __len__(self) -> int:
        """Return the number of facts in this engine: the closed schema and the facts about restrictions."""
        return len(self._engine)
