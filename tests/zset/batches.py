"""Random Z-sets over a domain so small that rows meet again, and the same Z-sets as dicts."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from kgreason.zset.zset import ZSet

Row: TypeAlias = tuple[int, ...]
WIDTH = 3
EXTREMES = (-(2**31), -1, 0, 1, 2, 2**31 - 1)


def rows() -> SearchStrategy[Row]:
    """Rows of ids that share bits, signs and extremes."""
    return st.tuples(*[st.sampled_from(EXTREMES)] * WIDTH)


def table(rows: list[Row]) -> npt.NDArray[np.int32]:
    """The rows as int32[n, WIDTH]."""
    return np.array(rows, dtype=np.int32).reshape(len(rows), WIDTH)


def batch(weighted: list[tuple[Row, int]]) -> ZSet:
    """The Z-set of these rows with these weights, as they come."""
    return ZSet(table([row for row, _ in weighted]), np.array([weight for _, weight in weighted], dtype=np.int64))


def zsets() -> SearchStrategy[ZSet]:
    """Batches with repeated rows, weights that cancel, and weight 0."""
    return st.builds(batch, st.lists(st.tuples(rows(), st.integers(-2, 2)), max_size=12))


def as_dict(zset: ZSet) -> dict[Row, int]:
    """What a Z-set means: rows and their weights, without zeros."""
    weights: Counter[Row] = Counter()
    for row, weight in zip(zset.columns.tolist(), zset.weights.tolist(), strict=True):
        weights[tuple(row)] += weight
    return {row: weight for row, weight in weights.items() if weight}
