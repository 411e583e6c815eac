"""`Skolems`: the blank nodes that rules make with SKOLEM, in graphs where owl:sameAs can make terms equal.

    asks(:a)              a rule asks for SKOLEM("room", :a)
    made(:a, _:b)         _:b is the blank node for the first name of the individual :a (`individuals`)

So equal terms share a blank node: if two rows of arguments name the same individuals, they get the same blank node. If
no rule follows owl:sameAs, SKOLEM is a function like any other (`functions`). A SKOLEM expression gets a stratum at
which all owl:sameAs links are final (rules/strata.py).

Invariant after the last stratum: `made(keys, b)` is a fact exactly if `asks(keys)` is a fact and b is the blank node
for the first names of the keys. The facts are the only state.

Cost: a hash for each changed fact of `asks` and `made`. A commit that changes which terms are equal looks at all facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from kgreason.engine.changes import Changes
from kgreason.engine.engine import Engine
from kgreason.materialize.edit import Facts, merge_facts
from kgreason.materialize.interest import Pattern
from kgreason.materialize.operators.evaluation import blank_nodes
from kgreason.materialize.operators.functions import Rounds
from kgreason.materialize.operators.individuals import Individuals
from kgreason.materialize.operators.tables import (
    FactIndex,
    IsHere,
    Table,
    always_here,
    are_among,
    tables_of,
    unique_rows,
)
from kgreason.rules.expressions import skolem_of, skolem_terms
from kgreason.rules.lowering import Expression, skolems
from kgreason.rules.model import Computed, Rule, Variable, label
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32


class _Operator(NamedTuple):
    """A SKOLEM expression, a rule that has it, its stratum (`level`), and the tables of its arguments and results."""

    function: Expression
    rule: str
    level: int
    asks: Table
    made: Table
    constants: Int32
    """The ids of the constants among the arguments."""


class Skolems:
    """Computes the SKOLEM expressions of the rules in force.

    One thread at a time: the caller holds the graph's lock.
    """

    def __init__(
        self,
        engine: Engine,
        dictionary: Dictionary,
        individuals: Individuals,
        rounds: Rounds,
        is_here: IsHere = always_here,
    ) -> None:
        self._engine, self._dictionary, self._individuals, self._rounds = engine, dictionary, individuals, rounds
        self._is_here = is_here
        self._operators: tuple[_Operator, ...] = ()
        self._leaving: tuple[_Operator, ...] = ()
        self._before: tuple[_Operator, ...] = ()
        self.are_any = False
        """Whether a rule in force has a SKOLEM expression, or a rule had one before or during the open commit."""

    def follow(self, levels: Mapping[Expression, int], rules: Iterable[Rule]) -> None:
        """Replace the SKOLEM expressions by those of the rules that are in force now.

        `levels`: each expression with its stratum.

        An expression that no rule has any more is kept until `accept`, because its facts must still be retracted.
        """
        names = {function: label(rule) for rule in rules for function in skolems(rule)} if levels else {}
        self._operators = tuple(self._operator(each, names[each], level) for each, level in levels.items())
        gone = (operator for operator in (*self._before, *self._leaving) if operator.function not in levels)
        self._leaving = tuple({operator.function: operator._replace(level=1) for operator in gone}.values())
        self.are_any |= bool(self._operators)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts that ask for blank nodes, and all results."""
        return [table for operator in self._operators for table in (operator.asks, operator.made)]

    def accept(self) -> None:
        """Make the change of rules final."""
        self._before, self._leaving, self.are_any = self._operators, (), bool(self._operators)

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._operators, self._leaving, self.are_any = self._before, (), bool(self._before)

    def last_stratum(self) -> int:
        """Return the number of the last stratum that has a SKOLEM expression."""
        return max((operator.level for operator in (*self._operators, *self._leaving)), default=0)

    def due_facts(self, changes: Changes, level: int) -> Facts:
        """Return the results to assert and to retract so that the SKOLEM expressions up to stratum `level` are decided.

        Raises LimitError if a recursion goes beyond its limits.
        """
        moved = self._individuals.moved_terms(changes)
        known, found = len(self._dictionary), []
        for operator in (*self._operators, *self._leaving):
            if operator.level <= level:
                rows = self._changed_results(operator, changes, moved)
                found.append(Facts.of(*({operator.made.number: part} for part in rows)))
                self._rounds.count(
                    operator.rule, operator.asks.matching_keys(FactIndex(changes.rows, changes.tables)), known
                )
                known = len(self._dictionary)
        return merge_facts(found)

    def _changed_results(self, operator: _Operator, changes: Changes, moved: Int32) -> tuple[Int32, Int32]:
        """Return the rows of the hidden relation `made` to assert, and its rows to retract.

        `moved`: the terms that may have gained or lost an equal term in this commit.
        """
        keys = unique_rows(
            [self._changed_keys(operator, changes), self._keys_with_terms(operator, operator.asks, moved)]
        )
        keys = keys[self._is_here(operator.function, keys)]
        is_asked = self._engine.facts.find(operator.asks.rows_with_keys(keys)) >= 0
        asked, texts = keys[is_asked], self._blank_nodes(operator, keys[is_asked], changes)
        wanted = np.column_stack([asked, self._dictionary.intern(texts).astype(np.int32)])
        unasked, texts = keys[~is_asked], self._blank_nodes(operator, keys[~is_asked], changes)
        left = np.column_stack([unasked, self._dictionary.find(texts).astype(np.int32)])
        facts = self._engine.facts
        added = operator.made.rows_with_keys(wanted)
        made = self._keys_with_terms(operator, operator.made, moved)
        made = made[self._is_here(operator.function, made[:, : keys.shape[1]])]
        rows = operator.made.rows_with_keys(unique_rows([left, made]))
        needless = rows[(facts.find(rows) >= 0) & ~are_among(rows, added)]
        return added[facts.find(added) < 0], needless

    def _changed_keys(self, operator: _Operator, changes: Changes) -> Int32:
        """Return the keys that rules began or ceased to ask for in this commit, and the keys with changed results."""
        register = FactIndex(changes.rows, changes.tables)
        asks, made = (table.matching_keys(register) for table in (operator.asks, operator.made))
        return np.concatenate([asks, made[:, : asks.shape[1]]])

    def _blank_nodes(self, operator: _Operator, keys: Int32, changes: Changes) -> list[str]:
        """Return the blank node for each row of `keys`, int32[n, k]."""
        names = self._individuals.first_names(keys, changes)
        return blank_nodes(self._expression(operator, changes), names, self._dictionary)

    def _expression(self, operator: _Operator, changes: Changes) -> Computed:
        """Return the SKOLEM expression with the constants among its arguments replaced by their first names."""
        computed, constants = operator.function.computed, operator.constants
        if not len(constants):
            return computed
        named = self._individuals.first_names(constants, changes)
        texts = dict(zip(*map(self._dictionary.decode, (constants, named)), strict=True))
        label, *arguments = skolem_terms(computed)
        written = (argument if isinstance(argument, Variable) else texts[argument] for argument in arguments)
        return skolem_of((label, *written), computed.result)

    def _keys_with_terms(self, operator: _Operator, table: Table, moved: Int32) -> Int32:
        """Return the keys of the facts of `table` that have an argument among `moved`.

        If a constant of the SKOLEM expression is among `moved`, return the keys of all facts of `table`. Cost: a pass
        over all facts, if `moved` has terms.
        """
        width = len(operator.function.asks.terms)
        if not len(moved):
            return np.empty((0, 1 + max(table.keys)), dtype=np.int32)
        rows, tables, _ = self._engine.facts.contents()
        keys = table.matching_keys(FactIndex(rows, tables))
        if np.isin(operator.constants, moved).any():
            return keys
        found: Int32 = keys[np.isin(keys[:, :width], moved).any(axis=1)]
        return found

    def _operator(self, function: Expression, rule: str, level: int) -> _Operator:
        asks, made = function.asks, function.made
        tables = tables_of((asks, made), made.terms, self._engine, self._dictionary)
        constants = [term for term in skolem_terms(function.computed)[1:] if isinstance(term, str)]
        ids = np.asarray(self._dictionary.intern(constants), dtype=np.int32)
        return _Operator(function, rule, level, tables[0], tables[1], ids)
