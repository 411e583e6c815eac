"""The engine: commits of facts and rules, by Update or by Bootstrap.

    begin -> apply, once or more -> changes -> accept or rollback

Invariants after every commit (docs/architecture/commit.md), for the active rules over the present facts: the head of
every derivation is present; the support of a fact is the number of its derivations from body facts that all have a
smaller stamp, and its state has the number of the others, the spare derivations; every fact is asserted or has support.
A commit is atomic. An Update keeps an undo log of the rows that it writes. A Bootstrap builds a second circuit, which
then takes the place of the first. So an error, a cancel or a rollback leaves facts, stamps, supports and rules as they
were. The caller of `begin`, `apply`, `accept` and `rollback` is `undivided` (`kgreason.interrupts`), so
that Ctrl-C acts only where `apply` lets it out.

    Update    Retract: take back the derivations of leaving rules and facts, level by level
              Rederive: bring back each fact that left but still has a derivation from the remaining facts (the spare
              derivations tell: `level/returning.py`)
              Assert: run the semi-naive levels from the rederived facts, the new facts and the heads of new rules

If an Update is too much work compared with a Bootstrap, it is dropped, or not even tried, and a Bootstrap runs
(`update`). The delta is the same in both cases. The cost of an Update is proportional to the change, that of a
Bootstrap to all facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from kgreason.compiled import announce_compilation, compile_ahead
from kgreason.compiled import is_compiled as are_compiled
from kgreason.engine.changes import Changes, Rows, Strategy
from kgreason.engine.circuit import Circuit
from kgreason.engine.costs import carry_over, costliest
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.limits import UNLIMITED, Check, Limit, OverLimitError, TooDeepError, both_checks, no_check
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import Intern, encode_all
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.program.weights import NO_RULES, RuleChanges
from kgreason.engine.reader import Reader
from kgreason.engine.rebuild import Wish, changes_between, rows_to_assert
from kgreason.engine.records import Snapshot
from kgreason.engine.update import Forecasts, Update, fire_bodiless
from kgreason.errors import LimitError
from kgreason.interrupts import let_out, undivided
from kgreason.rules.model import Rule
from kgreason.threads import threads as default_threads
from kgreason.zset.columns import Int32, Int64, UInt32


def is_compiled() -> bool:
    """Whether a first commit compiles no kernels."""
    return are_compiled(advance)


class Engine(Reader):
    """Holds facts and rules as ids. After every commit the facts are the closure of the asserted facts under the rules.

    `quiet` is the id of a property, or 0. The engine derives no triple `x quiet x` with this property. (kgreason passes
    owl:sameAs while the rule eq-ref is off.) `threads`: how many threads a commit may use; None is the default of
    `kgreason.threads`. The number changes nothing but the time.
    """

    def __init__(self, quiet: int = 0, threads: int | None = None) -> None:
        announce_compilation(advance)
        self._planner = Planner()
        self._quiet, self.threads = quiet, default_threads(threads)
        if self.threads > 1:
            compile_ahead(advance)
        self._generations = 0
        super().__init__(self._planner, self._new_circuit())

    def _new_circuit(self, room: int = 1024) -> Circuit:
        """Make an empty circuit with room for `room` facts."""
        self._generations += 1
        circuit = Circuit(self._planner, room, self._quiet, self.threads)
        circuit.generation = self._generations
        return circuit

    def limit_updates(self, fraction: float | None) -> None:
        """Set the share of a Bootstrap's work that an Update may extend for leaving facts; None is the default share.

        It holds for commits with the strategy `auto`, until `restore`.
        """
        self._forecasts.fraction = fraction

    def encode(self, rules: Sequence[Rule], intern: Intern) -> list[EncodedRule]:
        """Return rules as ids, as `encoding.encode_all` does. Makes the tables of their atoms."""
        return encode_all(rules, self._planner, intern)

    def table(self, is_triple: bool, width: int) -> int:
        """Return the number of the table for facts of one kind (triples or atoms of a relation) and one width.

        Makes the table if it does not exist.
        """
        known = self._planner.numbers.get((is_triple, width))
        if known is not None and self._circuit.version == self._planner.version:
            return known
        with undivided():
            number = self._planner.table(is_triple, width)
            self._circuit.refresh_if_changed()
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
        check: Check = no_check,
    ) -> Changes:
        """Run one call of `apply` as a commit. After an error, roll the commit back and raise the error again."""
        wish = Wish(asserted, retracted or {})
        return self._run_as_commit(lambda check: self._apply(wish, added, removed, strategy, budget, check), check)

    def _run_as_commit(self, work: Callable[[Check], object], check: Check) -> Changes:
        """Call `work` in a new commit and accept it. After an error, roll the commit back and raise the error again.

        `work` gets a function to call between kernel calls: the function calls `check` and `let_out`.
        """
        with undivided():
            self.begin()
            try:
                work(both_checks(let_out, check))
                changes = self.changes()
            except BaseException:
                self.rollback()
                raise
            self.accept()
        return changes

    def begin(self) -> None:
        """Start a commit, which `accept` or `rollback` ends. A commit that is still open is rolled back first."""
        if self._is_open:
            self.rollback()
        self._origin, self._is_open = self._circuit, True
        self._learnt = {**vars(self._forecasts)}  # `copy` would take a tenth of a small commit
        self._wishes: list[Wish] = []
        self._dropped: Int64 | None = None
        """The costs of rules in the Update that was dropped."""
        self._steps: list[Literal["update", "bootstrap"]] = []
        self._weights.log.clear()
        self._strategy, self._switched, self._missed = "update", False, 0
        self._rewrites = self._spent = 0
        """The work of this commit before `circuit`: all of it, and what counts for the budget."""
        self._commit += 1
        self._circuit.refresh_if_changed()
        self._circuit.begin(is_update=True, commit=self._commit)
        self._looked_at = self._circuit, 0

    def apply(
        self,
        asserted: Rows,
        retracted: Rows | None = None,
        added: Sequence[EncodedRule] = (),
        removed: Sequence[EncodedRule] = (),
        *,
        strategy: Strategy = "auto",
        budget: int | None = None,
        check: Check = let_out,
    ) -> None:
        """Retract facts, assert other facts, and add 1 to the weights of rules (`added`) or subtract 1 (`removed`).

        `asserted` and `retracted` map the number of a table to rows int32[n, w]. Nothing changes if a fact to assert is
        asserted already, if a fact to retract is not asserted, or if a rule to remove is not in force. `check` is
        called between kernel calls and may raise; a check other than the default calls `let_out` as well. Raises
        LimitError if the commit extends more than `budget` rewrites; the message names the rule with the most rewrites.
        A chain of `LAST_LEVEL` or more derivations raises it, too. After any error call `rollback`. An Update whose
        stamps would become too large becomes a Bootstrap, whatever the strategy.
        """
        self._apply(Wish(asserted, retracted or {}), added, removed, strategy, budget, check)

    def _apply(
        self,
        wish: Wish,
        added: Sequence[EncodedRule],
        removed: Sequence[EncodedRule],
        strategy: Strategy,
        budget: int | None,
        check: Check,
    ) -> None:
        rules = self._weights.change(added, removed) if added or removed else NO_RULES
        self._wishes.append(wish)
        self._steps.append("update")
        try:
            if strategy == "bootstrap" or not self._try_update(wish, rules, strategy, budget, check):
                self._switch(budget, check)
        except OverLimitError:
            raise LimitError(self._over_budget_message(budget)) from None

    def _try_update(self, wish: Wish, rules: RuleChanges, strategy: Strategy, budget: int | None, check: Check) -> bool:
        """Try an Update.

        `wish`: the rows to assert and to retract. Returns False if a Bootstrap has to run: with the strategy `auto` the
        Update was hopeless, or went past a limit; or the levels of facts have grown too large over many Updates, and a
        Bootstrap numbers them again. Raises OverLimitError if the budget ran out.
        """
        most = UNLIMITED if budget is None else self._circuit.spent + self._rewrites_left(budget)
        is_auto = strategy == "auto"
        try:
            is_first = len(self._steps) == 1
            means = self._commit, is_first, most, is_auto, check, self._note_missed
            return Update(self._circuit, self._forecasts, *means).try_to_run(wish, rules)
        except OverLimitError:
            if not is_auto or self._circuit.spent > most:
                raise
        except TooDeepError:
            pass
        self._switched = True
        return False

    def _note_missed(self, missed: int) -> None:
        self._missed += missed

    def _rewrites_left(self, budget: int | None) -> int:
        """Return how many rewrites the open commit may still extend."""
        return UNLIMITED if budget is None else budget - self._spent - self._circuit.spent

    def _over_budget_message(self, budget: int | None) -> str:
        group, name = self._planner.rule(costliest(self._circuit.costs, self._commit)).label
        label = f"{group}/{name}" if group else name
        return (
            f"the commit needs more than its budget of {budget:,} rewrites, and has changed nothing; the budget ran"
            f" out, most of it in rule {label}. A rewrite is one step of evaluating a rule. If the rule is right, pass"
            " a larger budget= to KnowledgeGraph.open"
        )

    def _switch(self, budget: int | None, check: Check) -> None:
        """Drop the Update, if there was one, and run a Bootstrap from all facts that are asserted after the commit."""
        origin = self._origin
        self._steps[-1] = "bootstrap"
        self._rewrites += self._circuit.rewrites
        self._spent += self._circuit.spent
        origin.refresh_if_changed()
        self._dropped = self._circuit.costs.copy()
        if self._circuit is origin:
            origin.undo()
        check()
        facts = rows_to_assert(origin, self._planner.tables(), self._wishes)
        check()
        self._evaluate(facts, UNLIMITED if budget is None else budget - self._spent, check)

    def _evaluate(self, facts: Rows, allowed: int, check: Check) -> None:
        """Run a Bootstrap: evaluate the rules in a new circuit. `facts`: the asserted facts.

        `allowed`: how many rewrites the Bootstrap may extend. Narrow facts come first, and each table is in segments of
        its own (`gatekeep`). So if a wide fact has all values of a narrow one, as in `n(?x, ?v), FILTER(?v > 5)`, the
        narrow one is only looked up, and the wide facts need no arrangement. Raises LimitError if a fact would need a
        level that does not fit into its stamp.
        """
        self._weights.activate()
        room = max(1024, 2 * sum(map(len, facts.values())))  # unused room costs no memory
        circuit = self._new_circuit(room)
        circuit.limit = Limit(allowed)
        self._strategy = "bootstrap"
        self._switch_to(circuit)
        if self._dropped is not None:
            carry_over(self._dropped, circuit.costs, self._commit)
        circuit.begin(is_update=False, commit=self._commit)
        for table in sorted(facts, key=lambda table: (facts[table].shape[1], -table)):
            circuit.assert_rows(table, facts[table], check)
        circuit.open_first_level()
        fire_bodiless(circuit, self._weights.bodiless(), self._commit)
        check()  # a commit of a few facts can be stopped here
        try:
            circuit.run(check)
        except TooDeepError:
            raise LimitError(
                f"a fact needs a chain of {at.LAST_LEVEL:,} or more derivations, more than a stamp can count"
            ) from None
        circuit.check_limit(allowed)
        circuit.note_queued()
        self._forecasts.work = circuit.rewrites + len(circuit.facts)
        self._rewrites += circuit.rewrites
        self._spent += circuit.rewrites
        circuit.begin(is_update=True, commit=self._commit)
        circuit.facts.trim()  # after `begin`, which empties the queue

    def changes(self) -> Changes:
        """Return the changes of the open commit so far."""
        circuit, steps = self._circuit, tuple(self._steps)
        rewrites = self._rewrites + circuit.rewrites
        changed = circuit.changes() if circuit is self._origin else changes_between(self._origin, circuit)
        return Changes(*changed, self._strategy, self._switched, rewrites, self._missed, steps)

    def accept(self) -> None:
        """Make the commit final. After an error, `accept` and `rollback` may be called again."""
        if self._is_open:
            self._circuit.refresh_if_changed()
            self._origin, self._last = self._circuit, self._commit
            self._circuit.settle()
            self._is_open = False
            self._circuit.tidy()

    def rollback(self) -> None:
        """Undo the open commit: facts and rules are as before `begin`. Does nothing if no commit is open."""
        if not self._is_open:
            return
        self._switch_to(self._origin)
        vars(self._forecasts).update(self._learnt)
        self._weights.undo()
        self._circuit.refresh_if_changed()
        self._circuit.undo()
        self._is_open = False
        self._circuit.tidy()

    def bootstrap(self, facts: Rows, rules: Sequence[EncodedRule] | None = None, check: Check = no_check) -> Changes:
        """Replace all facts: assert `facts` and evaluate the rules by Bootstrap, as one commit.

        `facts` maps the number of a table to rows int32[n, w]. `rules` replace the active rules; None keeps the active
        rules. If `check` raises, facts and rules stay as they were.
        """

        def work(check: Check) -> None:
            if rules is not None:
                self._weights.change(rules, self._weights.rules_in_force())
            self._evaluate(facts, UNLIMITED, check)

        return self._run_as_commit(work, check)

    def restore(
        self,
        records: Int32,
        rules: Sequence[EncodedRule],
        work: int = 0,
        hashed: UInt32 | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        """Load a saved fixpoint and its rules.

        `records`: int32[n, 3 + w], for each fact its state, stamp, support and columns. `work`: the saved forecast of a
        Bootstrap's work, or 0 if there was no Bootstrap. `hashed`, `snapshot`: see `Circuit.adopt`.
        """
        self.set_rules(rules)
        self._switch_to(self._new_circuit(len(records) + len(records) // 8 + 1024))  # unused room costs no memory
        self._circuit.adopt(records, hashed, snapshot)
        self._forecasts, self._last = Forecasts(work or None), 0

    def set_rules(self, rules: Sequence[EncodedRule]) -> None:
        """Make `rules` the active rules, and evaluate nothing. Call `restore` or `bootstrap` next."""
        self._weights.log.clear()
        self._weights.change(rules, self._weights.rules_in_force())
        self._weights.activate()
        self._circuit.refresh_if_changed()

    def close_gaps(self) -> None:
        """Move the rows of facts together if there are free rows, so that `snapshot` can return one.

        No commit may be open. Cost: one pass over all rows if there are free rows; plans then fill their arrangements
        again.
        """
        with undivided():
            self._circuit.close_gaps()
