"""Two passes that leave the closure as it is: `normalise` each rule, then `deduplicate` them all.

Each row knows one axiom, so rows repeat each other. Examples: owl:disjointWith is read from both sides; scm-eqc1 has
also split an equivalence into two subclass pairs; cls-int2 says the same as scm-int with cax-sco. Rules with the same
canonical form are kept once, with the name and the sources of the axiom that came first, as a proof needs only one
justification.

Cost: that of the canonical form, a few microseconds for most rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from kgreason.rules.canonical import canonical
from kgreason.rules.model import Atom, Rule

Statement: TypeAlias = tuple[tuple[Atom, ...], tuple[Atom, ...]]
"""The heads and the body of a canonical rule: what it says, without its name."""


def normalise(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Each rule in canonical form, without rules whose heads are in their body, as these derive nothing."""
    return tuple([canonical(rule) for rule in rules if not set(rule.body).issuperset(rule.heads)])


def deduplicate(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules, where only the first is kept of several that differ just in name, group and sources."""
    found: dict[Statement, Rule] = {}
    for rule in rules:
        found.setdefault(statement(rule), rule)
    return tuple(found.values())


def statement(rule: Rule) -> Statement:
    """What a canonical rule says: equal for rules that differ only in name, group and sources."""
    return rule.heads, rule.body
