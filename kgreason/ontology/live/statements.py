"""`LiveStatements`: the pass `deduplicate` for rules that are added and removed.

Several axioms may give the same rule. A *statement* is a rule without its name and sources. It is in force while any
axiom gives it. Its name and sources come from the axiom that is first in the order of places (`read/axioms.py`).

Law: after any changes, `firsts` are the rules that `deduplicate` keeps of the present rules, in the order of their
places. Cost: for each rule that is added or removed, a look at the few places of its statement.
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
