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
from collections.abc import Iterable
from typing import TypeAlias

from kgreason.rules.model import FALSE, Atom, Rule, Variable
from kgreason.terms.vocabulary import RDF_TYPE

Fact: TypeAlias = tuple[str, ...]
Key: TypeAlias = tuple[str, str | None]


def reduce(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without those that chains of others replace; only rules over triples with one body atom go."""
    rules = tuple(rules)
    left: dict[Rule, None] = dict.fromkeys(rules)
    steps: dict[Key, list[Rule]] = defaultdict(list)
    for rule in filter(_is_step, rules):
        steps[_key(_frozen(rule.body[0]))].append(rule)
    for rule in reversed(rules):
        if _is_step(rule) and _is_shortcut(rule, steps):
            steps[_key(_frozen(rule.body[0]))].remove(rule)
            del left[rule]
    return tuple(left)


def _is_step(rule: Rule) -> bool:
    return len(rule.body) == 1 and rule.heads != (FALSE,)


def _is_shortcut(shortcut: Rule, steps: dict[Key, list[Rule]]) -> bool:
    """Whether the head of a rule follows from its body through other rules."""
    goal = _frozen(shortcut.heads[0])
    reached = {_frozen(shortcut.body[0]): None}
    waiting = list(reached)
    for fact in waiting:
        for rule in (*steps.get(_key(fact), ()), *steps.get((fact[1], None), ())):
            head = None if rule is shortcut else _applied(rule, fact)
            if head == goal:
                return True
            if head is not None and head not in reached:
                reached[head] = None
                waiting.append(head)
    return False
