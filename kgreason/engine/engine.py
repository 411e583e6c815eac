"""The engine: commits of facts and rules, by Update or by Bootstrap.

    begin -> apply, once or more -> changes -> accept or rollback

Invariants at every commit (docs/architecture.md, The algorithm of a commit), for the active rules over the present
facts: every derivation's head is present; support is the number of derivations whose body facts all have a smaller
stamp than the head; every fact is asserted or has support. A commit is atomic: Update keeps an undo log of touched
rows, Bootstrap builds beside and swaps, so that an error, a cancel or a rollback leaves facts, stamps, supports and
rules as they were.

    Update    Retract: leaving rules and facts take their counted derivations back, level by level
              Rederive: facts that left and have a derivation from what is left return
              Assert: those, new facts and the heads of new rules are the first batch of semi-naive levels

An Update that does too much of a Bootstrap's work is dropped, or not tried, and Bootstrap runs (`elastic`). The delta
is the same either way. Cost: an Update is proportional to what changes, a Bootstrap to the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from kgreason.compiled import announce
from kgreason.engine.circuit import UNLIMITED, Circuit, OverLimitError
from kgreason.engine.elastic import Elastic
from kgreason.engine.interrupts import undivided
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.memory.layout import ASSERT, REDERIVE, RETRACT, Int8, Int32
from kgreason.engine.program.planner import EncodedRule, Planner
from kgreason.engine.rebuild import Rows, Wish, count, difference, wanted
from kgreason.errors import LimitError

Check = Callable[[], object]
Strategy: TypeAlias = Literal["auto", "update", "bootstrap"]
StrategyRun: TypeAlias = Literal["update", "bootstrap"]
"""The strategy that a commit was evaluated by in the end."""


class Changes(NamedTuple):
    """What a commit did: the facts whose kind changed, rows int32[n, w] with their tables int32[n].

    `before` and `after`, int8[n]: ABSENT, INFERRED or IS_ASSERTED. `strategy` is what was run in the end, `switched`
    says that an Update was dropped for it, `rewrites` is the work of all that was run, `missed` how many facts were to
    be retracted and were not asserted. `steps` says what each `apply` has run in the end.
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


class _Reweighed(NamedTuple):
    """The numbers of the rules that leave, and of those that are new."""

    leaving: Sequence[int]
    fresh: Sequence[int]


_NO_RULES = _Reweighed((), ())


def _no_check() -> None:
    """Nothing to check between kernel calls."""


def _both(first: Check, second: Check) -> Check:
    if second is _no_check:
        return first

    def check() -> None:
        first()
        second()

    return check


