"""The pass `reduce`: rules that chains of other rules make superfluous go.

A closed schema says every step and every shortcut: A below B, B below C, A below C; a domain, and all classes above it.
The shortcuts were needed to find all axioms. As rules they derive nothing that the steps do not, only once more: every
instance of A would be in C by two derivations, and by ten at a depth of five. So rules with one body atom are reduced
as the edges of a graph are: a rule goes if its head is reached from its body through the rules that are left.

Invariant: the closure of any facts stays the same, rule by rule as they go. Without cycles the result does not depend
on the order; among equivalent classes it does, and the rules are taken in the order given, from the back.
Cost: for each rule a walk over what its body implies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TypeAlias

from kgreason.rules.model import FALSE, Atom, Rule, Term, Variable

Fact: TypeAlias = tuple[Term, ...]
Key: TypeAlias = tuple[Term, Term | None]


def reduce(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without those that chains of others replace; only rules of one head and one body atom go."""
    rules = tuple(rules)
    steps: dict[Key, dict[Rule, None]] = defaultdict(dict)
    for rule in filter(is_step, rules):
        steps[key(rule.body[0])][rule] = None
    left = dict.fromkeys(rules)
    for rule in filter(is_step, reversed(rules)):
        if is_shortcut(rule, lambda found: steps.get(found, ())):
            del steps[key(rule.body[0])][rule], left[rule]
    return tuple(left)


def is_step(rule: Rule) -> bool:
    """Whether a rule has one head and one body atom, so that it may be a shortcut or a part of a chain."""
    return len(rule.body) == len(rule.heads) == 1 and rule.heads != (FALSE,)


def key(atom: Atom) -> Key:
    """What facts an atom of a step is about: the predicate, and the object if it names one."""
    _, predicate, object_ = atom.terms
    return predicate, None if isinstance(object_, Variable) else object_


def is_shortcut(rule: Rule, steps: Callable[[Key], Iterable[Rule]]) -> bool:
    """Whether the head of a rule follows from its body through other rules: `steps` are those whose body has a key.

    The walk takes the variables of the rule for things like any other.
    """
    start, goal = rule.body[0].terms, rule.heads[0].terms
    reached, waiting = {start}, [start]
    for fact in waiting:
        _, predicate, object_ = fact
        for step in chain(steps((predicate, object_)), steps((predicate, None))):
            head = None if step is rule else _applied(step, fact)
            if head == goal:
                return True
            if head is not None and head not in reached:
                reached.add(head)
                waiting.append(head)
    return False


def _applied(step: Rule, fact: Fact) -> Fact | None:
    """The head of a step where its body is `fact`, if it can be."""
    if step.body[0].terms == fact:  # both canonical, and about the same: most often so
        return step.heads[0].terms
    binding: dict[Term, Term] = {}
    for term, value in zip(step.body[0].terms, fact, strict=True):
        if (binding.setdefault(term, value) if isinstance(term, Variable) else term) != value:
            return None
    return tuple([binding.get(term, term) for term in step.heads[0].terms])
