"""Triple patterns over rows, beside trying every binding; and which items hang together."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.entailment.matching import Pattern, components, solutions

IDS = st.integers(1, 3)
ROWS = st.lists(st.tuples(IDS, IDS, IDS), max_size=6, unique=True)
TERMS = st.integers(-3, 3).filter(bool)
PATTERNS = st.lists(st.tuples(TERMS, TERMS, TERMS), max_size=3)


def by_definition(rows: list[Pattern], patterns: list[Pattern]) -> set[tuple[tuple[int, int], ...]]:
    """The bindings, by definition."""
    variables = sorted({term for pattern in patterns for term in pattern if term < 0})
    found = set()
    for values in product(range(1, 4), repeat=len(variables)):
        binding = dict(zip(variables, values, strict=True))
        if all(tuple(binding.get(term, term) for term in pattern) in rows for pattern in patterns):
            found.add(tuple(sorted(binding.items())))
    return found


@given(ROWS, PATTERNS)
def test_solutions_are_those_of_the_definition(rows: list[Pattern], patterns: list[Pattern]) -> None:
    table = np.array(rows, dtype=np.int32).reshape(-1, 3)
    assert {tuple(sorted(each.items())) for each in solutions(table, patterns)} == by_definition(rows, patterns)


@given(ROWS)
def test_a_graph_matches_itself(rows: list[Pattern]) -> None:
    assert {} in list(solutions(np.array(rows, dtype=np.int32).reshape(-1, 3), rows))


@given(st.lists(st.sets(st.integers(0, 8), max_size=3), max_size=8))
def test_components_share_no_key_and_hang_together(keys: list[set[int]]) -> None:
    groups = components(enumerate(keys))
    assert sorted(item for group in groups for item in group) == list(range(len(keys)))
    unions = [set().union(*(keys[item] for item in group)) for group in groups]
    assert all(one.isdisjoint(other) for one, other in product(unions, repeat=2) if one is not other)
    for group in groups:
        reached = {group[0]}
        while more := {item for item in group if any(keys[item] & keys[one] for one in reached)} - reached:
            reached |= more
        assert reached == set(group)
