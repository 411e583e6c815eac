"""Z-sets as dictionaries: rows with integer weights, none of them 0 (DBSP, section 2).

    a + b == b + a        a + (b + c) == (a + b) + c        a + {} == a        a + -a == {}
    distinct(distinct(a)) == distinct(a)                    distinct_change(a, b) == distinct(a + b) - distinct(a)
    expand and join are linear in each of their Z-sets:     join(a + b, c) == join(a, c) + join(b, c)
    antijoin is linear in its first Z-set alone:            antijoin(a, b) == a - semijoin(a, distinct(keys of b))
    group is not linear:                                    group_change(a, b) == group(a + b) - group(a)

A function of Z-sets never changes its arguments; it may return one of them. Rows are any hashable values. Cost: one
pass over the arguments; a join visits the pairs of rows with equal keys.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeAlias, TypeVar

A = TypeVar("A", bound=Hashable)
B = TypeVar("B", bound=Hashable)
C = TypeVar("C", bound=Hashable)
D = TypeVar("D", bound=Hashable)

ZSet: TypeAlias = Mapping[A, int]
"""Rows with their weights; every other row has weight 0."""


def plus(*zsets: ZSet[A]) -> ZSet[A]:
    """Add Z-sets: `(a + b)[x] = a[x] + b[x]`."""
    largest, *others = sorted(filter(None, zsets), key=len, reverse=True) or [{}]
    if not others:
        return largest
    return _sum(((row, weight) for zset in others for row, weight in zset.items()), dict(largest))


def negative(zset: ZSet[A]) -> ZSet[A]:
    """Negate all weights: `(-a)[x] = -a[x]`."""
    return {row: -weight for row, weight in zset.items()}


def distinct(zset: ZSet[A]) -> ZSet[A]:
    """Return the rows of positive weight, each with weight 1: `distinct(a)[x] = 1 if a[x] > 0 else 0`."""
    return {row: 1 for row, weight in zset.items() if weight > 0}


def distinct_change(before: ZSet[A], change: ZSet[A]) -> ZSet[A]:
    """Return how a change b of the Z-set a changes its distinct: `H(a, b) = distinct(a + b) - distinct(a)`, DBSP's H.

    Cost: one pass over the rows of the change.
    """
    signs = {row: _sign(before.get(row, 0) + weight) - _sign(before.get(row, 0)) for row, weight in change.items()}
    return {row: sign for row, sign in signs.items() if sign}


def expand(zset: ZSet[A], rows_of: Callable[[A], Iterable[B]]) -> ZSet[B]:
    """Replace each row by the rows that `rows_of` makes from it, each with the weight of the old row.

    `expand(a)[y] = sum of a[x] over the x that give y`.
    """
    return _sum((made, weight) for row, weight in zset.items() for made in rows_of(row))


def join(
    left: ZSet[A],
    right: ZSet[B],
    left_key: Callable[[A], Hashable],
    right_key: Callable[[B], Hashable],
    merge: Callable[[A, B], C | None],
) -> ZSet[C]:
    """Merge each pair of rows with equal keys. The merged row has the product of the two weights.

    `join(a, b)[z] = sum of a[x] * b[y] over the x and y of equal keys that merge into z`. A pair for which `merge`
    returns None is left out.
    """
    if not left or not right:
        return {}
    groups: dict[Hashable, list[tuple[A, int]]] = {}
    for row, weight in left.items():
        groups.setdefault(left_key(row), []).append((row, weight))
    return _sum(
        (merged, weight * other_weight)
        for other, other_weight in right.items()
        for row, weight in groups.get(right_key(other), ())
        if (merged := merge(row, other)) is not None
    )


def semijoin(left: ZSet[A], keys: ZSet[B], left_key: Callable[[A], B]) -> ZSet[A]:
    """Multiply the weight of each row by the weight of its key: `semijoin(a, k)[x] = a[x] * k[key of x]`. Bilinear."""
    return join(left, keys, left_key, itself, lambda row, _: row)


def antijoin(
    left: ZSet[A], right: ZSet[B], left_key: Callable[[A], Hashable], right_key: Callable[[B], Hashable]
) -> ZSet[A]:
    """Return the rows of `left` with a key that no row of `right` has. The weights of these rows stay as they are.

    Rows of `right` count only if their weight is positive. Antijoin is linear in `left`. It is not linear in `right`,
    because of distinct: `antijoin(a, b) = a - semijoin(a, distinct(keys of b))`.
    """
    keys = distinct(project(right, right_key))
    return plus(left, negative(semijoin(left, keys, left_key)))


def project(zset: ZSet[A], row_of: Callable[[A], B]) -> ZSet[B]:
    """Replace each row x by `row_of(x)`. The weights of rows that become equal are added. Linear."""
    return expand(zset, lambda row: (row_of(row),))


def group(zset: ZSet[A], key: Callable[[A], B], row_of: Callable[[B, ZSet[A]], C | None]) -> ZSet[C]:
    """Return one row of weight 1 for each group. `row_of` makes the row from the key and from the rows with this key.

    `group(a)[y] = the number of keys k with row_of(k, {x: a[x] for the x of key k}) = y`. A group for which `row_of`
    returns None has no row. Not linear: if rows are added to a group, a new row replaces the old row of the group.
    """
    groups: dict[B, dict[A, int]] = {}
    for row, weight in zset.items():
        groups.setdefault(key(row), {})[row] = weight
    made = (row_of(each, rows) for each, rows in groups.items())
    return _sum((row, 1) for row in made if row is not None)


def group_change(
    before: ZSet[A], change: ZSet[A], key: Callable[[A], B], row_of: Callable[[B, ZSet[A]], C | None]
) -> ZSet[C]:
    """Return how a change b of the Z-set a changes its groups: `group(a + b) - group(a)`.

    Only the groups of the rows of b are evaluated. Cost: one pass over a and b.
    """
    touched = {key(row) for row in change}
    old = {row: weight for row, weight in before.items() if key(row) in touched}
    return plus(group(plus(old, change), key, row_of), negative(group(old, key, row_of)))


def itself(row: A) -> A:
    """Return the row itself: the key function for rows that are their own keys."""
    return row


def _sign(weight: int) -> int:
    return 1 if weight > 0 else 0


def _sum(pairs: Iterable[tuple[A, int]], start: dict[A, int] | None = None) -> dict[A, int]:
    """Add the weight of each pair (row, weight) to `start`, and return `start`. Rows of weight 0 are removed.

    If `start` is None, a new dictionary takes its place.
    """
    sums = {} if start is None else start
    for row, weight in pairs:
        total = sums.get(row, 0) + weight
        if total:
            sums[row] = total
        else:
            del sums[row]
    return sums
