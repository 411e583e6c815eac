"""`Update`: the evaluation of what a commit changes; and `Elastic`: when it gives way to a Bootstrap.

    Retract   take back the derivations of leaving rules and facts, level by level
    Rederive  bring back each fact that left but still has a derivation from the remaining facts
    Assert    run the semi-naive levels from the rederived facts, the new facts and the heads of new rules

Invariant: each phase begins at the end of the queue, so the queue has first the facts that left, then those that came.
Cost: proportional to the change.

The choice is that of Zhao et al., *Towards Elastic Incrementalization for Datalog*. Work is counted in rewrites
extended, so that the choice is the same on every machine. The work of a Bootstrap is its rewrites plus its facts,
because it hashes each fact. The forecast for the next Bootstrap begins as the work of the last one. If an Update
removes a quarter of the facts, the forecast falls by a quarter. If an Update adds facts, the forecast grows by the
number of these facts and by the rewrites that added them.

    facts leave     An Update takes derivations back, and brings facts back that have others. The limit is `FRACTION`
                    times the work of a Bootstrap. (One rewrite of such an Update takes as long as 0.8 to 2 rewrites of
                    a Bootstrap: 0.8 for points-to, 1.2 for an EL completion, 1.5 for a dense closure, and 2 if its
                    Bootstrap runs on two threads. So a dropped Update takes at most as long as a Bootstrap.)
    facts arrive    An Update meets new derivations only. The limit is the work of a Bootstrap, which grows with the
                    facts. (An Update meets no more derivations than a Bootstrap, but it may extend more rewrites that
                    lead to no derivation, where a join starts at the wrong end.)

An Update that goes past its limit is dropped, and a Bootstrap runs. The dropped work is lost. So an Update is not even
tried in two cases. First: the number of arriving facts is larger than the forecast of a Bootstrap's work. Second: the
forecast for the leaving facts is larger than their limit. This forecast is the number of leaving facts, times the
rewrites for each fact that were measured at the last deletion of `TELLING` or more facts. A forecast that prevents an
Update is never tested. So it is multiplied by `DOUBT` each time it prevents one. If the budget is too small for a
Bootstrap, an Update is tried in any case.

Law: let b be the rewrites of a Bootstrap, and f the forecast for the facts at the end of the commit. A commit with one
`apply` extends at most b + (1 + `FRACTION`) * f + 2 * `ALWAYS` rewrites. The number of threads and the room of arrays
change no forecast and no choice. Cost: a few numbers for each commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.costs import count as count_cost
from kgreason.engine.facts.facts import Rows
from kgreason.engine.limits import Check, Limit
from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.program.weights import Numbered, Reweighed
from kgreason.engine.rebuild import Wish

FRACTION = 0.5
"""The share of a Bootstrap's work that an Update may extend for leaving facts, unless a graph has another one."""
ALWAYS = 10_000
"""Each of the two limits of an Update is at least 10,000 rewrites: a few milliseconds."""
FEW = 4_096
"""An Update is always tried if at most 4,096 facts arrive and the forecast for the leaving facts is at most 4,096
rewrites."""
TELLING = 64
"""A deletion of fewer than 64 facts is too small to predict the cost of the next one."""
DOUBT = 0.75
"""A forecast that prevents an Update is multiplied by this factor, because no measurement can correct it."""


