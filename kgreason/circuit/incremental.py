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

Distinct is not linear. With A = I(a): D(distinct(A)) = H(z^-1(A), a), and H looks only at the rows of a. For each outer
axis, an integral goes before H and a derivative behind it.

Axes are given outermost first, and the outermost axis is integrated first. So a commit reads only changes (along the
inner axes) from the commit before. Such a change is zero where nothing was evaluated (`operators.eliminate`).
"""

from __future__ import annotations

from collections.abc import Callable

from kgreason.circuit import zset
from kgreason.circuit.operators import delay, differentiate, hold, integrate, lift2, plus
from kgreason.circuit.stream import Stream
from kgreason.circuit.zset import A, B, C, ZSet


def bilinear(
    function: Callable[[ZSet[A], ZSet[B]], ZSet[C]], left: Stream[A], right: Stream[B], *axes: int
) -> Stream[C]:
    """The incremental version of a lifted bilinear function along the axes.

    `right` may have fewer axes than `left`. It is then constant along the innermost axes of `left`. Along these axes
    the function is linear in `left`, and therefore its own incremental version.
    """
    if not axes:
        return lift2(function, left, _held(right, left.axes))
    axis, *inner = axes
    new_left = bilinear(function, left, integrate(right, axis), *inner)
    new_right = bilinear(function, delay(integrate(left, axis), axis), right, *inner)
    return plus(new_left, new_right)


def distinct(stream: Stream[A], *axes: int) -> Stream[A]:
    """The incremental version of distinct along the axes: from the changes of a Z-set to the changes of its distinct.

    It is `D'(H(z^-1(I(I'(s))), I'(s)))`. D' and I' work along the outer axes, I and z^-1 along the innermost one. H is
    `zset.distinct_change`.
    """
    *outer, innermost = axes
    for axis in outer:
        stream = integrate(stream, axis)
    change = lift2(zset.distinct_change, delay(integrate(stream, innermost), innermost), stream)
    for axis in reversed(outer):
        change = differentiate(change, axis)
    return change


def _held(stream: Stream[A], axes: int) -> Stream[A]:
    return stream if stream.axes == axes else _held(hold(stream), axes)
