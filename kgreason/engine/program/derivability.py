"""Which plans can derive a fact, and whether the arrangements hold all rows that a plan needs.

An ask is *live* if its arrangement holds the rows of its key. Invariants: a plan runs only if every body atom of its
rule has a present fact that matches the atom's constants. So a rule about a property that the data never uses (often
owl:sameAs) costs nothing. All asks of a plan are live before the plan runs. Cost: for each group of rows, a look at the
atoms of the rule and at the steps of the plan.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import Flag, Number, inline, kernel
from kgreason.engine.memory import layout as at
from kgreason.engine.memory.blocks import matrix, vector
from kgreason.engine.memory.layout import Block
from kgreason.zset.columns import Int32


@inline
def has_facts(m: Block, plan: Number) -> Flag:
    """Whether the plan's rule is active, and every body atom of the rule has a fact with the atom's constants."""
    rules, rule_keys, count = matrix(m, at.RULES), vector(m, at.RULE_KEYS), vector(m, at.KEY_COUNT)
    rule = matrix(m, at.PLANS)[plan, 0]
    if rules[rule, at.RULE_ACTIVE] == 0:
        return False
    for atom in range(rules[rule, at.RULE_ATOMS]):
        if count[rule_keys[rules[rule, at.RULE_FIRST_KEY] + atom]] == 0:
            return False
    return True


@inline
def ask_of(m: Block, plan: Number, step: Number) -> Number:
    """Return the number of the ask of step `step` of plan `plan`.

    While this ask is live, the step's arrangement has all rows for its atom.
    """
    rules, steps, asks = matrix(m, at.RULES), matrix(m, at.STEPS), matrix(m, at.ASKS)
    rule, a, atom = matrix(m, at.PLANS)[plan, 0], steps[step, at.STEP_ARRANGEMENT], steps[step, at.STEP_ATOM]
    if plan >= rules[rule, at.RULE_PLAN] + rules[rule, at.RULE_ATOMS]:  # in a backward plan atom 0 is the head
        atom -= 1
    key = vector(m, at.RULE_KEYS)[rules[rule, at.RULE_FIRST_KEY] + atom]
    ask = np.int64(matrix(m, at.KEY_INFO)[key, 2])
    while asks[ask, 0] != a:
        ask = np.int64(asks[ask, 1])
    return ask


@inline
def has_arrangements(m: Block, plan: Number) -> Flag:
    """Whether all asks of the plan are live. If not, the first ask that is not live is written to WANTED."""
    plans, steps, live_asks = matrix(m, at.PLANS), matrix(m, at.STEPS), vector(m, at.LIVE_ASKS)
    for step in range(plans[plan, 3], plans[plan, 4]):
        if steps[step, at.STEP_ARRANGEMENT] >= 0:
            ask = ask_of(m, plan, step)
            if live_asks[ask] == 0:
                m[at.WANTED] = ask
                return False
    return True


@kernel
def note_needed_asks(m: Block, count: Number, needed: Int32) -> None:
    """Note which asks are needed by a plan that can derive facts (`has_facts`), among the plans 0 to `count - 1`.

    `needed`, int32[asks]: `needed[ask]` is set to 1 for these asks.
    """
    plans, steps = matrix(m, at.PLANS), matrix(m, at.STEPS)
    for plan in range(count):
        if has_facts(m, plan):
            for step in range(plans[plan, 3], plans[plan, 4]):
                if steps[step, at.STEP_ARRANGEMENT] >= 0:
                    needed[ask_of(m, plan, step)] = 1


@inline
def has_work(m: Block, key: Number) -> Flag:
    """Whether at least one plan of a trigger key has facts for every body atom of its rule."""
    plans = matrix(m, at.PLANS)
    plan = np.int64(matrix(m, at.KEY_INFO)[key, 1])
    while plan >= 0:
        if has_facts(m, plan):
            return True
        plan = np.int64(plans[plan, 2])
    return False
