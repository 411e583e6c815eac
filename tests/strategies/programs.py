"""Programs, facts and histories of wide rules (`tests.histories`), from a random source that Hypothesis shrinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kgreason.rules.model import Atom, Rule, Term
from tests.histories.drawn import history
from tests.histories.history import History
from tests.histories.wide import CONSTANTS, KNOWN_SHAPES, PREDICATES, any_atom, any_rule, instance

_T = TypeVar("_T")


def _by(draw: Callable[[Random], _T]) -> SearchStrategy[_T]:
    return st.randoms(use_true_random=False).map(draw)


def random_rules() -> SearchStrategy[Rule]:
    """Any safe rule."""
    return _by(any_rule)


def rules() -> SearchStrategy[Rule]:
    """Safe rules: any, or one of the shapes that recurse together."""
    return random_rules() | st.sampled_from(KNOWN_SHAPES)


def programs(max_size: int = 6) -> SearchStrategy[list[Rule]]:
    """Programs of different rules."""
    return st.lists(rules(), max_size=max_size, unique=True)


def atoms(terms: Sequence[Term], predicates: Sequence[Term]) -> SearchStrategy[Atom]:
    """Atoms of every relation and triple patterns, over these terms."""
    return _by(lambda random: any_atom(random, terms, predicates))


def facts() -> SearchStrategy[Atom]:
    """Atoms without variables."""
    return atoms(CONSTANTS, PREDICATES)


def fact_sets(max_size: int = 12) -> SearchStrategy[set[Atom]]:
    """Small sets of facts."""
    return st.sets(facts(), max_size=max_size)


def instances(of: Sequence[Atom]) -> SearchStrategy[Atom]:
    """These atoms with constants for their variables."""
    return _by(lambda random: instance(random, random.choice(of), CONSTANTS))


def wide(source: Random | int, steps: int = 6) -> History:
    """A history of wide rules."""
    return history(source, "wide", steps=steps)


def histories(steps: int = 6) -> SearchStrategy[History]:
    """Histories of wide rules: those that shrink, and those of a seed, in which much happens."""
    return _by(lambda random: wide(random, steps)) | st.integers(0, 2**32 - 1).map(lambda seed: wide(seed, steps))
