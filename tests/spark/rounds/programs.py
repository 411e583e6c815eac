"""Random positive programs with their facts."""

from __future__ import annotations

from kgreason.rules.model import Atom, Rule
from tests.strategies.programs import wide


def random_program(seed: int) -> tuple[list[Rule], list[Atom]]:
    """Rules and facts. A seed always gives the same."""
    first = wide(seed)[0]
    rules = [rule for rule, sign in first.rules.items() if sign > 0]
    return rules, [fact for fact, sign in first.facts.items() if sign > 0]
