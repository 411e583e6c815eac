"""`Functions`: computes the expressions of rules (rules/expressions.py) for the inputs that rules ask for.

When rules derive a fact `asks(inputs)`, the result for these inputs is asserted as `made(inputs, result)`. For a FILTER
that is true, `made(inputs)` is asserted. A fact of `made` is never retracted, even if no rule asks any more. It does no
harm: it is true in every graph, and a rule reads it only together with the other atoms of its body. So the facts are
the only state.

A recursion through BIND takes one round for each step. A commit is refused if it has more rounds, or makes more terms
by recursion, than the limits of the graph allow (`Rounds`): such a recursion seldom ends.

A Python function (`calls`) is called once for each input. A fact `called(inputs)` says that the function was called,
also if it gave no result. If the function raises an error, the commit goes on: perhaps the rule asks for these inputs
only in the middle of the commit, before a NOT is decided or terms are made equal. If the rule still asks at the end,
`finish` raises the error. So the errors of a commit depend on its facts and rules alone.

If a single atom of a rule has all inputs, as in `n(?x, ?v), FILTER(?v > 5)`, the facts that a commit asserts show what
the rule will ask for. The results are asserted together with these facts (`facts_ahead`), so the rules run only once.

Cost: one query to Oxigraph for each expression and round, for the new inputs only (`evaluation`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

import numpy as np

from kgreason.engine.engine import Engine
from kgreason.errors import RuleError
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.materialize.edit import Facts, merge_facts
from kgreason.materialize.expressions.calls import CallOutcome, Failure, call_for_rows
from kgreason.materialize.interest import Pattern
from kgreason.materialize.operators.evaluation import results_of
from kgreason.materialize.operators.tables import (
    FactIndex,
    IsHere,
    Table,
    always_here,
    are_among,
    lines_of,
    tables_of,
    unique_rows,
)
from kgreason.options import Limits
from kgreason.rules.expressions import call_of, text_of
from kgreason.rules.lowering import Expression, lowered_expressions, rules_without_not
from kgreason.rules.model import Rule, label
from kgreason.terms.dictionary import Dictionary
from kgreason.zset.columns import Int32
from kgreason.zset.order import distinct


class Rounds:
    """Counts the rounds of a commit in which expressions make new terms, and the terms that a recursion makes.

    The *depth* of a term from before this commit is 0. The terms that one call of `count` counts get the same depth: 1
    plus the largest depth of the inputs. Without recursion, a depth is hardly ever above the number of expressions. So
    terms with a larger depth are taken to come from a recursion, and are counted.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self.limits = Limits()
        self.expressions = 0
        """How many expressions the rules in force have, or more; those of `Skolems` are not counted."""
        self.restart()

    def restart(self) -> None:
        """Set all counts to 0, because a new commit begins."""
        self._count = self._facts = self._first = 0
        self._depths = np.zeros(16, dtype=np.int32)
        """The depths of the terms, from the term `_first` on, which is the first term that the commit has made."""

    def count(self, rule: str, inputs: Int32, known: int) -> None:
        """Count the new terms that the rule `rule` made from `inputs`, int32[n, k]: the terms with an id above `known`.

        Raises LimitError if a limit is exceeded.
        """
        made = len(self._dictionary) - known
        if not made:
            return
        self._count += 1
        self._first = self._first or known + 1
        self.limits.check(lambda: rule, rounds=self._count)
        depth = 1 + self._depth(inputs)
        if depth > self.expressions:
            self._facts += made
        self.limits.check(lambda: rule, made_terms=self._facts)
        self._note(known, depth)

    def _depth(self, inputs: Int32) -> int:
        """Return the largest depth of the terms `inputs`, int32[n, k].

        A term that this commit has not made has depth 0.
        """
        places = inputs.ravel() - self._first
        places = places[(places >= 0) & (places < len(self._depths))]
        return int(self._depths[places].max(initial=0))

    def _note(self, known: int, depth: int) -> None:
        low, high = (end + 1 - self._first for end in (known, len(self._dictionary)))
        if high > len(self._depths):
            self._depths = np.concatenate([self._depths, np.zeros(high, dtype=np.int32)])
        self._depths[low:high] = depth


