"""`Operators`: runs all operators of rules in a commit. Operators assert facts about what rules have derived.

    operators      what they assert                                         when
    data           asserted triples, for rules that say DATA                together with the edit
    functions      results of expressions, for inputs that rules ask for    as soon as rules ask
    skolems        blank nodes for individuals                              in a stratum: owl:sameAs is final
    negations      values without a match                                   in a stratum: what they negate is final
    aggregations   one value for each group                                 in a stratum; within a recursion, in rounds

A commit runs the rules, and then the operators that have no stratum, both until nothing changes (`computed_facts`).
Then it runs the operators of the next stratum (`decided_facts`), and the rules again.

    stratum 0   the rules are at their fixpoint, and equality and literals are settled
    stratum n   all operators up to stratum n are decided: facts are asserted or retracted, then rules run again
    end         at the last stratum, when nothing changes any more

In a part of the facts (`spark/rounds`), an engine decides only the keys for which it has all facts: `is_here`. A key
has the values of the variables of NOT, the inputs of an expression, or the group of an aggregate.

A commit calls the operators only if it changes a fact of `interest`, or the rules: what operators assert is a function
of these facts.

The facts that operators assert belong to the engine, so the engine's rollback undoes them. Cost: nothing while the
bodies of all rules have atoms only. If an operator has a stratum, an edit of the program computes all strata anew, with
a look at all rules.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import NO_FACTS, Facts, StatefulPart, merge_facts
from kgreason.materialize.interest import Interest, Pattern
from kgreason.materialize.operators.aggregation import Aggregations
from kgreason.materialize.operators.data import Data
from kgreason.materialize.operators.functions import Functions, Rounds
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.operators.skolems import Skolems
from kgreason.materialize.operators.tables import IsHere, always_here
from kgreason.materialize.same_as.representatives import Equality
from kgreason.ontology.generic.parts import with_instances
from kgreason.rules.lowering import Aggregation, Expression, Negation, Waiting, aggregations, negations, skolems
from kgreason.rules.model import Rule, Triple
from kgreason.rules.strata import Level, has_closed, stratify
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32

Check = Callable[[], object]


class _OperatorPart(StatefulPart, Protocol):
    """A part that runs the operators of one kind."""

    are_any: bool
    """Whether a rule in force has such an operator, or a rule had one before or during the open commit."""

    def patterns(self) -> Iterable[Pattern]:
        """Return patterns that match all facts on which the facts that the operators assert depend."""


class Operators:
    """Runs the operators of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(
        self,
        engine: Engine,
        dictionary: Dictionary,
        equality: Equality | None = None,
        registry: Registry | None = None,
        is_here: IsHere = always_here,
    ) -> None:
        self.registry = Registry() if registry is None else registry
        """The Python functions that rules may call."""
        self.individuals = Individuals(engine, dictionary, equality)
        self.rounds = rounds = Rounds(dictionary)
        """Its `limits` are what recursions of the commits from now on may do."""
        self._data = Data(engine, dictionary, self.individuals)
        self._functions = Functions(engine, dictionary, rounds, self.registry, is_here)
        self._skolems = Skolems(engine, dictionary, self.individuals, rounds, is_here)
        self._negations = Negations(engine, dictionary, equality, is_here)
        self._aggregations = Aggregations(engine, dictionary, self.individuals, rounds, self.registry, is_here)
        self._parts: tuple[_OperatorPart, ...] = (
            self._data,
            self._functions,
            self._skolems,
            self._negations,
            self._aggregations,
        )
        self.interest = self._interest_before = Interest()
        """The facts that operators of the rules in force read or assert. A commit of other facts asks no operator."""
        self._engine = engine
        self._level = 0
        self._is_ordered = self._was_ordered = False
        self._strata: dict[Waiting, Level] = {}
        self._strata_before = self._strata
        self.are_any = False
        """Whether rules in force have more than atoms, or had so before or during the open commit."""

    def _update_interest(self) -> None:
        self.are_any = self._data.are_any or self._functions.are_any or self._is_ordered or self._has_strata()

    def _has_strata(self) -> bool:
        return self._negations.are_any or self._aggregations.are_any or self._skolems.are_any

    def follow(self, rules: Collection[Rule], schema: Iterable[Triple] = ()) -> None:
        """Adapt all operators to the rules that are in force now, and to the closed schema.

        Raises StratificationError if the negations have no strata, because they depend on each other in a cycle.
        """
        operated = [rule for rule in rules if not rule.has_plain_atoms]
        self.individuals.follow(rules)
        self._data.follow(operated)
        was_ordered, self._is_ordered = self._is_ordered, any(map(has_closed, operated))
        levels: dict[Waiting, Level] = {}
        if self._is_ordered or was_ordered or self._has_strata():
            levels = stratify(with_instances(rules, schema)) if self._is_ordered else {}
            self._set_strata(levels, operated)
        self._functions.follow(operated, [each for each in levels if isinstance(each, Expression)])
        patterns = [*self.individuals.patterns()]
        patterns += [pattern for part in self._parts if part.are_any for pattern in part.patterns()]
        self._update_interest()
        self.interest = Interest(patterns, self.individuals.triples) if self.are_any else Interest()

    def adopt(self, rules: Collection[Rule], levels: Mapping[Waiting, Level]) -> None:
        """Take over the operators of `rules` with the strata `levels` that `follow` found elsewhere.

        `rules` has at least the rules with operators, and those about equality. DATA is left out.
        """
        self.individuals.follow(rules)
        self._set_strata(levels, rules)
        self._functions.follow(rules, [each for each in levels if isinstance(each, Expression)])
        self._update_interest()

    def _set_strata(self, levels: Mapping[Waiting, Level], rules: Collection[Rule]) -> None:
        self._strata = dict(levels)
        made = {each: at.level for each, at in levels.items() if isinstance(each, Expression)}
        if made or self._skolems.are_any:
            self._skolems.follow(made, rules)
        self._negations.follow({each: at.level for each, at in levels.items() if isinstance(each, Negation)})
        grouped = {each: at for each, at in levels.items() if isinstance(each, Aggregation)}
        if grouped or self._aggregations.are_any:
            self._aggregations.follow(grouped)
        self.restart()

    def stratum(self, rule: Rule) -> int:
        """Return the stratum in which NOT, AGGREGATE and SKOLEM of a rule in force are decided; 0 if it has none."""
        waiting = (*negations(rule), *aggregations(rule), *skolems(rule)) if self._strata else ()
        return max((self._strata[each].level for each in waiting if each in self._strata), default=0)

    def facts_ahead(self, removed: Int32, added: Int32) -> Facts:
        """Return the facts of DATA to assert and to retract.

        `removed`, `added`: triples int32[n, 3] that are no longer asserted, and that are newly asserted.
        """
        return self._data.facts_ahead(removed, added) if self._data.are_any else NO_FACTS

    def early_results(self, asserted: Mapping[int, Int32], check: Check) -> Facts:
        """Return the results of expressions to assert together with the facts `asserted`, before the rules run.

        `asserted`: number of a table -> the rows that the edit asserts.
        """
        if not self._functions.are_any or self.individuals.has_equal_terms():
            return NO_FACTS
        return self._functions.facts_ahead(asserted, check)

    def restart(self) -> None:
        """Begin again with stratum 0, because facts were edited or rules have changed."""
        self._level = 0
        if self._aggregations.are_any:
            self._aggregations.restart()

    def computed_facts(self, check: Check) -> Facts:
        """Return the facts to assert and to retract after a run of the rules, before the next stratum is decided.

        These are results of expressions that rules ask for, and better values in a recursion. Raises LimitError if a
        recursion goes beyond the limits (`Functions.due_facts`, `Aggregations.improved`).
        """
        facts = self._functions.due_facts(check) if self._functions.are_any else NO_FACTS
        return facts if any(facts) or not self._aggregations.are_any else self._aggregations.better_values(check)

    def decided_facts(self, changes: Changes, check: Check) -> Facts:
        """Decide one stratum after the other until there are facts to assert or to retract. Returns these facts.

        Returns no facts if all strata are decided. `changes`: the changes of the commit so far. Raises
        StratificationError if the facts make the rules circular.
        """
        if self._data.are_any and any(facts := self._data.facts_of_moved_terms(changes)):
            return facts
        if not self._has_strata():
            return NO_FACTS
        last = max(
            [each.last_stratum() for each in (self._skolems, self._negations, self._aggregations) if each.are_any]
        )
        facts = self.decided_facts_up_to(self._level, self._level, changes, check)
        while not any(facts) and self._level < last:
            self._level += 1
            facts = self.decided_facts_up_to(self._level, self._level - 1, changes, check)
        return facts

    def decided_facts_up_to(self, level: int, before: int, changes: Changes, check: Check) -> Facts:
        """Return the facts to assert and to retract so that all strata up to `level` are decided.

        `before`: the last stratum that was decided already. `changes`: the changes of the commit so far. Raises
        StratificationError as `decided_facts` does.
        """
        found = []
        if self._skolems.are_any:
            found.append(self._skolems.due_facts(changes, level))
        if self._negations.are_any:
            found.append(self._negations.due_facts(changes, level, before))
        if self._aggregations.are_any:
            found.append(self._aggregations.due_facts(changes, level, before, check))
        return found[0] if len(found) == 1 else merge_facts(found)

    def finish(self) -> None:
        """End the evaluation of a commit.

        Raises RuleError if a Python function has failed in this commit for inputs that rules still ask for.
        """
        if self._functions.are_any:
            self._functions.finish()
        if self._aggregations.are_any:
            self._aggregations.finish()

    def accept(self) -> None:
        """Make the change of rules final."""
        self._was_ordered, self._strata_before, self._interest_before = self._is_ordered, self._strata, self.interest
        self.individuals.accept()
        self.rounds.restart()
        for part in self._parts:
            if part.are_any:
                part.accept()
        self._update_interest()

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._is_ordered, self._strata, self.interest = self._was_ordered, self._strata_before, self._interest_before
        self.individuals.rollback()
        self.rounds.restart()
        for part in self._parts:
            if part.are_any:
                part.rollback()
        self._update_interest()
