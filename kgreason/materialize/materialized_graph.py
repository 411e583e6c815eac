"""`MaterializedGraph`: the parts of a materializer, the graph as users see it, and what the open commit changed in it.

`Materializer` adds what changes the graph. Laws: nothing here changes the graph; the result of a commit is the
difference of what users saw before and what they see after it. Cost: a look-up for each row or triple that is asked
about, and a look at the facts that changed.
Threads: nobody may commit meanwhile; the caller holds the graph's lock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.engine.program.shapes import EncodedRule
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import NO_KINDS, Change, ContradictionChanges, KindChanges, StatefulPart, Work
from kgreason.materialize.literals.statements import Literals
from kgreason.materialize.literals.values import maybe_equal_pairs
from kgreason.materialize.literals.visible_triples import VisibleTriples
from kgreason.materialize.operators.operators import Operators
from kgreason.materialize.program import LiveProgram, ProgramChange
from kgreason.materialize.quads.asserted_quads import AssertedChange, Quads, default_graph_quads
from kgreason.materialize.relations.changes import CONTRADICTION, USER, Owners
from kgreason.materialize.relations.derived_facts import DerivedFacts
from kgreason.materialize.relations.keys import KeyIndexes
from kgreason.materialize.same_as.images import kinds_before_and_after
from kgreason.materialize.same_as.representatives import Equality, rules_over_representatives
from kgreason.materialize.schema.closure import SchemaStratum
from kgreason.materialize.schema.rows import (
    DIFFERENT_FROM,
    SAME_AS,
    SUB_CLASS_OF,
)
from kgreason.materialize.schema.stated_facts import StatedFacts
from kgreason.materialize.schema.twins import Twins
from kgreason.materialize.schema.unread_axioms import UnreadAxioms
from kgreason.materialize.schema.wide_kinds import LIMIT, WideKinds
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Flags, SavedState
from kgreason.options import EL
from kgreason.rules.lowering import rules_of_results, rules_without_not
from kgreason.rules.model import FALSE, Rule, Triple
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import ABSENT, INFERRED, IS_ASSERTED, Int32, Int64

_PART = 1 << 20
"""So many facts are looked at together, so that a look at all of a large load takes little memory."""


class MaterializedGraph:
    """Reads the asserted quads of a graph, the rules that its options select, and the closure.

    `threads`: how many threads may share the work; None is the default of `kgreason.threads`.
    """

    def __init__(
        self,
        selection: Selection,
        dictionary: Dictionary | None = None,
        registry: Registry | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        self.selection, self.threads = selection, threads
        self.own = selection.own
        self.engine = Engine(_property_without_loops(selection), threads)
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.triples = self.engine.table(True, 3)
        follows = None if selection.is_literal else partial(maybe_equal_pairs, self.dictionary)
        common = self.engine, self.dictionary
        self.equality = Equality(*common, selection.aliases, follows) if selection.equality else None
        self.literals = Literals(*common, self.equality, follows) if selection.datatypes else None
        self.visible = VisibleTriples(self.dictionary) if selection.datatypes and selection.is_single else None
        readers = [*_rule_sets_of_axioms(selection)]
        self.unread = UnreadAxioms(self.dictionary, readers) if readers else None
        self.operators = Operators(*common, self.equality, registry)
        self.quads = Quads(threads=threads)
        self.keys = KeyIndexes(self.engine)
        self._derived = DerivedFacts(*common, self.operators.individuals, self.keys)
        self._owners = Owners(self.dictionary)
        self.flags = Flags()
        self.program = LiveProgram(selection)
        self.twins = Twins(self.dictionary, _axiomatic_triples(selection)) if selection.without_twins else None
        self.stated = StatedFacts(self.dictionary) if selection.el else None
        self.wide = WideKinds(self.dictionary, LIMIT if selection.schema == "axioms" else 0)
        self.stratum = SchemaStratum(self.dictionary, selection.generic.closing, threads)
        self._axioms = 0
        """How many axioms the closed schema has."""
        self._codes: dict[EncodedRule, Rule] | None = None
        """The result of `rules_by_code`; None after a change of the program."""
        self._touched: dict[StatefulPart, None] = {}
        """The parts that the open commit has changed. `accept` and `rollback` call these parts only."""

    def _kinds(self, rows: Int32) -> NDArray[np.int8]:
        facts = self.engine.facts
        return facts.kinds(facts.find(rows))

    def are_shown(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows`, int32[n, 3], whether it is in the graph as users see it: bool[n]."""
        found = self._are_in_some_spelling(rows)
        if self.visible is not None and found.any():
            some = np.flatnonzero(found)
            found[some] = self.visible.are_visible(np.ascontiguousarray(rows[some]), self._kinds_in_all_spellings)
        return found

    def _are_in_some_spelling(self, rows: Int32) -> NDArray[np.bool_]:
        """Return for each row of `rows` whether it is in the graph with all spellings: bool[n]."""
        return self.equality.are_shown(rows) if self.equality else self.holds(rows)

    def _kinds_in_all_spellings(self, rows: Int32) -> NDArray[np.int8]:
        """Return the kind of each row of `rows` in the graph with all spellings: int8[n]."""
        inferred = np.where(self._are_in_some_spelling(rows), INFERRED, ABSENT)
        return np.where(self._kinds(rows) == IS_ASSERTED, IS_ASSERTED, inferred).astype(np.int8)

    def has(self, triple: tuple[str, ...]) -> bool:
        """Whether a triple, given as texts, is in the graph as users see it."""
        ids = self.dictionary.find(triple).astype(np.int32)
        return bool(ids.all() and self.are_shown(ids[None])[0])

    def has_in_some_spelling(self, triple: tuple[str, ...]) -> bool:
        """Whether a triple, given as texts, is in the graph, also if users see its object in another spelling."""
        ids = self.dictionary.find(triple).astype(np.int32)
        return bool(ids.all() and self._are_in_some_spelling(ids[None])[0])

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
        read = {str(term) for rule in self.own for atom in rule.atoms_read() for term in atom.terms}
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
            self._codes = self._all_rules_by_code()
        return self._codes

    def _all_rules_by_code(self) -> dict[EncodedRule, Rule]:
        rules = list(self.rules)
        plain = [rule for rule in rules if rule.is_positive and not (self.equality and rule.reads_links)]
        found = dict(zip(self._encoded_rules(plain), plain, strict=True))
        others = set(rules).difference(plain)
        return found | {code: rule for rule in rules if rule in others for code in self._encoded_rules([rule])}

    def _encoded_rules(self, rules: Iterable[Rule], *, are_plain: bool = False) -> list[EncodedRule]:
        """Encode rules for the engine.

        NOT, expressions and aggregates become atoms. If equal terms have representatives, a rule that reads owl:sameAs
        becomes rules that compare representatives. `are_plain`: the caller knows that the bodies of all rules have
        atoms only.
        """
        readings = list(rules)
        if not are_plain and not all(rule.is_positive for rule in readings):
            made = [each for rule in readings for each in rules_of_results(rule)] if self.equality else []
            readings = [*chain.from_iterable(map(rules_without_not, readings)), *made]
        if self.equality and any(rule.reads_links for rule in readings):
            readings = list(chain.from_iterable(map(rules_over_representatives, readings)))
        return self.engine.encode(readings, self.dictionary.intern) if readings else []

    def closed_schema_rows(self) -> Int32:
        """Return the closed schema: int32[n, 3]."""
        return self.stratum.closure()

    def save(self, *, is_borrowed: bool = False) -> SavedState:
        """Return the state as arrays; `restore` takes it over.

        With `is_borrowed` the records may be the engine's own rows, with more flags than a snapshot has. Then the
        result is valid until the next change.
        """
        facts = self.engine.facts
        records = facts.whole_records() if is_borrowed else facts.records(facts.present_rows())
        tables, work = self.engine.tables, self.engine.work or 0
        flags = self.flags
        saved = SavedState(
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

    def _result(
        self, changes: Changes, asserted: AssertedChange, wanted: int, steps: Sequence[ProgramChange]
    ) -> Change:
        facts = self._changed_triples(changes)
        equality = self.equality
        found = equality.visible_changes(changes, facts) if equality and equality in self._touched else facts
        rows, before, after = seen = self._visible_changes(changes, facts, found)
        shown = self.dictionary.are_rdf(rows)
        if not shown.all():
            rows, before, after = rows[shown], before[shown], after[shown]
        rows = np.ascontiguousarray(rows)
        was, is_now = before == IS_ASSERTED, after == IS_ASSERTED
        removed, added = asserted.quads or (
            default_graph_quads(rows, was & ~is_now),
            default_graph_quads(rows, is_now & ~was),
        )
        work, (related, refuted) = self._work(changes, steps), self._changes_of_relations(changes)
        is_same = seen is facts and asserted.quads is None
        is_plain = is_same and len(rows) == len(changes.rows)
        missed = wanted - len(removed)
        return Change(rows, before, after, removed, added, missed, work, refuted, related, is_plain)

    def _visible_changes(self, changes: Changes, facts: KindChanges, found: KindChanges) -> KindChanges:
        """Return how a commit changes the triples that users see, without the spellings that they do not see.

        `facts`: the changed facts that are triples. `found`: the changed triples with all spellings.
        """
        if self.visible is None or self.literals is None:
            return found
        if self.literals in self._touched:
            self._touched[self.visible] = None
            self.visible.follow(changes, self.engine.table(False, 3))
        if not len(self.visible.values.pairs):
            return found
        is_equal = self.equality is not None and self.equality in self._touched
        before, after = (
            self.equality.kinds_before_and_after(facts)
            if self.equality and is_equal
            else kinds_before_and_after(facts, self._kinds)
        )
        return self.visible.change(found, before, after)

    def _changes_of_relations(self, changes: Changes) -> tuple[KindChanges, ContradictionChanges]:
        """Return the changed facts that belong to relations of the user, and how the commit changed contradictions.

        The facts have their kinds before and after. Cost: a look at the facts that changed.
        """
        if self.keys.are_any:
            self._touched[self.keys] = None
            self.keys.note_changes(changes)
        is_other = changes.tables != self.triples
        is_respelled = not is_other.all() and _has_equality_triple(changes.rows)
        if not is_other.any():
            return NO_KINDS, ContradictionChanges(False, False, is_respelled)
        if self.equality:
            is_respelled |= self.equality.has_pairs(changes.rows, changes.tables)
        parts = [self._places_by_owner(changes.rows, is_other, low) for low in range(0, len(is_other), _PART)]
        own, false = (np.concatenate(each) for each in zip(*parts, strict=True))
        kinds = KindChanges(np.ascontiguousarray(changes.rows), changes.before, changes.after)
        if len(own) < len(changes.rows):
            rows, before, after = kinds
            kinds = KindChanges(rows.take(own, axis=0), before.take(own), after.take(own))
        came, went = (bool((kinds[false] == ABSENT).any()) for kinds in (changes.before, changes.after))
        return kinds, ContradictionChanges(came, went, is_respelled)

    def _places_by_owner(self, rows: Int32, is_other: NDArray[np.bool_], low: int) -> tuple[Int64, Int64]:
        """Return the places of the facts of the user's relations, and of contradictions, in a part of `rows`.

        `is_other`: for each row whether the row is a fact of a relation. The part begins at `low`.
        """
        others = np.flatnonzero(is_other[low : low + _PART]) + low
        owners = self._owners.owners_of(rows[others, 0])
        return others[owners == USER], others[owners == CONTRADICTION]

    def _changed_triples(self, changes: Changes) -> KindChanges:
        """Return the changed facts that are triples, with their kinds before and after.

        If they come first among the changes, as they do after the first load, they are not copied.
        """
        kept = changes.tables == self.triples
        n = int(np.count_nonzero(kept))
        if kept[:n].all():
            return KindChanges(changes.rows[:n, :3], changes.before[:n], changes.after[:n])
        return KindChanges(np.ascontiguousarray(changes.rows[kept, :3]), changes.before[kept], changes.after[kept])

    def _work(self, changes: Changes, steps: Sequence[ProgramChange]) -> Work:
        return Work(
            changes.strategy,
            changes.switched,
            changes.rewrites,
            sum(step.retranslated for step in steps),
            self._axioms,
            sum(len(step.added) for step in steps),
            sum(len(step.removed) for step in steps),
        )


def _rule_sets_of_axioms(selection: Selection) -> Iterator[str]:
    """Yield the rule sets that read axioms of OWL, with a group that reads more."""
    for profile in selection.profiles if selection.datatypes else ():
        yield from dict.fromkeys((profile.split("+")[0], profile))
    if selection.el:
        yield EL


def _property_without_loops(selection: Selection) -> int:
    """Return the id of the property by which rules put no term in a relation to itself; 0 for none."""
    if selection.el and not selection.datatypes:
        return SUB_CLASS_OF
    return 0 if selection.is_reflexive else SAME_AS


def _axiomatic_triples(selection: Selection) -> list[Triple]:
    """Return the triples that the closing rules without a body derive. These triples hold in every graph."""
    heads = chain.from_iterable(rule.heads for rule in selection.generic.closing if not rule.body)
    return [(str(s), str(p), str(o)) for s, p, o in (head.terms for head in heads if head.relation is None)]


def _has_equality_triple(rows: Int32) -> bool:
    """Whether an owl:sameAs or owl:differentFrom triple is among the triples `rows`, int32[n, w]."""
    return bool(((rows[:, 1] == SAME_AS) | (rows[:, 1] == DIFFERENT_FROM)).any())
