"""`Materializer`: takes quads and rules that come and go, and returns what that changes. It knows no store.

    files -> id columns -> asserted triples -> closed schema -> rules -> engine -> rows whose kind changed

A commit is `change`, then `accept` or `rollback`. Invariants: the facts are the least model of the program over the
asserted triples of all graphs. The program is a function of the closed schema and of three flags (`program`), and so of
what is asserted. A `rollback`, also one after an error in `change`, restores everything but the dictionary.

Cost: a first load is one Bootstrap; a later change costs what it changes, unless the engine prefers Bootstrap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from os import PathLike
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgreason.datatypes.datatype_map import values
from kgreason.datatypes.value import Value
from kgreason.engine.engine import Changes, Check, Engine, Strategy, StrategyRun
from kgreason.engine.memory.layout import ABSENT, IS_ASSERTED, Int32
from kgreason.engine.program.encoding import encode_all
from kgreason.engine.program.planner import EncodedRule
from kgreason.engine.rebuild import Rows
from kgreason.materialize.edit import NO_QUADS, Change, Edit, Work
from kgreason.materialize.literals.statements import NO_FACTS, Facts, Literals
from kgreason.materialize.literals.values import followed
from kgreason.materialize.operators.functions import Functions
from kgreason.materialize.operators.negation import Negations
from kgreason.materialize.precomputed import Evaluated, lacking
from kgreason.materialize.program import LiveProgram, ProgramChange, uncollected
from kgreason.materialize.quads.asserted import Asserted, Quads, in_default_graph
from kgreason.materialize.same_as.images import Kinds
from kgreason.materialize.same_as.representatives import NO_PAIRS, NO_ROOTS, Equality, Roots, represented
from kgreason.materialize.schema_closure import ClosureChange, SchemaStratum
from kgreason.materialize.schema_rows import SAME_AS, are_limits, decoded, is_schema, links, restricts
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Saved
from kgreason.materialize.twins import NOTHING_SAID, Said, Twins
from kgreason.progress import SILENT, Progress
from kgreason.rdf.generalised import is_rdf
from kgreason.rdf.reader import read
from kgreason.rules.lowering import lowered
from kgreason.rules.model import FALSE, Rule, Triple
from kgreason.terms.dictionary import Dictionary

File = str | PathLike[str]
_NO_ROWS = np.empty((0, 3), dtype=np.int32)
_SAME_RULES = ProgramChange((), (), ())
_NOTHING = ClosureChange(_NO_ROWS, _NO_ROWS)


class Flags(NamedTuple):
    """Three facts about the data that call for more rules than the translated ones.

    `same_as`: an owl:sameAs fact links a term of the schema; then the other flags are not set. `exceeded`: the schema
    is translated, and a fact is a schema triple that the closed schema does not have. `restricted`: such a fact
    describes a restriction, or declares a class or a property, and one representative stands for restrictions that say
    the same.
    """

    same_as: bool = False
    exceeded: bool = False
    restricted: bool = False


class _Step(NamedTuple):
    """What one step of a commit did to the program, and how many axioms it translated."""

    program: ProgramChange
    retranslated: int


class _Means(NamedTuple):
    """How a commit is evaluated; each step takes the next of `strategies`, which do not end."""

    strategies: Iterator[Strategy]
    budget: int | None
    check: Check
    is_first: bool


class Materializer:
    """Asserted quads under a selection of rules, with their closure."""

    def __init__(
        self,
        selection: Selection,
        dictionary: Dictionary | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.selection = selection
        self.own = selection.own
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.engine = Engine(quiet=0 if selection.is_reflexive else SAME_AS) if engine is None else engine
        self.triples = self.engine.table(True, 3)
        follows = None if selection.is_literal else partial(followed, self.dictionary)
        common = self.engine, self.dictionary
        self.equality = Equality(*common, selection.aliases, follows) if selection.equality else None
        self.literals = Literals(*common, self.equality, follows) if selection.datatypes else None
        self.negations = Negations(*common, self.equality)
        self.functions = Functions(*common)
        self.quads = Quads()
        self.flags = Flags()
        self.program = LiveProgram(selection)
        self.twins = Twins(self.dictionary, _axiomatic(selection)) if selection.loud else None
        self._stratum = SchemaStratum(self.dictionary, selection.generic.closing)
        self._is_programmed = False
        self._before: tuple[Flags, tuple[Rule, ...], bool] | None = None
        self.strategies: tuple[StrategyRun, ...] = ()
        """How each step of the last change was evaluated, as a `Record` holds it; empty if the closure was computed
        elsewhere."""

    def load(self, paths: Sequence[File], *, syntax: str | None = None, progress: Progress = SILENT) -> Change:
        """Read files and assert their quads; returns what changed.

        Raises what `rdf.read` raises. After an error, and after Ctrl-C, nothing has changed.
        """
        known = len(self.dictionary)
        try:
            change = self.change(Edit(added=self.read(paths, syntax=syntax, progress=progress)), progress=progress)
        except BaseException:
            self.rollback()
            self.dictionary.truncate(known)
            raise
        self.accept()
        return change

    def read(self, paths: Sequence[File], *, syntax: str | None = None, progress: Progress = SILENT) -> Int32:
        """The quads of files, int32[n, 4]; their terms are interned. Graph 0 is the default graph."""
        parts = [NO_QUADS]
        with progress("reading") as report:
            for path in paths:
                for batch in read(path, self.dictionary, syntax=syntax):
                    parts.append(np.stack(batch, axis=1))
                    report(len(batch.subjects))
        return np.concatenate(parts)

    def change(
        self,
        edit: Edit,
        *,
        strategy: Strategy | Sequence[Strategy] = "auto",
        budget: int | None = None,
        progress: Progress = SILENT,
    ) -> Change:
        """Retract and assert quads, which must not overlap, and change rules; returns all changes of the commit so far.

        `accept` or `rollback` must follow. Before that, `change` may be called again to go on with the commit. A change
        takes several steps if what was derived calls for other rules or representatives. If `strategy` is a sequence,
        it has one strategy for each step, and its last one holds for all further steps.
        Raises LimitError when more than `budget` rewrites are extended; then `rollback` must follow.
        """
        is_first = self._before is None
        if is_first:
            self.engine.begin()  # before `_before` is set: else an interrupt here makes `rollback` undo the last commit
            self._before = self.flags, self.own, self._is_programmed
        elif self.equality:
            self.equality.go_on()
        with progress("reasoning") as report:
            given = (strategy,) if isinstance(strategy, str) else strategy
            strategies = chain(given, repeat(given[-1]))
            return self._change(edit, _Means(strategies, budget, lambda: report(0), is_first))

    @uncollected()
    def _change(self, edit: Edit, means: _Means) -> Change:
        asserted = self.quads.change(edit.removed, edit.added, self._asserted, self._is_asserted)
        closure, said = self._close(asserted, means)
        called = self._joined(Flags(self._links(asserted.added, closure.added)))
        steps = [self._reprogram(closure, called, edit.own, said)]
        roots = self.equality.foreseen(asserted.added) if self.equality and means.is_first else NO_ROOTS
        literals = self.literals.foreseen(asserted.added) if self.literals else NO_FACTS
        told = Facts(
            _together(literals.added, self._by_table(said.come)), _together(literals.removed, self._by_table(said.gone))
        )
        program = self._taken_over(edit.evaluated) if edit.evaluated else steps[0].program
        self._apply(asserted, roots, told, program, means)
        self.negations.restart()
        changes, is_reviewed = self.engine.changes(), False
        while True:
            called, roots = self._called_for(changes, closure.removed), self._roots(changes, steps)
            literals = self.literals.wanted(changes) if self.literals else NO_FACTS
            if called == self.flags and not roots and not literals:
                literals = self.negations.wanted(changes) if self.negations else NO_FACTS
            if called == self.flags and not roots and not literals:
                called = called if is_reviewed else self._still_called_for(changes, closure)
                is_reviewed = True
                if called == self.flags:
                    changes = self._tidied(changes, means)
                    self.strategies = () if edit.evaluated else _abridged(changes.steps)
                    return self._result(changes, asserted, len(edit.removed) + edit.unknown, steps)
            steps.append(self._reprogram(_NOTHING, called, None))
            self._apply(None, roots, literals, steps[-1].program, means)
            changes = self.engine.changes()

    def _tidied(self, changes: Changes, means: _Means) -> Changes:
        """The changes of a commit, once it has retracted the facts about links that are gone; no rule follows them."""
        needless = self.literals.needless(changes) if self.literals else NO_FACTS
        if not needless:
            return changes
        self._apply(None, NO_ROOTS, needless, _SAME_RULES, means)
        return self.engine.changes()

    def _taken_over(self, evaluated: Evaluated) -> ProgramChange:
        """Start from a closure that was computed elsewhere; returns how its rules differ from those in force."""
        rules = self._encoded(evaluated.rules)
        self.engine.take_over(evaluated.numbered(self.engine.planner), rules)
        return lacking(evaluated, self.rules)

    def accept(self) -> None:
        """Make a change final."""
        self._before = None
        for part in self._parts():
            part.accept()
        self.program.commit()

    def rollback(self) -> None:
        """Undo a change, also one that failed half way."""
        if self._before is not None:
            self.flags, self.own, self._is_programmed = self._before
            for part in self._parts():
                part.rollback()
            self.program.rollback()
            self._before = None

    def _parts(self) -> Iterator[Engine | Quads | SchemaStratum | Twins | Equality | Literals | Negations | Functions]:
        """Everything that keeps the state of a commit, except the program."""
        yield from (self.engine, self.quads, self._stratum, self.negations, self.functions)
        yield from (part for part in (self.twins, self.equality, self.literals) if part)

    def _asserted(self) -> Int32:
        """The asserted triples: int32[n, 3]."""
        return self.save().triples(asserted=True)

    def _is_asserted(self, rows: Int32) -> NDArray[np.bool_]:
        return self.engine.circuit.facts.is_asserted_fact(rows)

    def _close(self, asserted: Asserted, means: _Means) -> tuple[ClosureChange, Said]:
        """What a change of asserted triples changes in the closed schema, and in what is said of its restrictions."""
        removed, added = (rows[is_schema(rows)] for rows in (asserted.removed, asserted.added))
        if self._stratum.is_ready and not (len(removed) or len(added)):
            return _NOTHING, NOTHING_SAID
        said = self.twins.change(removed, added) if self.twins else NOTHING_SAID
        return self._stratum.change(removed, added, means.check, means.budget, said), said

    def _by_table(self, rows: Mapping[int, Int32]) -> Rows:
        """Rows of relations by their table in the engine, from rows by their width."""
        return {self.engine.table(False, width): part for width, part in rows.items()}

    def _links(self, rows: Int32, schema: Int32) -> bool:
        """Whether an owl:sameAs triple links a term of the schema: one of `rows`, or any one if `schema` grew."""
        if "owl2rl" not in self.selection.profiles:  # no rule reads owl:sameAs
            return False
        if len(schema):
            rows = np.concatenate([rows, self._same()])
        return bool((rows[:, 1] == SAME_AS).any()) and links(rows, self._stratum.closure())

    def _same(self) -> Int32:
        """The present owl:sameAs triples: int32[n, 3]."""
        found = self.engine.rows_with(self.triples, {1: SAME_AS})
        rows = _NO_ROWS if found is None else np.ascontiguousarray(found[:, :3])
        return rows[self.holds(rows)]

    def _exceeds(self, rows: Int32) -> Flags:
        """The flags that these triples call for: the schema triples among them that the closed schema does not have."""
        schema = rows[is_schema(rows)]
        schema = schema[~self._stratum.holds(schema)]
        if len(schema) and self._are_limits(schema):
            return Flags()
        is_translated, is_one = self.selection.schema == "axioms", bool(self.selection.loud)
        return Flags(False, is_translated and len(schema) > 0, is_one and bool(restricts(schema).any()))

    def _are_limits(self, rows: Int32) -> bool:
        """Whether all of these triples limit cardinalities, and the closed schema has them with another spelling."""
        if not are_limits(rows).all():
            return False
        closure = self._stratum.closure()
        known, others = self._values(closure[are_limits(closure)]), self._values(rows)
        return others <= known

    def _values(self, rows: Int32) -> set[tuple[int, int, object]]:
        """Triples with the value of their object, or with its text if it is not a literal or has no value."""
        texts = self.dictionary.decode(rows[:, 2])
        literals = [text for text in texts if text.startswith('"')]
        known = dict(zip(literals, values(literals), strict=True))
        found = (value if isinstance(value := known.get(text), Value) else text for text in texts)
        return {
            (subject, predicate, value) for (subject, predicate, _), value in zip(rows.tolist(), found, strict=True)
        }

    def _joined(self, found: Flags) -> Flags:
        """The present flags and those that were found; `same_as` stands alone, as all generic rules run with it."""
        if self.flags.same_as or found.same_as:
            return Flags(True)
        return Flags(False, self.flags.exceeded or found.exceeded, self.flags.restricted or found.restricted)

    def _called_for(self, changes: Changes, closure_lost: Int32) -> Flags:
        """The flags that new facts call for, and facts that the closed schema has lost."""
        if self.flags.same_as or not (len(changes.rows) or len(closure_lost)):
            return self.flags
        rows = np.ascontiguousarray(changes.rows[(changes.before == ABSENT) & (changes.tables == self.triples), :3])
        return self.called_for(rows, closure_lost[self.holds(closure_lost)])

    def _still_called_for(self, changes: Changes, closure: ClosureChange) -> Flags:
        """The flags that the present facts call for: a flag may fall as facts go, or in the commit that raised it.

        Cost: while a flag is set, a look at the facts that went; then at the owl:sameAs triples, or at every fact.
        """
        if self.flags == Flags():
            return self.flags
        gone = changes.rows[(changes.after == ABSENT) & (changes.tables == self.triples), :3]
        is_told = self._before is not None and self.flags != self._before[0]
        if self.flags.same_as:
            is_told |= bool(len(closure.removed) or (gone[:, 1] == SAME_AS).any())
            if not is_told or self._links(self._same(), _NO_ROWS):
                return self.flags
        elif not (is_told or len(closure.removed) or len(closure.added) or is_schema(gone).any()):
            return self.flags
        rows, tables, _ = self.engine.circuit.facts.contents()
        return self._exceeds(np.ascontiguousarray(rows[tables == self.triples, :3]))

    def _reprogram(
        self, closure: ClosureChange, flags: Flags, own: tuple[Rule, ...] | None, said: Said = NOTHING_SAID
    ) -> _Step:
        """Follow the closed schema, the data's flags and the user's rules."""
        is_same = own is None and flags == self.flags and not len(closure.removed) and not len(closure.added)
        if is_same and not said.represented and self._is_programmed:
            return _Step(_SAME_RULES, 0)
        self.flags, self._is_programmed = flags, True
        self.own = self.own if own is None else own
        removed, added = (decoded(self.dictionary, rows) for rows in closure)
        change = self.program.change(removed, added, **flags._asdict(), own=own, twins=said.represented)
        if self.literals:
            self.literals.asked.follow(change, closure)
        if self.functions or any(rule.computed for rule in change.added):
            self.functions.follow(self.program.in_force)
        if self.negations or any(rule.negated for rule in change.added):
            self.negations.follow(self.program.in_force, self.program.schema)
            self.negations.restart()
        return _Step(change, self.program.retranslated)

    def _roots(self, changes: Changes, steps: Sequence[_Step]) -> Roots:
        """The representatives that the commit so far calls for."""
        if self.equality is None:
            return NO_ROOTS
        fresh = chain.from_iterable(step.program.added for step in steps)
        left = chain.from_iterable(step.program.removed for step in steps)
        return self.equality.wanted(changes, lambda: self._encoded(fresh), lambda: self._encoded(left))

    def _apply(
        self, asserted: Asserted | None, roots: Roots, facts: Facts, program: ProgramChange, means: _Means
    ) -> None:
        """Run the rules over a change of facts and rules, and then over the results of their expressions."""
        removed, added = (asserted.removed, asserted.added) if asserted else (_NO_ROWS, _NO_ROWS)
        wanted, needless = {self.triples: added, **facts.added}, {self.triples: removed, **facts.removed}
        if self.equality and roots:
            table = self.equality.root_table
            wanted[table] = np.concatenate([roots.added, wanted.get(table, NO_PAIRS)])
            needless[table] = roots.removed
        self._run(wanted, needless, means, self._encoded(program.added), self._encoded(program.removed))
        while self.functions and (computed := self.functions.wanted(means.check)):
            self._run(computed.added, computed.removed, means)

    def _run(
        self,
        wanted: Rows,
        needless: Rows,
        means: _Means,
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

    def _encoded(self, rules: Iterable[Rule]) -> list[EncodedRule]:
        """The rules as the engine runs them."""
        positive = chain.from_iterable(map(lowered, rules))
        readings = list(chain.from_iterable(map(represented, positive)) if self.equality else positive)
        return encode_all(readings, self.engine.planner, self.dictionary.intern) if readings else []

    def _result(self, changes: Changes, asserted: Asserted, wanted: int, steps: Sequence[_Step]) -> Change:
        facts = self._facts(changes)
        rows, before, after = self.equality.shown(changes, facts) if self.equality else facts
        shown = is_rdf(self.dictionary, *rows.T)
        rows, before, after = rows[shown], before[shown], after[shown]
        removed, added = asserted.quads or (
            in_default_graph(rows[(kind == IS_ASSERTED) & (other != IS_ASSERTED)])
            for kind, other in ((before, after), (after, before))
        )
        return Change(rows, before, after, removed, added, wanted - len(removed), self._work(changes, steps))

    def _facts(self, changes: Changes) -> Kinds:
        """The triples among the facts that changed."""
        kept = changes.tables == self.triples
        return Kinds(np.ascontiguousarray(changes.rows[kept, :3]), changes.before[kept], changes.after[kept])

    def _work(self, changes: Changes, steps: Sequence[_Step]) -> Work:
        return Work(
            changes.strategy,
            changes.switched,
            changes.rewrites,
            sum(step.retranslated for step in steps),
            self.program.axioms,
            sum(len(step.program.added) for step in steps),
            sum(len(step.program.removed) for step in steps),
        )

    def shows(self, rows: Int32) -> NDArray[np.bool_]:
        """Whether each of rows int32[n, 3] is in the graph as users see it: bool[n]."""
        return self.equality.is_shown(rows) if self.equality else self.holds(rows)

    def has(self, triple: tuple[str, ...]) -> bool:
        """Whether the graph as users see it has a triple of texts."""
        ids = self.dictionary.find(triple).astype(np.int32)
        return bool(ids.all() and self.shows(ids[None])[0])

    def holds(self, rows: Int32) -> NDArray[np.bool_]:
        """Whether each of rows int32[n, 3] is a present fact: bool[n]."""
        found: NDArray[np.bool_] = self.engine.circuit.facts.find(rows) >= 0
        return found

    @property
    def rules(self) -> dict[Rule, str]:
        """The rules in force, with their sources; and the reason why each of them runs."""
        return self.program.program.reasons

    @property
    def warnings(self) -> tuple[str, ...]:
        """A line for each axiom that has no rule, and for each clique that is not shown with all its members."""
        return (*sorted(self.program.warnings), *(self.equality.warnings if self.equality else ()))

    def false_rules(self, names: Collection[str], _terms: Collection[str]) -> Iterator[Rule]:
        """The rules in force under one of these names that derive `false`; see `proofs.contradictions.FalseRules`."""
        return (rule for rule in self.rules if rule.name in names and rule.heads == (FALSE,))

    def rules_by_code(self) -> dict[EncodedRule, Rule]:
        """The rules in force, with their sources, by the encoded rules of the engine."""
        return {code: rule for rule in self.rules for code in self._encoded([rule])}

    @uncollected()
    def plan(self, asserted: Int32) -> None:
        """Close and translate the schema among asserted triples int32[n, 3], before there is any fact."""
        schema = asserted[is_schema(asserted)]
        said = self.twins.change(_NO_ROWS, schema) if self.twins else NOTHING_SAID
        closure = self._stratum.change(_NO_ROWS, schema, lambda: None, said=said)
        self._stratum.accept()
        self._reprogram(closure, self.flags, None, said)
        self.program.commit()
        self.negations.accept()
        self.functions.accept()
        if self.twins:
            self.twins.accept()

    def closed(self) -> Int32:
        """The closed schema: int32[n, 3]."""
        return self._stratum.closure()

    def called_for(self, rows: Int32, others: Int32 = _NO_ROWS) -> Flags:
        """The flags that present triples int32[n, 3] call for; `others` are present triples that left the schema."""
        found = self._exceeds(np.concatenate([rows, others]))
        return self._joined(found._replace(same_as=self._links(rows, _NO_ROWS)))

    def save(self) -> Saved:
        """The state, for `restore`."""
        facts = self.engine.circuit.facts
        records = facts.records(facts.present())
        tables, work = self.engine.planner.tables(), self.engine.work or 0
        flags = self.flags
        saved = Saved(
            records, tables, self.quads.columns, flags.same_as, flags.exceeded, work, restricted=flags.restricted
        )
        if self.equality is None:
            return saved
        preferred = self.equality.cliques.preferred().tolist()
        return saved._replace(rep=self.equality.rep, aliases=self.selection.aliases, preferred=preferred)

    def restore(self, saved: Saved) -> None:
        """Take over a saved state. The schema is closed and translated again; the data is not evaluated."""
        for is_triple, width in saved.tables:
            self.engine.table(is_triple, width)
        self.quads = Quads(saved.quads)
        self.flags = Flags(saved.same_as, saved.exceeded, saved.restricted)
        self.plan(saved.triples(asserted=True))
        assert isinstance(self.engine, Engine)
        self.engine.restore(saved.records, self._encoded(self.rules), saved.work)
        if self.equality:
            self.equality.adopt()
        if self.literals:
            self.literals.adopt()


def _abridged(strategies: tuple[StrategyRun, ...]) -> tuple[StrategyRun, ...]:
    """The strategies of steps without those at the end that repeat the one before."""
    kept = len(strategies)
    while kept > 1 and strategies[kept - 1] == strategies[kept - 2]:
        kept -= 1
    return strategies[:kept]


def _axiomatic(selection: Selection) -> list[Triple]:
    """The triples that closing rules without a body derive."""
    heads = chain.from_iterable(rule.heads for rule in selection.generic.closing if not rule.body)
    return [(str(s), str(p), str(o)) for s, p, o in (head.terms for head in heads if head.relation is None)]


def _together(rows: Rows, others: Rows) -> Rows:
    """The rows of both, by table."""
    found = {
        table: [part for part in (rows.get(table), others.get(table)) if part is not None]
        for table in {**rows, **others}
    }
    return {table: np.concatenate(parts) for table, parts in found.items()}
