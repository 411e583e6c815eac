"""`LiveStatements`: the pass that keeps one of the rules that say the same.

Each axiom is translated alone, so several axioms may give the same rule. Examples: `A owl:disjointWith B` and
`B owl:disjointWith A` give one rule; cax-eqc1 gives the same rule as scm-eqc1 with cax-sco; cls-int2 gives the same
rules as scm-int with cax-sco. Of rules with the same canonical form only the first is kept, with its name and sources,
because a proof needs only one justification.

A *statement* is what a rule says, without its name and sources. A statement is in force as long as at least one axiom
gives a rule that says it. Axioms are sorted by their *places*; the rule in force is that of the first axiom. Law: after
any changes, `firsts` has the first rule of each statement of the present rules.

Cost: for each rule that is added or removed, a look at the few other rules that say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from kgreason.ontology.change import Change
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Atom, Computed, Rule, Triple

Statement: TypeAlias = tuple[tuple[Atom, ...], tuple[Atom, ...], tuple[Computed, ...]]
"""The heads, the body and the expressions of a canonical rule: what it says, without its name."""


def statement(rule: Rule) -> Statement:
    """Return the statement of a canonical rule. It is equal for rules that differ only in name, group and sources."""
    return rule.heads, rule.body, rule.computed


Place: TypeAlias = tuple[bool, tuple[Triple, ...]]
"""The sort key of an axiom, made from its key. If several axioms give the same rule, the rule has the name that
the first axiom gives."""


@dataclass(slots=True, eq=False)
class PlacedRule:
    """A canonical rule of an axiom. `place` is the place of the axiom, `number` the number of the rule in the axiom.

    There is one object for each rule of each axiom. Two objects are equal only if they are the same object.
    """

    place: Place
    number: int
    rule: Rule


order = attrgetter("place", "number")
"""The sort key of rules in their places."""


class LiveStatements:
    """The present rules, grouped by statement; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._places: dict[Statement, tuple[PlacedRule, ...]] = {}

    @property
    def firsts(self) -> list[PlacedRule]:
        """The rules in force: for each statement its first rule, sorted by place."""
        return sorted((places[0] for places in self._places.values()), key=order)

    def change(self, rules: Change[PlacedRule]) -> Change[PlacedRule]:
        """Remove rules and add others. Returns the change of `firsts`."""
        before: dict[Statement, PlacedRule | None] = {}
        for placed in rules.gone:
            says = statement(placed.rule)
            places = self._places[says]
            before.setdefault(says, places[0])
            if len(places) == 1:
                self._log.drop(self._places, says)
            else:
                self._log.put(self._places, says, tuple(other for other in places if other is not placed))
        for placed in rules.come:
            says = statement(placed.rule)
            places = self._places.get(says, ())
            before.setdefault(says, places[0] if places else None)
            self._log.put(self._places, says, tuple(sorted((*places, placed), key=order)) if places else (placed,))
        return self._change_of_firsts(before)

    def _change_of_firsts(self, before: dict[Statement, PlacedRule | None]) -> Change[PlacedRule]:
        """Return the change of `firsts`. `before` maps each edited statement to its former first rule, or None."""
        gone: list[PlacedRule] = []
        come: list[PlacedRule] = []
        for says, old in before.items():
            places = self._places.get(says)
            new = places[0] if places else None
            if new is not old:
                gone += [old] if old else ()
                come += [new] if new else ()
        return Change(tuple(gone), tuple(come))
