"""`Update`: the evaluation of what a commit changes; and `Forecasts`: when it gives way to a Bootstrap.

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
    rules arrive    A Bootstrap would run the new rules, too. How much work they are nobody knows before. The limit
                    grows as if each of them, or `RULES` if there are more, extended one rewrite for each fact.

An Update that goes past its limit is dropped, and a Bootstrap runs. The dropped work is lost. So an Update is not even
tried if the number of arriving facts is larger than the forecast of a Bootstrap's work. And it is tried with a `TRIAL`
of its limit only, if the forecast for the leaving facts is larger than their limit. This forecast is the number of
leaving facts, times the rewrites for each fact that were measured at the last deletion of `TELLING` or more facts. The
first `apply` of a commit, which retracts what the user said, has one forecast. The others, which retract what operators
had decided, have one more. (In `examples/rules/text-editor` a fact of NOT takes a tenth of a fact of the user.) A
forecast may still be wrong by any factor, as each deletion has other facts. So no forecast keeps an Update from running
that needs little. If the budget is too small for a Bootstrap, an Update has its whole limit in any case.

Law: let b be the rewrites of a Bootstrap, f the forecast before an `apply`, g the forecast for the facts at its end,
and r what new rules add to the limit. An `apply` extends at most b + r + `FRACTION` * f + g + 2 * `ALWAYS` rewrites,
and a commit is one `apply` unless it has operators. An Update that extends at most `TRIAL` of its limit for leaving
facts is never dropped there, whatever was measured before. The number of threads and the room of arrays change no
forecast and no choice. Cost: a few numbers for each commit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from kgreason.engine.circuit import Circuit
from kgreason.engine.costs import add_derivations as count_cost
from kgreason.engine.facts.facts import Rows
from kgreason.engine.limits import Check, Limit
from kgreason.engine.memory import layout as at
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.program.weights import NumberedRules, RuleChanges
from kgreason.engine.rebuild import Wish

FRACTION = 0.5
"""The share of a Bootstrap's work that an Update may extend for leaving facts, unless a graph has another one."""
ALWAYS = 10_000
"""Each of the two limits of an Update is at least 10,000 rewrites: a few milliseconds."""
FEW = 4_096
"""An Update is always tried if at most 4,096 facts arrive."""
TELLING = 64
"""A deletion of fewer than 64 facts is too small to predict the cost of the next one."""
RULES = 16
"""New rules raise the limit of an Update by one rewrite for each fact and rule, for 16 rules at most."""
TRIAL = 0.25
"""The share of its limit that an Update may extend for leaving facts if the forecast says that it will be dropped."""
DOUBT = 0.75
"""A forecast is multiplied by this factor if an Update is dropped, because only a complete Update can correct it."""


class Forecasts:
    """Forecasts for one graph: the work of the next Bootstrap, and an Update's rewrites for one leaving fact.

    `work`: the forecast for the next Bootstrap, its rewrites plus its facts; None before the first Bootstrap.
    `fraction`: what this graph has in the place of `FRACTION`, or None.
    """

    def __init__(self, work: int | None = None) -> None:
        self.work = work
        self.fraction: float | None = None
        self._per_leaving = {True: 0.0, False: 0.0}
        """An Update's rewrites for one leaving fact: in the first `apply` of a commit, and in others."""

    @property
    def _fraction_in_force(self) -> float:
        return FRACTION if self.fraction is None else self.fraction

    def is_hopeless(self, arriving: int) -> bool:
        """Whether an Update would cost more than a Bootstrap only because of the number of facts to assert.

        True before the first Bootstrap.
        """
        return self.work is None or arriving > max(self.work, FEW)

    def limit_for_leaving(self, leaving: int, rest: int, *, is_first: bool) -> int:
        """Return how many rewrites an Update may extend to retract `leaving` facts.

        `rest`: how many the budget allows. `is_first`: whether this is the first `apply` of its commit.
        """
        work = self.work or 0
        most = max(ALWAYS, int(self._fraction_in_force * work))
        forecast = self._per_leaving[is_first] * leaving if leaving >= TELLING else 0
        return max(ALWAYS, int(TRIAL * most)) if forecast > most and rest >= work else most

    def limit_for_arriving(self, facts: int, fresh: int, queued: int, before: int, most: int) -> Limit:
        """Return the limit of an Update while facts arrive. If half as many arrive, the limit grows by half.

        `facts`, `queued`: the numbers of facts, and of rows in the queue, before the arrival. `fresh`: how many new
        rules read facts. `before`: the rewrites extended before. `most`: what the limit is in any case.
        """
        facts = max(facts, 1)
        work = (self.work or 0) + min(fresh, RULES) * facts
        return Limit(most, before + ALWAYS, before, work, queued, facts)

    def note_retraction(self, leaving: int, rewrites: int, *, is_first: bool, is_dropped: bool) -> None:
        """Note that an Update extended `rewrites` rewrites to retract `leaving` facts, all of them or until its limit.

        `is_first`: as for `limit_for_leaving`.
        """
        if leaving >= TELLING:
            measured = rewrites / leaving
            if is_dropped:
                measured = max(measured, DOUBT * self._per_leaving[is_first])
            self._per_leaving = {**self._per_leaving, is_first: measured}  # a new dict: a rollback has the old one

    def note_shrinking(self, share: float) -> None:
        """Note that facts have left: lower the forecast for a Bootstrap.

        `share`: 0.25 if a quarter of the facts has left.
        """
        self.work = int((self.work or 0) * (1 - share))

    def note_growth(self, facts: int, rewrites: int) -> None:
        """Note that an Update extended `rewrites` rewrites to add or bring back `facts` facts.

        This raises the forecast for a Bootstrap.
        """
        self.work = (self.work or 0) + facts + rewrites


