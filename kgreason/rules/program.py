"""`Program`: rules in the order of their text, with the prefixes it declared.

Invariant: every rule has a name. One that was given none is called `rule-N` after its position, counted from 1, so
that messages can always name a rule and a text that is parsed again yields the same names. Names need not be unique:
translated axioms share the name of the W3C rule they stand for.

A program is closed over nothing: `select` takes some of its groups, and what they leave out is the caller's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from kgreason.errors import RuleError
from kgreason.rules.model import Rule

MOST_ATOMS = 256
"""Atoms that the body of a user's rule may have, and its head: plans take the square of them, 0.5 s for this many."""


@dataclass(frozen=True, slots=True)
class Program:
    """Rules, and prefix -> namespace (IRI text without angle brackets)."""

    rules: tuple[Rule, ...]
    prefixes: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not all(rule.name for rule in self.rules):
            named = (
                rule if rule.name else replace(rule, name=default_name(number))
                for number, rule in enumerate(self.rules, 1)
            )
            object.__setattr__(self, "rules", tuple(named))

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that occur, in the order of their first rules."""
        return tuple(dict.fromkeys(rule.group for rule in self.rules))

    def select(self, *groups: str) -> Program:
        """The rules of these groups, in their order and under their names; raises `RuleError` on an unknown group."""
        if unknown := [group for group in groups if group not in self.groups]:
            raise RuleError(f"no rule group {unknown[0]!r}; there are: {', '.join(self.groups)}")
        return Program(tuple(rule for rule in self.rules if rule.group in groups), self.prefixes)


def default_name(number: int) -> str:
    """The name of rule `number` (from 1) of a program when it was given none."""
    return f"rule-{number}"


def check_sizes(rules: Iterable[Rule]) -> None:
    """Raises RuleError for a rule of more than `MOST_ATOMS` atoms."""
    for rule in rules:
        for part, atoms in (("body", rule.body), ("head", rule.heads)):
            if len(atoms) > MOST_ATOMS:
                raise RuleError(
                    f"rule {rule.name}: its {part} has {len(atoms):,} atoms, and at most {MOST_ATOMS} are taken; "
                    "split it into several rules"
                )
