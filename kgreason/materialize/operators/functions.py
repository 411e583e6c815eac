"""`Functions`: computes the expressions of rules (rules/expressions.py) for the inputs that rules ask for.

An expression is a table that fills itself: when a fact `asks(inputs)` is derived, the result for these inputs is
asserted as `made(inputs, result)`, or as `made(inputs)` for a FILTER that is true. The row stays when nobody asks any
more: it is true whatever the graph holds, and no rule reads it without the rest of its body. So there is no state but
the facts.

Recursion through BIND takes one round for each step. A commit with more than `MOST_ROUNDS` rounds that make new terms
is refused, because such a recursion seldom ends.

Cost: one query to Oxigraph for each expression and round, for the new inputs only (`evaluation`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from kgreason.engine.engine import Engine
from kgreason.engine.memory.layout import Int32
from kgreason.errors import LimitError, RuleError
from kgreason.materialize.edit import Facts, together
from kgreason.materialize.operators.evaluation import evaluated
from kgreason.materialize.operators.tables import Table, table_of
from kgreason.rules.expressions import text_of
from kgreason.rules.lowering import Function, functions
from kgreason.rules.model import Rule
from kgreason.terms.dictionary import Dictionary

MOST_ROUNDS = 10_000
"""The largest number of rounds of a commit in which expressions make new terms."""


class Rounds:
    """Counts the rounds of a commit in which expressions make new terms."""

    def __init__(self) -> None:
        self._count = 0

    def restart(self) -> None:
        """Begin a commit."""
        self._count = 0

    def count(self, rule: str) -> None:
        """Count a round, in which this rule made terms. Raises LimitError after `MOST_ROUNDS` rounds."""
        self._count += 1
        if self._count > MOST_ROUNDS:
            raise LimitError(
                f"rule {rule}: BIND has made new terms from new terms {MOST_ROUNDS:,} times in one commit; "
                "does the recursion end? Bound it with FILTER"
            )


class _Operator(NamedTuple):
    """An expression, the name of a rule that has it, and the tables of its inputs and of its results."""

    function: Function
    rule: str
    asks: Table
    made: Table


class Functions:
    """The expressions of the rules in force. The materializer calls it under the graph's lock: one thread at a time."""

    def __init__(self, engine: Engine, dictionary: Dictionary, rounds: Rounds) -> None:
        self._engine, self._dictionary, self._rounds = engine, dictionary, rounds
        self._operators: tuple[_Operator, ...] = ()
        self._before: tuple[_Operator, ...] = ()
        self.are_any = False
        """Whether rules in force compute something."""

    def follow(self, rules: Iterable[Rule], left_out: Container[Function] = ()) -> None:
        """Take the rules in force. Functions of `left_out` are computed elsewhere."""
        found = {each: rule.name for rule in rules for each in functions(rule) if each not in left_out}
        self._operators = tuple(self._operator(function, rule) for function, rule in found.items())
        self.are_any = bool(self._operators)

    def accept(self) -> None:
        """Make the change of rules final."""
        self._before = self._operators
        self._rounds.restart()

    def rollback(self) -> None:
        """Forget the rules since the last `accept`."""
        self._operators, self.are_any = self._before, bool(self._before)
        self._rounds.restart()

    def wanted(self, check: Callable[[], object]) -> Facts:
        """The results to assert for the inputs that rules have asked for since the last call in this commit.

        `check` may raise between pieces. Raises LimitError, naming a rule, after `MOST_ROUNDS` rounds with new terms.
        """
        rows, tables = self._engine.arrived()
        found = []
        known = len(self._dictionary)
        for operator in self._operators:
            keys = operator.asks.matching(rows, tables)
            if len(keys):
                made = operator.made.rows(self._evaluated(operator, keys, check))
                made = made[self._engine.circuit.facts.find(made) < 0]
                if len(made):
                    found.append(Facts({operator.made.number: made}, {}))
                if len(self._dictionary) > known:
                    self._rounds.count(operator.rule)
                    known = len(self._dictionary)
        return together(found)

    def _evaluated(self, operator: _Operator, keys: Int32, check: Callable[[], object]) -> Int32:
        try:
            return evaluated(operator.function.computed, keys, self._dictionary, check)
        except RuntimeError as error:
            expression = text_of(operator.function.computed)
            raise RuleError(f"rule {operator.rule}: {expression} cannot be evaluated: {error}") from error

    def _operator(self, function: Function, rule: str) -> _Operator:
        asks, made, _ = function
        tables = (table_of(atom, made.terms, self._engine, self._dictionary) for atom in (asks, made))
        return _Operator(function, rule, *tables)