def _count_rows(rows: Rows) -> int:
    """Return the number of rows in all tables together."""
    return sum(map(len, rows.values()))


def fire_bodiless(circuit: Circuit, rules: Sequence[tuple[int, EncodedRule]], commit: int) -> None:
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

    `is_first`: whether it is for the first `apply` of the commit. It extends at most `most` rewrites. With `is_auto`
    the limits of `forecasts` hold as well. `check` is called between kernel calls and may raise. `note_missed` is
    called with how many of the rows to retract were not asserted.
    """

    circuit: Circuit
    forecasts: Forecasts
    commit: int
    is_first: bool
    most: int
    is_auto: bool
    check: Check
    note_missed: Callable[[int], None]

    def try_to_run(self, wish: Wish, rules: RuleChanges) -> bool:
        """Run the Update: retract and assert rows, and put the change of rules in force.

        Returns False, and does nothing, if the Update is hopeless, and the budget allows a Bootstrap. Raises
        OverLimitError if it extends more rewrites than its limits allow.
        """
        circuit, forecasts, most = self.circuit, self.forecasts, self.most
        if (
            self.is_auto
            and forecasts.is_hopeless(_count_rows(wish.asserted))
            and most - circuit.spent >= (forecasts.work or 0)
        ):
            return False
        circuit.refresh_if_changed()
        circuit.start_phase(at.ASSERT)
        circuit.limit = Limit(most)
        start = end = circuit.queue_end
        if any(rules.leaving) or any(map(len, wish.retracted.values())):
            for rows in wish.asserted.items():
                circuit.assert_rows(*rows, self.check, only_present=True)
            count = _count_rows(wish.retracted)
            if self.is_auto:
                limit = forecasts.limit_for_leaving(count, most - circuit.rewrites, is_first=self.is_first)
                circuit.limit = Limit(min(most, circuit.rewrites + limit))
            end = self._take_back(wish.retracted, count, rules.leaving)
        before = circuit.rewrites
        if self.is_auto:
            facts, fresh = len(circuit.facts) - (end - start), len(rules.fresh.bodied)
            circuit.limit = forecasts.limit_for_arriving(facts, fresh, end, before, most)
        for rows in wish.asserted.items():
            circuit.assert_rows(*rows, self.check)
        self.check()
        for number in rules.fresh.numbers:
            circuit.planner.set_active(number, True)
        for number in rules.fresh.bodied:
            circuit.run_rule(number, self.check)
        if rules.fresh.bodiless:
            fire_bodiless(circuit, rules.fresh.bodiless, self.commit)
        circuit.run(self.check)
        circuit.note_queued()
        circuit.check_limit(most)
        forecasts.note_growth(circuit.queue_end - end, circuit.rewrites - before)
        return True

    def _take_back(self, retracted: Rows, count: int, leaving: NumberedRules) -> int:
        """Run Retract and Rederive for `add_derivations` facts, and note their cost in the forecasts.

        Returns the position in the queue after the last row that left. The rows that Rederive brought back follow.
        """
        circuit = self.circuit
        start, before, is_dropped = circuit.queue_end, circuit.rewrites, True
        try:
            end = self._retract(retracted, leaving)
            is_dropped = False
        finally:
            self.forecasts.note_retraction(count, circuit.spent - before, is_first=self.is_first, is_dropped=is_dropped)
        self.forecasts.note_shrinking((end - start) / max(len(circuit.facts), 1))
        return end

    def _retract(self, retracted: Rows, leaving: NumberedRules) -> int:
        circuit = self.circuit
        circuit.start_phase(at.RETRACT)
        start = circuit.queue_end
        for rows in retracted.values():
            self.note_missed(circuit.retract_rows(rows, self.check))
        for number in leaving.bodied:
            circuit.run_rule(number, self.check)
        fire_bodiless(circuit, leaving.bodiless, self.commit)
        for number in leaving.numbers:
            circuit.planner.set_active(number, False)
        circuit.run(self.check)
        left = circuit.queued_rows(start)
        circuit.start_phase(at.REDERIVE)
        circuit.rederive(left, self.check)
        circuit.start_phase_from_queue(at.ASSERT)
        return start + len(left)
