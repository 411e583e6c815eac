"""Incremental operators are D . Q . I along every axis, and a fixpoint of them is the fixpoint at every commit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.circuit import incremental, zset
from kgreason.circuit.operators import (
    differentiate,
    eliminate,
    hold,
    integrate,
    introduce,
    lift,
    lift2,
    plus,
)
from kgreason.circuit.stream import Circuit, Delay, Source, Stream
from kgreason.circuit.zset import ZSet
from tests.circuit.streams import Row, Table, tables, values, values_of
from tests.circuit.test_zset import VALUES, Value, composed, first, less, row_of, second, spread
from tests.volume import many

AXES = [(0,), (1,), (0, 1)]
SHAPE = (3, 3)

Operator = Callable[[Stream[Row], int], Stream[Row]]


def along(operator: Operator, stream: Stream[Row], axes: tuple[int, ...]) -> Stream[Row]:
    for axis in axes:
        stream = operator(stream, axis)
    return stream


@pytest.mark.parametrize("axes", AXES)
@given(a=tables(*SHAPE), b=tables(*SHAPE))
def test_incremental_join(axes: tuple[int, ...], a: Table[Row], b: Table[Row]) -> None:
    def definition(a: Stream[Row], b: Stream[Row]) -> Stream[Row]:
        return along(differentiate, lift2(composed, along(integrate, a, axes), along(integrate, b, axes)), axes)

    found = values_of(lambda a, b: incremental.bilinear(composed, a, b, *axes), SHAPE, a, b)
    assert found == values_of(definition, SHAPE, a, b)


@given(a=tables(*SHAPE), b=tables(3))
def test_a_stream_that_is_nested_less_deep_is_held(a: Table[Row], b: Table[Row]) -> None:
    def joined(is_held: bool) -> object:
        circuit = Circuit()
        left = Stream(circuit, 2, lambda time: a.get(time, {}))
        right = Stream(circuit, 1, lambda time: b.get(time, {}))
        return values(incremental.bilinear(composed, left, hold(right) if is_held else right, 0), *SHAPE)

    assert joined(True) == joined(False)


@pytest.mark.parametrize("axes", AXES)
@given(s=tables(*SHAPE))
def test_incremental_distinct(axes: tuple[int, ...], s: Table[Row]) -> None:
    def definition(s: Stream[Row]) -> Stream[Row]:
        return along(differentiate, lift(zset.distinct, along(integrate, s, axes)), axes)

    assert values_of(lambda s: incremental.distinct(s, *axes), SHAPE, s) == values_of(definition, SHAPE, s)


@pytest.mark.parametrize("axes", AXES)
@given(a=tables(*SHAPE), b=tables(*SHAPE))
def test_incremental_antijoin(axes: tuple[int, ...], a: Table[Row], b: Table[Row]) -> None:
    def definition(a: Stream[Row], b: Stream[Row]) -> Stream[Row]:
        return along(differentiate, lift2(less, along(integrate, a, axes), along(integrate, b, axes)), axes)

    found = values_of(lambda a, b: incremental.antijoin(a, b, second, first, *axes), SHAPE, a, b)
    assert found == values_of(definition, SHAPE, a, b)


@given(a=tables(*SHAPE), b=tables(3))
def test_antijoin_with_what_is_nested_less_deep(a: Table[Row], b: Table[Row]) -> None:
    """As NOT: walks have levels, and what they must not meet has none. The antijoin is linear along the levels."""

    def found(is_nested: bool) -> object:
        circuit = Circuit()
        left = Stream(circuit, 2, lambda time: a.get(time, {}))
        right = Stream(circuit, 1, lambda time: b.get(time, {}))
        if not is_nested:
            return values(incremental.antijoin(left, right, second, first, 0), *SHAPE)
        whole = lift2(less, along(integrate, left, (0, 1)), along(integrate, introduce(right), (0, 1)))
        return values(along(differentiate, whole, (0, 1)), *SHAPE)

    assert found(True) == found(False)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("value", VALUES)
@settings(max_examples=many(5))
@given(s=tables(*SHAPE))
def test_incremental_group(value: Value, axes: tuple[int, ...], s: Table[Row]) -> None:
    def definition(s: Stream[Row]) -> Stream[Row]:
        whole = along(integrate, s, axes)
        return along(differentiate, lift(lambda rows: zset.group(rows, first, row_of(value)), whole), axes)

    found = values_of(lambda s: incremental.group(s, first, row_of(value), *axes), SHAPE, s)
    assert found == values_of(definition, SHAPE, s)


@pytest.mark.parametrize("axes", AXES)
@given(s=tables(*SHAPE))
def test_a_function_of_rows_is_its_own_incremental_version(axes: tuple[int, ...], s: Table[Row]) -> None:
    def definition(s: Stream[Row]) -> Stream[Row]:
        return along(differentiate, lift(expansion, along(integrate, s, axes)), axes)

    assert values_of(lambda s: lift(expansion, s), SHAPE, s) == values_of(definition, SHAPE, s)


@pytest.mark.parametrize("axes", AXES)
@given(a=tables(*SHAPE), b=tables(*SHAPE))
def test_the_chain_rule(axes: tuple[int, ...], a: Table[Row], b: Table[Row]) -> None:
    """`(group . spread . antijoin)^ = group^ . spread^ . antijoin^`."""
    greatest = row_of(VALUES[-1])

    def whole(a: ZSet[Row], b: ZSet[Row]) -> ZSet[Row]:
        return zset.group(expansion(less(a, b)), first, greatest)

    def definition(a: Stream[Row], b: Stream[Row]) -> Stream[Row]:
        return along(differentiate, lift2(whole, along(integrate, a, axes), along(integrate, b, axes)), axes)

    def chained(a: Stream[Row], b: Stream[Row]) -> Stream[Row]:
        kept = incremental.antijoin(a, b, second, first, *axes)
        return incremental.group(lift(expansion, kept), first, greatest, *axes)

    assert values_of(chained, SHAPE, a, b) == values_of(definition, SHAPE, a, b)


def expansion(rows: ZSet[Row]) -> ZSet[Row]:
    return zset.expand(rows, spread)


@given(st.lists(st.dictionaries(st.tuples(*[st.integers(0, 4)] * 2), st.booleans(), max_size=6), max_size=6))
def test_an_incremental_fixpoint_is_the_fixpoint_at_every_commit(commits: list[dict[Row, bool]]) -> None:
    """`reach = distinct(edges + z^-1(reach . edges))`, as edges come and go, cycles among them."""
    circuit = Circuit()
    source: Source[Row] = Source(circuit)
    edges = introduce(source)
    back: Delay[Row] = Delay(circuit, 2, 1)
    reach = incremental.distinct(plus(edges, back), 0, 1)
    longer = incremental.bilinear(concatenated, reach, edges, 0, 1)
    back.connect(longer)
    closed = integrate(eliminate(reach, longer), 0)
    present: set[Row] = set()
    for commit in commits:
        source.push({edge: 1 if come else -1 for edge, come in commit.items() if come != (edge in present)})
        present = (present | commit.keys()) - {edge for edge, come in commit.items() if not come}
        assert circuit.run(closed) == dict.fromkeys(closure(present), 1)


def concatenated(paths: ZSet[Row], edges: ZSet[Row]) -> ZSet[Row]:
    return zset.join(paths, edges, lambda path: path[1], lambda edge: edge[0], lambda path, edge: (path[0], edge[1]))


def closure(edges: set[Row]) -> set[Row]:
    found = set(edges)
    while new := {(x, z) for x, y in found for other, z in edges if y == other} - found:
        found |= new
    return found
