"""Programs of ground rules, evaluated level by level in the obvious way, as the facts that proofs are sought in."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.proofs.search import Derivation, State
from kgreason.rules.model import Atom, Rule


class Ground:
    """The least model of ground rules over asserted facts; a fact's stamp is the level at which it appears."""

    def __init__(self, asserted: Iterable[Atom], rules: Iterable[Rule]) -> None:
        self.rules = list(rules)
        self.asserted = set(asserted)
        self.stamps = dict.fromkeys(self.asserted, 0)
        self.asked: list[Atom] = []
        level = 0
        while fresh := {rule.heads[0] for rule in self._applying()} - self.stamps.keys():
            level += 1
            self.stamps.update(dict.fromkeys(fresh, level))

    def _applying(self) -> Iterable[Rule]:
        present = self.stamps.keys()
        return [rule for rule in self.rules if present >= set(rule.body)]

    def state(self, fact: Atom) -> State:
        return State(fact in self.asserted, self.stamps[fact])

    def derivations(self, fact: Atom) -> list[Derivation]:
        self.asked.append(fact)
        return [Derivation(rule, rule.body) for rule in self._applying() if rule.heads[0] == fact]


def proposition(number: int) -> Atom:
    return Atom("p", (str(number),))


def ground(head: int, body: Iterable[int], name: str = "r") -> Rule:
    return Rule((proposition(head),), tuple(map(proposition, body)), name)
