"""The operators of DBSP: lifting, delay, integration, differentiation, and the way into and out of a nested stream.

    lift           (^Q s)[t] = Q(s[t])
    delay          z^-1(s)[t] = s[t - 1], z^-1(s)[0] = 0
    integrate      I(s) = s + z^-1(I(s))              I(s)[t] = s[0] + ... + s[t]
    differentiate  D(s) = s - z^-1(s)                 D(I(s)) = s = I(D(s))
    introduce      delta_0(s)[t, 0] = s[t]            zero from inner time 1 on
    hold           I(delta_0(s))[t, k] = s[t]         at every inner time k
    eliminate      (the inner integral of s)[t] = s[t, 0] + s[t, 1] + ...

    time               0      1      2      3
    s                  a      b      c      d
    integrate(s)       a    a+b  a+b+c  a+b+c+d
    differentiate(s)   a    b-a    c-b    d-c

An operator that works along one axis of a nested stream takes the axis as an argument. A lifted linear function and a
delay commute with integration along every axis. So each of the two is its own incremental version. For join and
distinct see `incremental`.
"""

from __future__ import annotations

from collections.abc import Callable

from kgreason.circuit import zset
from kgreason.circuit.stream import Circuit, Delay, Stream, Time
from kgreason.circuit.zset import A, B, C, D, ZSet


def impulse(circuit: Circuit, value: ZSet[A]) -> Stream[A]:
    """Return `delta_0(value)`: a stream of commits that is `value` at the next commit and zero at every later commit.

    The next commit is commit 0, unless a part of the circuit is wired after some commits.
    """
    start = circuit.now
    return Stream(circuit, 1, lambda time: value if time[0] == start else {})


def lift(function: Callable[[ZSet[A]], ZSet[B]], stream: Stream[A]) -> Stream[B]:
    """Apply a function to the value of a stream at every time: `(^Q s)[t] = Q(s[t])`."""
    return Stream(stream.circuit, stream.axes, lambda time: function(stream[time]), (stream,))


def lift2(function: Callable[[ZSet[A], ZSet[B]], ZSet[C]], left: Stream[A], right: Stream[B]) -> Stream[C]:
    """Apply a function to the values of two streams at every time: `(a ^Q b)[t] = Q(a[t], b[t])`.

    Raises ValueError unless both streams have the same number of axes.
    """
    _check_depths(left.axes, right.axes)
    return Stream(left.circuit, left.axes, lambda time: function(left[time], right[time]), (left, right))


def lift3(
    function: Callable[[ZSet[A], ZSet[B], ZSet[C]], ZSet[D]], first: Stream[A], second: Stream[B], third: Stream[C]
) -> Stream[D]:
    """As `lift2`, for a function of three Z-sets."""
    _check_depths(first.axes, second.axes, third.axes)
    inputs = (first, second, third)
    return Stream(first.circuit, first.axes, lambda time: function(first[time], second[time], third[time]), inputs)


def plus(*streams: Stream[A]) -> Stream[A]:
    """Add streams time by time: `(a + b)[t] = a[t] + b[t]`.

    Raises ValueError unless all have the same number of axes.
    """
    _check_depths(*(stream.axes for stream in streams))
    first = streams[0]
    return Stream(first.circuit, first.axes, lambda time: zset.plus(*(each[time] for each in streams)), streams)


def delay(stream: Stream[A], axis: int) -> Stream[A]:
    """Delay a stream by one time along an axis: `z^-1(s)[t] = s[t - 1]`, and zero at time 0."""
    delayed: Delay[A] = Delay(stream.circuit, stream.axes, axis)
    delayed.connect(stream)
    return delayed


def integrate(stream: Stream[A], axis: int) -> Stream[A]:
    """Return the sum of all values so far: `I(s) = s + z^-1(I(s))`.

    s ---> (+) ---+---> I(s)
            ^     |
            +-z^-1+
    """
    before: Delay[A] = Delay(stream.circuit, stream.axes, axis)
    total = plus(stream, before)
    before.connect(total)
    return total


def differentiate(stream: Stream[A], axis: int) -> Stream[A]:
    """Return the change from the previous time to each time: `D(s) = s - z^-1(s)`."""
    return plus(stream, lift(zset.negative, delay(stream, axis)))


def introduce(stream: Stream[A]) -> Stream[A]:
    """Lead a stream into a nested stream: `delta_0(s)[t, 0] = s[t]`, and zero at every later inner time."""

    def value(time: Time) -> ZSet[A]:
        return {} if time[-1] else stream[time[:-1]]

    return Stream(stream.circuit, stream.axes + 1, value, (stream,))


def hold(stream: Stream[A]) -> Stream[A]:
    """Lead a stream into a nested stream, with the same value at every inner time: `I(delta_0(s))[t, k] = s[t]`."""
    return Stream(stream.circuit, stream.axes + 1, lambda time: stream[time[:-1]], (stream,))


def eliminate(stream: Stream[A], loop: Stream[B]) -> Stream[A]:
    """Return the sum of a nested stream over the inner times of a fixpoint: `s[t, 0] + s[t, 1] + ...`.

    `loop` is the change that the fixpoint feeds back. The sum ends at an inner time where `loop` is zero, but not
    before the last inner time that an earlier commit reached: a commit may change levels 0 and 5 and no level between.
    At all later inner times the changes are zero, so they are not evaluated. When a later commit asks `Stream` for a
    value that was not evaluated, it gets zero.
    """
    deepest = 0

    def value(time: Time) -> ZSet[A]:
        nonlocal deepest
        values: list[ZSet[A]] = []
        is_silent = False
        while len(values) <= deepest or not is_silent:
            inner = len(values)
            if inner > deepest:
                _catch_up(loop, time, inner)
            values.append(stream[(*time, inner)])
            is_silent = not loop[(*time, inner)]
        deepest = max(deepest, len(values) - 1)
        return zset.plus(*values)

    return Stream(stream.circuit, stream.axes - 1, value, (stream, loop))


def _catch_up(loop: Stream[A], time: Time, inner: int) -> None:
    """Evaluate `loop` at the inner time `inner` in all levels before the level of `time`, within the same commit.

    So an integral over the levels recurses by one level only.
    """
    for level in range(time[1] if len(time) > 1 else 0):
        loop[(time[0], level, inner)]


def _check_depths(*axes: int) -> None:
    if len(set(axes)) > 1:
        raise ValueError(f"circuit: cannot combine streams with different numbers of axes: {axes}")
