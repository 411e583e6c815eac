"""Change by definition: the algorithm of a commit (docs/architecture/commit.md), over plain facts and rules.

A commit is what is wished for: +1 or -1 for facts and for rules; wishes that are fulfilled already ask for nothing.

    flag       present facts that are newly asserted get their flag, retracted ones lose theirs
    retract    leaving rules take their counted derivations back; what has no support left leaves, level by level
    rederive   of what left, what the kept rules still derive from the survivors
    assert     returned and asserted facts and the heads of new rules; then semi-naive levels with all active rules

Invariants after every commit: `violations(states, rules) == []`, and the facts and flags are those of `materialize`.
A derivation of a head is *met* with the largest stamp of its body, -1 for an empty body; it is *counted* where that is
smaller than the stamp of the head. A stamp is a level and, within it, a frailty (`datalog`). Every step is a method, so
that `tests.oracle.misreadings` can read one wrongly.

Cost: every level evaluates its rules over all facts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, TypeVar

from tests.oracle.datalog import (
    Derivation,
    Fact,
    Index,
    Rule,
    State,
    convert,
    derivations,
    level_of,
    plain,
    stamp_of,
)

ABSENT, INFERRED, ASSERTED = 0, 1, 2
EMPTY = -1
"""The largest stamp of an empty body."""

_Value = TypeVar("_Value")

Wishes: TypeAlias = Mapping[Any, int]
"""+1 or -1 for facts or for rules, of whatever class."""

Kinds: TypeAlias = dict[Fact, tuple[int, int]]
"""The kind of every fact that a commit changed, before and after."""


class Met(NamedTuple):
    """A derivation of one head, with the largest stamp of its body."""

    head: Fact
    newest: int


class Net(NamedTuple):
    """A commit normalised: final state minus current state."""

    asserted: list[Fact]
    retracted: list[Fact]
    leaving: list[Rule]
    kept: list[Rule]
    new: list[Rule]


class Model:
    """Facts with stamp, support and asserted flag, and the active rules."""

    def __init__(self, states: Mapping[Fact, State] = MappingProxyType({}), rules: Iterable[Rule] = ()) -> None:
        self.states = dict(states)
        self.rules = list(rules)

    def commit(self, facts: Wishes, rules: Wishes) -> Kinds:
        """Assert (+1) and retract (-1) facts, add and remove rules; what changed."""
        before = dict(self.states)
        net = self._net(facts, rules)
        self._flag(net)
        left = self._retract(net)
        self.rules = net.kept + net.new
        batch = self._first_batch(net, left)
        while batch:
            batch = self._take_in(self._gained(batch))
        return difference(before, self.states)

    def _net(self, facts: Wishes, rules: Wishes) -> Net:
        asserted, active = wished(plain, facts), wished(convert, rules)
        changed = [fact for fact, wish in asserted.items() if wish != (kind(self.states.get(fact)) == ASSERTED)]
        return Net(
            [fact for fact in changed if asserted[fact]],
            [fact for fact in changed if not asserted[fact]],
            [rule for rule in self.rules if not active.get(rule, True)],
            [rule for rule in self.rules if active.get(rule, True)],
            [rule for rule, wish in active.items() if wish and rule not in self.rules],
        )

    def _flag(self, net: Net) -> None:
        for fact in self.states.keys() & net.asserted:
            self._set(fact, asserted=True)
        for fact in net.retracted:
            self._set(fact, asserted=False)

    def _set(self, fact: Fact, **values: Any) -> None:
        self.states[fact] = self.states[fact]._replace(**values)

    # Retract

    def _retract(self, net: Net) -> list[Fact]:
        """Take away what has lost its support; what left, in order."""
        touched = [*net.retracted, *self._lose(self._met(net.leaving))]
        return self._walk(self._unfounded(touched), net.kept)

    def _walk(self, leaving: list[Fact], rules: list[Rule]) -> list[Fact]:
        left = []
        while leaving:
            touched = self._lose(self._met_with(leaving, rules))
            for fact in leaving:
                del self.states[fact]
            left += leaving
            leaving = self._unfounded(touched)
        return left

    def _met_with(self, leaving: list[Fact], rules: list[Rule]) -> list[Met]:
        return self._met(rules, set(leaving))

    def _lose(self, met: Iterable[Met]) -> list[Fact]:
        """Take each counted derivation from the support of its head, unless that left before; the heads."""
        heads = [each.head for each in met if each.head in self.states and self._is_counted(each)]
        for head in heads:
            self._set(head, support=self.states[head].support - 1)
        return heads

    def _unfounded(self, touched: Iterable[Fact]) -> list[Fact]:
        """Of these facts those that are present with neither support nor flag, each once."""
        present = dict.fromkeys(fact for fact in touched if fact in self.states)
        return [fact for fact in present if not self.states[fact].support and not self.states[fact].asserted]

    # Rederive and Assert

    def _first_batch(self, net: Net, left: list[Fact]) -> set[Fact]:
        """Evaluate over the survivors alone, and only then let facts return and arrive."""
        met = [*self._rederive(net, left), *self._fire(net)]
        return self._arrive(net) | self._take_in(met)

    def _rederive(self, net: Net, left: list[Fact]) -> list[Met]:
        return [each for each in self._met(net.kept) if each.head in left]

    def _fire(self, net: Net) -> list[Met]:
        return self._met(net.new)

    def _arrive(self, net: Net) -> set[Fact]:
        arriving = set(net.asserted) - self.states.keys()
        self.states |= dict.fromkeys(arriving, State(0, 0, True))
        return arriving

    def _gained(self, batch: set[Fact]) -> list[Met]:
        return self._met(self.rules, batch)

    def _take_in(self, met: Iterable[Met]) -> set[Fact]:
        """Count derivations met in one level; the heads that are new."""
        newest = defaultdict(list)
        for each in met:
            newest[each.head].append(each.newest)
        new = newest.keys() - self.states.keys()
        for head in new:
            self.states[head] = State(stamp_of(self._level(newest[head]), len(newest[head])), 0, False)
        for head, stamps in newest.items():
            counted = sum(self._is_counted(Met(head, stamp)) for stamp in stamps)
            self._set(head, support=self.states[head].support + counted)
        return new

    def _level(self, newest: list[int]) -> int:
        """The level of a new head, from the largest stamps of the bodies of its derivations."""
        return 1 + max(0, *map(level_of, newest))

    # Derivations

    def _met(self, rules: list[Rule], changed: set[Fact] | None = None) -> list[Met]:
        """The derivations by these rules over the present facts, or those that use a changed fact."""
        found = derivations(Index(self.states), rules)
        return [met for each in found if changed is None or changed & each.body for met in self._met_by(each)]

    def _met_by(self, derivation: Derivation) -> list[Met]:
        newest = max((self.states[fact].stamp for fact in derivation.body), default=EMPTY)
        return [Met(head, newest) for head in derivation.heads]

    def _is_counted(self, met: Met) -> bool:
        return met.newest < self.states[met.head].stamp


def wished(read: Callable[[Any], _Value], wishes: Wishes) -> dict[_Value, bool]:
    """What each fact or rule is to be; of two names for one, the last says."""
    return {read(wish): sign > 0 for wish, sign in wishes.items()}


def difference(before: Mapping[Fact, State], after: Mapping[Fact, State]) -> Kinds:
    """The facts whose kind is not what it was."""
    kinds = {fact: (kind(before.get(fact)), kind(after.get(fact))) for fact in {**before, **after}}
    return {fact: (old, new) for fact, (old, new) in kinds.items() if old != new}


def kind(state: State | None) -> int:
    """ABSENT, INFERRED or ASSERTED."""
    if state is None:
        return ABSENT
    return ASSERTED if state.asserted else INFERRED
