"""Random Z-sets and streams of them, and the values of a stream at every time of a small grid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kgreason.circuit.stream import Circuit, Stream, Time
from kgreason.circuit.zset import A, ZSet

Row: TypeAlias = tuple[int, int]
Table: TypeAlias = Mapping[Time, ZSet[A]]
"""The values of a stream by time; zero where there is none."""

WEIGHTS = st.sampled_from((-2, -1, 1, 2))


def zsets() -> SearchStrategy[ZSet[Row]]:
    """Z-sets of a few pairs of small numbers."""
    numbers = st.integers(0, 2)
    return st.dictionaries(st.tuples(numbers, numbers), WEIGHTS, max_size=4)


def tables(*shape: int) -> SearchStrategy[Table[Row]]:
    """Streams that are zero outside a grid of this shape."""
    times = st.tuples(*(st.integers(0, size - 1) for size in shape))
    return st.dictionaries(times, zsets(), max_size=6)


def tabled(circuit: Circuit, axes: int, table: Table[A]) -> Stream[A]:
    """The stream of a table."""
    return Stream(circuit, axes, lambda time: table.get(time, {}))


def values(stream: Stream[A], *shape: int) -> dict[Time, ZSet[A]]:
    """What the stream is at every time of a grid of this shape; zeros are left out."""
    found: dict[Time, ZSet[A]] = {}

    def probe(time: Time) -> ZSet[A]:
        for inner in product(*map(range, shape[1:])):
            if zset := stream[(*time, *inner)]:
                found[(*time, *inner)] = zset
        return {}

    watched: Stream[A] = Stream(stream.circuit, 1, probe, (stream,))
    for _ in range(shape[0]):
        stream.circuit.run(watched)
    return found


def values_of(build: Callable[..., Stream[A]], shape: Iterable[int], *inputs: Table[Row]) -> dict[Time, ZSet[A]]:
    """What an operator makes of tables of this shape, on the grid of this shape."""
    circuit, shape = Circuit(), tuple(shape)
    return values(build(*(tabled(circuit, len(shape), table) for table in inputs)), *shape)
