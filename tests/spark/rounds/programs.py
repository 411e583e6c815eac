"""Positive programs with their facts: random ones, and written ones."""

from __future__ import annotations

from kgreason.rules.model import Atom, Rule
from kgreason.rules.parser import parse
from tests.strategies.programs import wide


def random_program(seed: int) -> tuple[list[Rule], list[Atom]]:
    """Rules and facts. A seed always gives the same."""
    first = wide(seed)[0]
    rules = [rule for rule, sign in first.rules.items() if sign > 0]
    return rules, [fact for fact, sign in first.facts.items() if sign > 0]


def written_program(text: str) -> tuple[list[Rule], list[Atom]]:
    """Rules and facts of a text."""
    rules = parse(text).rules
    return [rule for rule in rules if rule.body], [rule.heads[0] for rule in rules if not rule.body]
