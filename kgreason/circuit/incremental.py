"""Incremental versions of operators: `Q^ = D . Q . I` along every axis, computed from changes alone.

For a bilinear operator x (join is one) and one axis, with A = I(a) and B = I(b):

    D(A x B) = a x B + z^-1(A) x b

                    a ------+---------------> (x) --> (+) --> D(A x B)
                            +-- I -- z^-1 -+   ^       ^
                                           |   |       |
                    b ------+---------- I -|---+       |
                            +------------ (x) ---------+

Applied along each of two axes, this gives the four joins of DBSP's nested streams:

    a x I(I'(b))  +  z^-1(I(a)) x I'(b)  +  z'^-1(I'(a)) x I(b)  +  z^-1(I(z'^-1(I'(a)))) x b

Distinct and group are not linear. With A = I(a): D(distinct(A)) = H(z^-1(A), a), and H looks only at the rows of a. For
each outer axis, an integral goes before H and a derivative behind it. The H of group looks only at the groups of the
rows of a.

Antijoin is made of the others, by the chain rule (P . Q)^ = P^ . Q^:

    (a antijoin b)^ = a - semijoin^(a, distinct^(keys of b))

A function of rows (`zset.expand`: a filter, an assignment) is linear. So it is lifted, and is its own incremental
version.

Axes are given outermost first, and the outermost axis is integrated first. So what a commit reads from the commit
before is a change along the inner axes. Such a change is zero at each inner time that was not evaluated
(`operators.eliminate`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from kgreason.circuit import zset
from kgreason.circuit.operators import delay, differentiate, hold, integrate, lift, lift2, plus
from kgreason.circuit.stream import Stream
from kgreason.circuit.zset import A, B, C, ZSet


def bilinear(
    function: Callable[[ZSet[A], ZSet[B]], ZSet[C]], left: Stream[A], right: Stream[B], *axes: int
) -> Stream[C]:
    """Return the incremental version of a lifted bilinear function along the axes.

    `right` may have fewer axes than `left`. Then `right` is constant along the innermost axes of `left`. Along these
    axes the function is linear in `left`, and therefore its own incremental version.
    """
    if not axes:
        return lift2(function, left, _hold_to(right, left.axes))
    axis, *inner = axes
    new_left = bilinear(function, left, integrate(right, axis), *inner)
    new_right = bilinear(function, delay(integrate(left, axis), axis), right, *inner)
    return plus(new_left, new_right)


def distinct(stream: Stream[A], *axes: int) -> Stream[A]:
    """Return the incremental version of distinct along the axes.

    A stream of the changes of a Z-set becomes a stream of the changes of the Z-set's distinct. H is
    `zset.distinct_change`.
    """
    return _version_by_changes(zset.distinct_change, stream, *axes)


def group(stream: Stream[A], key: Callable[[A], B], row_of: Callable[[B, ZSet[A]], C | None], *axes: int) -> Stream[C]:
    """Return the incremental version of `zset.group`. Only the groups in which rows change are evaluated.

    `key` returns the group of a row. `row_of` makes the new row of a group. H is `zset.group_change`.
    """
    return _version_by_changes(lambda before, change: zset.group_change(before, change, key, row_of), stream, *axes)


def antijoin(
    left: Stream[A],
    right: Stream[B],
    left_key: Callable[[A], Hashable],
    right_key: Callable[[B], Hashable],
    *axes: int,
) -> Stream[A]:
    """Return the incremental version of `zset.antijoin`. `right` may have fewer axes than `left`, as for `bilinear`."""
    keys = distinct(lift(lambda rows: zset.project(rows, right_key), right), *axes)
    met = bilinear(lambda rows, keys: zset.semijoin(rows, keys, left_key), left, keys, *axes)
    return plus(left, lift(zset.negative, met))


def _version_by_changes(change_of: Callable[[ZSet[A], ZSet[A]], ZSet[B]], stream: Stream[A], *axes: int) -> Stream[B]:
    """Return the incremental version of Q from H: `D'(H(z^-1(I(I'(s))), I'(s)))`, with `H(a, b) = Q(a + b) - Q(a)`.

    `change_of` is H. D' and I' work along the outer axes, I and z^-1 along the innermost one.
    """
    *outer, innermost = axes
    for axis in outer:
        stream = integrate(stream, axis)
    change = lift2(change_of, delay(integrate(stream, innermost), innermost), stream)
    for axis in reversed(outer):
        change = differentiate(change, axis)
    return change


def _hold_to(stream: Stream[A], axes: int) -> Stream[A]:
    return stream if stream.axes == axes else _hold_to(hold(stream), axes)
