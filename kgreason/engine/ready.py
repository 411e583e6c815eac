"""Which plans can derive anything, and whether what they need is there.

Keeps: a plan is run only if every atom of its rule is met by some present fact, so that a rule about something that
the data never mentions (owl:sameAs, most often) costs nothing; and an arrangement is made only for a plan that runs.
Cost: the atoms of the rule, and the steps of the plan, for each group of rows.
"""

from __future__ import annotations

import numpy as np

from kgreason.compiled import inline
from kgreason.engine.layout import (
    KEY_COUNT,
    KEY_INFO,
    LIVE,
    PLANS,
    RULE_ACTIVE,
    RULE_ATOMS,
    RULE_FIRST_KEY,
    RULE_KEYS,
    RULES,
    STEP_ARRANGEMENT,
    STEPS,
    WANTED,
    Block,
    Flag,
    Number,
)
from kgreason.engine.memory import matrix, vector


@inline
def has_facts(m: Block, plan: Number) -> Flag:
    """Whether the plan's rule is active and every atom of it is met by some fact."""
    rules, rule_keys, count = matrix(m, RULES), vector(m, RULE_KEYS), vector(m, KEY_COUNT)
    rule = matrix(m, PLANS)[plan, 0]
    if rules[rule, RULE_ACTIVE] == 0:
        return False
    for atom in range(rules[rule, RULE_ATOMS]):  # noqa: SIM110 - a kernel has no generator expressions
        if count[rule_keys[rules[rule, RULE_FIRST_KEY] + atom]] == 0:
            return False
    return True


@inline
def has_arrangements(m: Block, plan: Number) -> Flag:
    """Whether the arrangements that the plan may probe are live; if not, WANTED is the first that is not."""
    plans, steps, live = matrix(m, PLANS), matrix(m, STEPS), matrix(m, LIVE)
    for step in range(plans[plan, 3], plans[plan, 4]):
        a = steps[step, STEP_ARRANGEMENT]
        if a >= 0 and live[a, 0] == 0:
            m[WANTED] = a
            return False
    return True


@inline
def has_work(m: Block, key: Number) -> Flag:
    """Whether some plan of a trigger key has facts for every atom of its rule."""
    plans = matrix(m, PLANS)
    plan = np.int64(matrix(m, KEY_INFO)[key, 1])
    while plan >= 0:
        if has_facts(m, plan):
            return True
        plan = np.int64(plans[plan, 2])
    return False
