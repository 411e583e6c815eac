"""The engine: commits of facts and rules, by Update or by Bootstrap.

    begin -> apply, once or more -> changes -> accept or rollback

Invariants after every commit (docs/architecture.md), for the active rules over the present facts: the head of every
derivation is present; the support of a fact is the number of its derivations from body facts that all have a smaller
stamp, and its state has the number of the others, the spare derivations; every fact is asserted or has support. A
commit is atomic. An Update keeps an undo log of the rows that it writes. A Bootstrap builds a second circuit, which
then takes the place of the first. So an error, a cancel or a rollback leaves facts, stamps, supports and rules as they
were.

    Update    Retract: take back the derivations of leaving rules and facts, level by level
              Rederive: bring back each fact that left but still has a derivation from the remaining facts (the spare
              derivations tell: `level/returning.py`)
              Assert: run the semi-naive levels from the rederived facts, the new facts and the heads of new rules

If an Update is too much work compared with a Bootstrap, it is dropped, or not even tried, and a Bootstrap runs
(`elastic`). The delta is the same in both cases. The cost of an Update is proportional to the change, that of a
Bootstrap to all facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.compiled import announce, compile_ahead
from kgreason.compiled import is_compiled as are_compiled
from kgreason.engine.circuit import UNLIMITED, Circuit, OverLimitError, TooDeepError
from kgreason.engine.costs import Cost, carry_over, costliest, read
from kgreason.engine.costs import count as count_cost
from kgreason.engine.elastic import Elastic
from kgreason.engine.facts.antijoin import GIVEN, QUEUED, Changed, decided
from kgreason.engine.facts.facts import Facts, Rows
from kgreason.engine.facts.matching import arrived
from kgreason.engine.level.fixpoint import advance
from kgreason.engine.memory import layout as at
from kgreason.engine.program.encoding import Intern, encode_all
from kgreason.engine.program.planner import Planner
from kgreason.engine.program.shapes import EncodedRule
from kgreason.engine.rebuild import Wish, difference, rows_to_assert
from kgreason.engine.snapshot import Snapshot
from kgreason.errors import LimitError
from kgreason.interrupts import let_out, undivided
from kgreason.rules.model import Rule
from kgreason.threads import threads as default_threads
from kgreason.zset.columns import Int8, Int32, UInt32

Check = Callable[[], object]
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


class _Reweighed(NamedTuple):
    """The numbers of the rules that leave the program, and the numbers of the rules that are new."""

    leaving: Sequence[int]
    fresh: Sequence[int]


_NO_RULES = _Reweighed((), ())


def is_compiled() -> bool:
    """Whether a first commit compiles no kernels."""
    return are_compiled(advance)


def count(rows: Rows) -> int:
    """Return the number of rows in all tables together."""
    return sum(map(len, rows.values()))


def no_check() -> None:
    """Do nothing: the default for each parameter `check`, a function that is called between kernel calls."""


def _both(first: Check, second: Check) -> Check:
    if second is no_check or second is first:
        return first

    def check() -> None:
        first()
        second()

    return check


class Engine:
    """Holds facts and rules as ids. After every commit the facts are the closure of the asserted facts under the rules.

    `quiet` is the id of a property, or 0. The engine derives no triple `x quiet x` with this property. (kgreason passes
    owl:sameAs while the rule eq-ref is off.) `threads`: how many threads a commit may use; None is the default of
    `kgreason.threads`. The number changes nothing but the time.
    """

    def __init__(self, quiet: int = 0, threads: int | None = None) -> None:
        announce(advance)
        self._planner = Planner()
        self._quiet, self.threads = quiet, default_threads(threads)
        if self.threads > 1:
            compile_ahead(advance)
        self._generations = 0
        self._circuit = self._new_circuit()
        self._elastic = Elastic()
        self._numbers: dict[EncodedRule, int] = {}
        self._bodiless: dict[int, EncodedRule] = {}
        self._weights: dict[int, int] = {}
        self._origin, self._is_open = self._circuit, False
        self._reweighed: list[tuple[int, int]] = []
        self._commit = self._last = 0
        """`_commit`: the number of the commit that began last. `_last`: of the commit that was accepted last."""

    def _new_circuit(self, room: int = 1024) -> Circuit:
        """Make an empty circuit with room for `room` facts."""
        self._generations += 1
        circuit = Circuit(self._planner, room, self._quiet, self.threads)
        circuit.generation = self._generations
        return circuit

    @property
    def generation(self) -> int:
        """A number that each Bootstrap changes, and that a rollback sets back."""
        return self._circuit.generation

    @property
    def rules(self) -> list[EncodedRule]:
        """The rules in force."""
        return [self._planner.rule(number) for number in self._weights]

    def __len__(self) -> int:
        """Return the number of facts."""
        return len(self._circuit.facts)

    @property
    def facts(self) -> Facts:
        """A reader of the facts. It is valid until the next commit."""
        return self._circuit.facts

    @property
    def nbytes(self) -> int:
        """The number of bytes of the circuit's arrays."""
        return self._circuit.nbytes

    @property
    def tables(self) -> list[tuple[bool, int]]:
        """For each table, by its number, whether it holds triples, and how many columns it has."""
        return self._planner.tables()

    def encode(self, rules: Sequence[Rule], intern: Intern) -> list[EncodedRule]:
        """Return rules as ids, as `encoding.encode_all` does. Makes the tables of their atoms."""
        return encode_all(rules, self._planner, intern)

    @property
    def work(self) -> int | None:
        """The forecast of a Bootstrap's work, its rewrites plus its facts; None before the first Bootstrap."""
        return self._elastic.work

    def table(self, is_triple: bool, width: int) -> int:
        """Return the number of the table for facts of one kind (triples or atoms of a relation) and one width.

        Makes the table if it does not exist.
        """
        with undivided():
            number = self._planner.table(is_triple, width)
            self._circuit.keep_up()
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
        return self._whole(
            lambda check: self._apply(wish, self._reweigh(added, removed), strategy, budget, check), check
        )

    def _whole(self, work: Callable[[Check], object], check: Check) -> Changes:
        """Call `work` in a new commit and accept it. After an error, roll the commit back and raise the error again.

        `work` gets a function to call between kernel calls: the function calls `check` and `let_out`.
        """
        with undivided():
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
        """Start a commit, which `accept` or `rollback` ends. A commit that is still open is rolled back first."""
        with undivided():
            self._begin()

    def _begin(self) -> None:
        if self._is_open:
            self._rollback()
        self._origin, self._is_open, self._learnt = self._circuit, True, self._elastic.save()
        self._wishes: list[Wish] = []
        self._dropped = self._circuit.costs[:0]
        self._steps: list[Literal["update", "bootstrap"]] = []
        self._reweighed = []
        self._strategy, self._switched, self._missed = "update", False, 0
        self._rewrites = self._spent = 0
        """The work of this commit before `circuit`: all of it, and what counts for the budget."""
        self._commit += 1
        self._circuit.keep_up()
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
        check: Check = no_check,
    ) -> None:
        """Retract facts, assert other facts, and add 1 to the weights of rules (`added`) or subtract 1 (`removed`).

        `asserted` and `retracted` map the number of a table to rows int32[n, w]. Nothing changes if a fact to assert is
        asserted already, if a fact to retract is not asserted, or if a rule to remove is not in force. `check` is
        called between kernel calls and may raise. Raises LimitError if the commit extends more than `budget` rewrites;
        the message names the rule with the most rewrites. A chain of `LAST_LEVEL` or more derivations raises it, too.
        After any error call `rollback`. An Update whose stamps would become too large becomes a Bootstrap, whatever the
        strategy.
        """
        with undivided():
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
        """Start the open commit from a fixpoint that was evaluated elsewhere. Call `apply` next.

        `records`: int32[n, 3 + w], as for `restore`. They replace all facts of the engine, so they must include the
        facts that stay. `rules`: all rules of the fixpoint. They replace the rules in force.
        """
        with undivided():
            self._reweigh(rules, self._all_rules())
            self._set_active(number for number, _ in self._reweighed)
            circuit = self._new_circuit(max(1024, len(records)))
            circuit.adopt(records)
            self._circuit, self._strategy = circuit, "bootstrap"
            self._elastic.work = max(self._elastic.work or 0, len(records))
            circuit.begin(is_update=True, commit=self._commit)

    def _is_hopeless(self, wish: Wish, budget: int | None) -> bool:
        """Whether the strategy `auto` should run a Bootstrap without trying an Update first.

        `wish`: the rows to assert and to retract. False if the budget is too small for a Bootstrap.
        """
        elastic = self._elastic
        if elastic.work is None:
            return True
        if not elastic.is_hopeless(count(wish.asserted), count(wish.retracted)) or self._left(budget) < elastic.work:
            return False
        elastic.doubt()
        return True

    def _tried(self, wish: Wish, rules: _Reweighed, strategy: Strategy, budget: int | None, check: Check) -> bool:
        """Try an Update.

        `wish`: the rows to assert and to retract. Returns False if a Bootstrap has to run: the Update went past a limit
        of the strategy `auto`, or the levels of facts have grown too large over many Updates; a Bootstrap numbers them
        again. Raises OverLimitError if the budget ran out.
        """
        most = UNLIMITED if budget is None else self._circuit.spent + self._left(budget)
        is_auto = strategy == "auto"
        try:
            self._update(wish, rules, most, is_auto, check)
            self._circuit.check_limit(most)
        except OverLimitError:
            if not is_auto or self._circuit.spent > most:
                raise
            return False
        except TooDeepError:
            return False
        return True

    def _left(self, budget: int | None) -> int:
        """Return how many rewrites the open commit may still extend."""
        return UNLIMITED if budget is None else budget - self._spent - self._circuit.spent

    def _over(self, budget: int | None) -> str:
        group, name = self._planner.rule(costliest(self._circuit.costs, self._commit)).label
        label = f"{group}/{name}" if group else name
        return (
            f"the commit needs more than its budget of {budget:,} rewrites, and has changed nothing; the budget ran"
            f" out, most of it in rule {label}. A rewrite is one step of evaluating a rule. If the rule is right, pass"
            " a larger budget= to KnowledgeGraph.open"
        )

    def _update(self, wish: Wish, rules: _Reweighed, most: int, is_auto: bool, check: Check) -> None:
        """Run an Update (Retract, Rederive, Assert) that extends at most `most` rewrites.

        `wish`: the rows to assert and to retract. With `is_auto` the limits of `elastic` hold as well.
        """
        (asserted, retracted), (leaving, fresh) = wish, rules
        circuit = self._circuit
        circuit.keep_up()
        circuit.enter(at.ASSERT)
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
            self._planner.set_active(number, True)
            if number not in self._bodiless:
                circuit.run_rule(number, check)
        self._fire_empty_bodies(fresh)
        circuit.run(check)
        circuit.note_queued()
        self._elastic.grew(circuit.queue_end - end, circuit.rewrites - before)

    def _for_arriving(self, most: int, facts: int, end: int) -> Callable[[], int]:
        """Return a function that returns the present limit on rewrites in the phase Assert.

        The limit grows with the arriving facts. `most`: the limit of the budget. `facts`: the number of facts that
        remained after Retract. `end`: the position in the queue where the arriving facts begin.
        """
        circuit, elastic, before = self._circuit, self._elastic, self._circuit.rewrites
        return lambda: min(most, before + elastic.for_arriving(1 + (circuit.queue_end - end) / max(facts, 1)))

    def _take_back(self, retracted: Rows, leaving: Sequence[int], check: Check) -> int:
        """Run Retract and Rederive, and note their cost in the forecasts.

        `leaving`: the numbers of the rules that leave the program. Returns the position in the queue after the last row
        that left.
        """
        start, before = self._circuit.queue_end, self._circuit.rewrites
        try:
            end = self._retract(retracted, leaving, check)
        finally:
            self._elastic.took_back(count(retracted), self._circuit.spent - before)
        self._elastic.shrank((end - start) / max(len(self), 1))
        return end

    def _retract(self, retracted: Rows, leaving: Sequence[int], check: Check) -> int:
        """Run Retract and Rederive.

        `leaving`: the numbers of the rules that leave the program. Returns the position in the queue after the last
        row that left. The rows that Rederive brought back follow there.
        """
        circuit = self._circuit
        circuit.enter(at.RETRACT)
        start = circuit.queue_end
        for rows in retracted.values():
            self._missed += circuit.retract_rows(rows, check)
        for number in leaving:
            if number not in self._bodiless:
                circuit.run_rule(number, check)
        self._fire_empty_bodies(leaving)
        for number in leaving:
            self._planner.set_active(number, False)
        circuit.run(check)
        left = circuit.queued(start)
        circuit.enter(at.REDERIVE)
        circuit.rederive(left, check)
        circuit.go_on(at.ASSERT)
        return start + len(left)

    def _switch(self, budget: int | None, check: Check) -> None:
        """Drop the Update, if there was one, and run a Bootstrap from all facts that are asserted after the commit."""
        origin = self._origin
        self._steps[-1] = "bootstrap"
        self._rewrites += self._circuit.rewrites
        self._spent += self._circuit.spent
        origin.keep_up()
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
        self._set_active(number for number, _ in self._reweighed)
        room = max(1024, 2 * count(facts))  # unused room costs no memory
        circuit = self._new_circuit(room)
        circuit.limit = lambda: allowed
        self._circuit, self._strategy = circuit, "bootstrap"
        carry_over(self._dropped, circuit.costs, self._commit)
        circuit.begin(is_update=False, commit=self._commit)
        for table in sorted(facts, key=lambda table: (facts[table].shape[1], -table)):
            circuit.assert_rows(table, facts[table], check)
        circuit.open_first_level()
        self._fire_empty_bodies(self._weights)
        try:
            circuit.run(check)
        except TooDeepError:
            raise LimitError(
                f"a fact needs a chain of {at.LAST_LEVEL:,} or more derivations, more than a stamp can count"
            ) from None
        circuit.check_limit(allowed)
        circuit.note_queued()
        self._elastic.work = circuit.rewrites + len(circuit.facts)
        self._rewrites += circuit.rewrites
        self._spent += circuit.rewrites
        circuit.begin(is_update=True, commit=self._commit)
        circuit.facts.trim()  # after `begin`, which empties the queue

    def arrived(self, lines: Int32) -> Int32:
        """Return the keys of the facts that the open commit added since the last call, or else since `begin`.

        Only facts that match an atom count: `lines` has the atoms, as `facts.matching` explains. Returns int32[n, 1 +
        w]: the number of the line, and the key. A fact that left and returned in this commit may be left out. After a
        Bootstrap, all facts are looked at.
        """
        circuit, start = self._looked_at
        is_update = circuit is self._circuit or self._circuit is self._origin
        self._looked_at = self._circuit, self._circuit.touched
        start = start if circuit is self._circuit else 0
        return arrived(self._circuit.block, lines, start, self._circuit.touched, is_update=is_update)

    @property
    def is_updated(self) -> bool:
        """Whether the open commit has run Updates alone, so that the undo log has all its changes."""
        return self._circuit is self._origin

    def was_present(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row that `arrived` returned whether it was a fact before the open commit: bool[n].

        If a Bootstrap has run, the facts are looked up in the old circuit. If not, or if there were no facts, all
        results are False, because `arrived` then returns only facts that are new.
        """
        if self._circuit is self._origin or not len(self._origin.facts):
            return np.zeros(len(rows), dtype=np.bool_)
        found: NDArray[np.bool_] = self._origin.facts.find(rows) >= 0
        return found

    def decided(
        self, lines: Int32, first: int, last: int, facts: Changed, others: Int32, *, was_decided: bool
    ) -> Int32:
        """Decide antijoins for the keys of changed facts, as `facts.antijoin.decided` does."""
        return decided(self._circuit.block, lines, first, last, facts, others, was_decided=was_decided)

    def columns(self, facts: Changed) -> Int32:
        """Return the columns of changed facts: int32[n, w]. Facts whose kind is as before may be among them."""
        if facts.source == GIVEN:
            return facts.rows
        if facts.source == QUEUED:
            return self.facts.columns(self._circuit.queued(facts.start)[: facts.end - facts.start])[0]
        return self._circuit.changes(facts.start)[0]

    def place(self) -> Place:
        """Return a mark of the open commit's present state, for `touched`."""
        return Place(self.generation, self._circuit.touched, self._circuit.queue_end)

    def touched(self, since: Place) -> tuple[Int32, Int32, Place]:
        """Return the facts that the open commit has changed since `place` made the mark `since`, and a new mark.

        The facts are returned as columns int32[n, w] and tables int32[n]. A fact that had already changed before
        `since` may be left out. If a Bootstrap has run after `since`, all facts that the commit has changed are
        returned.
        """
        if since.generation == self.generation:
            rows, tables, _, _ = self._circuit.changes(since.touched)
        else:
            rows, tables = self.changes()[:2]
        return rows, tables, self.place()

    def changes(self) -> Changes:
        """Return the changes of the open commit so far."""
        if self._circuit is not self._origin:
            return self._changes(*difference(self._origin, self._circuit))
        return self._changes(*self._circuit.changes())

    def _changes(self, rows: Int32, tables: Int32, before: Int8, after: Int8) -> Changes:
        rewrites = self._rewrites + self._circuit.rewrites
        steps = tuple(self._steps)
        return Changes(rows, tables, before, after, self._strategy, self._switched, rewrites, self._missed, steps)

    def accept(self) -> None:
        """Make the commit final. After an interrupt, `accept` and `rollback` may be called again."""
        with undivided():
            self._accept()

    def _accept(self) -> None:
        if self._is_open:
            self._circuit.keep_up()
            self._origin, self._last = self._circuit, self._commit
            self._circuit.settle()
            self._is_open = False
            self._circuit.tidy()

    def rollback(self) -> None:
        """Undo the open commit: facts and rules are as before `begin`. Does nothing if no commit is open."""
        with undivided():
            self._rollback()

    def _rollback(self) -> None:
        if not self._is_open:
            return
        self._circuit = self._origin
        self._elastic.restore(self._learnt)
        for number, weight in reversed(self._reweighed):
            self._set_weight(number, weight)
        self._set_active(number for number, _ in self._reweighed)
        self._circuit.keep_up()
        self._circuit.undo()
        self._is_open = False

    def bootstrap(self, facts: Rows, rules: Sequence[EncodedRule] | None = None, check: Check = no_check) -> Changes:
        """Replace all facts: assert `facts` and evaluate the rules by Bootstrap, as one commit.

        `facts` maps the number of a table to rows int32[n, w]. `rules` replace the active rules; None keeps the active
        rules. If `check` raises, facts and rules stay as they were.
        """

        def work(check: Check) -> None:
            if rules is not None:
                self._reweigh(rules, self._all_rules())
            self._evaluate(facts, UNLIMITED, check)

        return self._whole(work, check)

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
        self._circuit = self._new_circuit(len(records) + len(records) // 8 + 1024)  # unused room costs no memory
        self._circuit.adopt(records, hashed, snapshot)
        self._elastic, self._last = Elastic(work or None), 0

    def set_rules(self, rules: Sequence[EncodedRule]) -> None:
        """Make `rules` the active rules, and evaluate nothing. Call `restore` or `bootstrap` next."""
        self._reweighed = []
        self._reweigh(rules, self._all_rules())
        self._set_active(number for number, _ in self._reweighed)
        self._circuit.keep_up()

    def rows_with(self, table: int, constants: Mapping[int, int]) -> Int32 | None:
        """Return the facts of a table that have the ids `constants`, column -> id: int32[n, w].

        Returns None if no body atom of the rules has exactly these constants in these columns, or if no fact has
        them. Cost: one look at each fact that the catalogue lists for the constants.
        """
        key = self._planner.find_key(table, constants)
        if key is None or not self._circuit.memory["key_count"][key]:
            return None
        facts = self._circuit.facts
        rows, tables = facts.columns(self._circuit.arrangements.candidates(key))
        kept = tables == table
        for column, value in constants.items():
            kept &= rows[:, column] == value
        found: Int32 = rows[kept]
        return found

    def held(self, table: int, constants: Mapping[int, int]) -> Int32:
        """Return the facts of a table that have the ids `constants`, column -> id, as of the last commit: int32[n, w].

        If a commit is open, facts that this commit added may be among them. Cost: a look at all facts.
        """
        facts, width = (self._origin if self._is_open else self._circuit).facts, self._planner.tables()[table][1]
        if width > facts.width:  # the open commit has made the table
            return np.empty((0, width), dtype=np.int32)
        rows, tables = facts.columns(facts.with_constants(constants))
        found: Int32 = rows[tables == table]
        return found

    def derivations(self, row: int, limit: int = 1 << 20) -> list[tuple[EncodedRule, tuple[int, ...]]]:
        """Return the derivations of the present fact in row `row`, as pairs of a rule and the values of its slots.

        Slots are the variables and constants of the rule (see `memory/layout.py`). The rules run backwards, from head
        to body. The search stops when `limit` derivations or more have been found. No commit may be open.
        """
        with undivided():
            self._circuit.keep_up()
            self._circuit.plan_backward(np.array([row], dtype=np.int32))
            traced = self._circuit.derivations(row, limit)
        found = dict.fromkeys(map(tuple, traced.tolist()))
        return [(self._planner.rule(rule), tuple(slots)) for rule, *slots in found]

    def trace(self, rows: Int32, take: Callable[[Int32], None], check: Check = no_check) -> None:
        """Pass to `take` all derivations of the facts with the row numbers `rows`, int32[n]; see `Circuit.trace`.

        The rows must hold present facts. No commit may be open.
        """
        with undivided():
            self._circuit.keep_up()
            self._circuit.plan_backward(rows)
            self._circuit.trace(rows, take, _both(let_out, check))

    def snapshot(self, records: Int32) -> Snapshot | None:
        """Return what a circuit needs to be opened again without a look at the facts; see `Circuit.snapshot`."""
        return self._circuit.snapshot(records)

    def close_up(self) -> None:
        """Move the rows of facts together if there are free rows, so that `snapshot` can return one.

        No commit may be open. Cost: one pass over all rows if there are free rows; plans then fill their arrangements
        again.
        """
        with undivided():
            self._circuit.close_up()

    @property
    def has_commits(self) -> bool:
        """Whether a commit is open, or a commit has been accepted since the engine was made or restored."""
        return self._is_open or self._last > 0

    def costs(self, *, every: bool = False) -> list[tuple[EncodedRule, Cost]]:
        """Return the rules in force, each with its cost. With `every`, also return the rules that are not in force now.

        If a commit is open, the open commit counts as the last commit.
        """
        self._circuit.keep_up()
        found = read(self._circuit.costs, self._commit if self._is_open else self._last)
        numbers = range(self._planner.rules.n) if every else self._weights
        return [(self._planner.rule(number), found[number]) for number in numbers]

    def _all_rules(self) -> list[EncodedRule]:
        return [self._planner.rule(number) for number, weight in self._weights.items() for _ in range(weight)]

    def _reweigh(self, added: Sequence[EncodedRule], removed: Sequence[EncodedRule]) -> _Reweighed:
        """Add 1 to the weight of each rule of `added`; then subtract 1 for each rule of `removed` that is in force.

        Returns the numbers of the rules that leave the program, and the numbers of the rules that are new.
        """
        if not added and not removed:
            return _NO_RULES
        before: dict[int, bool] = {}
        for rules, weight in ((added, 1), (removed, -1)):
            for rule in rules:
                let_out()
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
        """Activate those rules of `numbers` whose weight is not 0, and deactivate the other rules of `numbers`."""
        for number in numbers:
            self._planner.set_active(number, number in self._weights)

    def _set_weight(self, number: int, weight: int) -> None:
        """Give a rule a weight; weight 0 removes the rule."""
        if weight:
            self._weights[number] = weight
        else:
            self._weights.pop(number, None)

    def _number(self, rule: EncodedRule) -> int:
        """Return the number of a rule in the planner. The rule is added if the planner lacks it."""
        if rule not in self._numbers:
            number = self._planner.add(rule)
            if not rule.shape.body:
                self._bodiless[number] = rule
            self._numbers[rule] = number
        return self._numbers[rule]

    def _fire_empty_bodies(self, numbers: Iterable[int]) -> None:
        """Derive the heads of those rules of `numbers` that have no body.

        In the phase RETRACT, the method takes these derivations back.
        """
        if not self._bodiless:
            return
        heads: dict[int, list[list[int]]] = {}
        for number, rule in ((number, self._bodiless[number]) for number in numbers if number in self._bodiless):
            patterns = dict.fromkeys(rule.shape.heads)
            count_cost(self._circuit.costs, number, len(patterns), self._commit)
            for pattern in patterns:
                row = [rule.constants[slot - 1] for slot in pattern.slots]
                heads.setdefault(pattern.table, []).append(row)
        for table, rows in heads.items():
            self._circuit.derive(table, np.array(rows, dtype=np.int32))
