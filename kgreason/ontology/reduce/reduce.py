"""The pass `reduce`: rules that chains of other rules make superfluous go.

What `covers` leaves of a closed schema still says things twice: among equivalent classes every one is below every
other, and rows of different axioms lead to the same. Such a rule derives nothing that others do not, only once more,
and each derivation is work at every edit. So rules with one body atom are reduced as the edges of a graph are: a rule
goes if its head is reached from its body through the rules that are left.

Invariant: the closure of any facts stays the same, rule by rule as they go. Without cycles the result does not depend
on the order; among equivalent classes it does, and the rules are taken in the order given, from the back.
Cost: for each rule a walk over what its body implies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Generic, TypeAlias, TypeVar

from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable
from kgreason.terms.vocabulary import OWL_SAME_AS

Fact: TypeAlias = tuple[Term, ...]
Key: TypeAlias = tuple[Term, Term | None]
S = TypeVar("S", bound=Hashable)


def reduce(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without those that chains of others replace; only rules of one head and one body atom go."""
    rules = tuple(rules)
    steps: dict[Key, dict[Rule, None]] = defaultdict(dict)
    for rule in filter(is_step, rules):
        steps[key(rule.body[0])][rule] = None
    left, ways = dict.fromkeys(rules), Ways[Rule](lambda found: steps.get(found, ()), lambda rule: rule)
    for rule in filter(is_step, reversed(rules)):
        if ways.has_detour(rule):
            del steps[key(rule.body[0])][rule], left[rule]
            ways.close(rule)
    return tuple(left)


def is_step(rule: Rule) -> bool:
    """Whether a rule has one head and one body atom, so that it may be a shortcut or a part of a chain."""
    return len(rule.body) == len(rule.heads) == 1 and rule.heads[0] is not FALSE and rule.heads[0] != FALSE


def key(atom: Atom) -> Key:
    """What facts an atom of a step is about: the predicate, and the object if it names one."""
    _, predicate, object_ = atom.terms
    return predicate, None if isinstance(object_, Variable) else object_


class Ways(Generic[S]):
    """Where steps lead, fact by fact: each fact that walks meet is looked at once.

    `steps` are those whose body has a key; once one of them is no more, `close` has to be told.
    The walks take the variables of a rule for things like any other.
    """

    def __init__(self, steps: Callable[[Key], Iterable[S]], rule_of: Callable[[S], Rule]) -> None:
        self._steps, self._rule_of = steps, rule_of
        self._places: dict[Fact, _Place[S]] = {}
        self._used: dict[S, list[_Place[S]]] = {}

    def has_detour(self, step: S) -> bool:
        """Whether the head of a step follows from its body through other steps: whether it is a shortcut."""
        rule = self._rule_of(step)
        start, goal = self._place(rule.body[0].terms), self._place(rule.heads[0].terms)
        reached, waiting = {start}, [start]
        for place in waiting:
            for other, head in (place.exits or self._explored(place)).items():
                if head not in reached and other is not step:
                    if head is goal:
                        return True
                    reached.add(head)
                    if head.fact[1] != OWL_SAME_AS:  # `x owl:sameAs x` goes without saying: nothing follows from it
                        waiting.append(head)
        return start is goal

    def close(self, step: S) -> None:
        """Walk through a step no more."""
        for place in self._used.pop(step, ()):
            del place.exits[step]

    def _place(self, fact: Fact) -> _Place[S]:
        place = self._places.get(fact)
        if place is None:
            place = self._places[fact] = _Place(fact)
        return place

    def _explored(self, place: _Place[S]) -> dict[S, _Place[S]]:
        """The exits of a place, which are found the first time that a walk comes by."""
        if not place.is_explored:
            place.is_explored = True
            _, predicate, object_ = place.fact
            for step in chain(self._steps((predicate, object_)), self._steps((predicate, None))):
                head = _applied(self._rule_of(step), place.fact)
                if head is not None:
                    place.exits[step] = self._place(head)
                    self._used.setdefault(step, []).append(place)
        return place.exits


class _Place(Generic[S]):
    """A fact, and where each step leads from it."""

    __slots__ = ("exits", "fact", "is_explored")

    def __init__(self, fact: Fact) -> None:
        self.fact, self.is_explored = fact, False
        self.exits: dict[S, _Place[S]] = {}


def _applied(step: Rule, fact: Fact) -> Fact | None:
    """The head of a step where its body is `fact`, if it can be."""
    if step.body[0].terms == fact:  # both canonical, and about the same: most often so
        return step.heads[0].terms
    binding: dict[Term, Term] = {}
    for term, value in zip(step.body[0].terms, fact, strict=True):
        if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return tuple([binding.get(term, term) for term in step.heads[0].terms])
