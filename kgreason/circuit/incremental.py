"""Incremental versions: `Q^ = D . Q . I` along every axis, worked out so that changes come in and changes go out.

For a bilinear operator x (join is one) and one axis, with A = I(a) and B = I(b):

    D(A x B) = a x B + z^-1(A) x b

                    a ------+---------------> (x) --> (+) --> D(A x B)
                            +-- I -- z^-1 -+   ^       ^
                                           |   |       |
                    b ------+---------- I -|---+       |
                            +------------ (x) ---------+

Applied once for every axis this gives the four joins of DBSP's nested streams:

    a x I(I'(b))  +  z^-1(I(a)) x I'(b)  +  z'^-1(I'(a)) x I(b)  +  z^-1(I(z'^-1(I'(a)))) x b

For distinct, which is not linear, with A = I(a): D(distinct(A)) = H(z^-1(A), a), where H looks at the rows of a alone;
along further, outer axes their integral goes before it and their derivative behind.

Axes are given outermost first, and the outermost is integrated first: so what a commit reads of the commit before are
changes along the inner axes, which are zero where nothing was evaluated (`operators.eliminate`).
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
    """The incremental version, along the axes, of a bilinear function lifted.

    `right` may be nested less deep than `left`: it is then the same at every time of the innermost axes, and being
    linear in `left` alone the function is its own incremental version along them.
    """
    if not axes:
        return lift2(function, left, _held(right, left.axes))
    axis, *inner = axes
    new_left = bilinear(function, left, integrate(right, axis), *inner)
    new_right = bilinear(function, delay(integrate(left, axis), axis), right, *inner)
    return plus(new_left, new_right)


def distinct(stream: Stream[A], *axes: int) -> Stream[A]:
    """The incremental version of distinct along the axes: `D'(H(z^-1(I(I'(s))), I'(s)))`, ' being the outer axes."""
    *outer, innermost = axes
    for axis in outer:
        stream = integrate(stream, axis)
    change = lift2(zset.distinct_change, delay(integrate(stream, innermost), innermost), stream)
    for axis in reversed(outer):
        change = differentiate(change, axis)
    return change


def _held(stream: Stream[A], axes: int) -> Stream[A]:
    return stream if stream.axes == axes else _held(hold(stream), axes)
