"""The pass `reduce`: it removes rules that chains of other rules make superfluous.

After `covers`, a closed schema still has superfluous rules. Among equivalent classes every class is below every other
class, and rows of different axioms may lead to the same head. A superfluous rule derives no new facts, but each of its
derivations is work at every edit. So rules with one body atom and one head (*steps*) are reduced like the edges of a
graph: a step is removed if its head can be reached from its body through the remaining steps.

Invariant: removing the rules does not change the closure of any facts. Without cycles, the result does not depend on
the order of the rules. Among equivalent classes it does; there, rules are checked from the last to the first.
Cost: for each rule a walk over the facts that its body implies.
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
    """The rules without superfluous steps: rules with one head and one body atom that chains of others replace."""
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
    """Whether a rule is a step: it has one body atom and one head, and the head is not `false`."""
    return len(rule.body) == len(rule.heads) == 1 and rule.heads[0] is not FALSE and rule.heads[0] != FALSE


def key(atom: Atom) -> Key:
    """The key of an atom of a step: its predicate, and its object (None if the object is a variable)."""
    _, predicate, object_ = atom.terms
    return predicate, None if isinstance(object_, Variable) else object_


class Ways(Generic[S]):
    """A graph of facts: an edge leads from the body of a step to its head. Edges are found when a walk needs them.

    `steps(key)` returns the steps whose body has this key. Call `close` when such a step is removed. The walks treat
    the variables of a rule as constants.
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
        """Remove a step from the graph."""
        for place in self._used.pop(step, ()):
            del place.exits[step]

    def _place(self, fact: Fact) -> _Place[S]:
        place = self._places.get(fact)
        if place is None:
            place = self._places[fact] = _Place(fact)
        return place

    def _explored(self, place: _Place[S]) -> dict[S, _Place[S]]:
        """The edges that start at a place; they are found at the first visit."""
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
    """A node of the graph: a fact, and for each step from this fact the place that the step leads to."""

    __slots__ = ("exits", "fact", "is_explored")

    def __init__(self, fact: Fact) -> None:
        self.fact, self.is_explored = fact, False
        self.exits: dict[S, _Place[S]] = {}


def _applied(step: Rule, fact: Fact) -> Fact | None:
    """The head that a step derives from `fact`, or None if its body does not match the fact."""
    if step.body[0].terms == fact:  # the usual case: both are canonical
        return step.heads[0].terms
    binding: dict[Term, Term] = {}
    for term, value in zip(step.body[0].terms, fact, strict=True):
        if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return tuple([binding.get(term, term) for term in step.heads[0].terms])
