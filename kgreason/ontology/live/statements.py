"""`LiveStatements`: the pass `deduplicate` over rules that come and go. Several axioms may say the same.

A statement is in force while any axiom makes it. It has the name and the sources of the axiom whose place comes first.
So the weight of a statement is the number of its places (docs/architecture.md).

Law: after any changes, `firsts` are what `deduplicate` leaves of the present rules, in the order of their places.
Cost: for each rule that comes or goes, the few places of its statement.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter

from kgreason.ontology.change import Change
from kgreason.ontology.read.axioms import Place
from kgreason.ontology.translate.normalise import Statement, statement
from kgreason.ontology.undo import UndoLog
from kgreason.rules.model import Rule


@dataclass(slots=True, eq=False)
class Placed:
    """A canonical rule and its place: the place of its axiom, then its number among the rules of the axiom.

    There is one object for each rule of each axiom; it is compared by identity.
    """

    place: Place
    number: int
    rule: Rule


order = attrgetter("place", "number")
"""The sort key of rules in their places."""


class LiveStatements:
    """The places of every statement; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._places: dict[Statement, tuple[Placed, ...]] = {}

    @property
    def firsts(self) -> list[Placed]:
        """Each statement once, by place."""
        return sorted((places[0] for places in self._places.values()), key=order)

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Remove rules and add others; returns the change of the rules that come first in their statement."""
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
        """The change of the first places of statements, which were these."""
        gone: list[Placed] = []
        come: list[Placed] = []
        for says, old in before.items():
            places = self._places.get(says)
            new = places[0] if places else None
            if new is not old:
                gone += [old] if old else ()
                come += [new] if new else ()
        return Change(tuple(gone), tuple(come))
