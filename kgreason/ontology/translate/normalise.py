"""Two passes that do not change the closure: `normalise` each rule, then `deduplicate` the rules.

A row sees only one axiom, so several rows may give the same rule. Examples: owl:disjointWith is read from both sides;
scm-eqc1 turns an equivalence into two subclass pairs; cls-int2 gives the same rules as scm-int with cax-sco. Of rules
with the same canonical form only the first is kept, with its name and sources, because a proof needs only one
justification.

Cost: the canonical form takes a few microseconds for most rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kgreason.rules.canonical import canonical
from kgreason.rules.model import Atom, Rule

Statement: TypeAlias = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""The heads and the body of a canonical rule: what it says, without its name."""


def normalise(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each rule in canonical form. A rule whose heads are all in its body derives nothing new and is left out."""
    return tuple([canonical(rule) for rule in rules if not set(rule.body).issuperset(rule.heads)])


def deduplicate(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules without duplicates. Of rules that differ only in name, group and sources, the first is kept."""
    found: dict[Statement, Rule] = {}
    for rule in rules:
        found.setdefault(statement(rule), rule)
    return tuple(found.values())


def statement(rule: Rule) -> Statement:
    """The heads and the body of a canonical rule; they are equal for rules that say the same."""
    return rule.heads, rule.body
