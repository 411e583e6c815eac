"""The cost of each rule: rewrites and derivations, counted by the kernels in one array (`COST_*` in `memory/layout`).

The array has one row for each rule of the planner. The row has the counts since the circuit was made, by a Bootstrap or
by `adopt`, then the counts of the last commit that ran the rule and the number of this commit, then the same for the
commit before that one. So a rollback can restore all counts, and a commit touches only the rows of the rules that it
runs.

Invariants: after a rollback the counts are as before the commit. The rewrites of the last commit add up to those in
`Changes`; they include the work of an Update that was dropped. A derivation is a head that a finished rewrite gives:
one that holds now, or one that an Update took back, or found again when it looked for what still holds.

Cost: five words written for each run of a plan over a segment; a rollback looks at one word of each rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.memory.layout import (
    COST_BEFORE,
    COST_COMMIT,
    COST_DERIVATIONS,
    COST_REWRITES,
    COST_WORDS,
    Int64,
)

_ALL = slice(COST_REWRITES, COST_DERIVATIONS + 1)
_LAST = slice(COST_COMMIT, COST_BEFORE)
_COUNTS = slice(COST_COMMIT + 1, COST_BEFORE)
_BEFORE = slice(COST_BEFORE, COST_WORDS)


class Cost(NamedTuple):
    """Rewrites and derivations of a rule, since the last Bootstrap or opening, and in the last commit."""

    rewrites: int = 0
    derivations: int = 0
    last_rewrites: int = 0
    last_derivations: int = 0


def read(costs: Int64, last: int) -> list[Cost]:
    """The cost of each rule. costs: int64[r, 8]; last: the number of the last commit."""
    counts = np.where(costs[:, [COST_COMMIT]] == last, costs[:, _COUNTS], 0)
    return [Cost(*row) for row in np.hstack([costs[:, _ALL], counts]).tolist()]


def take_back(costs: Int64, commit: int) -> None:
    """Undo the counts of a commit."""
    ran = np.flatnonzero(costs[:, COST_COMMIT] == commit)
    costs[ran, _ALL] -= costs[ran, _COUNTS]
    costs[ran, _LAST] = costs[ran, _BEFORE]
    costs[ran, _BEFORE] = 0


def carry_over(before: Int64, costs: Int64, commit: int) -> None:
    """Begin the counts of a new circuit with those of the open commit so far, as work of this commit alone.

    before: the counts of the circuit that is dropped.
    """
    ran = np.flatnonzero(before[:, COST_COMMIT] == commit)
    costs[ran, _LAST] = before[ran, _LAST]


def count(costs: Int64, rule: int, derivations: int, commit: int) -> None:
    """Count derivations of a rule that the kernels do not run, because its body is empty."""
    row = costs[rule]
    if row[COST_COMMIT] != commit:
        row[_BEFORE] = row[_LAST]
        row[_LAST] = commit, 0, 0
    row[COST_DERIVATIONS] += derivations
    row[COST_BEFORE - 1] += derivations
