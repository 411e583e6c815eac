"""`Negations` misread: each with one step read wrongly, in a way that shows in few histories."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kgreason.engine.engine import Changes
from kgreason.engine.memory.layout import Int32
from kgreason.materialize.operators.negation import Negations, _Operator
from kgreason.materialize.operators.operators import Operators
from kgreason.rules.lowering import Negation


class AllAtOnce(Negations):
    """Every negation is decided at the first level."""

    def follow(self, levels: Mapping[Negation, int]) -> None:
        super().follow(levels)
        self._operators = tuple(operator._replace(level=1) for operator in self._operators)


class _WithoutKeysOf(Negations):
    """The changes of one of the three tables are not looked at."""

    ignored = 0

    def _keys(self, operator: _Operator, facts: tuple[Int32, Int32], moved: Int32) -> Int32:
        rows, tables = facts
        table = (operator.pattern, operator.asks, operator.none)[self.ignored]
        kept = np.ones(len(rows), dtype=np.bool_)
        kept[table.places(rows, tables)] = False
        return super()._keys(operator, (rows[kept], tables[kept]), moved)


class NegatedFactsNotLookedAt(_WithoutKeysOf):
    """A fact that is negated comes or goes, and nothing is decided anew."""

    ignored = 0


class AskedValuesNotLookedAt(_WithoutKeysOf):
    """A value that rules begin to ask for is not decided."""

    ignored = 1


class DecidedValuesNotLookedAt(_WithoutKeysOf):
    """A value whose fact was retracted in this commit is not decided again when rules ask for it again."""

    ignored = 2


class NeverRetracts(Negations):
    """What has been derived meanwhile still counts as absent."""

    def _rows(self, operator: _Operator, keys: Int32, changes: Changes, *, was_decided: bool) -> tuple[Int32, Int32]:
        come, gone = super()._rows(operator, keys, changes, was_decided=was_decided)
        return come, gone[:0]


class ReturnedFactsNotLookedAt(Negations):
    """A fact that left in this commit, and comes back after negations were decided, is not looked at again."""

    def _since(self, changes: Changes) -> tuple[Int32, Int32]:
        return changes[:2] if self._place is None else self._engine.touched(self._place)[:2]


class ForgetsWhatRulesLeave(Negations):
    """The facts about what rules no longer negate stay."""

    def follow(self, levels: Mapping[Negation, int]) -> None:
        super().follow(levels)
        self._leaving = ()


class LevelsGoOn(Operators):
    """A second change in the same commit starts at the level where the first one ended."""

    def restart(self) -> None:
        pass


MISREADINGS: tuple[type[Negations | Operators], ...] = (
    AllAtOnce,
    NegatedFactsNotLookedAt,
    AskedValuesNotLookedAt,
    DecidedValuesNotLookedAt,
    NeverRetracts,
    ReturnedFactsNotLookedAt,
    ForgetsWhatRulesLeave,
    LevelsGoOn,
)
