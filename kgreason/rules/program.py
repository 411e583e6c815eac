"""`Program`: the rules of a text in their order, with the prefixes of the text.

Invariant: every rule has a name, so that messages can name the rule. A rule without a name is called `rule-N`, where N
is its position, counted from 1. So parsing the same text again gives the same names. Names need not be unique: all
rules that are translated from one W3C rule have the name of this W3C rule.

`select` returns a program with the rules of some groups. It does not check whether these rules need rules of other
groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgreason.errors import RuleError
from kgreason.rules.model import Rule, place_of

Finder = Callable[[str], Path | None]
"""From the IRI of a document, such as `<http://e/a>`, to the file that a catalogue has for it."""

MOST_ATOMS = 256
"""The largest number of atoms in the body or in the head of a user's rule. (Planning such a rule takes 0.5 s.)"""
MOST_EXPRESSIONS = 100
"""The largest number of FILTERs and BINDs side by side in a user's rule.

Each is asked for by a rule that has those before it in its body. So the time to plan all grows with the cube of their
number: 50 take a second, and 300 would take minutes and gigabytes.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """The rules of a text, and its prefixes: a dict from prefix to namespace, an IRI without angle brackets."""

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
        """The names of the groups, in the order of their first rules."""
        return tuple(dict.fromkeys(rule.group for rule in self.rules))

    def select(self, *groups: str) -> Program:
        """Return a program with only the rules of the given groups, in the same order.

        Raises RuleError for an unknown group.
        """
        if unknown := [group for group in groups if group not in self.groups]:
            raise RuleError(f"unknown rule group {unknown[0]!r}; the groups are: {', '.join(self.groups)}")
        return Program(tuple(rule for rule in self.rules if rule.group in groups), self.prefixes)


def default_name(number: int) -> str:
    """Return the name of an unnamed rule; `number` is its position in the program, from 1."""
    return f"rule-{number}"


def check_sizes(rules: Iterable[Rule]) -> None:
    """Raise RuleError for a rule with too many atoms in its body or head, or too many expressions side by side."""
    for rule in rules:
        inner = [each.computed for each in rule.aggregates] + [each.computed for each in rule.negated]
        if (most := max(map(len, (rule.computed, *inner)))) > MOST_EXPRESSIONS:
            raise RuleError(
                f"{place_of(rule)}: it has {most:,} FILTERs and BINDs side by side, but at most {MOST_EXPRESSIONS} are "
                "allowed; split it into several rules"
            )
        for part, atoms in (("body", tuple(rule.atoms_read())), ("head", rule.heads)):
            if len(atoms) > MOST_ATOMS:
                raise RuleError(
                    f"{place_of(rule)}: its {part} has {len(atoms):,} atoms, but at most {MOST_ATOMS} are allowed; "
                    "split it into several rules"
                )
