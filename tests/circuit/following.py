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
from tests.histories.history import Commit, granted
from tests.oracle import stratified
from tests.oracle.aggregates import grouped
from tests.oracle.datalog import Fact, plain
from tests.oracle.stratified import NO_FUNCTIONS

Kind: TypeAlias = Literal["naive", "incremental", "indexed"]
KINDS: tuple[Kind, ...] = ("naive", "incremental", "indexed")


class Specification:
    """A reference circuit in the words of the oracle."""

    def __init__(self, kind: Kind, functions: stratified.Functions = NO_FUNCTIONS) -> None:
        self._circuit = ReferenceCircuit(kind, by_definition(functions))

    def facts(self) -> set[Fact]:
        """The model."""
        return set(map(plain, self._circuit.facts()))

    def commit(self, commit: Commit) -> set[Fact]:
        """Carry a commit out; returns the facts that appeared or disappeared."""
        before = self.facts()
        delta = {plain(fact): weight for fact, weight in self._circuit.commit(commit.facts, commit.rules).items()}
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
    specification, asserted, rules = Specification(kind, functions), dict[Atom, None](), dict[Rule, None]()
    for commit in commits:
        asserted, rules = granted(asserted, commit.facts), granted(rules, commit.rules)
        try:
            wanted = stratified.perfect(asserted, rules, functions)
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
