"""`Weights`: the rules in force, each with a weight. A rule is in force while its weight is not 0.

Rules are a multiset: a rule that was added twice stays when it is removed once. Law: `undo` restores the weights as of
the time when `log` was empty. Cost: one look-up for each rule that is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.interrupts import SOME, let_out


class NumberedRules(NamedTuple):
    """Rules: the numbers of all, the numbers of those with a body, and those without a body, each with its number."""

    numbers: Sequence[int] = ()
    bodied: Sequence[int] = ()
    bodiless: Sequence[tuple[int, EncodedRule]] = ()


class RuleChanges(NamedTuple):
    """The rules that leave the program, and the rules that are new."""

    leaving: NumberedRules
    fresh: NumberedRules


NO_RULES = RuleChanges(NumberedRules(), NumberedRules())


class Weights:
    """The weights of the rules of a planner, by the numbers of the rules. Iterating gives the rules in force."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._weights: dict[int, int] = {}
        self._bodiless: dict[int, EncodedRule] = {}
        self.log: list[tuple[int, int]] = []
        """Each rule whose weight changed in the open commit, with its weight before. `Engine.begin` empties it."""

    def __iter__(self) -> Iterator[int]:
        return iter(self._weights)

    def rules_in_force(self) -> list[EncodedRule]:
        """Return the rules in force, each as often as its weight says."""
        return [self._planner.rule(number) for number, weight in self._weights.items() for _ in range(weight)]

    def undo(self) -> None:
        """Restore the weights as of the time when `log` was empty."""
        for number, weight in reversed(self.log):
            self._set_weight(number, weight)
        self.activate()

    def activate(self) -> None:
        """Tell the planner which of the rules in `log` are in force."""
        for number, _ in self.log:
            self._planner.set_active(number, number in self._weights)

    def change(self, added: Sequence[EncodedRule], removed: Sequence[EncodedRule]) -> RuleChanges:
        """Add 1 to the weight of each rule of `added`; then subtract 1 for each rule of `removed` that is in force."""
        before: dict[int, bool] = {}
        for rules, weight in ((added, 1), (removed, -1)):
            for number in self._numbers(rules):
                before.setdefault(number, number in self._weights)
                if weight > 0 or number in self._weights:
                    total = self._weights.get(number, 0)
                    self.log.append((number, total))
                    self._set_weight(number, total + weight)
        leaving = [number for number, was in before.items() if was and number not in self._weights]
        fresh = [number for number, was in before.items() if not was and number in self._weights]
        return RuleChanges(self._numbered_rules(leaving), self._numbered_rules(fresh))

    def _numbers(self, rules: Sequence[EncodedRule]) -> list[int]:
        """Return the numbers of rules in the planner, which gets those that it lacks."""
        numbers: list[int] = []
        for low in range(0, len(rules), SOME):
            if low:
                let_out()
            numbers += map(self._planner.add, rules[low : low + SOME])
        self._bodiless |= {n: rule for n, rule in zip(numbers, rules, strict=True) if not rule.shape.body}
        return numbers

    def bodiless(self) -> Sequence[tuple[int, EncodedRule]]:
        """Return the rules in force that have no body, each with its number."""
        return self._numbered_rules(list(self._weights)).bodiless

    def _numbered_rules(self, numbers: Sequence[int]) -> NumberedRules:
        if not self._bodiless:
            return NumberedRules(numbers, numbers)
        none = [(number, self._bodiless[number]) for number in numbers if number in self._bodiless]
        return NumberedRules(numbers, [number for number in numbers if number not in self._bodiless], none)

    def _set_weight(self, number: int, weight: int) -> None:
        if weight:
            self._weights[number] = weight
        else:
            self._weights.pop(number, None)
