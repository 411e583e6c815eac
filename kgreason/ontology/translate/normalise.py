"""Two passes that leave the closure as it is: `normalise` each rule, then `deduplicate` them all.

Rows know one axiom each, so they repeat each other: owl:disjointWith read from both sides, an equivalence that
scm-eqc1 has also split into two subclass pairs, cls-int2 beside scm-int with cax-sco. What is one rule in canonical
form stays once, under the name and with the sources of the axiom that came first: one justification is what a proof
needs.

Cost: that of the canonical form, a few microseconds for most rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kgreason.rules.canonical import canonical
from kgreason.rules.model import Atom, Rule

Statement: TypeAlias = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""What a canonical rule says, whatever its name: its heads and its body."""


def normalise(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each rule in canonical form; a rule whose head is in its body says nothing and goes."""
    return tuple([canonical(rule) for rule in rules if not set(rule.body).issuperset(rule.heads)])


def deduplicate(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """One rule where several canonical rules differ in name, group and sources alone: the first."""
    found: dict[Statement, Rule] = {}
    for rule in rules:
        found.setdefault(statement(rule), rule)
    return tuple(found.values())


def statement(rule: Rule) -> Statement:
    """What a rule says: rules that say the same are one."""
    return rule.heads, rule.body
