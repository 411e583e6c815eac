"""`LiveStatements`: the pass `deduplicate` over rules that come and go. Several axioms may say the same.

A statement is in force while any axiom makes it, under the name and with the sources of the one whose place comes
first. So the weight of a statement is the number of its places (rules have a weight).

Law: after any changes `firsts` are what `deduplicate` leaves of the rules that are there, in the order of their places.
Cost: for each rule that comes or goes, the places of its statement; a handful.
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
    """A canonical rule and its place: that of its axiom, then its number among the rules of the axiom.

    There is one for each rule of each axiom: it is equal to itself alone.
    """

    place: Place
    number: int
    rule: Rule


order = attrgetter("place", "number")
"""What rules in their places are sorted by."""


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
        """Take rules away and add others; the rules that are first no more, and those that are now."""
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
        """What came of statements whose first places were these."""
        gone: list[Placed] = []
        come: list[Placed] = []
        for says, old in before.items():
            places = self._places.get(says)
            new = places[0] if places else None
            if new is not old:
                gone += [old] if old else ()
                come += [new] if new else ()
        return Change(tuple(gone), tuple(come))
