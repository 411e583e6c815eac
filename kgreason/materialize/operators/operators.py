"""`Operators`: everything between the rules of a commit that asserts facts about what rules have derived.

    functions     results of expressions, for the inputs that rules ask for; as soon as rules ask
    negations     values without a match, level by level, once everything that they negate is final

A commit runs the rules, then the functions until no rule asks for a new input (`computed`), and then, once nothing else
changes, what waits for a level (`decided`); then rules run again. The facts that operators assert belong to the engine,
so its rollback takes them back. Cost: nothing while no rule computes or negates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from kgreason.engine.engine import Changes, Engine
from kgreason.materialize.edit import NO_FACTS, Facts
from kgreason.materialize.operators.functions import Functions
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.same_as.representatives import Equality
from kgreason.rules.model import Rule, Triple
from kgreason.rules.strata import has_closed
from kgreason.terms.dictionary import Dictionary


class Operators:
    """The operators for the rules in force. Called under the graph's lock: one thread at a time."""

    def __init__(self, engine: Engine, dictionary: Dictionary, equality: Equality | None = None) -> None:
        self._functions = Functions(engine, dictionary)
        self._negations = Negations(engine, dictionary, equality)

    @property
    def are_any(self) -> bool:
        """Whether rules in force have operators, or had some before the open commit."""
        return self._functions.are_any or self._negations.are_any

    def concern(self, added: Iterable[Rule]) -> bool:
        """Whether a change of the program that adds these rules needs `follow`."""
        return self.are_any or any(rule.computed or rule.negated for rule in added)

    def follow(self, rules: Collection[Rule], schema: Iterable[Triple] = ()) -> None:
        """Take the rules in force, under this closed schema. Raises StratificationError if they say NOT in a circle."""
        if self._functions.are_any or any(rule.computed for rule in rules):
            self._functions.follow(rules)
        if self._negations.are_any or any(map(has_closed, rules)):
            self._negations.follow(rules, schema)
            self._negations.restart()

    def restart(self) -> None:
        """Decide all levels again: facts were edited."""
        self._negations.restart()

    def computed(self, check: Callable[[], object]) -> Facts:
        """The results of expressions to assert for what rules ask since the last call; see `Functions.wanted`."""
        return self._functions.wanted(check) if self._functions.are_any else NO_FACTS

    def decided(self, changes: Changes) -> Facts:
        """The facts that wait for a level, to assert and to retract next; none at the end. See `Negations.wanted`."""
        return self._negations.wanted(changes) if self._negations.are_any else NO_FACTS

    def accept(self) -> None:
        """Make the change of rules final."""
        self._functions.accept()
        self._negations.accept()

    def rollback(self) -> None:
        """Forget the rules since the last `accept`."""
        self._functions.rollback()
        self._negations.rollback()
