"""`Changes`: the result of a commit, and `Place`: a mark of an open commit.

Law: `Changes` is the difference of the facts before and after the commit, whatever strategy ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from kgreason.zset.columns import Int8, Int32

Rows: TypeAlias = Mapping[int, Int32]
"""Facts as rows int32[n, w], by the numbers of their tables."""
Strategy: TypeAlias = Literal["auto", "update", "bootstrap"]
StrategyRun: TypeAlias = Literal["update", "bootstrap"]
"""The strategy that finally evaluated a commit."""


class Place(NamedTuple):
    """A state of an open commit: its circuit, by the engine's `generation`, and the rows of the undo log and queue."""

    generation: int
    touched: int
    queued: int


class Changes(NamedTuple):
    """The facts that a commit added, removed, or turned between asserted and inferred.

    - `rows`, `tables`: the facts, int32[n, w], and the numbers of their tables, int32[n].
    - `before`, `after`: the kinds of the facts before and after the commit: ABSENT, INFERRED or IS_ASSERTED, int8[n].
    - `strategy`: the strategy that ran in the end. `switched`: whether it is a Bootstrap after a dropped Update.
    - `rewrites`: all work, in rewrites, including the work of a dropped Update.
    - `missed`: how many of the facts to retract were not asserted.
    - `steps`: for each `apply`, the strategy that ran in the end.
    """

    rows: Int32
    tables: Int32
    before: Int8
    after: Int8
    strategy: str
    switched: bool
    rewrites: int
    missed: int
    steps: tuple[Literal["update", "bootstrap"], ...] = ("update",)
