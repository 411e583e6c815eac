"""Two passes that leave the closure as it is: `normalise` each rule, then `deduplicate` them all.

Each row knows one axiom, so rows repeat each other. Examples: owl:disjointWith is read from both sides; scm-eqc1 has
also split an equivalence into two subclass pairs; cls-int2 says the same as scm-int with cax-sco. Rules with the same
canonical form are kept once, with the name and the sources of the axiom that came first, as a proof needs only one
justification.

`LiveStatements` is `deduplicate` over rules that come and go. A statement is in force while any axiom makes it. It has
the name and the sources of the axiom whose place comes first. So the weight of a statement is the number of its places
(docs/architecture.md). Law: after any changes, `firsts` are what `deduplicate` leaves of the present rules, in the
order of their places.

Cost: that of the canonical form, a few microseconds for most rules; for each rule that comes or goes, the few places of
its statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import TypeAlias

from kgreason.ontology.change import Change
from kgreason.ontology.read.axioms import Axiom
from kgreason.ontology.undo import UndoLog
from kgreason.rules.canonical import canonical
from kgreason.rules.model import Atom, Rule, Triple
from kgreason.terms.vocabulary import RDFS_SUB_CLASS_OF, RDFS_SUB_PROPERTY_OF

Statement: TypeAlias = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""The heads and the body of a canonical rule: what it says, without its name."""


def normalise(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each rule in canonical form. A rule whose heads are all in its body derives nothing new and is left out."""
    return tuple([canonical(rule) for rule in rules if not set(rule.body).issuperset(rule.heads)])


def deduplicate(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without duplicates. Of rules that differ only in name, group and sources, the first is kept."""
    found: dict[Statement, Rule] = {}
    for rule in rules:
        found.setdefault(statement(rule), rule)
    return tuple(found.values())


def statement(rule: Rule) -> Statement:
    """The heads and the body of a canonical rule; they are equal for rules that say the same."""
    return rule.heads, rule.body


Place: TypeAlias = tuple[bool, tuple[Triple, ...]]
"""The sort key of an axiom. A rule that several axioms yield gets the name of the first."""
_TAXONOMY = (RDFS_SUB_CLASS_OF, RDFS_SUB_PROPERTY_OF)


def place(axiom: Axiom) -> Place:
    """The place of an axiom: by its sources, with the taxonomy last.

    Most of the taxonomy in the closed schema follows from other axioms. Those say more about why a rule is there.
    """
    return axiom.kind in _TAXONOMY, axiom.sources


@dataclass(slots=True, eq=False)
class Placed:
    """A canonical rule and its place: the place of its axiom, then its number among the rules of the axiom.

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
        self._places: dict[Statement, tuple[Placed, ...]] = {}

    @property
    def firsts(self) -> list[Placed]:
        """For each statement the rule with the first place, in the order of places."""
        return sorted((places[0] for places in self._places.values()), key=order)

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Remove rules and add others. Returns the change of `firsts`."""
        before: dict[Statement, Placed | None] = {}
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
        return self._news(before)

    def _news(self, before: dict[Statement, Placed | None]) -> Change[Placed]:
        """The change of `firsts`, for the statements in `before`, which has their first rules before the change."""
        gone: list[Placed] = []
        come: list[Placed] = []
        for says, old in before.items():
            places = self._places.get(says)
            new = places[0] if places else None
            if new is not old:
                gone += [old] if old else ()
                come += [new] if new else ()
        return Change(tuple(gone), tuple(come))
