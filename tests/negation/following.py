"""Following a history of triples and of rules that say NOT, beside the perfect model by definition."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np
import pytest

from kgreason.engine.engine import Strategy
from kgreason.engine.memory import layout as at
from kgreason.errors import RuleError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.options import DEFAULT_LIMITS, Limits
from kgreason.materialize.relations.changes import edit_of
from kgreason.materialize.selection import select
from kgreason.rules.lowering import aggregation, lowered
from kgreason.rules.model import DATA, Atom, Rule
from kgreason.rules.patterns import unified
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int32
from tests.circuit.following import Kind, Specification
from tests.engine.systems import spare
from tests.oracle.datalog import Fact, State, spares, violations
from tests.oracle.stratified import NO_FUNCTIONS, CircularError, Functions, perfect
from tests.strategies.negation import Commit, Triple
from tests.strategies.negation import Fact as RelationFact


def follow(
    commits: Iterable[Commit],
    strategy: Strategy,
    label: str = "",
    functions: Functions = NO_FUNCTIONS,
    registry: Registry | None = None,
    circuit: Kind | None = None,
    kind: type[Graph] | None = None,
) -> None:
    """Commit one by one. After each commit compare facts, delta, stamps, supports and hidden facts.

    `registry` has the Python functions of the rules; if one of `functions` raises ValueError, so must the commit.
    `circuit` is the kind of the specification circuit that follows as well. `kind` is the class of the graph.
    """
    specification = Specification(circuit, functions) if circuit else None
    graph = (kind or Graph)(strategy, registry)
    asserted: set[Triple] = set()
    related: set[RelationFact] = set()
    for commit in commits:
        after = asserted - commit.removed | commit.added
        after_related = related - commit.removed_facts | commit.added_facts
        before = graph.facts()
        try:
            wanted = perfect([*((None, terms) for terms in after), *after_related], commit.rules, functions)
        except CircularError:
            with pytest.raises(StratificationError):
                graph.commit(asserted, commit)
            assert graph.facts() == before, f"{label}: a refused commit changed something"
            if specification:
                specification.refuse(commit)
            continue
        except ValueError:
            with pytest.raises(RuleError) as caught:
                graph.commit(asserted, commit)
            assert isinstance(caught.value.__cause__, ValueError), label
            assert graph.facts() == before, f"{label}: a commit that a function ended changed something"
            if specification:
                specification.refuse(commit, ValueError)
            continue
        change = graph.commit(asserted, commit)
        asserted, before_related, related = after, related, after_related
        assert graph.facts() == wanted, label
        assert graph.relation_delta(change) == _kinds(before, before_related) ^ _kinds(wanted, related), label
        assert graph.delta(change) == {fact for fact in before ^ wanted if _is_shown(fact)}, label
        if specification:
            assert specification.commit(commit) == before ^ wanted, label
            assert specification.facts() == wanted, label
        states = graph.states()
        assert not violations(states, graph.positive_rules()), label
        counted = {fact: count for fact, count in graph.spares().items() if count is not None}
        wanted_spares = spares({fact: state.stamp for fact, state in states.items()}, graph.positive_rules())
        assert counted.items() <= wanted_spares.items(), label
        assert kind or len(counted) == len(states), "only a closure from elsewhere has facts whose count is unknown"
        values = {aggregation(each)[0].value.relation for rule in commit.rules for each in rule.aggregates}
        for relation, keys in states:
            assert not str(relation).startswith("AGGREGATE(") or relation in values, label
            assert not str(relation).startswith("NOT ") or (f"asks {relation}", keys) in states, label
        data = {fact for fact in states if fact[0] == DATA}
        assert data == {(DATA, terms) for terms in asserted if _is_read(terms, commit.rules)}, label


def _is_read(terms: Triple, rules: Iterable[Rule]) -> bool:
    """Whether a DATA pattern of the rules matches a triple."""
    return any(unified(atom, Atom(DATA, terms), {}) is not None for rule in rules for atom in rule.data())


def _kinds(facts: Iterable[Fact], asserted: AbstractSet[RelationFact]) -> set[tuple[Fact, bool]]:
    """The facts of relations, each with whether it is asserted."""
    return {(fact, fact in asserted) for fact in facts if fact[0] is not None}


def _is_shown(fact: Fact) -> bool:
    """Whether a fact is a triple that RDF allows."""
    return fact[0] is None and not fact[1][0].startswith('"')


class Graph:
    """A materializer in the words of the oracle."""

    def __init__(self, strategy: Strategy, registry: Registry | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self.materializer = Materializer(select(["none"]), registry=registry)
        self._strategy = strategy

    def commit(self, asserted: set[Triple], commit: Commit) -> Change:
        """Carry a commit out, or roll it back and raise what stopped it."""
        materializer = self.materializer
        removed, added = map(self._quads, (commit.removed & asserted, commit.added - asserted))
        try:
            gone, come = map(self._columns, (commit.removed_facts, commit.added_facts))
            facts = edit_of(gone, come, materializer.dictionary)
            edit = self._edit(Edit(removed, added, commit.rules, facts=facts))
            change = materializer.change(edit, strategy=self._strategy, limits=self._limits)
        except RuleError:
            materializer.rollback()
            raise
        materializer.accept()
        return change

    def reopen(self) -> None:
        """Go on with a new materializer that has the saved state of this one: facts, rules and dictionary."""
        materializer = self.materializer
        selection = replace(materializer.selection, own=materializer.own)
        self.materializer = Materializer(selection, materializer.dictionary, registry=materializer.operators.registry)
        self.materializer.restore(materializer.save())

    def _edit(self, edit: Edit) -> Edit:
        return edit

    def states(self) -> dict[Fact, State]:
        """Every present fact, hidden ones too, with stamp, support and flag."""
        circuit = self.materializer.engine._circuit
        rows = circuit.memory["rows"][circuit.facts.present()].tolist()
        return {
            self._fact(row[at.FIRST :]): State(row[at.STAMP], row[at.SUPPORT], bool(row[at.STATE] & at.ASSERTED))
            for row in rows
        }

    def spares(self) -> dict[Fact, int | None]:
        """Every present fact, hidden ones too, with the number of its spare derivations."""
        circuit = self.materializer.engine._circuit
        rows = circuit.memory["rows"][circuit.facts.present()].tolist()
        return {self._fact(row[at.FIRST :]): spare(row[at.STATE]) for row in rows}

    def facts(self) -> set[Fact]:
        """The present facts without the hidden ones."""
        return {fact for fact in self.states() if fact[0] != DATA and not {" ", "("} & set(fact[0] or "")}

    def delta(self, change: Change) -> set[Fact]:
        """The triples that appeared or disappeared."""
        changed = (change.before == ABSENT) != (change.after == ABSENT)
        return {self._fact(row) for row in change.rows[changed].tolist()}

    def relation_delta(self, change: Change) -> set[tuple[Fact, bool]]:
        """The facts of relations whose kind changed, before and after, each with whether it is asserted."""
        rows, *kinds = change.facts
        facts = [self._fact(row) for row in rows.tolist()]
        return {
            (fact, kind == IS_ASSERTED)
            for each in kinds
            for fact, kind in zip(facts, each.tolist(), strict=True)
            if kind != ABSENT
        }

    def positive_rules(self) -> list[object]:
        """The rules that the engine runs."""
        return [rule for own in self.materializer.rules for rule in lowered(own)]

    def _quads(self, triples: AbstractSet[Triple]) -> Int32:
        ids = self.materializer.dictionary.intern([text for terms in sorted(triples) for text in terms])
        rows = ids.astype(np.int32).reshape(-1, 3)
        return np.column_stack([rows, np.zeros(len(rows), dtype=np.int32)])

    def _columns(self, facts: AbstractSet[RelationFact]) -> dict[tuple[str, int], Int32]:
        found: dict[tuple[str, int], list[Int32]] = {}
        for relation, terms in sorted(facts):
            ids = self.materializer.dictionary.intern(terms).astype(np.int32)
            found.setdefault((relation, len(terms)), []).append(ids)
        return {relation: np.stack(rows) for relation, rows in found.items()}

    def _fact(self, row: list[int]) -> Fact:
        texts = self.materializer.dictionary.decode([number for number in row if number])
        if texts[0].startswith(("<", "_", '"')):
            return None, tuple(texts)
        return texts[0].rsplit("/", 1)[0], tuple(texts[1:])


class Reopened(Graph):
    """A graph that is opened again before each commit."""

    def commit(self, asserted: set[Triple], commit: Commit) -> Change:
        self.reopen()
        return super().commit(asserted, commit)
