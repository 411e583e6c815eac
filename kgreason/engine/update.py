"""`Update`: the evaluation of what a commit changes. Retract, Rederive, Assert.

    Retract   take back the derivations of leaving rules and facts, level by level
    Rederive  bring back each fact that left but still has a derivation from the remaining facts
    Assert    run the semi-naive levels from the rederived facts, the new facts and the heads of new rules

Invariant: each phase begins at the end of the queue, so the queue has first the facts that left, then those that came.
Cost: proportional to the change. `Elastic` learns it, and with the strategy `auto` limits it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.costs import count as count_cost
from kgreason.engine.elastic import Elastic
from kgreason.engine.facts.facts import Rows
from kgreason.engine.limits import Check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.program.weights import Numbered, Reweighed
from kgreason.engine.rebuild import Wish


def fire(circuit: Circuit, rules: Sequence[tuple[int, EncodedRule]], commit: int) -> None:
    """Derive the heads of rules without a body, given with their numbers. In Retract, take these derivations back."""
    heads: dict[int, list[list[int]]] = {}
    for number, rule in rules:
        patterns = dict.fromkeys(rule.shape.heads)
        count_cost(circuit.costs, number, len(patterns), commit)
        for pattern in patterns:
            row = [rule.constants[slot - 1] for slot in pattern.slots]
            heads.setdefault(pattern.table, []).append(row)
    for table, rows in heads.items():
        circuit.derive(table, np.array(rows, dtype=np.int32))


class Update(NamedTuple):
    """An Update of the commit with the number `commit`, in `circuit`.

    It extends at most `most` rewrites. With `is_auto` the limits of `elastic` hold as well. `check` is called between
    kernel calls and may raise. `note_missed` is called with how many of the rows to retract were not asserted.
    """

    circuit: Circuit
    elastic: Elastic
    commit: int
    most: int
    is_auto: bool
    check: Check
    note_missed: Callable[[int], None]

    def run(self, wish: Wish, rules: Reweighed) -> None:
        """Run the Update: retract and assert rows, and put the change of rules in force.

        Raises OverLimitError if it extends more rewrites than its limits allow.
        """
        circuit, elastic, most = self.circuit, self.elastic, self.most
        circuit.keep_up()
        circuit.enter(at.ASSERT)
        circuit.limit = lambda _: most
        start = end = circuit.queue_end
        if any(rules.leaving) or any(map(len, wish.retracted.values())):
            for rows in wish.asserted.items():
                circuit.assert_rows(*rows, self.check, only_present=True)
            if self.is_auto:
                allowed = min(most, circuit.rewrites + elastic.for_leaving())
                circuit.limit = lambda _: allowed
            end = self._take_back(wish.retracted, rules.leaving)
        before = circuit.rewrites
        if self.is_auto:
            facts, fresh = len(circuit.facts) - (end - start), len(rules.fresh.bodied)
            circuit.limit = elastic.for_arriving(facts, fresh, end, before, most)
        for rows in wish.asserted.items():
            circuit.assert_rows(*rows, self.check)
        for number in rules.fresh.numbers() if any(rules.fresh) else ():
            circuit.planner.set_active(number, True)
        for number in rules.fresh.bodied:
            circuit.run_rule(number, self.check)
        if rules.fresh.bodiless:
            fire(circuit, rules.fresh.bodiless, self.commit)
        circuit.run(self.check)
        circuit.note_queued()
        circuit.check_limit(most)
        elastic.grew(circuit.queue_end - end, circuit.rewrites - before)

    def _take_back(self, retracted: Rows, leaving: Numbered) -> int:
        """Run Retract and Rederive, and note their cost in the forecasts.

        Returns the position in the queue after the last row that left. The rows that Rederive brought back follow.
        """
        circuit = self.circuit
        start, before = circuit.queue_end, circuit.rewrites
        try:
            end = self._retract(retracted, leaving)
        finally:
            self.elastic.took_back(sum(map(len, retracted.values())), circuit.spent - before)
        self.elastic.shrank((end - start) / max(len(circuit.facts), 1))
        return end

    def _retract(self, retracted: Rows, leaving: Numbered) -> int:
        circuit = self.circuit
        circuit.enter(at.RETRACT)
        start = circuit.queue_end
        for rows in retracted.values():
            self.note_missed(circuit.retract_rows(rows, self.check))
        for number in leaving.bodied:
            circuit.run_rule(number, self.check)
        fire(circuit, leaving.bodiless, self.commit)
        for number in leaving.numbers():
            circuit.planner.set_active(number, False)
        circuit.run(self.check)
        left = circuit.queued(start)
        circuit.enter(at.REDERIVE)
        circuit.rederive(left, self.check)
        circuit.go_on(at.ASSERT)
        return start + len(left)
