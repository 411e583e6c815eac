"""The pass `reduce`: removes rules that chains of other rules make superfluous.

After `covers`, a closed schema still says things twice. Among equivalent classes every class is below every other, and
rows of different axioms may lead to the same head. A superfluous rule derives only what other rules derive, once more,
and each derivation is work at every edit. So rules with one body atom are reduced like the edges of a graph: a rule
goes if its head is reached from its body through the remaining rules.

Invariant: the closure of any facts stays the same with each rule that goes. Without cycles, the result does not depend
on the order of the rules. Among equivalent classes it does; rules are judged from the last to the first.
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
    """The rules without those that chains of others replace; only rules with one head and one body atom are removed."""
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
    """The facts that an atom of a step is about: their predicate, and their object if the atom names one."""
    _, predicate, object_ = atom.terms
    return predicate, None if isinstance(object_, Variable) else object_


class Ways(Generic[S]):
    """The ways along which steps lead from fact to fact; each fact is explored once.

    `steps` returns the steps whose body has a key. Call `close` when such a step is removed. The walks treat the
    variables of a rule as constants.
    """

    def __init__(self, steps: Callable[[Key], Iterable[S]], rule_of: Callable[[S], Rule]) -> None:
        self._steps, self._rule_of = steps, rule_of
        self._places: dict[Fact, _Place[S]] = {}
        self._used: dict[S, list[_Place[S]]] = {}

    def has_detour(self, step: S) -> bool:
        """Whether a step is a shortcut: its head follows from its body through other steps."""
        rule = self._rule_of(step)
        start, goal = self._place(rule.body[0].terms), self._place(rule.heads[0].terms)
        reached, waiting = {start}, [start]
        for place in waiting:
            for other, head in (place.exits or self._explored(place)).items():
                if head not in reached and other is not step:
                    if head is goal:
                        return True
                    reached.add(head)
                    if head.fact[1] != OWL_SAME_AS:  # a derived `x owl:sameAs x` is not stored: nothing follows
                        waiting.append(head)
        return start is goal

    def close(self, step: S) -> None:
        """Stop walking through a step."""
        for place in self._used.pop(step, ()):
            del place.exits[step]

    def _place(self, fact: Fact) -> _Place[S]:
        place = self._places.get(fact)
        if place is None:
            place = self._places[fact] = _Place(fact)
        return place

    def _explored(self, place: _Place[S]) -> dict[S, _Place[S]]:
        """The exits of a place, found when a walk first comes by."""
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
    """A fact, and the fact that each step leads to from it."""

    __slots__ = ("exits", "fact", "is_explored")

    def __init__(self, fact: Fact) -> None:
        self.fact, self.is_explored = fact, False
        self.exits: dict[S, _Place[S]] = {}


def _applied(step: Rule, fact: Fact) -> Fact | None:
    """The head of a step when its body is `fact`; None if the body cannot be."""
    if step.body[0].terms == fact:  # the usual case: both are canonical
        return step.heads[0].terms
    binding: dict[Term, Term] = {}
    for term, value in zip(step.body[0].terms, fact, strict=True):
        if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return tuple([binding.get(term, term) for term in step.heads[0].terms])
