"""`Materializer`: takes edits of quads and rules, and returns the changes of the graph. It knows no store.

    files -> id columns -> asserted triples -> closed schema -> rules -> engine -> rows whose kind changed

A commit is `change`, then `accept` or `rollback`. Invariants: the facts are the least model of the program over the
asserted triples of all graphs. The program is a function of the closed schema and of three flags (`program`), and so of
the asserted triples. A `rollback`, also one after an error in `change`, restores everything but the dictionary.

Cost: the first load is one Bootstrap. The cost of a later change is in proportion to what it changes, unless the engine
prefers Bootstrap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain, repeat
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes, Strategy, StrategyRun
from kgreason.engine.engine import Engine
from kgreason.engine.facts.facts import Rows
from kgreason.engine.program.shapes import EncodedRule
from kgreason.functions.registry import Registry
from kgreason.interrupts import let_out
from kgreason.materialize.edit import NO_FACTS, NO_KINDS, Change, Edit, Facts, Means, Part, Refuted, Work, together
from kgreason.materialize.edit import Kinds as RelationKinds
from kgreason.materialize.literals.statements import Literals
from kgreason.materialize.literals.values import followed
from kgreason.materialize.literals.visible import Visible
from kgreason.materialize.operators.operators import Operators
from kgreason.materialize.options import DEFAULT_LIMITS, Limits
from kgreason.materialize.precomputed import Evaluated, lacking
from kgreason.materialize.program import (
    LiveProgram,
    ProgramChange,
    datatypes_read,
    have_datatype,
    is_datatype,
    reads_links,
    uncollected,
)
from kgreason.materialize.quads.asserted import Asserted, Quads, in_default_graph
from kgreason.materialize.relations.changes import CONTRADICTION, USER, Owners
from kgreason.materialize.relations.keys import Keys
from kgreason.materialize.same_as.images import Kinds, sides
from kgreason.materialize.same_as.representatives import Equality, over_representatives
from kgreason.materialize.schema.closure import ClosureChange, SchemaStratum
from kgreason.materialize.schema.rows import (
    DIFFERENT_FROM,
    SAME_AS,
    decoded,
    is_schema,
    is_stated,
    links,
    restricts,
)
from kgreason.materialize.schema.twins import NOTHING_SAID, Said, Twins
from kgreason.materialize.schema.unread import Unread
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Saved
from kgreason.progress import SILENT, Progress
from kgreason.rules.lowering import lowered, renamed_results
from kgreason.rules.model import FALSE, Rule, Triple
from kgreason.spans import span
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32

File = str | PathLike[str]
_NO_ROWS = np.empty((0, 3), dtype=np.int32)
_SAME_RULES = ProgramChange((), (), ())
_NOTHING = ClosureChange(_NO_ROWS, _NO_ROWS)


class Flags(NamedTuple):
    """Three conditions of the data. If at least one of them holds, generic rules run beside the translated rules.

    - `same_as`: an owl:sameAs fact links a term of the schema. If this flag is set, the other two are not.
    - `exceeded`: some fact is a schema triple that the closed schema lacks. Only set if the graph translates its schema
      to rules.
    - `restricted`: such a schema triple describes a restriction, or declares a class or a property. Only set if the
      graph replaces twins by one representative.
    """

    same_as: bool = False
    exceeded: bool = False
    restricted: bool = False


class _Step(NamedTuple):
    """One step of a commit: how this step changed the program, and how many axioms it translated anew."""

    program: ProgramChange
    retranslated: int


class _Before(NamedTuple):
    """The fields of a materializer, other than its parts, as they were before a commit."""

    flags: Flags
    own: tuple[Rule, ...]
    is_programmed: bool
    axioms: int
    looked: int


class Materializer:
    """Keeps the asserted quads of a graph, the rules that its options select, and the closure.

    `threads`: how many threads may share the work; None is the default of `kgreason.threads`.
    """

    def __init__(
        self,
        selection: Selection,
        dictionary: Dictionary | None = None,
        engine: Engine | None = None,
        registry: Registry | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        self.selection, self.threads = selection, threads
        self.own = selection.own
        self.engine = Engine(0 if selection.is_reflexive else SAME_AS, threads) if engine is None else engine
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.triples = self.engine.table(True, 3)
        follows = None if selection.is_literal else partial(followed, self.dictionary)
        common = self.engine, self.dictionary
        self.equality = Equality(*common, selection.aliases, follows) if selection.equality else None
        self.literals = Literals(*common, self.equality, follows) if selection.datatypes else None
        self.visible = Visible(self.dictionary) if selection.datatypes and selection.is_single else None
        reads_self = "owl2rl+has-self" in selection.profiles
        self.unread = Unread(self.dictionary, reads_self=reads_self) if selection.datatypes else None
        self.operators = Operators(*common, self.equality, registry)
        self.quads = Quads(threads=threads)
        self.keys = Keys(self.engine)
        self._owners = Owners(self.dictionary)
        self.flags = Flags()
        self.program = LiveProgram(selection)
        self.twins = Twins(self.dictionary, _axiomatic(selection)) if selection.loud else None
        self._stratum = SchemaStratum(self.dictionary, selection.generic.closing, threads)
        self._is_programmed = False
        self._axioms = 0
        """How many axioms the closed schema has."""
        self._looked = 0
        """The id of the last term that `_has_new_literals` looked at."""
        self._codes: dict[EncodedRule, Rule] | None = None
        """The result of `rules_by_code`; None after a change of the program."""
        self._before: _Before | None = None
        self._touched: list[Part] = []
        """The parts that the open commit has changed. `accept` and `rollback` call these parts only."""
        self.strategies: tuple[StrategyRun, ...] = ()
        """How each step of the last change was evaluated, for the `Record` of the journal. Empty if the closure was
        computed elsewhere."""

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
        facts need other rules or other representatives. If `strategy` is a sequence, it has one strategy for each step;
        its last strategy holds for all further steps. Raises LimitError if more than `budget` rewrites are extended, or
        if a recursion goes beyond `limits`; then `rollback` must follow.
        """
        self.operators.rounds.limits = limits
        is_first = self._before is None
        if is_first:
            self.engine.begin()  # before `_before` is set: else an interrupt here makes `rollback` undo the last commit
            self._touched = [self.engine]
            self._before = _Before(self.flags, self.own, self._is_programmed, self._axioms, self._looked)
        elif self.equality in self._touched:
            self.equality.go_on()
        given = (strategy,) if isinstance(strategy, str) else strategy
        strategies = chain(given, repeat(given[-1]))
        if progress is SILENT:
            with span("evaluate"):
                return self._change(edit, Means(strategies, budget, let_out, is_first))
        with progress("reasoning") as report, span("evaluate"):

            def check() -> None:
                let_out()
                report(0)

            return self._change(edit, Means(strategies, budget, check, is_first))

    def _change(self, edit: Edit, means: Means) -> Change:
        if self.quads.is_explicit or edit.added[:, 3].any():
            self._touch(self.quads)
        is_asserted = self.engine.facts.are_asserted
        asserted = self.quads.change(edit.removed, edit.added, self._asserted, is_asserted)
        axioms = asserted.removed[is_stated(asserted.removed)], asserted.added[is_stated(asserted.added)]
        if self.unread and any(map(len, axioms)):
            self._touch(self.unread)
            self.unread.follow(*axioms)
        schema = axioms[0][is_schema(axioms[0])], axioms[1][is_schema(axioms[1])]
        is_translated = not self._stratum.is_ready or any(map(len, schema)) or edit.own is not None
        with uncollected() if is_translated else nullcontext():
            return self._carry_out(edit, asserted, schema, means)

    def _carry_out(self, edit: Edit, asserted: Asserted, schema: tuple[Int32, Int32], means: Means) -> Change:
        """Carry out a commit: apply `edit`, then go on as long as the derived facts call for other rules or facts.

        `asserted`: the newly asserted triples, and those that are no longer asserted. `schema`: the removed and the
        added schema triples. `means`: how to evaluate.
        """
        closure, said = self._close(schema, means)
        called = self._with_present(Flags(self._links(asserted.added, closure.added)))
        steps = [self._reprogram(closure, called, edit.own, said)]
        self._look_at(asserted.added)
        own = Facts(*map(self._by_table, edit.facts)) if any(edit.facts) else NO_FACTS
        if self._is_unasked() and self._interests(asserted, own, is_all=edit.evaluated is not None):
            self._ask_operators()
        facts = together([self._facts_ahead(asserted, said, is_first=means.is_first), own])
        is_asked = self.operators in self._touched
        if is_asked and not edit.evaluated:
            foretold = self.operators.early_results({self.triples: asserted.added, **facts.added}, means.check)
            facts = together([foretold, facts])
        program = self._taken_over(edit.evaluated) if edit.evaluated else steps[0].program
        if edit.evaluated and is_asked:
            # what the closure asks for may leave with a rule now, and return later in this commit (`Engine.arrived`)
            facts = together([self.operators.computed(means.check), facts])
        changes = self._apply(asserted, facts, program, means)
        if is_asked:
            self.operators.restart()
        reviewed = set[Flags]()  # each value is reviewed once: rules with NOT could set a flag again and again
        while True:
            self._look_at(changes.rows, changes.tables)
            called, facts = self._called_for(changes, closure.removed), self._facts_due(changes, steps)
            if called == self.flags and not any(facts) and self.operators in self._touched:
                facts = self.operators.decided(changes, means.check)
            if called == self.flags and not any(facts):
                called = called if called in reviewed else self._still_called_for(changes, closure)
                reviewed.add(self.flags)
                if called == self.flags:
                    if self.operators in self._touched:
                        self.operators.finish()
                    changes = self._without_needless(changes, means)
                    self.strategies = () if edit.evaluated else _shortest(changes.steps)
                    return self._result(changes, asserted, len(edit.removed) + edit.unknown, steps)
            steps.append(self._reprogram(_NOTHING, called, None))
            changes = self._apply(None, facts, steps[-1].program, means)

    def _look_at(self, rows: Int32, tables: Int32 | None = None) -> None:
        """Find the parts that have work because of changed rows or of new terms, and `_touch` these parts.

        `rows`, int32[n, w], are the changed rows. `tables` are their tables; None if all rows are triples.

        The part for equal terms has work if the graph has equal terms, or if an owl:sameAs triple is added or removed.
        The part for literals has work if such a triple is added or removed, if a new term is a literal, if a row has a
        datatype as a type, or if rules ask for other datatypes than before.
        """
        if self.equality is None and self.literals is None:
            return
        is_linked = bool((rows[:, 1] == SAME_AS).any())
        if self.equality:
            is_linked |= tables is not None and self.equality.has_pairs(rows, tables)
            if is_linked or self.equality.cliques.live:
                self._touch(self.equality)
        if self.literals and self.literals not in self._touched:
            is_asked = self.literals.told != self.literals.in_use.datatypes
            if is_linked or is_asked or self._has_new_literals() or have_datatype(rows):
                self._touch(self.literals)
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
            self._touch(literals.in_use)
            literals.in_use.count(self.rules, self._stratum.closure())
        return literals.in_use.datatypes

    def _touch(self, part: Part) -> None:
        """Note that this commit is about to change `part`. Only the noted parts hear of `accept` and `rollback`."""
        if part not in self._touched:
            self._touched.append(part)

    def _facts_ahead(self, asserted: Asserted, said: Said, *, is_first: bool) -> Facts:
        """Return the facts to assert and to retract before the rules run, other than the triples of the edit.

        `asserted`: the newly asserted triples, and those that are no longer asserted. `said`: the facts about twins to
        assert and to retract. `is_first`: whether this is the first `change` of the commit.
        """
        added = asserted.added
        found = [Facts(self._by_table(said.come), self._by_table(said.gone))] if said is not NOTHING_SAID else []
        if is_first and self.equality and self.equality in self._touched:
            found.append(self.equality.foreseen(added))
        if self.literals and self.literals in self._touched:
            found.append(self.literals.foreseen(added))
        if self.operators in self._touched:
            found.append(self.operators.foreseen(asserted.removed, added))
        return together(found)

    def _facts_due(self, changes: Changes, steps: Sequence[_Step]) -> Facts:
        """Return the facts about equal terms and literals to assert and to retract because of the changes so far.

        `steps`: the steps of the commit so far, with the rules that they added and removed.
        """
        found = []
        if self.equality and self.equality in self._touched:
            fresh = chain.from_iterable(step.program.added for step in steps)
            left = chain.from_iterable(step.program.removed for step in steps)
            found.append(self.equality.wanted(changes, lambda: self._codes_of(fresh), lambda: self._codes_of(left)))
        if self.literals and self.literals in self._touched:
            found.append(self.literals.wanted(changes))
        return together(found)

    def _without_needless(self, changes: Changes, means: Means) -> Changes:
        """Retract the facts about literals that no rule needs now, because their owl:sameAs links were removed.

        `changes`: the changes of the commit so far. Returns the changes after the retraction.
        """
        if self.literals is None or self.literals not in self._touched:
            return changes
        needless = self.literals.needless(changes)
        if not any(needless):
            return changes
        return self._apply(None, needless, _SAME_RULES, means)

    def _taken_over(self, evaluated: Evaluated) -> ProgramChange:
        """Begin with a closure that was computed elsewhere, with other rules than those in force.

        Returns the change from the rules of that closure to the rules in force.
        """
        rules = self._codes_of(evaluated.rules)
        self.engine.take_over(evaluated.numbered(self.engine), rules)
        return lacking(evaluated, self.rules)

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

    def _asserted(self) -> Int32:
        """Return the asserted triples: int32[n, 3]."""
        return self.save(is_borrowed=True).facts(True)

    def _close(self, schema: tuple[Int32, Int32], means: Means) -> tuple[ClosureChange, Said]:
        """Close the schema again, and look for twins.

        `schema`: the removed and the added schema triples, int32[n, 3] each. `means`: how to evaluate.
        Returns the change of the closed schema, and the facts about twins (`Twins`) that come and go.
        """
        if self._stratum.is_ready and not any(map(len, schema)):
            return _NOTHING, NOTHING_SAID
        with span("close"):
            return self._close_again(schema, means)

    def _close_again(self, schema: tuple[Int32, Int32], means: Means) -> tuple[ClosureChange, Said]:
        """Do the work of `_close`."""
        said = NOTHING_SAID
        if self.twins and any(restricts(rows).any() for rows in schema):
            self._touch(self.twins)
            said = self.twins.change(*schema)
        self._touch(self._stratum)
        return self._stratum.change(*schema, means.check, means.budget, said), said

    def _by_table(self, rows: Mapping[int, Int32]) -> Rows:
        """Return the facts of relations in `rows` by the engine's numbers of tables; `rows` has them by width."""
        return {self.engine.table(False, width): part for width, part in rows.items()}

    def _links(self, rows: Int32, schema: Int32) -> bool:
        """Whether an owl:sameAs triple among `rows`, int32[n, 3], links a term of the closed schema.

        `schema`: the triples that the closed schema got. If there are any, all owl:sameAs triples of the graph are
        looked at, too.
        """
        if not self.selection.datatypes:  # without owl2rl, no rule reads owl:sameAs
            return False
        if len(schema):
            rows = np.concatenate([rows, self._same()])
        return bool((rows[:, 1] == SAME_AS).any()) and links(rows, self._stratum.closure())

    def _same(self) -> Int32:
        """Return the present owl:sameAs triples: int32[n, 3]."""
        found = self.engine.rows_with(self.triples, {1: SAME_AS})
        if found is None:
            return _NO_ROWS
        rows = np.ascontiguousarray(found[:, :3])
        return rows[self.holds(rows)]

    def _exceeds(self, rows: Int32) -> Flags:
        """Return which of the flags `exceeded` and `restricted` the facts `rows`, int32[n, 3], set.

        No flag is set if the closed schema has all schema triples among `rows`.
        """
        schema = rows[is_schema(rows)]
        if not len(schema) or not len(schema := self._stratum.lacking(schema)):
            return Flags()
        is_translated, is_one = self.selection.schema == "axioms", bool(self.selection.loud)
        return Flags(False, is_translated, is_one and bool(restricts(schema).any()))

    def _with_present(self, found: Flags) -> Flags:
        """Return the flags that are set already, together with those that are set in `found`.

        If this includes `same_as`, only `same_as` is returned, because then all generic rules run.
        """
        if self.flags.same_as or found.same_as:
            return Flags(True)
        return Flags(False, self.flags.exceeded or found.exceeded, self.flags.restricted or found.restricted)

    def _called_for(self, changes: Changes, closure_lost: Int32) -> Flags:
        """Return the flags that are set already, and those that must be set because of the changes of the commit.

        `changes`: the changes of the commit so far; new facts may set a flag. `closure_lost`: triples that left the
        closed schema; if they are still facts, they may set a flag.
        """
        if self.flags.same_as or not (len(changes.rows) or len(closure_lost)):
            return self.flags
        is_triple = changes.tables == self.triples
        if not len(closure_lost) and not is_triple.any():
            return self.flags
        kept = is_schema(changes.rows) | (changes.rows[:, 1] == SAME_AS)  # no other triple sets a flag
        kept &= (changes.before == ABSENT) & is_triple
        rows = np.ascontiguousarray(changes.rows[kept, :3])
        return self.called_for(rows, closure_lost[self.holds(closure_lost)] if len(closure_lost) else closure_lost)

    def _still_called_for(self, changes: Changes, closure: ClosureChange) -> Flags:
        """Return the flags without those that the present facts no longer call for.

        The flags are computed again only if the commit has removed facts, changed the closed schema (`closure`) or set
        a flag. Otherwise the present flags are returned. Cost: while a flag is set, a look at the removed facts. If the
        flags are computed, also a look at the owl:sameAs triples, or at all facts.
        """
        if self.flags == Flags():
            return self.flags
        gone = changes.rows[(changes.after == ABSENT) & (changes.tables == self.triples), :3]
        is_told = self._before is not None and self.flags != self._before.flags
        if self.flags.same_as:
            is_told |= bool(len(closure.removed) or (gone[:, 1] == SAME_AS).any())
            if not is_told or self._links(self._same(), _NO_ROWS):
                return self.flags
        elif not (is_told or len(closure.removed) or len(closure.added) or is_schema(gone).any()):
            return self.flags
        rows, tables, _ = self.engine.facts.contents()
        return self._exceeds(np.ascontiguousarray(rows[tables == self.triples, :3]))

    def _reprogram(
        self, closure: ClosureChange, flags: Flags, own: tuple[Rule, ...] | None, said: Said = NOTHING_SAID
    ) -> _Step:
        """Change the program so that it fits the closed schema, the flags and the user's rules.

        `closure`: the change of the closed schema. `own`: all rules of the user; None if they stay. `said`: how the
        facts about twins change.
        """
        is_same = own is None and flags == self.flags and not len(closure.removed) and not len(closure.added)
        if is_same and not said.represented and self._is_programmed:
            return _Step(_SAME_RULES, 0)
        with span("translate"):
            return self._translate(closure, flags, own, said)

    def _translate(self, closure: ClosureChange, flags: Flags, own: tuple[Rule, ...] | None, said: Said) -> _Step:
        """Do the work of `_reprogram`."""
        self.flags, self._is_programmed = flags, True
        self.own = self.own if own is None else own
        self._touch(self.program)
        self._codes = None
        removed, added = (decoded(self.dictionary, rows) if len(rows) else [] for rows in closure)
        change = self.program.change(removed, added, **flags._asdict(), own=own, twins=said.represented)
        self._axioms = self.program.axioms
        if self.literals and self.literals.in_use.is_counted:
            is_read = datatypes_read(change.removed) or datatypes_read(change.added)
            if is_read or any(len(rows) and is_datatype(rows).any() for rows in closure):
                self._touch(self.literals.in_use)
                self.literals.in_use.follow(change, closure)
        is_edited = change.added or change.removed or removed or added
        if is_edited and (self.operators.are_any or not all(rule.has_plain_atoms for rule in change.added)):
            self._touch(self.operators)
            self.operators.follow(tuple(self.program.in_force), self.program.schema)
        return _Step(change, self.program.retranslated)

    def _apply(self, asserted: Asserted | None, facts: Facts, program: ProgramChange, means: Means) -> Changes:
        """Apply a change of facts and rules in the engine. Returns the changes of the commit so far.

        Then compute the expressions that rules ask for, until rules ask for no further one. `asserted`: the newly
        asserted triples, and those that are no longer asserted. `facts`: other facts to assert and retract. `means`:
        how to evaluate.
        """
        removed, added = (asserted.removed, asserted.added) if asserted else (_NO_ROWS, _NO_ROWS)
        wanted, needless = {self.triples: added, **facts.added}, {self.triples: removed, **facts.removed}
        left = self._codes_of(program.removed)
        encoded = self._codes_of(program.added, are_plain=not self.operators.are_any)
        self._run(wanted, needless, means, encoded, left)
        if self._is_unasked():
            if self.engine.is_updated:
                changes = self.engine.changes()
                if not self.operators.interest.has(changes.rows, changes.tables):
                    return changes
            self._ask_operators()
        if self.operators in self._touched:
            while any(computed := self.operators.computed(means.check)):
                self._run(computed.added, computed.removed, means)
        return self.engine.changes()

    def _is_unasked(self) -> bool:
        """Whether rules have operators that this commit has not asked so far."""
        return self.operators.are_any and self.operators not in self._touched

    def _interests(self, asserted: Asserted, facts: Facts, *, is_all: bool) -> bool:
        """Whether an edit is of interest for operators, before the rules run.

        `is_all`: the engine takes over other facts, too, so the edit is of interest anyway.
        """
        interest, triples = self.operators.interest, self.triples
        return (
            is_all
            or any(interest.has_of(triples, rows) for rows in (asserted.added, asserted.removed))
            or any(interest.has_of(table, rows) for table, rows in facts.added.items())
        )

    def _ask_operators(self) -> None:
        """Let operators take part in this commit from now on, with the first stratum."""
        self._touch(self.operators)
        self.operators.restart()

    def _run(
        self,
        wanted: Rows,
        needless: Rows,
        means: Means,
        added: Sequence[EncodedRule] = (),
        removed: Sequence[EncodedRule] = (),
    ) -> None:
        self.engine.apply(
            wanted,
            needless,
            added,
            removed,
            strategy=next(means.strategies),
            budget=means.budget,
            check=means.check,
        )

    def _codes_of(self, rules: Iterable[Rule], *, are_plain: bool = False) -> list[EncodedRule]:
        """Encode rules for the engine.

        NOT, expressions and aggregates become atoms. If equal terms have representatives, a rule that reads owl:sameAs
        becomes rules that compare representatives. `are_plain`: the caller knows that the bodies of all rules have
        atoms only.
        """
        readings = list(rules)
        if not are_plain and not all(rule.is_positive for rule in readings):
            made = [each for rule in readings for each in renamed_results(rule)] if self.equality else []
            readings = [*chain.from_iterable(map(lowered, readings)), *made]
        if self.equality and any(map(reads_links, readings)):
            readings = list(chain.from_iterable(map(over_representatives, readings)))
        return self.engine.encode(readings, self.dictionary.intern) if readings else []

    def _result(self, changes: Changes, asserted: Asserted, wanted: int, steps: Sequence[_Step]) -> Change:
        facts = self._facts(changes)
        equality = self.equality
        found = equality.visible_changes(changes, facts) if equality and equality in self._touched else facts
        rows, before, after = seen = self._visible(changes, facts, found)
        shown = self.dictionary.are_rdf(rows)
        if not shown.all():
            rows, before, after = rows[shown], before[shown], after[shown]
        rows = np.ascontiguousarray(rows)
        removed, added = asserted.quads or (
            in_default_graph(rows, (kind == IS_ASSERTED) & (other != IS_ASSERTED))
            for kind, other in ((before, after), (after, before))
        )
        work, (related, refuted) = self._work(changes, steps), self._related(changes)
        is_same = seen is facts and not self.quads.is_explicit
        is_plain = is_same and len(rows) == len(changes.rows)
        missed = wanted - len(removed)
        return Change(rows, before, after, removed, added, missed, work, refuted, related, is_plain)

    def _visible(self, changes: Changes, facts: Kinds, found: Kinds) -> Kinds:
        """Return how a commit changes the triples that users see, without the spellings that they do not see.

        `facts`: the changed facts that are triples. `found`: the changed triples with all spellings.
        """
        if self.visible is None or self.literals is None:
            return found
        if self.literals in self._touched:
            self._touch(self.visible)
            self.visible.follow(changes, self.engine.table(False, 3))
        is_equal = self.equality is not None and self.equality in self._touched
        before, after = self.equality.sides(facts) if self.equality and is_equal else sides(facts, self._kinds)
        return self.visible.change(found, before, after)

    def _kinds(self, rows: Int32) -> NDArray[np.int8]:
        facts = self.engine.facts
        return facts.kinds(facts.find(rows))

    def _related(self, changes: Changes) -> tuple[RelationKinds, Refuted]:
        """Return the changed facts that belong to relations of the user, and how the commit changed contradictions.

        The facts have their kinds before and after. Cost: a look at the facts that changed.
        """
        if self.keys.are_any:
            self._touch(self.keys)
            self.keys.take(changes)
        is_other = changes.tables != self.triples
        others = None if is_other.all() else np.flatnonzero(is_other)  # None in a program without triples
        is_respelled = others is not None and _is_respelled(changes.rows)
        if self.equality:
            is_respelled |= self.equality.has_pairs(changes.rows, changes.tables)
        if not is_other.any():
            return NO_KINDS, Refuted(False, False, is_respelled)
        owners = self._owners.of(changes.rows[:, 0] if others is None else changes.rows[others, 0])
        own, false = (np.flatnonzero(owners == owner) for owner in (USER, CONTRADICTION))
        own, false = (own, false) if others is None else (others[own], others[false])
        kinds = RelationKinds(np.ascontiguousarray(changes.rows), changes.before, changes.after)
        if len(own) < len(changes.rows):
            rows, before, after = kinds
            kinds = RelationKinds(rows.take(own, axis=0), before.take(own), after.take(own))
        came, went = (bool((kinds[false] == ABSENT).any()) for kinds in (changes.before, changes.after))
        return kinds, Refuted(came, went, is_respelled)

    def _facts(self, changes: Changes) -> Kinds:
        """Return the changed facts that are triples, with their kinds before and after.

        If they come first among the changes, as they do after the first load, they are not copied.
        """
        kept = changes.tables == self.triples
        n = int(np.count_nonzero(kept))
        if kept[:n].all():
            return Kinds(changes.rows[:n, :3], changes.before[:n], changes.after[:n])
        return Kinds(np.ascontiguousarray(changes.rows[kept, :3]), changes.before[kept], changes.after[kept])

    def _work(self, changes: Changes, steps: Sequence[_Step]) -> Work:
        return Work(
            changes.strategy,
            changes.switched,
            changes.rewrites,
            sum(step.retranslated for step in steps),
            self._axioms,
            sum(len(step.program.added) for step in steps),
            sum(len(step.program.removed) for step in steps),
        )

    def shows(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 3], whether it is in the graph as users see it: bool[n]."""
        found = self._is_spelled(rows)
        if self.visible is not None and found.any():
            some = np.flatnonzero(found)
            found[some] = self.visible.of(np.ascontiguousarray(rows[some]), self._spelled_kinds)
        return found

    def _is_spelled(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows` whether it is in the graph with all spellings: bool[n]."""
        return self.equality.is_shown(rows) if self.equality else self.holds(rows)

    def _spelled_kinds(self, rows: Int32) -> NDArray[np.int8]:
        """Return the kind of each row of `rows` in the graph with all spellings: int8[n]."""
        inferred = np.where(self._is_spelled(rows), INFERRED, ABSENT)
        return np.where(self._kinds(rows) == IS_ASSERTED, IS_ASSERTED, inferred).astype(np.int8)

    def has(self, triple: tuple[str, ...]) -> bool:
        """Whether a triple, given as texts, is in the graph as users see it."""
        ids = self.dictionary.find(triple).astype(np.int32)
        return bool(ids.all() and self.shows(ids[None])[0])

    def follows(self, triple: tuple[str, ...]) -> bool:
        """Whether a triple, given as texts, is in the graph, also if users see its object in another spelling."""
        ids = self.dictionary.find(triple).astype(np.int32)
        return bool(ids.all() and self._is_spelled(ids[None])[0])

    def holds(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 3], whether it is a present fact: bool[n]."""
        found: NDArray[np.bool_] = self.engine.facts.find(rows) >= 0
        return found

    @property
    def rules(self) -> dict[Rule, str]:
        """A mapping from each rule in force, with its sources, to the reason why the rule runs."""
        return self.program.program.reasons

    def strata(self) -> dict[Rule, int]:
        """Return the stratum of each rule in force that says NOT, AGGREGATE or SKOLEM. The others have none."""
        return {rule: at for rule in self.rules if not rule.is_positive and (at := self.operators.stratum(rule))}

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings: one for each malformed axiom, one for each clique that is not shown with all its members.

        At the end comes one about all axioms of OWL that no rule reads (`unread`).
        """
        told = (*sorted(self.program.warnings), *(self.equality.warnings if self.equality else ()))
        if self.unread is None:
            return told
        read = {str(term) for rule in self.own for atom in rule.read() for term in atom.terms}
        return *told, *self.unread.warnings(read)

    def false_rules(self, names: Collection[str], _terms: Collection[str]) -> Iterator[Rule]:
        """Return the rules in force with a name in `names` and the head `false`.

        This is a `proofs.contradictions.FalseRules`. The terms are not used.
        """
        return (rule for rule in self.rules if rule.name in names and rule.heads == (FALSE,))

    def rules_by_code(self) -> dict[EncodedRule, Rule]:
        """Return for each encoded rule of the engine the rule in force that it encodes, with its sources.

        Cost: the first call after a change of the program encodes all rules. Do not change the result.
        """
        if self._codes is None:
            self._codes = self._all_codes()
        return self._codes

    def _all_codes(self) -> dict[EncodedRule, Rule]:
        rules = list(self.rules)
        plain = [rule for rule in rules if rule.is_positive and not (self.equality and reads_links(rule))]
        found = dict(zip(self._codes_of(plain), plain, strict=True))
        others = set(rules).difference(plain)
        return found | {code: rule for rule in rules if rule in others for code in self._codes_of([rule])}

    @uncollected()
    def plan(self, asserted: Int32) -> None:
        """Close the schema and translate it to rules, before the engine has any fact.

        `asserted`: triples int32[n, 3], at least those that are schema triples.
        """
        self._touched = []
        if self.unread:
            self.unread.adopt(asserted)
        closure, said = self._close((_NO_ROWS, asserted[is_schema(asserted)]), Means(iter(()), None, let_out, True))
        self._reprogram(closure, self.flags, None, said)
        self.accept()

    def closed(self) -> Int32:
        """Return the closed schema: int32[n, 3]."""
        return self._stratum.closure()

    def called_for(self, rows: Int32, others: Int32 = _NO_ROWS) -> Flags:
        """Return the flags that are set already, and those that present triples `rows`, int32[n, 3], call for.

        `others`: further present triples, which have left the closed schema.
        """
        found = self._exceeds(np.concatenate([rows, others]))
        return self._with_present(found._replace(same_as=self._links(rows, _NO_ROWS)))

    def save(self, *, is_borrowed: bool = False) -> Saved:
        """Return the state as arrays; `restore` takes it over.

        With `is_borrowed` the records may be the engine's own rows, with more flags than a snapshot has. Then the
        result is valid until the next change.
        """
        facts = self.engine.facts
        records = facts.borrowed() if is_borrowed else facts.records(facts.present())
        tables, work = self.engine.tables, self.engine.work or 0
        flags = self.flags
        saved = Saved(
            records,
            tables,
            self.quads.columns,
            flags.same_as,
            flags.exceeded,
            work,
            restricted=flags.restricted,
        )
        if self.visible is not None:
            saved = saved._replace(spelled=self.visible.relation)
        if self.equality is None:
            return saved
        cliques = self.equality.cliques
        preferred = cliques.preferred().tolist() if cliques.live else []
        return saved._replace(rep=self.equality.rep, aliases=self.selection.aliases, preferred=preferred)

    def restore(self, saved: Saved) -> None:
        """Take over a saved state. The schema is closed and translated again; the data is not evaluated."""
        for is_triple, width in saved.tables:
            self.engine.table(is_triple, width)
        self.quads = Quads(saved.quads, self.threads)
        self.flags = Flags(saved.same_as, saved.exceeded, saved.restricted)
        self.plan(saved.asserted_axioms())
        assert isinstance(self.engine, Engine)
        self.engine.restore(saved.records, self._codes_of(self.rules), saved.work, saved.hashed, saved.snapshot)
        if self.equality:
            self.equality.adopt(saved.represented())
        if self.visible:
            self.visible.adopt(saved.spellings())
        if self.literals:
            if self.dictionary.has_literals(0):
                self.datatypes_in_use(self.literals)
                self.accept()
            self.literals.adopt()
        self._looked = len(self.dictionary)


def _is_respelled(rows: Int32) -> bool:
    """Whether an owl:sameAs or owl:differentFrom triple is among the triples `rows`, int32[n, w]."""
    return bool(((rows[:, 1] == SAME_AS) | (rows[:, 1] == DIFFERENT_FROM)).any())


def _shortest(strategies: tuple[StrategyRun, ...]) -> tuple[StrategyRun, ...]:
    """Return the strategies of the steps; equal strategies at the end are returned only once."""
    kept = len(strategies)
    while kept > 1 and strategies[kept - 1] == strategies[kept - 2]:
        kept -= 1
    return strategies[:kept]


def _axiomatic(selection: Selection) -> list[Triple]:
    """Return the triples that the closing rules without a body derive. These triples hold in every graph."""
    heads = chain.from_iterable(rule.heads for rule in selection.generic.closing if not rule.body)
    return [(str(s), str(p), str(o)) for s, p, o in (head.terms for head in heads if head.relation is None)]