class Engine:
    """Facts and rules in ids, kept at the fixpoint.

    `quiet` is the id of a property whose reflexive triples are never derived (owl:sameAs, while eq-ref is off), or 0.
    """

    def __init__(self, quiet: int = 0) -> None:
        announce(advance)
        self.planner = Planner()
        self._quiet = quiet
        self.circuit = Circuit(self.planner, quiet=quiet)
        self._elastic = Elastic()
        self._numbers: dict[EncodedRule, int] = {}
        self._bodiless: dict[int, EncodedRule] = {}
        self._weights: dict[int, int] = {}
        self._origin, self._is_open = self.circuit, False
        self._reweighed: list[tuple[int, int]] = []

    @property
    def rules(self) -> list[EncodedRule]:
        """The active rules."""
        return [self.planner.rule(number) for number in self._weights]

    def __len__(self) -> int:
        """The number of facts."""
        return len(self.circuit.facts)

    @property
    def work(self) -> int | None:
        """What a Bootstrap is foreseen to take: rewrites and facts; None while there was none."""
        return self._elastic.work

    def table(self, is_triple: bool, width: int) -> int:
        """The number of the table of this kind and width; its facts may be asserted from now on."""
        number = self.planner.table(is_triple, width)
        self.circuit.refresh()
        return number

    def commit(
        self,
        asserted: Rows,
        retracted: Rows | None = None,
        added: Sequence[EncodedRule] = (),
        removed: Sequence[EncodedRule] = (),
        *,
        strategy: Strategy = "auto",
        budget: int | None = None,
        check: Check = _no_check,
    ) -> Changes:
        """One `apply` that is accepted, or, on any error, rolled back."""
        wish = Wish(asserted, retracted or {})
        return self._whole(
            lambda check: self._apply(wish, self._reweigh(added, removed), strategy, budget, check), check
        )

    def _whole(self, work: Callable[[Check], object], check: Check) -> Changes:
        """A commit of its own: what `work` does is accepted, or, on any error, rolled back."""
        with undivided() as let_out:
            self._begin()
            try:
                work(_both(let_out, check))
                changes = self.changes()
            except BaseException:
                self._rollback()
                raise
            self._accept()
        return changes

    def begin(self) -> None:
        """Start a commit, which `accept` or `rollback` ends."""
        with undivided():
            self._begin()

    def _begin(self) -> None:
        if self._is_open:
            self._rollback()
        self._origin, self._is_open, self._learnt = self.circuit, True, self._elastic.save()
        self._wishes: list[Wish] = []
        self._steps: list[Literal["update", "bootstrap"]] = []
        self._reweighed = []
        self._strategy, self._switched, self._rewrites, self._missed = "update", False, 0, 0
        self.circuit.keep_up()
        self.circuit.begin(ranked=True)

    def apply(
        self,
        asserted: Rows,
        retracted: Rows | None = None,
        added: Sequence[EncodedRule] = (),
        removed: Sequence[EncodedRule] = (),
        *,
        strategy: Strategy = "auto",
        budget: int | None = None,
        check: Check = _no_check,
    ) -> None:
        """Retract rows, assert rows (of other facts), add 1 to and take 1 from the weights of rules.

        Wishes that are fulfilled already ask for nothing. `check` is called between kernel calls; after what it raises,
        and after LimitError (more than `budget` rewrites were extended: the rule is named), `rollback` must follow.
        """
        with undivided() as let_out:
            wish = Wish(asserted, retracted or {})
            self._apply(wish, self._reweigh(added, removed), strategy, budget, _both(let_out, check))

    def _apply(self, wish: Wish, rules: _Reweighed, strategy: Strategy, budget: int | None, check: Check) -> None:
        self._wishes.append(wish)
        self._steps.append("update")
        try:
            if strategy == "bootstrap" or (strategy == "auto" and self._is_hopeless(wish, budget)):
                self._switch(budget, check)
            elif not self._tried(wish, rules, strategy, budget, check):
                self._switched = True
                self._switch(budget, check)
        except OverLimitError:
            raise LimitError(self._over(budget)) from None

    def take_over(self, records: Int32, rules: Sequence[EncodedRule]) -> None:
        """Have a commit start from a fixpoint that was evaluated elsewhere; there were no facts. `apply` follows.

        records: int32[n, 3 + w], as for `restore`; `rules` are those that it is the fixpoint of: no other is in force.
        """
        with undivided():
            self._reweigh(rules, self._all_rules())
            self._set_active(number for number, _ in self._reweighed)
            circuit = Circuit(self.planner, max(1024, len(records)), self._quiet)
            circuit.adopt(records)
            self.circuit, self._strategy = circuit, "bootstrap"
            self._elastic.work = len(records)
            circuit.begin(ranked=True)

    def _is_hopeless(self, wish: Wish, budget: int | None) -> bool:
        """Whether `auto` does not even try an Update; where the budget leaves too little for a Bootstrap it does."""
        elastic = self._elastic
        if elastic.work is None:
            return True
        if not elastic.is_hopeless(count(wish.asserted), count(wish.retracted)) or self._left(budget) < elastic.work:
            return False
        elastic.doubt()
        return True

    def _tried(self, wish: Wish, rules: _Reweighed, strategy: Strategy, budget: int | None, check: Check) -> bool:
        """Try an Update; whether it stayed within its limits. OverLimitError where the budget ran out."""
        most = UNLIMITED if budget is None else self.circuit.rewrites + self._left(budget)
        is_auto = strategy == "auto"
        try:
            self._update(wish, rules, most, is_auto, check)
            self.circuit.check_limit(most)
        except OverLimitError:
            if not is_auto or self.circuit.rewrites > most:
                raise
            return False
        return True

    def _left(self, budget: int | None) -> int:
        """How many rewrites the commit may still extend."""
        return UNLIMITED if budget is None else budget - self._rewrites - self.circuit.rewrites

    def _over(self, budget: int | None) -> str:
        group, name = self.planner.rule(self.circuit.rule).label
        label = f"{group}/{name}" if group else name
        return f"a commit may extend {budget:,} rewrites: the budget ran out in rule {label}"

    def _update(self, wish: Wish, rules: _Reweighed, most: int, is_auto: bool, check: Check) -> None:
        """Retract, Rederive and Assert, with `most` rewrites in all, and with `is_auto` within an Update's limits."""
        (asserted, retracted), (leaving, fresh) = wish, rules
        circuit = self.circuit
        circuit.keep_up()
        circuit.enter(ASSERT)
        circuit.limit = lambda: most
        start = end = circuit.queue_end
        if leaving or count(retracted):
            for rows in asserted.items():
                circuit.assert_rows(*rows, check, only_present=True)
            if is_auto:
                allowed = min(most, circuit.rewrites + self._elastic.for_leaving())
                circuit.limit = lambda: allowed
            end = self._take_back(retracted, leaving, check)
        before = circuit.rewrites
        if is_auto:
            circuit.limit = self._for_arriving(most, len(self) - (end - start), end)
        for rows in asserted.items():
            circuit.assert_rows(*rows, check)
        for number in fresh:
            self.planner.set_active(number, True)
            if number not in self._bodiless:
                circuit.run_rule(number, check)
        self._fire_empty_bodies(fresh)
        circuit.run(check)
        circuit.note_queued()
        self._elastic.grew(circuit.queue_end - end, circuit.rewrites - before)

    def _for_arriving(self, most: int, facts: int, end: int) -> Callable[[], int]:
        """The limit while facts arrive, behind `end` in the queue, beside so many that are there."""
        circuit, elastic, before = self.circuit, self._elastic, self.circuit.rewrites
        return lambda: min(most, before + elastic.for_arriving(1 + (circuit.queue_end - end) / max(facts, 1)))

    def _take_back(self, retracted: Rows, leaving: Sequence[int], check: Check) -> int:
        """Retract and Rederive, and learn from it; where the rows that left end in the queue."""
        start, before = self.circuit.queue_end, self.circuit.rewrites
        try:
            end = self._retract(retracted, leaving, check)
        finally:
            self._elastic.took_back(count(retracted), self.circuit.rewrites - before)
        self._elastic.shrank((end - start) / max(len(self), 1))
        return end

    def _retract(self, retracted: Rows, leaving: Sequence[int], check: Check) -> int:
        """Retract and Rederive; what returns is queued for Assert, behind those that left: where these end."""
        circuit = self.circuit
        circuit.enter(RETRACT)
        start = circuit.queue_end
        for rows in retracted.values():
            self._missed += circuit.retract_rows(rows, check)
        for number in leaving:
            if number not in self._bodiless:
                circuit.run_rule(number, check)
        self._fire_empty_bodies(leaving)
        for number in leaving:
            self.planner.set_active(number, False)
        circuit.run(check)
        left = circuit.queued(start)
        circuit.enter(REDERIVE)
        if len(left):
            circuit.plan_backward(left)
            circuit.run_backward(left, check)
        circuit.go_on(ASSERT)
        return start + len(left)

    def _switch(self, budget: int | None, check: Check) -> None:
        """Drop the Update, if one was tried, and evaluate from the facts that are to be asserted."""
        origin = self._origin
        self._steps[-1] = "bootstrap"
        self._rewrites += self.circuit.rewrites
        origin.keep_up()
        if self.circuit is origin:
            origin.undo()
        check()
        facts = wanted(origin, self.planner.tables(), self._wishes)
        check()
        self._evaluate(facts, UNLIMITED if budget is None else budget - self._rewrites, check)

    def _evaluate(self, facts: Rows, allowed: int, check: Check) -> None:
        """Bootstrap: evaluate the rules from these facts alone, in a circuit of their own."""
        self._set_active(number for number, _ in self._reweighed)
        room = max(1024, 2 * count(facts))  # room that is not used costs no memory
        circuit = Circuit(self.planner, room, self._quiet)
        circuit.limit = lambda: allowed
        self.circuit, self._strategy = circuit, "bootstrap"
        circuit.begin(ranked=False)
        for rows in facts.items():
            circuit.assert_rows(*rows, check)
        circuit.open_first_level()
        self._fire_empty_bodies(self._weights)
        circuit.run(check)
        circuit.check_limit(allowed)
        circuit.note_queued()
        circuit.facts.trim()
        self._elastic.work = circuit.rewrites + len(circuit.facts)
        self._rewrites += circuit.rewrites
        circuit.begin(ranked=True)

    def changes(self) -> Changes:
        """What the commit has changed so far."""
        if self.circuit is not self._origin:
            return self._changes(*difference(self._origin, self.circuit))
        return self._changes(*self.circuit.changes())

    def _changes(self, rows: Int32, tables: Int32, before: Int8, after: Int8) -> Changes:
        rewrites = self._rewrites + self.circuit.rewrites
        steps = tuple(self._steps)
        return Changes(rows, tables, before, after, self._strategy, self._switched, rewrites, self._missed, steps)

    def accept(self) -> None:
        """Make the commit final; may be called again after an interrupt, as `rollback` may."""
        with undivided():
            self._accept()

    def _accept(self) -> None:
        if self._is_open:
            self.circuit.keep_up()
            self._origin = self.circuit
            self.circuit.settle()
            self._is_open = False

    def rollback(self) -> None:
        """Undo the commit: everything is as it was when it began. Does nothing where none is open."""
        with undivided():
            self._rollback()

    def _rollback(self) -> None:
        if not self._is_open:
            return
        self.circuit = self._origin
        self._elastic.restore(self._learnt)
        for number, weight in reversed(self._reweighed):
            self._set_weight(number, weight)
        self._set_active(number for number, _ in self._reweighed)
        self.circuit.keep_up()
        self.circuit.undo()
        self._is_open = False

    def bootstrap(self, facts: Rows, rules: Sequence[EncodedRule] | None = None, check: Check = _no_check) -> Changes:
        """Evaluate rules (by default the active ones) from these asserted facts, and no others, by Bootstrap.

        facts: table number -> int32[n, w]. What `check` raises leaves everything as it was.
        """

        def work(check: Check) -> None:
            if rules is not None:
                self._reweigh(rules, self._all_rules())
            self._evaluate(facts, UNLIMITED, check)

        return self._whole(work, check)

    def restore(self, records: Int32, rules: Sequence[EncodedRule], work: int = 0) -> None:
        """Take over a fixpoint that was saved: rows int32[n, 3 + w] with state, stamp and support, and its rules.

        `work` is what a Bootstrap of it is foreseen to take, 0 where there was none.
        """
        self.set_rules(rules)
        self.circuit = Circuit(self.planner, max(1024, len(records)), self._quiet)
        self.circuit.adopt(records)
        self._elastic = Elastic(work or None)

    def set_rules(self, rules: Sequence[EncodedRule]) -> None:
        """Make these the active rules, without evaluating anything: `restore` or `bootstrap` must follow."""
        self._reweighed = []
        self._reweigh(rules, self._all_rules())
        self._set_active(number for number, _ in self._reweighed)
        self.circuit.keep_up()

    def rows_with(self, table: int, constants: Mapping[int, int]) -> Int32 | None:
        """The facts int32[n, w] of a table that have these constants in these columns; None where no rule asks for any.

        Cost: the facts that the catalogue lists for them, where there are any.
        """
        key = self.planner.find_key(table, constants)
        if key is None or not self.circuit.memory["key_count"][key]:
            return None
        facts = self.circuit.facts
        rows, tables = facts.columns(self.circuit.arrangements.candidates(key))
        kept = tables == table
        for column, value in constants.items():
            kept &= rows[:, column] == value
        found: Int32 = rows[kept]
        return found

    def derivations(self, row: int, limit: int = 1 << 20) -> list[tuple[EncodedRule, tuple[int, ...]]]:
        """The derivations of a present fact, by its row: for each the rule and the values of its slots.

        Found by running the rules backwards. No commit may be open; at least `limit` are found, if there are as many.
        """
        with undivided():
            self.circuit.keep_up()
            self.circuit.plan_backward(np.array([row], dtype=np.int32))
            traced = self.circuit.derivations(row, limit)
        found = dict.fromkeys(map(tuple, traced.tolist()))
        return [(self.planner.rule(rule), tuple(slots)) for rule, *slots in found]

    def _all_rules(self) -> list[EncodedRule]:
        return [self.planner.rule(number) for number, weight in self._weights.items() for _ in range(weight)]

    def _reweigh(self, added: Sequence[EncodedRule], removed: Sequence[EncodedRule]) -> _Reweighed:
        """Change the weights of rules; the numbers of those that leave, and of those that are new."""
        if not added and not removed:
            return _NO_RULES
        before: dict[int, bool] = {}
        for rules, weight in ((added, 1), (removed, -1)):
            for rule in rules:
                number = self._number(rule)
                before.setdefault(number, number in self._weights)
                if weight > 0 or number in self._weights:
                    total = self._weights.get(number, 0)
                    self._reweighed.append((number, total))
                    self._set_weight(number, total + weight)
        leaving = [number for number, was in before.items() if was and number not in self._weights]
        fresh = [number for number, was in before.items() if not was and number in self._weights]
        return _Reweighed(leaving, fresh)

    def _set_active(self, numbers: Iterable[int]) -> None:
        """Let those of the rules fire that have a weight, and no other of them."""
        for number in numbers:
            self.planner.set_active(number, number in self._weights)

    def _set_weight(self, number: int, weight: int) -> None:
        """Give a rule a weight; at 0 it is forgotten."""
        if weight:
            self._weights[number] = weight
        else:
            self._weights.pop(number, None)

    def _number(self, rule: EncodedRule) -> int:
        """The number of a rule, which is planned when it is met first."""
        if rule not in self._numbers:
            number = self.planner.add(rule)
            if not rule.shape.body:
                self._bodiless[number] = rule
            self._numbers[rule] = number
        return self._numbers[rule]

    def _fire_empty_bodies(self, numbers: Iterable[int]) -> None:
        """Derive, or take back, the heads of the rules among `numbers` whose body is empty."""
        if not self._bodiless:
            return
        heads: dict[int, list[list[int]]] = {}
        for rule in filter(None, map(self._bodiless.get, numbers)):
            for pattern in dict.fromkeys(rule.shape.heads):
                row = [rule.constants[slot - 1] for slot in pattern.slots]
                heads.setdefault(pattern.table, []).append(row)
        for table, rows in heads.items():
            self.circuit.derive(table, np.array(rows, dtype=np.int32))
