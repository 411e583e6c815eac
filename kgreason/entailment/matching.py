"""Triple patterns matched over the rows of a graph: simple entailment, where blank nodes are variables.

A pattern is a triple of ids; a negative number is a variable. `solutions` gives every binding under which all patterns
are rows. It matches one pattern after the other. The next pattern is always the one that the fewest rows match.

Law: if the patterns have no variables and are rows, the only solution is the empty binding. Cost: one pass over the
rows for each pattern and for each binding of the patterns before it. So match patterns that share no variable
separately (`components`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from kgreason.zset.columns import Int32

Pattern: TypeAlias = tuple[int, int, int]
Key = TypeVar("Key")
Item = TypeVar("Item")


def solutions(rows: Int32, patterns: Sequence[Pattern]) -> Iterator[dict[int, int]]:
    """Yield every dict from variables to ids with which all patterns are among `rows`, int32[n, 3].

    A dict may be yielded several times.
    """
    if not patterns:
        yield {}
        return
    found = {pattern: _matching_rows(rows, pattern) for pattern in patterns}
    first = min(found, key=lambda pattern: len(found[pattern]))
    rest = [pattern for pattern in found if pattern != first]
    for row in found[first].tolist():
        binding = {term: value for term, value in zip(first, row, strict=True) if term < 0}
        for more in solutions(rows, [_substitute(pattern, binding) for pattern in rest]):
            yield binding | more


def _matching_rows(rows: Int32, pattern: Pattern) -> Int32:
    kept = np.ones(len(rows), dtype=np.bool_)
    for column, term in enumerate(pattern):
        first = pattern.index(term)
        if term >= 0:
            kept &= rows[:, column] == term
        elif first != column:
            kept &= rows[:, column] == rows[:, first]
    return rows[kept]


def _substitute(pattern: Pattern, binding: Mapping[int, int]) -> Pattern:
    subject, predicate, object_ = (binding.get(term, term) for term in pattern)
    return subject, predicate, object_


def components(items: Iterable[tuple[Item, Iterable[Key]]]) -> list[list[Item]]:
    """Divide items into groups, as few items together as possible. Items that share a key are in one group.

    `items` has pairs of an item and its keys.
    """
    groups: list[tuple[set[Key], list[Item]]] = []
    for item, keys in items:
        known, members = set(keys), [item]
        for group in [group for group in groups if group[0] & known]:
            groups.remove(group)
            known |= group[0]
            members = group[1] + members
        groups.append((known, members))
    return [members for _, members in groups]
