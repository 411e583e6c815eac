"""`PartOperators`: NOT, expressions and aggregates in a part, by the operators of the engine (`materialize/operators`).

When no part has facts for another one, each part decides its keys. All parts decide the same stratum, and the results
are placed as asserted facts. The key of an operator is at home in one part, which has all facts about this key
(`placement`). An operator of another part may see some of these facts; it must not decide the key.

Law: over all parts, each key is decided once, from the facts that one engine would decide it from. Nothing is retracted
across parts: a decision that no longer holds is a StratificationError. In one process it is so for NOT, whereas
aggregates and blank nodes whose terms become equal later are corrected there; on Spark they are refused, too.

*Recursion through MIN or MAX.* A fact that a part has received is asserted there, so it would stay if its sender lost
it. So worse values stay beside better ones while the recursion finds better values: each group still has the best of
its rows. Then the recursion takes a new *turn*: all parts are made anew from the rounds before the recursion, and only
the best values are asserted (`OperatorsPlan.outlasting`). The recursion ends with a turn in which no group has a better
or a worse value. So the facts are those that follow from the values, and each value is that of its rows.

    turn    rounds  values of far (`materialize/operators/aggregation` has the rules and the facts)
    1       4       a 0, c 2
            8       a 0, c 2, b 5, b 3: b 5 is worse
    2       10      a 0, c 2, b 3: no group has a better or a worse value
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.engine import Engine
from kgreason.engine.limits import no_check
from kgreason.errors import LimitError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import NO_FACTS
from kgreason.materialize.operators.operators import Operators
from kgreason.options import NO_LIMITS
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Aggregation, Waiting
from kgreason.spark.rounds.placement import TOGETHER
from kgreason.spark.rounds.plan import FIRST, FLAG, TABLE, OperatorsPlan, PartsPlan, part_of
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

MOST_TURNS = 100
"""A recursion through MIN or MAX takes no more turns than this."""


class PartOperators:
    """The operators of part `number`, over its engine. `dictionary` has the texts that they read.

    The commit of the engine stays open.
    """

    def __init__(
        self, plan: PartsPlan, number: int, engine: Engine, dictionary: Dictionary, registry: Registry
    ) -> None:
        self._plan, self._number, self._engine, self._dictionary = plan, number, engine, dictionary
        self._keys = dict(plan.operators.keys)
        self._operators = Operators(engine, dictionary, None, registry, self._are_here)
        self._operators.rounds.limits = NO_LIMITS  # limits count over all parts
        self._operators.adopt(plan.operators.rules, dict(plan.operators.levels))

    def decide(self, level: int, before: int) -> Int32:
        """Return the facts to assert so that all strata up to `level` are decided: rows int32[n, 2 + w].

        Rows with the flag 0 are values of a recursion that are worse than others. Stratum 0 are the expressions that
        wait for nothing. `before`: the last stratum that was decided already. Raises StratificationError if the facts
        make the rules circular, and RuleError if a Python function fails.
        """
        facts = self._operators.computed_facts(no_check) if level == before else NO_FACTS
        if level and not any(map(len, facts.added.values())):
            facts = self._operators.decided_facts_up_to(level, before, self._engine.changes(), no_check)
        self._operators.finish()
        found = [np.zeros((0, FIRST + self._plan.width), dtype=np.int32)]
        for flag, part in ((0, facts.removed), (1, facts.added)):
            for table, columns in part.items():
                if not flag:
                    self._check_worse(columns)
                rows = np.zeros((len(columns), FIRST + self._plan.width), dtype=np.int32)
                rows[:, FLAG], rows[:, TABLE], rows[:, FIRST : FIRST + columns.shape[1]] = flag, table, columns
                found.append(rows)
        return np.concatenate(found)

    def _check_worse(self, columns: Int32) -> None:
        """Raise StratificationError if there are facts to retract that are no values of a recursion."""
        others = columns[~np.isin(columns[:, 0], [number for level, number in self._plan.operators.outlasts if level])]
        if len(others):
            label = self._dictionary.decode(others[:1, 0])[0].rpartition("/")[0]
            raise StratificationError(
                f"the facts make the rules circular: {label} was decided, and then its atoms changed (if terms "
                "have become equal, use --pipeline local, which takes results back)"
            )

    def _are_here(self, operator: Waiting, keys: Int32) -> NDArray[np.bool_]:
        """See `IsHere`."""
        key = self._keys[operator]
        if key == TOGETHER:
            return np.full(len(keys), self._number == 0)
        return np.asarray(part_of(keys[:, key], self._plan.parts) == self._number)


class Strata:
    """The order in which operators are decided. All parts decide the same stratum."""

    def __init__(self, operators: OperatorsPlan) -> None:
        self._plan, self._level = operators, 0
        self._turns: Counter[int] = Counter()

    def take_turn(self, level: int) -> None:
        """Begin again with the recursions of a stratum. Raises LimitError if they have taken too many turns."""
        self._level, self._turns[level] = level - 1, self._turns[level] + 1
        if self._turns[level] > MOST_TURNS:
            each = next(each for each, at in self._plan.levels if at.level == level and at.recursion)
            assert isinstance(each, Aggregation)
            raise LimitError(
                f"{format_aggregate(each.aggregate, {})}: the recursion has taken {MOST_TURNS} turns; does it end? A "
                "step must never make a value better"
            )

    def due(self) -> Iterator[tuple[int, int]]:
        """Yield what to decide when no part has facts for another one: a stratum, and the last one decided before.

        As soon as a decision asserts facts, the rounds go on, and `due` begins again.
        """
        if self._plan.have_functions:
            yield 0, 0
        if self._level:
            yield self._level, self._level
        while self._level < self._plan.last:
            self._level += 1
            yield self._level, self._level - 1
