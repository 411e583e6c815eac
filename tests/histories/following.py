"""How a history is checked: the engine beside the perfect model by definition, and beside the specification circuit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

from kgreason.engine.changes import Strategy
from kgreason.engine.memory import layout as at
from kgreason.errors import KgreasonError, RuleError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.edit import Change, Edit
from kgreason.materialize.materializer import Materializer
from kgreason.materialize.relations.changes import edit_of
from kgreason.materialize.selection import select
from kgreason.options import DEFAULT_LIMITS, Limits
from kgreason.rules.lowering import aggregation, rules_without_not
from kgreason.rules.model import DATA, Atom, Rule
from kgreason.rules.patterns import unify
from kgreason.zset.columns import ABSENT, IS_ASSERTED, Int32
from tests.circuit.following import KINDS, Kind, Specification
from tests.engine.systems import spare
from tests.histories.drawn import Feature, history
from tests.histories.functions import FUNCTIONS, grown, is_small, spread, strict
from tests.histories.history import Commit, History, granted
from tests.oracle.datalog import Fact, State, spares, violations
from tests.oracle.stratified import CircularError, Functions, perfect


class Check(NamedTuple):
    """How a history is followed.

    `strategy` is as for `Materializer.change`: "bootstrap" is one Bootstrap, ("bootstrap",) is one for each step.
    `registry` has the Python functions of the rules; if one of `functions` raises ValueError, so must the commit.
    `circuit` is the kind of the specification circuit that follows as well. `graph` is the class of the graph.
    """

    strategy: Strategy | Sequence[Strategy] = "update"
    functions: Functions = FUNCTIONS
    registry: Registry | None = None
    circuit: Kind | None = None
    graph: type[Graph] | None = None


UPDATES = Check()


def run(
    seed: int, strategy: Strategy | Sequence[Strategy], *features: Feature, graph: type[Graph] | None = None
) -> None:
    """Follow a random history, with the specification circuit beside one of the strategies."""
    registry = Registry([grown, spread, is_small, strict]) if "functions" in features else None
    circuit = KINDS[seed % 3] if strategy == "update" else None
    commits = history(seed, *features)
    follow(commits, Check(strategy, registry=registry, circuit=circuit, graph=graph), f"history {seed}")


def follow(commits: History, check: Check = UPDATES, label: str = "") -> None:
    """Commit one by one. After each commit compare facts, delta, stamps, supports and hidden facts."""
    specification = Specification(check.circuit, check.functions) if check.circuit else None
    graph = (check.graph or Graph)(check.strategy, check.registry)
    asserted, rules = dict[Atom, None](), dict[Rule, None]()
    for commit in commits:
        after, rules_after = granted(asserted, commit.facts), granted(rules, commit.rules)
        before = graph.facts()
        try:
            wanted = perfect(after, rules_after, check.functions)
        except (CircularError, ValueError) as error:
            is_circular = isinstance(error, CircularError)
            with pytest.raises(StratificationError if is_circular else RuleError) as caught:
                graph.commit(commit)
            assert is_circular or isinstance(caught.value.__cause__, ValueError), label
            assert graph.facts() == before, f"{label}: a refused commit changed something"
            if specification:
                specification.refuse(commit, StratificationError if is_circular else ValueError)
            continue
        change = graph.commit(commit)
        delta = _kinds(before, asserted) ^ _kinds(wanted, after)
        asserted, rules = after, rules_after
        assert graph.facts() == wanted, label
        assert graph.relation_delta(change) == delta, label
        assert graph.delta(change) == {fact for fact in before ^ wanted if _is_shown(fact)}, label
        if specification:
            assert specification.commit(commit) == before ^ wanted, label
            assert specification.facts() == wanted, label
        states = graph.states()
        assert not violations(states, graph.positive_rules()), label
        counted = {fact: count for fact, count in graph.spares().items() if count is not None}
        wanted_spares = spares({fact: state.stamp for fact, state in states.items()}, graph.positive_rules())
        assert counted.items() <= wanted_spares.items(), label
        assert check.graph or len(counted) == len(states), "only a closure from elsewhere has facts of unknown count"
        values = {aggregation(each)[0].value.relation for rule in rules for each in rule.aggregates}
        for relation, keys in states:
            assert not str(relation).startswith("AGGREGATE(") or relation in values, label
            assert not str(relation).startswith("NOT ") or (f"asks {relation}", keys) in states, label
        data = {fact for fact in states if fact[0] == DATA}
        assert data == {(DATA, fact.terms) for fact in asserted if _is_read(fact, rules)}, label


def _is_read(fact: Atom, rules: Iterable[Rule]) -> bool:
    """Whether a DATA pattern of the rules matches a triple."""
    return fact.relation is None and any(
        unify(atom, Atom(DATA, fact.terms), {}) is not None for rule in rules for atom in rule.data()
    )


def _kinds(facts: Iterable[Fact], asserted: Mapping[Atom, None]) -> set[tuple[Fact, bool]]:
    """The facts of relations, each with whether it is asserted."""
    return {(fact, Atom(*fact) in asserted) for fact in facts if fact[0] is not None}


def _is_shown(fact: Fact) -> bool:
    """Whether a fact is a triple that RDF allows."""
    return fact[0] is None and not fact[1][0].startswith('"') and fact[1][1].startswith("<")


class Graph:
    """A materializer in the words of the oracle."""

    def __init__(
        self,
        strategy: Strategy | Sequence[Strategy],
        registry: Registry | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self._limits = limits
        self.materializer = Materializer(select(["none"]), registry=registry)
        self._strategy = strategy
        self.asserted, self._rules = dict[Atom, None](), dict[Rule, None]()

    def commit(self, commit: Commit) -> Change:
        """Carry a commit out, or roll it back and raise what stopped it."""
        materializer, asserted = self.materializer, granted(self.asserted, commit.facts)
        rules = granted(self._rules, commit.rules)
        gone = [fact for fact in self.asserted if fact not in asserted]
        come = [fact for fact in asserted if fact not in self.asserted]
        try:
            facts = edit_of(self._columns(gone), self._columns(come), materializer.dictionary)
            edit = self._edit(Edit(self._quads(gone), self._quads(come), tuple(rules), facts=facts))
            change = materializer.change(edit, strategy=self._strategy, limits=self._limits)
        except KgreasonError:
            materializer.rollback()
            raise
        materializer.accept()
        self.asserted, self._rules = asserted, rules
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
        rows = circuit.memory["rows"][circuit.facts.present_rows()].tolist()
        return {
            self._fact(row[at.FIRST :]): State(row[at.STAMP], row[at.SUPPORT], bool(row[at.STATE] & at.ASSERTED))
            for row in rows
        }

    def spares(self) -> dict[Fact, int | None]:
        """Every present fact, hidden ones too, with the number of its spare derivations."""
        circuit = self.materializer.engine._circuit
        rows = circuit.memory["rows"][circuit.facts.present_rows()].tolist()
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
        return [rule for own in self.materializer.rules for rule in rules_without_not(own)]

    def _quads(self, facts: Iterable[Atom]) -> Int32:
        """The triples among these facts as rows of the default graph."""
        texts = [str(term) for fact in facts if fact.relation is None for term in fact.terms]
        rows = self.materializer.dictionary.intern(texts).astype(np.int32).reshape(-1, 3)
        return np.column_stack([rows, np.zeros(len(rows), dtype=np.int32)])

    def _columns(self, facts: Iterable[Atom]) -> dict[tuple[str, int], Int32]:
        """The facts of relations among these."""
        found: dict[tuple[str, int], list[Int32]] = {}
        for relation, terms in facts:
            if relation is not None:
                ids = self.materializer.dictionary.intern([*map(str, terms)]).astype(np.int32)
                found.setdefault((relation, len(terms)), []).append(ids)
        return {relation: np.stack(rows) for relation, rows in found.items()}

    def _fact(self, row: list[int]) -> Fact:
        texts = self.materializer.dictionary.decode([number for number in row if number])
        if texts[0].startswith(("<", "_", '"')):
            return None, tuple(texts)
        return texts[0].rsplit("/", 1)[0], tuple(texts[1:])


class Reopened(Graph):
    """A graph that is opened again before each commit."""

    def commit(self, commit: Commit) -> Change:
        self.reopen()
        return super().commit(commit)
