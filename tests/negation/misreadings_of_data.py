"""`Data` misread: each with one step read wrongly."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.materialize.edit import Facts
from kgreason.materialize.operators.data import Data
from kgreason.rules.model import Rule
from kgreason.zset.columns import IS_ASSERTED, Int32


class ReadsDerivedTriples(Data):
    """A triple that rules derive counts as asserted when a rule begins to ask for it."""

    def _all_facts(self, removed: Int32, added: Int32) -> Facts:
        rows, tables, kinds = self._engine.facts.contents()
        derived = rows[(tables == self._triples) & (kinds != IS_ASSERTED), :3]
        return super()._all_facts(removed, np.concatenate([added, derived]))


class LostFlagIsNoChange(Data):
    """A triple that rules derive stays when it is no longer asserted."""

    def facts_ahead(self, removed: Int32, added: Int32) -> Facts:
        facts = self._engine.facts
        support = facts.records(facts.find(removed))[:, at.SUPPORT] if len(removed) else removed[:, 0]
        return super().facts_ahead(removed[support == 0], added)


class NewFlagIsNoChange(Data):
    """A triple that is derived already is not asserted anew."""

    def facts_ahead(self, removed: Int32, added: Int32) -> Facts:
        return super().facts_ahead(removed, added[self._engine.facts.find(added) < 0])


class NewPatternsSeeNewTriplesOnly(Data):
    """Triples that were asserted before a rule asked for them are not looked at."""

    def facts_ahead(self, removed: Int32, added: Int32) -> Facts:
        self._before = self._patterns
        return super().facts_ahead(removed, added)


class ForgetsWhatRulesLeaveOfData(Data):
    """Facts that no rule asks for any more stay."""

    def _all_facts(self, removed: Int32, added: Int32) -> Facts:
        return super()._all_facts(removed, added)._replace(removed={})


class TakesWhatAnotherRuleReads(Data):
    """Facts leave with a rule although another rule asks for them."""

    def follow(self, rules: Collection[Rule]) -> None:
        super().follow(rules)
        if self._before - self._patterns:
            self._patterns = frozenset()


class RepeatedVariablesNotLookedAt(Data):
    """`DATA [?x, :p, ?x]` reads all triples with :p."""

    def follow(self, rules: Collection[Rule]) -> None:
        super().follow(rules)
        self._patterns = frozenset(pattern._replace(alike=()) for pattern in self._patterns)


MISREADINGS_OF_DATA = (
    ReadsDerivedTriples,
    LostFlagIsNoChange,
    NewFlagIsNoChange,
    NewPatternsSeeNewTriplesOnly,
    ForgetsWhatRulesLeaveOfData,
    TakesWhatAnotherRuleReads,
    RepeatedVariablesNotLookedAt,
)
