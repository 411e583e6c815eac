"""Spare derivations by definition: the algorithm of `change`, with late stamps, and with a number for each fact.

`Late` gives every fact that returns in Rederive the level above the levels of all facts that remain. `Counting`
does the same and searches nothing: it knows from the spare derivations which facts return. The spare derivations of a
fact are those that its support does not count.

Law: after every commit `Counting.spare` is `datalog.spares`, and the states are those of `Late`. The subclasses of
`Counting` each misread one step; a history of `HISTORIES` gives each of them away.

Cost: that of `change`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from tests.histories.history import in_line
from tests.oracle.change import Kinds, Met, Model, Net, Wishes
from tests.oracle.datalog import MOST_FRAIL, Fact, Rule, State, level_of, spares, stamp_of
from tests.oracle.scratch import Commits, Scratch, flaws


class Late(Model):
    """Facts that return get a stamp that is larger than all others, so that all their derivations count."""

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        returned, fired = self._returned(net, left), self._fire(net)
        arrived = self._arrive(net)
        late = self._late()
        for head, support in returned.items():
            self.states[head] = State(late, support, False)
        new = self._take_in(fired)
        for head in returned:
            self._set(head, stamp=stamp_of(level_of(late), self.states[head].support))
        return arrived | returned.keys() | new

    def _returned(self, net: Net, left: list[Fact]) -> dict[Fact, int]:
        """The facts that return, each with the number of its derivations."""
        return dict(Counter(each.head for each in self._rederive(net, left)))

    def _late(self) -> int:
        """The smallest stamp of the level above all facts that remain."""
        return above(state.stamp for state in self.states.values())


def above(stamps: Iterable[int]) -> int:
    """The smallest stamp of the level above all of these stamps."""
    return (1 + max(map(level_of, stamps), default=0)) * (MOST_FRAIL + 1)


class Counting(Late):
    """`spare` has for every fact the number of its spare derivations."""

    def __init__(self, states: Mapping[Fact, State] = MappingProxyType({}), rules: Iterable[Rule] = ()) -> None:
        super().__init__(states, rules)
        self.spare = spares({fact: state.stamp for fact, state in self.states.items()}, self.rules)

    def commit(self, facts: Wishes, rules: Wishes) -> Kinds:
        changes = super().commit(facts, rules)
        self.spare = {fact: self.spare[fact] for fact in self.states}
        return changes

    def _lose(self, met: Iterable[Met]) -> list[Fact]:
        met = list(met)
        for each in met:
            if each.head not in self.states or not self._is_counted(each):
                self._take(each)
        return super()._lose(met)

    def _take(self, met: Met) -> None:
        self.spare[met.head] -= 1

    def _returned(self, net: Net, left: list[Fact]) -> dict[Fact, int]:
        returned = {fact: self.spare[fact] for fact in left if self.spare[fact]}
        self.spare |= dict.fromkeys(returned, 0)
        return returned

    def _arrive(self, net: Net) -> set[Fact]:
        arriving = super()._arrive(net)
        self.spare |= dict.fromkeys(arriving, 0)
        return arriving

    def _take_in(self, met: Iterable[Met]) -> set[Fact]:
        met = list(met)
        new = super()._take_in(met)
        self.spare |= dict.fromkeys(new, 0)
        for each in met:
            if not self._is_counted(each):
                self._add(each)
        return new

    def _add(self, met: Met) -> None:
        self.spare[met.head] += 1


class LeftHeadsSkipped(Counting):
    """A spare derivation of a head that has left already is not taken back."""

    def _take(self, met: Met) -> None:
        if met.head in self.states:
            super()._take(met)


class LeavingHeadsSkipped(Counting):
    """A spare derivation of a head that leaves for want of support is not taken back."""

    def _take(self, met: Met) -> None:
        if met.head not in self.states or self.states[met.head].support or self.states[met.head].asserted:
            super()._take(met)


class LeavingRulesSkipped(Counting):
    """The spare derivations of leaving rules are not taken back."""

    def _retract(self, net: Net) -> list[Fact]:
        before = dict(self.spare)
        touched = [*net.retracted, *self._lose(self._met(net.leaving))]
        self.spare = before
        return self._walk(self._unfounded(touched), net.kept)


class NewRulesSkipped(Counting):
    """The spare derivations of new rules over the remaining facts are not counted."""

    def _fire(self, net: Net) -> list[Met]:
        found = super()._fire(net)
        return [each for each in found if each.head not in self.states or self._is_counted(each)]


class SpareKept(Counting):
    """A fact that returns keeps its spare derivations, although its support counts them now."""

    def _returned(self, net: Net, left: list[Fact]) -> dict[Fact, int]:
        before = dict(self.spare)
        returned = super()._returned(net, left)
        self.spare = before
        return returned


class AssertedSkipped(Counting):
    """The derivations of facts that were asserted when they appeared are not counted."""

    def _add(self, met: Met) -> None:
        if self.states[met.head].stamp:
            super()._add(met)


class SameStampSkipped(Counting):
    """A derivation whose newest body fact has the stamp of the head is neither counted nor spare."""

    def _add(self, met: Met) -> None:
        if met.newest != self.states[met.head].stamp:
            super()._add(met)


class ReturnsOnce(Counting):
    """A fact that returns counts one derivation, as a fact that was found once."""

    def _returned(self, net: Net, left: list[Fact]) -> dict[Fact, int]:
        return dict.fromkeys(super()._returned(net, left), 1)


class LateAsLatest(Counting):
    """The late stamp is on the largest level of the facts that remain, not above it."""

    def _late(self) -> int:
        return super()._late() - (MOST_FRAIL + 1)


class LateAfterArrivals(Counting):
    """The late stamp looks at asserted facts alone."""

    def _late(self) -> int:
        return above(state.stamp for state in self.states.values() if state.asserted)


def miscounts(reading: type[Counting], commits: Commits) -> Iterator[str]:
    """What a reading does not keep in this history: facts, invariants and spare derivations."""
    yield from flaws(reading, commits)
    model, scratch = reading(), Scratch()
    for number, commit in enumerate(commits):
        scratch.commit(*commit)
        model.commit(*commit)
        stamps = {fact: state.stamp for fact, state in model.states.items()}
        if stamps.keys() != scratch.states.keys():
            yield f"commit {number}: the facts"
            return
        if model.spare != spares(stamps, scratch.rules):
            yield f"commit {number}: the spare derivations"


TEXTS = {
    "LeftHeadsSkipped": "+ edge(?y, ?x) :- edge(?x, ?y) | + edge(2, 1)",
    "LeavingHeadsSkipped": "+ path(1, 1) ; + path(?z, ?z) :- path(?z, 1)",
    "LeavingRulesSkipped": "+ edge(2, 1) ; + edge(?y, ?x) :- edge(?x, ?y)",
    "NewRulesSkipped": "+ edge(1, 1) | + edge(?y, ?x) :- edge(?x, ?y)",
    "SpareKept": "+ path(1, 1) ; + edge(1, 1) ; + path(?x, ?y) :- edge(?x, ?y) | - path(1, 1)",
    "AssertedSkipped": "+ edge(2, 1) ; + edge(?y, ?x) :- edge(?x, ?y)",
    "SameStampSkipped": "+ path(1, 1) ; + path(?z, ?z) :- path(?z, 1)",
    "ReturnsOnce": "+ unary(1) ; + path(1, 1) ; + path(2, 1) ; + unary(?y) :- path(?x, ?y) | - unary(1)",
    "LateAsLatest": "+ path(1, 1) ; + edge(1, 1) ; + path(?x, ?y) :- edge(?x, ?y) | - path(1, 1)",
    "LateAfterArrivals": """
        + nullary() ; + edge(2, 2) ; + other(?x) :- edge(?x, ?x) ; + nullary() :- other(?x) | - nullary()""",
}
HISTORIES = {name: in_line(text) for name, text in TEXTS.items()}
"""For each misreading a small history that gives it away."""
MISREADINGS: dict[str, type[Counting]] = {each.__name__: each for each in Counting.__subclasses__()}
"""Every wrong reading by its name."""
