"""`PartOperators`: NOT, expressions and aggregates in a part, by the operators of the engine (`materialize/operators`).

When no part has facts for another one, each part decides its keys. All parts decide the same stratum, and the results
are placed as asserted facts. The key of an operator is at home in one part, which has all facts about this key
(`placement`). An operator of another part may see some of these facts; it must not decide the key.

Law: over all parts, each key is decided once, from the facts that one engine would decide it from. Nothing is retracted
across parts: a decision that no longer holds is a StratificationError. In one process it is so for NOT, whereas
aggregates and blank nodes whose terms become equal later are corrected there; on Spark they are refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.limits import no_check
from kgreason.errors import StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.operators.operators import Operators
from kgreason.options import NO_LIMITS
from kgreason.rules.lowering import Waiting
from kgreason.spark.rounds.placement import TOGETHER
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, Operated, PartsPlan, part_of
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class PartOperators:
    """The operators of part `number`, over its engine. `dictionary` has the texts that they read.

    The commit of the engine stays open.
    """

    def __init__(
        self, plan: PartsPlan, number: int, engine: Engine, dictionary: Dictionary, registry: Registry
    ) -> None:
        self._plan, self._number, self._engine, self._dictionary = plan, number, engine, dictionary
        self._keys = dict(plan.operated.keys)
        self._operators = Operators(engine, dictionary, None, registry, self._are_here)
        self._operators.rounds.limits = NO_LIMITS  # limits count over all parts
        self._operators.adopt(plan.operated.rules, dict(plan.operated.levels))

    def decide(self, level: int, before: int) -> Int32:
        """Return the facts to assert so that all strata up to `level` are decided: rows int32[n, 2 + w].

        Stratum 0 are the expressions that wait for nothing. `before`: the last stratum that was decided already. Raises
        StratificationError if the facts make the rules circular, and RuleError if a Python function fails.
        """
        if level:
            facts = self._operators.decided_at(level, before, self._engine.changes(), no_check)
        else:
            facts = self._operators.computed(no_check)
        self._operators.finish()
        for rows in facts.removed.values():
            if len(rows):
                label = self._dictionary.decode(rows[:1, 0])[0].rpartition("/")[0]
                raise StratificationError(
                    f"the facts make the rules circular: {label} was decided, and then its atoms changed (if terms "
                    "have become equal, use --pipeline local, which takes results back)"
                )
        found = [np.zeros((0, FIRST + self._plan.width), dtype=np.int32)]
        for table, columns in facts.added.items():
            rows = np.zeros((len(columns), FIRST + self._plan.width), dtype=np.int32)
            rows[:, FLAG], rows[:, TABLE], rows[:, FIRST : FIRST + columns.shape[1]] = 1, table, columns
            found.append(rows)
        return np.concatenate(found)

    def _are_here(self, operator: Waiting, keys: Int32) -> NDArray[np.bool_]:
        """See `IsHere`."""
        key = self._keys[operator]
        if key == TOGETHER:
            return np.full(len(keys), self._number == 0)
        return np.asarray(part_of(keys[:, key], self._plan.parts) == self._number)


class Strata:
    """The order in which operators are decided. All parts decide the same stratum."""

    def __init__(self, operated: Operated) -> None:
        self._operated, self._level = operated, 0

    def due(self) -> Iterator[tuple[int, int]]:
        """Yield what to decide when no part has facts for another one: a stratum, and the last one decided before.

        As soon as a decision asserts facts, the rounds go on, and `due` begins again.
        """
        if self._operated.have_functions:
            yield 0, 0
        if self._level:
            yield self._level, self._level
        while self._level < self._operated.last:
            self._level += 1
            yield self._level, self._level - 1
