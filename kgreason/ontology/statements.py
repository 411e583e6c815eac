"""`LiveStatements`: the pass `deduplicate` over rules that come and go. Several axioms may say the same.

A statement is in force while any axiom makes it, under the name and with the sources of the one whose place comes
first. So the weight of a statement is the number of its places (DESIGN.md 3.3: rules have a weight).

Law: after any changes `firsts` are what `deduplicate` leaves of the rules that are there, in the order of their places.
Cost: for each rule that comes or goes, the places of its statement; a handful.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from kgreason.ontology.axioms import Place
from kgreason.ontology.normalise import Statement, statement
from kgreason.ontology.undo import Index, UndoLog
from kgreason.rules.model import Rule

T = TypeVar("T")


class Change(NamedTuple, Generic[T]):
    """What went and what came."""

    gone: tuple[T, ...]
    come: tuple[T, ...]


class Placed(NamedTuple):
    """A canonical rule and its place: that of its axiom, then its number among the rules of the axiom."""

    place: Place
    number: int
    rule: Rule


class LiveStatements:
    """The places of every statement; empty at first."""

    def __init__(self, log: UndoLog) -> None:
        self._log = log
        self._places: Index[Statement, Placed] = Index(log)
        self._firsts: dict[Statement, Placed] = {}

    @property
    def firsts(self) -> list[Placed]:
        """Each statement once, by place."""
        return sorted(self._firsts.values())

    def change(self, rules: Change[Placed]) -> Change[Placed]:
        """Take rules away and add others; the rules that are first no more, and those that are now."""
        for placed in rules.gone:
            self._places.discard(statement(placed.rule), placed)
        for placed in rules.come:
            self._places.add(statement(placed.rule), placed)
        touched = dict.fromkeys(statement(placed.rule) for placed in (*rules.gone, *rules.come))
        pairs = [(self._firsts.get(each), min(self._places.at(each), default=None)) for each in touched]
        changed = [(each, *pair) for each, pair in zip(touched, pairs, strict=True) if pair[0] != pair[1]]
        for each, _, after in changed:
            if after is None:
                self._log.drop(self._firsts, each)
            else:
                self._log.put(self._firsts, each, after)
        return Change(
            tuple(before for _, before, _ in changed if before is not None),
            tuple(after for _, _, after in changed if after is not None),
        )