class _Operator(NamedTuple):
    """An expression, the name of a rule that has it, the table of its inputs, and the table of its results.

    `called` is the table of the inputs for which a Python function was called; None for an expression of SPARQL.
    """

    function: Expression
    rule: str
    asks: Table
    made: Table
    called: Table | None


class _Source(NamedTuple):
    """An expression with a table whose facts alone give its inputs: no other atom of the rule restricts the inputs."""

    operator: _Operator
    table: Table


class Functions:
    """Computes the expressions of the rules in force. One thread at a time: the caller holds the graph's lock."""

    def __init__(
        self,
        engine: Engine,
        dictionary: Dictionary,
        rounds: Rounds,
        registry: Registry,
        is_here: IsHere = always_here,
    ) -> None:
        self._engine, self._dictionary, self._rounds, self._registry = engine, dictionary, rounds, registry
        self._is_here = is_here
        self._failed: list[tuple[_Operator, Failure]] = []
        self._operators: tuple[_Operator, ...] = ()
        self._lines: Int32 | None = None
        """The lines of what rules ask for (`Engine.arrived_keys`); None after a change of rules."""
        self._sources: tuple[_Source, ...] = ()
        self._before: tuple[tuple[_Operator, ...], tuple[_Source, ...], int] = (), (), 0
        self._seen: dict[Expression, list[Int32]] = {}
        """The inputs whose results were foreseen in this commit."""
        self.are_any = False
        """Whether a rule in force has an expression, or a rule had one before or during the open commit."""

    def follow(self, rules: Iterable[Rule], left_out: Collection[Expression] = ()) -> None:
        """Find the expressions of `rules`, the rules that are in force now.

        `left_out`: expressions to ignore, because another operator computes them.
        """
        rules = [rule for rule in rules if not rule.is_positive]
        found = {each: label(rule) for rule in rules for each in lowered_expressions(rule) if each not in left_out}
        self._operators = tuple(self._operator(function, rule) for function, rule in found.items())
        self._sources, self._lines = tuple(self._sources_of(rules)), None
        self._rounds.expressions = len(self._operators) + len(left_out)
        self.are_any |= bool(self._rounds.expressions)

    def patterns(self) -> list[Pattern]:
        """Return patterns that match all facts that ask for results, and all results."""
        tables = ((each.asks, each.made, each.called) for each in self._operators)
        found = [table for table in chain.from_iterable(tables) if table]
        return [*found, *(source.table for source in self._sources)]

    def accept(self) -> None:
        """Make the change of rules final."""
        self._before = self._operators, self._sources, self._rounds.expressions
        self.are_any, self._failed, self._seen = bool(self._operators), [], {}

    def rollback(self) -> None:
        """Return to the rules that were in force at the last `accept`."""
        self._operators, self._sources, self._rounds.expressions = self._before
        self._lines = None
        self.are_any, self._failed, self._seen = bool(self._operators), [], {}

    def facts_ahead(self, rows: Mapping[int, Int32], check: Callable[[], object]) -> Facts:
        """Return the results to assert together with the facts `rows`.

        These are the results of expressions whose inputs all come from a single body atom, if a fact of `rows` matches
        this atom. `rows`: number of a table -> the rows of the facts. `check` is called from time to time, and may
        raise an error.
        """
        found = list[Facts]()
        for operator, table in self._sources:
            if table.number in rows:
                part = rows[table.number]
                register = FactIndex(part, np.full(len(part), table.number))
                found_keys = table.matching_keys(register)[:, : len(operator.asks.keys) - 1]
                keys = self._new_inputs(operator, unique_rows([found_keys]))
                self._seen.setdefault(operator.function, []).append(keys)
                found += self._facts(operator, keys, check)
        return merge_facts(found)

    def _new_inputs(self, operator: _Operator, keys: Int32) -> Int32:
        """Return the inputs among `keys`, int32[n, k], for which `facts_ahead` has not given results in this commit."""
        for seen in self._seen.get(operator.function, ()):
            if keys.shape[1]:
                keys = keys[~are_among(keys, seen)]
            elif len(seen):  # an expression without inputs has one row at most
                keys = keys[:0]
        return keys

    def due_facts(self, check: Callable[[], object]) -> Facts:
        """Return the results to assert for the inputs that rules have asked for since the last call in this commit.

        `check` is called from time to time, and may raise an error. Raises LimitError, which names a rule, if a limit
        of `Rounds` is exceeded.
        """
        if self._lines is None:
            self._lines = lines_of([operator.asks for operator in self._operators])
        arrived = self._engine.arrived_keys(self._lines)
        found = list[Facts]()
        known = len(self._dictionary)
        for number in distinct(arrived[:, 0]).tolist() if len(arrived) else ():
            operator, rows = self._operators[number], arrived[arrived[:, 0] == number]
            keys = np.ascontiguousarray(rows[:, 1 : 1 + len(operator.function.asks.terms)])
            if len(keys) and not self._engine.has_only_updates:
                keys = keys[~self._engine.was_present(operator.asks.rows_with_keys(keys))]
            keys = self._new_inputs(operator, keys)
            keys = keys[self._is_here(operator.function, keys)]
            if len(keys):
                found += self._facts(operator, keys, check)
                self._rounds.count(operator.rule, keys, known)
                known = len(self._dictionary)
        return merge_facts(found)

    def finish(self) -> None:
        """Raise RuleError if a Python function has failed in this commit for inputs that rules still ask for."""
        for operator, failure in self._failed:
            row = operator.asks.rows_with_keys(failure.key)
            if self._engine.facts.find(row)[0] >= 0:
                raise RuleError(f"{operator.rule}: {failure.error}") from failure.error.__cause__ or failure.error

    def _facts(self, operator: _Operator, keys: Int32, check: Callable[[], object]) -> Iterator[Facts]:
        """Compute the results for inputs `keys`, int32[n, k]. Yields the facts to assert."""
        if operator.called is None:
            yield from self._fresh_rows(operator.made, self._sparql_results(operator, keys, check))
            return
        keys = keys[self._engine.facts.find(operator.called.rows_with_keys(keys)) < 0]
        if len(keys):
            result = self._call_results(operator, keys, check)
            self._failed += [(operator, failure) for failure in result.failures]
            yield from self._fresh_rows(operator.called, result.keys)
            yield from self._fresh_rows(operator.made, result.made)

    def _fresh_rows(self, table: Table, keys: Int32) -> Iterator[Facts]:
        """Yield the rows of `table` with the keys `keys`, without the rows that are asserted already."""
        rows = table.rows_with_keys(keys)
        rows = rows[~self._engine.facts.are_asserted(rows)]
        if len(rows):
            yield Facts({table.number: rows}, {})

    def _call_results(self, operator: _Operator, keys: Int32, check: Callable[[], object]) -> CallOutcome:
        computed = operator.function.computed
        call = call_of(computed)
        assert call is not None
        function = self._registry.get(call.name)
        if function is None:
            raise RuleError(f"{operator.rule}: the function {call.name} is missing: {HOW_TO_PASS}")
        return call_for_rows(function, computed, keys, self._dictionary, check)

    def _sparql_results(self, operator: _Operator, keys: Int32, check: Callable[[], object]) -> Int32:
        try:
            return results_of(operator.function.computed, keys, self._dictionary, check)
        except RuntimeError as error:
            expression = text_of(operator.function.computed)
            raise RuleError(f"{operator.rule}: {expression} cannot be evaluated: {error}") from error

    def _sources_of(self, rules: Iterable[Rule]) -> Iterator[_Source]:
        """Yield a `_Source` for each expression whose inputs all come from a single body atom of its rule.

        Python functions are left out: they are not called before a rule asks for the inputs.
        """
        operators = {each.function.asks.relation: each for each in self._operators if each.called is None}
        if not operators:
            return
        for each in dict.fromkeys(chain.from_iterable(map(rules_without_not, rules))):
            asked = operators.get(each.heads[0].relation)
            if asked and len(each.body) == 1:
                keys = dict.fromkeys((*each.heads[0].terms, *each.body[0].variables()))
                yield _Source(asked, *tables_of(each.body, list(keys), self._engine, self._dictionary))

    def _operator(self, function: Expression, rule: str) -> _Operator:
        asks, made, _, called = function
        atoms = (asks, made, called) if called else (asks, made)
        tables = tables_of(atoms, made.terms, self._engine, self._dictionary)
        return _Operator(function, rule, tables[0], tables[1], tables[2] if called else None)
