"""`Materializer`: takes edits of quads and rules, and returns the changes of the graph. It knows no store.

    files -> id columns -> asserted triples -> closed schema -> rules -> engine -> rows whose kind changed

A commit is `change`, then `accept` or `rollback`. Invariants: the facts are the least model of the program over the
asserted triples of all graphs. The program is a function of the closed schema and of three flags (`program`), and so of
the asserted triples. A `rollback`, also one after an error in `change`, restores everything but the dictionary.

Cost: the first load is one Bootstrap. The cost of a later change is in proportion to what it changes, unless the engine
prefers Bootstrap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cached_property, partial
from itertools import chain, repeat
from operator import attrgetter
from os import PathLike
from typing import NamedTuple

import numpy as np

from kgreason.engine.changes import Changes, Rows, Strategy, StrategyRun
from kgreason.interrupts import let_out
from kgreason.materialize.edit import NO_FACTS, Change, Edit, EvaluationOptions, Facts, merge_facts
from kgreason.materialize.flags import DataFlags
from kgreason.materialize.literals.statements import Literals
from kgreason.materialize.materialized_graph import MaterializedGraph
from kgreason.materialize.program import ProgramChange, concern_datatypes
from kgreason.materialize.quads.asserted_quads import AssertedChange, Quads
from kgreason.materialize.schema.closure import ClosureChange
from kgreason.materialize.schema.rows import (
    SAME_AS,
    are_about_restrictions,
    decode_triples,
    has_supported_datatype,
    is_schema,
    is_stated,
    mentions,
)
from kgreason.materialize.schema.twins import NOTHING_SAID, TwinChange
from kgreason.materialize.state import Flags, SavedState
from kgreason.memory import without_collection
from kgreason.options import DEFAULT_LIMITS, NO_LIMITS, Limits
from kgreason.progress import SILENT, Progress
from kgreason.rules.model import Rule, Triple
from kgreason.spans import span
from kgreason.zset.columns import Int32

File = str | PathLike[str]
_NO_ROWS = np.empty((0, 3), dtype=np.int32)
_SAME_RULES = ProgramChange()
_ARE_PLAIN = attrgetter("has_plain_atoms")
_NOTHING = ClosureChange(_NO_ROWS, _NO_ROWS)
_MANY = 1000
"""Axioms and rules to translate; for fewer, garbage collection costs nothing."""


class _FieldsBefore(NamedTuple):
    """The fields of a materializer, other than its parts, as they were before a commit."""

    flags: Flags
    own: tuple[Rule, ...]
    is_programmed: bool
    axioms: int
    last_seen: int


class Materializer(MaterializedGraph):
    """Keeps the asserted quads of a graph, the rules that its options select, and the closure.

    `threads`: how many threads may share the work; None is the default of `kgreason.threads`.
    """

    _is_programmed = False
    _looked = 0
    """The id of the last term that `_has_new_literals` looked at."""
    _before: _FieldsBefore | None = None
    strategies: tuple[StrategyRun, ...] = ()
    """How each step of the last change was evaluated, for the `Record` of the journal."""

    @cached_property
    def data(self) -> DataFlags:
        """Computes the flags that the data calls for."""
        return DataFlags(self)

    def change(
        self,
        edit: Edit,
        *,
        strategy: Strategy | Sequence[Strategy] = "auto",
        budget: int | None = None,
        limits: Limits = DEFAULT_LIMITS,
        progress: Progress = SILENT,
    ) -> Change:
        """Retract and assert quads, and change rules. Returns all changes of the commit so far.

        No quad may be among both the quads to retract and the quads to assert. `accept` or `rollback` must follow.
        Before that, `change` may be called again to go on with the commit. A change takes several steps if the derived
        facts need other rules or other representatives. "bootstrap" is for the first step: further steps begin with its
        result. If `strategy` is a sequence, it has one strategy for each step; its last strategy holds for all further
        steps. Raises LimitError if more than `budget` rewrites are extended, or if a recursion goes beyond `limits`;
        then `rollback` must follow.
        """
        self.operators.rounds.limits = limits
        is_first = self._before is None
        if is_first:
            self.engine.begin()  # before `_before` is set: else an interrupt here makes `rollback` undo the last commit
            self._touched = {self.engine: None}
            self._before = _FieldsBefore(self.flags, self.own, self._is_programmed, self._axioms, self._looked)
        elif self.equality in self._touched:
            self.equality.undo_visible_changes()
        given = (strategy,) if isinstance(strategy, str) else strategy
        strategies = chain(given, repeat("auto" if strategy == "bootstrap" else given[-1]))
        if progress is SILENT:
            with span("evaluate"):
                return self._change(edit, EvaluationOptions(strategies, budget, let_out, is_first))
        with progress("reasoning") as report, span("evaluate"):

            def check() -> None:
                let_out()
                report(0)

            return self._change(edit, EvaluationOptions(strategies, budget, check, is_first))

    def _change(self, edit: Edit, options: EvaluationOptions) -> Change:
        is_asserted = self.engine.facts.are_asserted
        if self.quads.is_explicit or edit.added[:, 3].any():
            self._touched[self.quads] = None
        asserted = self.quads.change(edit.removed, edit.added, self._asserted_triples, is_asserted)
        axioms = asserted.removed[is_stated(asserted.removed)], asserted.added[is_stated(asserted.added)]
        schema = axioms[0][is_schema(axioms[0])], axioms[1][is_schema(axioms[1])]
        if self.unread and any(map(len, axioms)):
            self._touched[self.unread] = None
            self.unread.follow(*axioms)
        closure, said = self._close_schema(schema, options)
        with without_collection() if sum(map(len, closure)) + len(edit.own or ()) > _MANY else nullcontext():
            return self._carry_out(edit, asserted, closure, said, options)

    def _carry_out(
        self, edit: Edit, asserted: AssertedChange, closure: ClosureChange, said: TwinChange, options: EvaluationOptions
    ) -> Change:
        """Carry out a commit: apply `edit`, then go on as long as the derived facts call for other rules or facts.

        `asserted`: the triples that become asserted, and the triples that stop being asserted. `closure` and `said` are
        the results of `_close_schema`. `options`: how to evaluate.
        """
        called = self.flags
        is_linked = bool((asserted.added[:, 1] == SAME_AS).any())
        if len(closure.added) or is_linked:
            called = self.data.with_set_flags(Flags(self.data.has_schema_link(asserted.added, closure.added)))
        steps = [self._reprogram(closure, called, edit.own, said)]
        self._note_parts_with_work(is_linked, has_supported_datatype(asserted.added))
        own = Facts(*map(self._rows_by_table, edit.facts)) if any(edit.facts) else NO_FACTS
        if self._has_unasked_operators() and self._concerns_operators(asserted, own):
            self._ask_operators()
        facts = self._facts_ahead(asserted, said, own, is_first=options.is_first)
        is_asked = self.operators in self._touched
        if is_asked:
            foretold = self.operators.early_results({self.triples: asserted.added, **facts.added}, options.check)
            facts = merge_facts([foretold, facts]) if any(foretold) else facts
        changes = self._apply(asserted, facts, steps[0], options)
        if is_asked:
            self.operators.restart()
        reviewed = set[Flags]()  # each value is reviewed once: rules with NOT could set a flag again and again
        while True:
            mentioned = mentions(changes.rows)
            self._note_parts_with_work(mentioned.are_linked, mentioned.has_datatype, changes)
            called, facts = self.flags, self._due_facts(changes, steps)
            if mentioned.are_schema or len(closure.removed):
                called = self.data.needed_flags(changes, mentioned, closure.removed)
            if called == self.flags and not any(facts) and self.operators in self._touched:
                facts = self.operators.decided_facts(changes, options.check)
            if called == self.flags and not any(facts):
                if any(called) and called not in reviewed:
                    before = self._before.flags if self._before else None
                    called = self.data.remaining_flags(changes, closure, before)
                reviewed.add(self.flags)
                if called == self.flags:
                    if self.operators in self._touched:
                        self.operators.finish()
                    changes = self._without_needless_facts(changes, options)
                    is_replay = self.operators.rounds.limits is NO_LIMITS  # it had the checks of its time
                    if self.own and self._before and not is_replay:
                        self._derived.check(self.own, self._before.own, changes)
                    self.strategies = _without_repeated_end(changes.steps)
                    return self._result(changes, asserted, len(edit.removed) + edit.unknown, steps)
            steps.append(self._reprogram(_NOTHING, called, None))
            changes = self._apply(None, facts, steps[-1], options)

    def _note_parts_with_work(self, is_linked: bool, has_datatype: bool, changes: Changes | None = None) -> None:
        """Find the parts that have work because of changed rows or of new terms, and note them in `_touched`.

        `is_linked`: whether an owl:sameAs triple is added or removed. `has_datatype`: whether a row has a datatype as a
        type. `changes`: the changes of the commit so far; None before the rules run.

        The part for equal terms has work if the graph has equal terms, or if such a triple is added or removed. The
        part for literals has work if such a triple is added or removed, if a new term is a literal, if a row has a
        datatype as a type, or if rules ask for other datatypes than before.
        """
        if self.equality:
            if changes and (changes.tables != self.triples).any():
                is_linked |= self.equality.has_pairs(changes.rows, changes.tables)
            if is_linked or self.equality.cliques.live:
                self._touched[self.equality] = None
        if self.literals and self.literals not in self._touched:
            is_asked = self.literals.told != self.literals.in_use.datatypes
            if is_linked or is_asked or has_datatype or self._has_new_literals():
                self._touched[self.literals] = None
                self.datatypes_in_use(self.literals)

    def _has_new_literals(self) -> bool:
        """Whether one of the terms that the dictionary got since the last call is a literal."""
        known, self._looked = self._looked, len(self.dictionary)
        return self.dictionary.has_literals(known)

    def datatypes_in_use(self, literals: Literals) -> frozenset[int]:
        """Return the ids of the datatypes whose members rules ask for.

        `literals`: the part of the materializer that asserts these members.
        """
        if not literals.in_use.is_counted:
            self._touched[literals.in_use] = None
            literals.in_use.count(self.program, self.stratum.closure())
        return literals.in_use.datatypes

    def _facts_ahead(self, asserted: AssertedChange, said: TwinChange, own: Facts, *, is_first: bool) -> Facts:
        """Return the facts to assert and to retract before the rules run, other than the triples of the edit.

        `asserted`: the triples that this change asserts or retracts. `said`: the facts about twins to assert and to
        retract. `own`: the facts of the edit. `is_first`: whether this is the first `change` of the
        commit.
        """
        added = asserted.added
        found = (
            [Facts(self._rows_by_table(said.come), self._rows_by_table(said.gone))] if said is not NOTHING_SAID else []
        )
        if self.stated:
            self._touched[self.stated] = None
            gone, come = map(self._rows_by_table, self.stated.change(asserted.removed, added, self._asserted_triples))
            present = {table: rows[self.engine.facts.find(rows) >= 0] for table, rows in gone.items()}
            found.append(Facts.of(come, present))
        if is_first and self.equality and self.equality in self._touched:
            found.append(self.equality.facts_ahead(added))
        if self.literals and self.literals in self._touched:
            found.append(self.literals.facts_ahead(added))
        if self.operators in self._touched and any(foreseen := self.operators.facts_ahead(asserted.removed, added)):
            found.append(foreseen)
        return merge_facts([*found, own]) if found else own

    def _due_facts(self, changes: Changes, steps: Sequence[ProgramChange]) -> Facts:
        """Return the facts about equal terms and literals to assert and to retract because of the changes so far.

        `steps`: the steps of the commit so far, with the rules that they added and removed.
        """
        found = []
        if self.equality and self.equality in self._touched:
            fresh = chain.from_iterable(step.added for step in steps)
            left = chain.from_iterable(step.removed for step in steps)
            found.append(
                self.equality.due_facts(changes, lambda: self._encoded_rules(fresh), lambda: self._encoded_rules(left))
            )
        if self.literals and self.literals in self._touched:
            found.append(self.literals.due_facts(changes))
        return merge_facts(found) if found else NO_FACTS

    def _without_needless_facts(self, changes: Changes, options: EvaluationOptions) -> Changes:
        """Retract the facts about literals that no rule needs now, because their owl:sameAs links were removed.

        `changes`: the changes of the commit so far. Returns the changes after the retraction.
        """
        if self.literals is None or self.literals not in self._touched:
            return changes
        needless = self.literals.needless_facts(changes)
        if not any(needless):
            return changes
        return self._apply(None, needless, _SAME_RULES, options)

    def accept(self) -> None:
        """Make a change final."""
        self._before = None
        for part in self._touched:
            part.accept()

    def rollback(self) -> None:
        """Undo a change, also one that failed half way."""
        if self._before is not None:
            self.flags, self.own, self._is_programmed, self._axioms, self._looked = self._before
            if self.program in self._touched:
                self._codes = None
            for part in self._touched:
                part.rollback()
            self._before = None

    def _asserted_triples(self) -> Int32:
        """Return the asserted triples: int32[n, 3]."""
        return self.save(is_borrowed=True).facts(True)

    def _close_schema(
        self, schema: tuple[Int32, Int32], options: EvaluationOptions
    ) -> tuple[ClosureChange, TwinChange]:
        """Close the schema again, and look for twins.

        `schema`: the removed and the added schema triples, int32[n, 3] each. `options`: how to evaluate.
        Returns the change of the closed schema, and the facts about twins (`Twins`) that come and go.
        """
        if self.stratum.is_ready and not any(map(len, schema)):
            return _NOTHING, NOTHING_SAID
        said = NOTHING_SAID
        with span("close"):
            if self.twins and (are_about_restrictions(schema[0]).any() or are_about_restrictions(schema[1]).any()):
                self._touched[self.twins] = None
                said = self.twins.change(*schema)
            self._touched[self.stratum] = None
            return self.stratum.change(*schema, options.check, options.budget, said), said

    def _rows_by_table(self, rows: Mapping[int, Int32]) -> Rows:
        """Return the facts of relations in `rows` by the engine's numbers of tables; `rows` has them by width."""
        return {self.engine.table(False, width): part for width, part in rows.items()}

    def _reprogram(
        self, closure: ClosureChange, flags: Flags, own: tuple[Rule, ...] | None, said: TwinChange = NOTHING_SAID
    ) -> ProgramChange:
        """Change the program so that it fits the closed schema, the flags and the user's rules.

        `closure`: the change of the closed schema. `own`: all rules of the user; None if they stay. `said`: how the
        facts about twins change.
        """
        is_same = own is None and flags == self.flags and not len(closure.removed) and not len(closure.added)
        if is_same and not said.represented and self._is_programmed:
            return _SAME_RULES
        self.flags, self._is_programmed = flags, True
        self.own = self.own if own is None else own
        self._touched[self.program] = None
        self._codes = None
        with span("translate"):
            removed, added = self._translation_changes(closure) if self.selection.profiles else ((), ())
            change = self.program.change(
                removed,
                added,
                **flags._asdict(),
                own=own,
                twins=said.represented,
                wide=self.wide.kinds,
                rest=self._untranslated_triples() if flags.exceeded else (),
            )
            self._axioms = change.axioms
            if self.literals and self.literals.in_use.is_counted and concern_datatypes(change, *closure):
                self._touched[self.literals.in_use] = None
                self.literals.in_use.follow(change, self.program, closure)
            is_edited = change.added or change.removed or any(map(len, closure))
            if is_edited and (self.operators.are_any or not all(map(_ARE_PLAIN, change.added))):
                self._touched[self.operators] = None
                self.operators.follow(tuple(self.program.rules_in_force), self.closed_schema())
            return change

    def _translation_changes(self, closure: ClosureChange) -> tuple[Sequence[Triple], Sequence[Triple]]:
        """Return the triples to translate that left the closed schema, and those that joined it (`WideKinds`)."""
        self._touched[self.wide] = None
        gone, come = self.wide.follow(closure, self.stratum.closure)
        removed = decode_triples(self.dictionary, gone) if len(gone) else ()
        return removed, decode_triples(self.dictionary, come) if len(come) else ()

    def _untranslated_triples(self) -> Iterator[Triple]:
        """Yield the triples of the closed schema that are not translated; see `WideKinds`."""
        yield from decode_triples(self.dictionary, self.wide.untranslated_rows(self.stratum.closure()))

    def closed_schema(self) -> Iterator[Triple]:
        """Yield the closed schema. Cost: a pass over the schema, once it is asked."""
        yield from decode_triples(self.dictionary, self.stratum.closure())

    def _apply(
        self, asserted: AssertedChange | None, facts: Facts, program: ProgramChange, options: EvaluationOptions
    ) -> Changes:
        """Apply a change of facts and rules in the engine. Returns the changes of the commit so far.

        Then compute the expressions that rules ask for, until rules ask for no further expression.

        `asserted`: the triples that this change asserts or retracts. `facts`: other facts to assert and to retract.
        `options`: how the engine evaluates the change.
        """
        removed, added = (asserted.removed, asserted.added) if asserted else (_NO_ROWS, _NO_ROWS)
        wanted, needless = {self.triples: added, **facts.added}, {self.triples: removed, **facts.removed}
        left = self._encoded_rules(program.removed) if program.removed else []
        encoded = self._encoded_rules(program.added, are_plain=not self.operators.are_any) if program.added else []
        run = partial(self.engine.apply, budget=options.budget, check=options.check)
        run(wanted, needless, encoded, left, strategy=next(options.strategies))
        if self._has_unasked_operators():
            if self.engine.has_only_updates:
                changes = self.engine.changes()
                if not self.operators.interest.may_concern(changes.rows, changes.tables):
                    return changes
            self._ask_operators()
        if self.operators in self._touched:
            while any(computed := self.operators.computed_facts(options.check)):
                run(computed.added, computed.removed, strategy=next(options.strategies))
        return self.engine.changes()

    def _has_unasked_operators(self) -> bool:
        """Whether rules have operators that this commit has not asked so far."""
        return self.operators.are_any and self.operators not in self._touched

    def _concerns_operators(self, asserted: AssertedChange, facts: Facts) -> bool:
        """Whether an edit is of interest for operators, before the rules run."""
        interest, triples = self.operators.interest, self.triples
        return any(interest.may_concern_table(triples, rows) for rows in (asserted.added, asserted.removed)) or any(
            interest.may_concern_table(table, rows) for table, rows in facts.added.items()
        )

    def _ask_operators(self) -> None:
        """Let operators take part in this commit from now on, with the first stratum."""
        self._touched[self.operators] = None
        self.operators.restart()

    @without_collection()
    def make_program(self, asserted: Int32) -> None:
        """Close the schema and translate it to rules, before the engine has any fact.

        `asserted`: triples int32[n, 3], at least those that are schema triples.
        """
        self._touched = {}
        if self.unread:
            self.unread.adopt(asserted)
        if self.stated:
            self.stated.adopt(asserted)
        closure, said = self._close_schema(
            (_NO_ROWS, asserted[is_schema(asserted)]), EvaluationOptions(iter(()), None, let_out, True)
        )
        self._reprogram(closure, self.flags, None, said)
        self.accept()

    def restore(self, saved: SavedState) -> None:
        """Take over a saved state. The schema is closed and translated again; the data is not evaluated."""
        for is_triple, width in saved.tables:
            self.engine.table(is_triple, width)
        self.quads = Quads(saved.quads, self.threads)
        self.flags = Flags(saved.same_as, saved.exceeded, saved.restricted)
        self.make_program(saved.asserted_axioms())
        self.engine.restore(saved.records, self._encoded_rules(self.rules), saved.work, saved.hashed, saved.snapshot)
        if self.equality:
            self.equality.adopt(saved.representative_rows())
        if self.visible:
            self.visible.adopt(saved.spellings())
        if self.literals:
            if self.dictionary.has_literals(0):
                self.datatypes_in_use(self.literals)
                self.accept()
            self.literals.adopt()
        self._looked = len(self.dictionary)


def _without_repeated_end(strategies: tuple[StrategyRun, ...]) -> tuple[StrategyRun, ...]:
    """Return the strategies of the steps; equal strategies at the end are returned only once."""
    kept = len(strategies)
    while kept > 1 and strategies[kept - 1] == strategies[kept - 2]:
        kept -= 1
    return strategies[:kept]