class Elastic:
    """Two forecasts for one graph: the work of the next Bootstrap, and an Update's rewrites for one leaving fact.

    `work`: the forecast for the next Bootstrap, its rewrites plus its facts; None before the first Bootstrap.
    `fraction`: what this graph has in the place of `FRACTION`, or None.
    """

    def __init__(self, work: int | None = None) -> None:
        self.work = work
        self.fraction: float | None = None
        self._per_leaving = 0.0

    @property
    def _share(self) -> float:
        return FRACTION if self.fraction is None else self.fraction

    def is_hopeless(self, arriving: int, leaving: int) -> bool:
        """Whether an Update would probably go past its limit and be dropped. True before the first Bootstrap.

        `arriving`: the number of facts to assert. `leaving`: the number of facts to retract.
        """
        if (work := self.work) is None:
            return True
        forecast = self._per_leaving * leaving if leaving >= TELLING else 0
        return arriving > max(work, FEW) or forecast > max(self._share * work, FEW)

    def doubt(self) -> None:
        """Note that the forecast for leaving facts has prevented an Update.

        This lowers the forecast, because it was not tested.
        """
        self._per_leaving *= DOUBT

    def for_leaving(self) -> int:
        """Return how many rewrites an Update may extend to retract facts."""
        return max(ALWAYS, int(self._share * (self.work or 0)))

    def for_arriving(self, facts: int, queued: int, before: int, most: int) -> Limit:
        """Return the limit of an Update while facts arrive. If half as many arrive, the limit grows by half.

        `facts`, `queued`: the numbers of facts, and of rows in the queue, before the arrival. `before`: the rewrites
        extended before. `most`: what the limit is in any case.
        """
        return Limit(most, before + ALWAYS, before, self.work or 0, queued, max(facts, 1))

    def took_back(self, leaving: int, rewrites: int) -> None:
        """Note that an Update, complete or dropped, extended `rewrites` rewrites to retract `leaving` facts."""
        if leaving >= TELLING:
            self._per_leaving = rewrites / leaving

    def shrank(self, share: float) -> None:
        """Note that facts have left: lower the forecast for a Bootstrap.

        `share`: 0.25 if a quarter of the facts has left.
        """
        self.work = int((self.work or 0) * (1 - share))

    def grew(self, facts: int, rewrites: int) -> None:
        """Note that an Update extended `rewrites` rewrites to add or bring back `facts` facts.

        This raises the forecast for a Bootstrap.
        """
        self.work = (self.work or 0) + facts + rewrites


def _count(rows: Rows) -> int:
    """Return the number of rows in all tables together."""
    return sum(map(len, rows.values()))


def fire(circuit: Circuit, rules: Sequence[tuple[int, EncodedRule]], commit: int) -> None:
    """Derive the heads of rules without a body, given with their numbers. In Retract, take these derivations back."""
    heads: dict[int, list[list[int]]] = {}
    for number, rule in rules:
        patterns = dict.fromkeys(rule.shape.heads)
        for pattern in patterns:
            row = [rule.constants[slot - 1] for slot in pattern.slots]
            heads.setdefault(pattern.table, []).append(row)
        count_cost(circuit.costs, number, len(patterns), commit)
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

    def run(self, wish: Wish, rules: Reweighed) -> bool:
        """Run the Update: retract and assert rows, and put the change of rules in force.

        Returns False, and does nothing, if the Update is hopeless, and the budget allows a Bootstrap. Raises
        OverLimitError if it extends more rewrites than its limits allow.
        """
        circuit, elastic, most = self.circuit, self.elastic, self.most
        if self.is_auto and elastic.is_hopeless(*map(_count, wish)) and most - circuit.spent >= (elastic.work or 0):
            elastic.doubt()
            return False
        circuit.keep_up()
        circuit.enter(at.ASSERT)
        circuit.limit = Limit(most)
        start = end = circuit.queue_end
        if any(rules.leaving) or any(map(len, wish.retracted.values())):
            for rows in wish.asserted.items():
                circuit.assert_rows(*rows, self.check, only_present=True)
            if self.is_auto:
                circuit.limit = Limit(min(most, circuit.rewrites + elastic.for_leaving()))
            end = self._take_back(wish.retracted, rules.leaving)
        before = circuit.rewrites
        if self.is_auto:
            circuit.limit = elastic.for_arriving(len(circuit.facts) - (end - start), end, before, most)
        for rows in wish.asserted.items():
            circuit.assert_rows(*rows, self.check)
        self.check()
        for number in rules.fresh.numbers:
            circuit.planner.set_active(number, True)
        for number in rules.fresh.bodied:
            circuit.run_rule(number, self.check)
        if rules.fresh.bodiless:
            fire(circuit, rules.fresh.bodiless, self.commit)
        circuit.run(self.check)
        circuit.note_queued()
        circuit.check_limit(most)
        elastic.grew(circuit.queue_end - end, circuit.rewrites - before)
        return True

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
        for number in leaving.numbers:
            circuit.planner.set_active(number, False)
        circuit.run(self.check)
        left = circuit.queued(start)
        circuit.enter(at.REDERIVE)
        circuit.rederive(left, self.check)
        circuit.go_on(at.ASSERT)
        return start + len(left)
