"""Each operator's equation, along every axis of nested streams; bad wiring is refused; a failed commit is forgotten."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.circuit import zset
from kgreason.circuit.operators import (
    delay,
    differentiate,
    eliminate,
    hold,
    impulse,
    integrate,
    introduce,
    lift,
    lift2,
    plus,
)
from kgreason.circuit.stream import Circuit, Delay, Source, Stream, Time
from kgreason.circuit.zset import ZSet
from tests.circuit.streams import Row, Table, tables, values, values_of

SHAPE = (3, 3)
AXES = st.sampled_from((0, 1))
A, B, C, D = ({(n, n): 1} for n in range(4))
ABCD: Table[Row] = {(0,): A, (1,): B, (2,): C, (3,): D}


def nonzero(table: Table[Row]) -> dict[Time, ZSet[Row]]:
    return {time: value for time, value in table.items() if value}


def earlier(time: Time, axis: int) -> Time:
    return tuple(n - (place == axis) for place, n in enumerate(time))


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        (delay, [{}, A, B, C]),
        (integrate, [A, zset.plus(A, B), zset.plus(A, B, C), zset.plus(A, B, C, D)]),
        (
            differentiate,
            [A, zset.plus(B, zset.negative(A)), zset.plus(C, zset.negative(B)), zset.plus(D, zset.negative(C))],
        ),
    ],
)
def test_the_time_tables(operator: Callable[[Stream[Row], int], Stream[Row]], expected: list[ZSet[Row]]) -> None:
    found = values_of(lambda s: operator(s, 0), (4,), ABCD)
    assert found == {(n,): value for n, value in enumerate(expected) if value}


@given(tables(*SHAPE), AXES)
def test_delay_looks_one_time_back(s: Table[Row], axis: int) -> None:
    found = values_of(lambda s: delay(s, axis), SHAPE, s)
    assert found == {t: v for t in grid() if (v := s.get(earlier(t, axis)))}


@given(tables(*SHAPE), AXES)
def test_integral_and_derivative_are_inverse(s: Table[Row], axis: int) -> None:
    assert values_of(lambda s: differentiate(integrate(s, axis), axis), SHAPE, s) == nonzero(s)
    assert values_of(lambda s: integrate(differentiate(s, axis), axis), SHAPE, s) == nonzero(s)


@given(tables(*SHAPE), AXES)
def test_the_integral_is_the_sum_so_far(s: Table[Row], axis: int) -> None:
    found = values_of(lambda s: integrate(s, axis), SHAPE, s)
    for time in grid():
        past = [s.get((*time[:axis], n, *time[axis + 1 :]), {}) for n in range(time[axis] + 1)]
        assert found.get(time, {}) == zset.plus(*past)


@given(tables(*SHAPE))
def test_axes_commute(s: Table[Row]) -> None:
    assert values_of(lambda s: integrate(delay(s, 0), 1), SHAPE, s) == values_of(
        lambda s: delay(integrate(s, 1), 0), SHAPE, s
    )


@given(tables(*SHAPE), tables(*SHAPE))
def test_lifting_is_at_every_time(a: Table[Row], b: Table[Row]) -> None:
    assert values_of(lambda s: lift(zset.distinct, s), SHAPE, a) == nonzero({t: zset.distinct(a[t]) for t in a})
    both = {t: zset.plus(a.get(t, {}), b.get(t, {})) for t in grid()}
    assert values_of(plus, SHAPE, a, b) == values_of(lambda a, b: lift2(zset.plus, a, b), SHAPE, a, b) == nonzero(both)


@given(tables(3))
def test_into_a_nested_stream_and_out(s: Table[Row]) -> None:
    assert values_of(lambda s: inner_at_once(introduce(s)), (3,), s) == nonzero(s)
    nested = [{(*t, k): v for t, v in nonzero(s).items() for k in range(size)} for size in (1, 3)]
    for operator, expected in zip((introduce, hold), nested, strict=True):
        circuit = Circuit()
        stream = operator(Stream(circuit, 1, lambda time: s.get(time, {})))
        assert values(stream, *SHAPE) == expected
    assert values_of(lambda s: inner_at_once(differentiate(hold(s), 1)), (3,), s) == nonzero(s)


def inner_at_once(stream: Stream[Row]) -> Stream[Row]:
    """The inner integral of a stream with nothing fed back."""
    return eliminate(stream, Stream(stream.circuit, stream.axes, lambda _: {}))


def test_an_impulse_comes_once() -> None:
    assert values(impulse(Circuit(), A), 3) == {(0,): A}


def test_the_inner_integral_goes_on_past_silence_where_an_earlier_commit_went() -> None:
    """Levels 0 and 2 change in the second commit, nothing between them; the loop is silent at level 0 already."""
    circuit = Circuit()
    changes: Table[Row] = {(0, 0): A, (0, 1): B, (0, 2): C, (1, 0): A, (1, 2): D}
    loop: Table[Row] = {(0, 0): A, (0, 1): A}
    stream = Stream(circuit, 2, lambda time: changes.get(time, {}))
    total = eliminate(stream, Stream(circuit, 2, lambda time: loop.get(time, {})))
    assert values(total, 3) == {(0,): zset.plus(A, B, C), (1,): zset.plus(A, D)}


def test_a_fixpoint_may_be_deeper_than_the_stack() -> None:
    """Counting down from 5,000: each level feeds the next, and is evaluated once."""
    circuit = Circuit()
    depth = 5 * sys.getrecursionlimit()
    back: Delay[int] = Delay(circuit, 2, 1)
    loop = plus(introduce(impulse(circuit, {depth: 1})), back)
    smaller = lift(lambda z: zset.expand(z, lambda n: [n - 1] if n else []), loop)
    back.connect(smaller)
    assert len(circuit.run(eliminate(loop, smaller))) == depth + 1


def test_bad_wiring_is_refused() -> None:
    circuit, other = Circuit(), Circuit()
    one, nested, foreign = Source[Row](circuit), introduce(Source[Row](circuit)), Source[Row](other)
    with pytest.raises(ValueError, match="different numbers of axes"):
        plus(one, nested)
    with pytest.raises(ValueError, match="different numbers of axes"):
        lift2(zset.plus, nested, one)
    with pytest.raises(ValueError, match="another circuit"):
        plus(one, foreign)
    with pytest.raises(ValueError, match="only the axes 0 to 0"):
        delay(one, 1)
    back: Delay[Row] = Delay(circuit, 1, 0)
    with pytest.raises(ValueError, match="a delay has no input"):
        circuit.run(back)
    for wrong in (nested, foreign):
        with pytest.raises(ValueError, match="connect a delay only once"):
            back.connect(wrong)
    back.connect(one)
    with pytest.raises(ValueError, match="connect a delay only once"):
        back.connect(one)


def test_a_commit_that_fails_is_forgotten() -> None:
    circuit = Circuit()
    source: Source[Row] = Source(circuit)
    fails = [False]

    def touchy(zset: ZSet[Row]) -> ZSet[Row]:
        if fails.pop():
            raise KeyboardInterrupt
        return zset

    total = lift(touchy, integrate(source, 0))
    source.push(A)
    assert circuit.run(total) == A
    fails.append(True)
    source.push(B)
    with pytest.raises(KeyboardInterrupt):
        circuit.run(total)
    assert not circuit.wanted_next
    fails.append(False)
    source.push(C)
    assert circuit.run(total) == zset.plus(A, C)


def grid() -> list[Time]:
    return [(commit, level) for commit in range(SHAPE[0]) for level in range(SHAPE[1])]
