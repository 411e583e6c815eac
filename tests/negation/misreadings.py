"""`Negations` misread: each with one step read wrongly, in a way that shows in few histories."""

from __future__ import annotations

from collections.abc import Mapping

from kgreason.engine.changes import Changes, Place
from kgreason.engine.facts.matching import ASKS, LINE_TABLE, LINES, NONE, PATTERN, ChangedFacts, given_facts
from kgreason.materialize.edit import Facts
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.operators.operators import Operators
from kgreason.rules.lowering import Negation
from kgreason.zset.columns import Int32


class AllAtOnce(Negations):
    """Every negation is decided at the first level."""

    def follow(self, levels: Mapping[Negation, int]) -> None:
        super().follow(levels)
        self._operators = tuple(operator._replace(level=1) for operator in self._operators)


class _WithoutKeysOf(Negations):
    """The changes of one of the three tables are not looked at."""

    ignored = PATTERN

    def _lines_of_negations(self) -> Int32:
        lines = super()._lines_of_negations()
        lines[self.ignored :: LINES, LINE_TABLE] = -1
        return lines


class NegatedFactsNotLookedAt(_WithoutKeysOf):
    """A fact that is negated comes or goes, and nothing is decided anew."""

    ignored = PATTERN


class AskedValuesNotLookedAt(_WithoutKeysOf):
    """A value that rules begin to ask for is not decided."""

    ignored = ASKS


class DecidedValuesNotLookedAt(_WithoutKeysOf):
    """A value whose fact was retracted in this commit is not decided again when rules ask for it again."""

    ignored = NONE


class NeverRetracts(Negations):
    """What has been derived meanwhile still counts as absent."""

    def due_facts(self, changes: Changes, level: int, before: int) -> Facts:
        return Facts(super().due_facts(changes, level, before).added, {})


class ReturnedFactsNotLookedAt(Negations):
    """A fact that left in this commit, and comes back after negations were decided, is not looked at again."""

    def _changes_since(self, every: ChangedFacts, now: Place) -> ChangedFacts:
        return every if self._place is None else given_facts(*self._engine.changed_facts(self._place)[:2])


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
