"""The cost of each rule: rewrites and derivations, counted by the kernels in one array (`COST_*` in `memory/layout`).

The array has one row for each rule of the planner. A row has three parts. The first part has the counts since the
circuit was made, by a Bootstrap or by `adopt`. The second part has the number of the last commit that ran the rule, and
the counts of this commit. The third part has the same for the previous commit that ran the rule. A rollback subtracts
the second part from the first and copies the third part to the second. A commit writes only the rows of the rules that
it runs.

Invariants: after a rollback the counts are as before the commit. The rewrites of all rules in the last commit add up to
`Changes.rewrites`; both include the work of an Update that was dropped. In this module, a derivation is a head that a
complete rewrite gives: a head that holds now, a head that an Update took back, or a head that Rederive found again.

Cost: five words written for each run of a plan over a segment; a rollback looks at one word of each rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kgreason.engine.memory import layout as at
from kgreason.zset.columns import Int64

_ALL = slice(at.COST_REWRITES, at.COST_DERIVATIONS + 1)
_LAST = slice(at.COST_COMMIT, at.COST_BEFORE)
_COUNTS = slice(at.COST_COMMIT + 1, at.COST_BEFORE)
_BEFORE = slice(at.COST_BEFORE, at.COST_WORDS)


class Cost(NamedTuple):
    """How many rewrites and derivations of a rule were counted.

    `rewrites`, `derivations`: since the graph was opened, or since the last Bootstrap if there was one.
    `last_rewrites`, `last_derivations`: in the last commit.
    """

    rewrites: int = 0
    derivations: int = 0
    last_rewrites: int = 0
    last_derivations: int = 0


def costs_by_rule(costs: Int64, last: int) -> list[Cost]:
    """Return the cost of each rule, in the order of the rules' numbers.

    `costs`: int64[r, 8], the array that the kernels fill. `last`: the number of the last commit.
    """
    counts = np.where(costs[:, [at.COST_COMMIT]] == last, costs[:, _COUNTS], 0)
    return [Cost(*row) for row in np.hstack([costs[:, _ALL], counts]).tolist()]


def costliest(costs: Int64, commit: int) -> int:
    """Return the number of the rule with the most rewrites in the commit with the number `commit`."""
    return int(np.where(costs[:, at.COST_COMMIT] == commit, costs[:, at.COST_COMMIT + 1], -1).argmax())


def take_back(costs: Int64, commit: int) -> None:
    """Undo the counts of the commit with the number `commit`."""
    ran = np.flatnonzero(costs[:, at.COST_COMMIT] == commit)
    costs[ran, _ALL] -= costs[ran, _COUNTS]
    costs[ran, _LAST] = costs[ran, _BEFORE]
    costs[ran, _BEFORE] = 0


def carry_over(before: Int64, costs: Int64, commit: int) -> None:
    """Copy the counts of the open commit from a dropped circuit to the new circuit of a Bootstrap.

    `before`: the counts of the dropped circuit. `costs`: the counts of the new circuit. The copied counts belong to the
    open commit only. The counts since the Bootstrap do not include them.
    """
    ran = np.flatnonzero(before[:, at.COST_COMMIT] == commit)
    costs[ran, _LAST] = before[ran, _LAST]


def add_derivations(costs: Int64, rule: int, derivations: int, commit: int) -> None:
    """Add `derivations` to the counts of the rule with the number `rule`, in the commit with the number `commit`.

    This function is for rules with an empty body, because the kernels do not run these rules.
    """
    row = costs[rule]
    if row[at.COST_COMMIT] != commit:
        row[_BEFORE] = row[_LAST]
        row[_LAST] = commit, 0, 0
    row[at.COST_DERIVATIONS] += derivations
    row[at.COST_BEFORE - 1] += derivations
