"""The specification circuit beside a history of triples and rules, with the functions of the oracle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import pytest

from kgreason.circuit.functions import Functions, Member, Values
from kgreason.circuit.reference import ReferenceCircuit
from kgreason.circuit.zset import ZSet
from kgreason.errors import StratificationError
from kgreason.rules.model import Aggregate, Atom, Computed, Rule
from tests.oracle import stratified
from tests.oracle.aggregates import grouped
from tests.oracle.datalog import Fact, plain
from tests.oracle.stratified import NO_FUNCTIONS
from tests.strategies.negation import Commit, Triple

Kind: TypeAlias = Literal["naive", "incremental", "indexed"]
KINDS: tuple[Kind, ...] = ("naive", "incremental", "indexed")


class Specification:
    """A reference circuit in the words of the oracle."""

    def __init__(self, kind: Kind, functions: stratified.Functions = NO_FUNCTIONS) -> None:
        self._circuit = ReferenceCircuit(kind, by_definition(functions))
        self._rules: set[Rule] = set()

    def facts(self) -> set[Fact]:
        """The model."""
        return set(map(plain, self._circuit.facts()))

    def commit(self, commit: Commit) -> set[Fact]:
        """Carry a commit out; returns the facts that appeared or disappeared."""
        facts = {Atom(None, terms): -1 for terms in commit.removed} | {Atom(None, terms): 1 for terms in commit.added}
        facts |= {Atom(*fact): -1 for fact in commit.removed_facts} | {Atom(*fact): 1 for fact in commit.added_facts}
        rules = dict.fromkeys(self._rules, -1) | dict.fromkeys(commit.rules, 1)
        before = self.facts()
        delta = {plain(fact): weight for fact, weight in self._circuit.commit(facts, rules).items()}
        self._rules = set(commit.rules)
        now = self.facts()
        assert delta == dict.fromkeys(before - now, -1) | dict.fromkeys(now - before, 1)
        return set(delta)

    def refuse(self, commit: Commit, error: type[Exception] = StratificationError) -> None:
        """Check that a commit without strata, or with a function that raises, is refused and changes nothing."""
        before = self.facts()
        with pytest.raises(error):
            self.commit(commit)
        assert self.facts() == before


def follow_alone(commits: Iterable[Commit], kind: Kind, functions: stratified.Functions = NO_FUNCTIONS) -> None:
    """Follow a history with a circuit, beside the perfect model by definition."""
    specification, asserted = Specification(kind, functions), set[Triple]()
    for commit in commits:
        asserted = asserted - commit.removed | commit.added
        try:
            wanted = stratified.perfect([(None, terms) for terms in asserted], commit.rules, functions)
        except stratified.CircularError:
            specification.refuse(commit)
            return
        before = specification.facts()
        assert specification.commit(commit) == before ^ wanted
        assert specification.facts() == wanted


def by_definition(functions: stratified.Functions) -> Functions:
    """The functions and aggregates of the oracle, for a circuit."""

    def expression(computed: Computed, values: Values) -> Iterator[str]:
        binding = {variable.name: constant for variable, constant in values.items()}
        yield from stratified.values_of(computed, binding, functions)

    def aggregate(aggregate: Aggregate, members: ZSet[Member]) -> str | None:
        names = [] if aggregate.argument is None else [aggregate.argument.name]
        matches = [dict(zip(names, member, strict=True)) for member, many in members.items() for _ in range(many)]
        return grouped(aggregate._replace(group=(), is_distinct=False), matches).get(())

    return Functions(expression, aggregate)
