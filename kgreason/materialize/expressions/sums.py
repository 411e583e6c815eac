"""`steps_of`: an expression in which `+` has the same result for both orders of a date or time and a duration.

    ?day + ?span    ->    BIND(COALESCE(?day + ?span, ?day - (- ?span), ?span - (- ?day)) AS ?sum0)    and then ?sum0

Oxigraph puts the operands of `+` into an order of its own, by a hash of their texts. It knows `?day + ?span`, but not
`?span + ?day`. So its result would depend on the names of the variables. No other operator is concerned: sums of two
numbers or two durations are the same in both orders, and the operands of `-` keep their order.

Law: for numbers and pairs of durations the result is that of Oxigraph. For a date, time or dateTime and a duration, the
result is that of XPath (op:add-dayTimeDuration-to-dateTime and its like).
Cost: 1 microsecond for each token. A step for each `+`, so that long sums do not become longer texts than needed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.rules.model import Computed, Variable
from kgreason.terms import vocabulary as v

_TEMPORAL = re.compile(
    "|".join(
        map(
            re.escape,
            (
                v.XSD_DATE,
                v.XSD_DATE_TIME,
                v.XSD_TIME,
                v.XSD_DURATION,
                v.XSD_DAY_TIME_DURATION,
                v.XSD_YEAR_MONTH_DURATION,
            ),
        )
    )
)
_BETWEEN = frozenset(["||", "&&", "=", "!=", "<", "<=", ">", ">=", ",", "IN", "NOT"])
_PREFIXES = frozenset(["!", "+", "-", "*", "/"])
"""After these a `+` or `-` is the sign of a number, not an operator."""
_Parts: TypeAlias = list[Variable | str]


class Steps(NamedTuple):
    """Assignments that are computed one after the other, and the expression that reads their results."""

    before: tuple[Computed, ...]
    last: Computed


def need_steps(computed: Computed, texts: NDArray[np.object_]) -> NDArray[np.bool_]:
    """Return for each row of inputs `texts`, object[n, k], whether it needs `steps_of`: bool[n].

    If the expression has a `+`, these are the rows that a date, a time or a duration may enter: as an input, as a
    constant, by a cast, or by STRDT.
    """
    if "+" not in computed.parts:
        return np.zeros(len(texts), dtype=np.bool_)
    if any(part == "STRDT" or _TEMPORAL.search(str(part)) for part in computed.parts):
        return np.ones(len(texts), dtype=np.bool_)
    flags = [_TEMPORAL.search(text) is not None for text in texts.ravel()]
    return np.asarray(np.array(flags, dtype=np.bool_).reshape(texts.shape).any(axis=1))


def steps_of(computed: Computed) -> Steps:
    """Return the expression with a step for each `+`.

    >>> steps = steps_of(Computed((Variable("x"), "+", Variable("y"), ">", Variable("z"))))
    >>> len(steps.before), steps.last.parts
    (1, (Variable(name='sum0'), '>', Variable(name='z')))
    """
    reader = _Reader(computed)
    return Steps(tuple(reader.steps), computed._replace(parts=tuple(reader.parts)))


class _Reader:
    """Reads the tokens of an expression, brackets inside out. `parts` is the expression without its sums."""

    def __init__(self, computed: Computed) -> None:
        known = {variable.name for variable in computed.inputs()}
        self._new = (Variable(name) for number in count() if (name := f"sum{number}") not in known)
        self.steps: list[Computed] = []
        outer: list[list[_Parts]] = []
        level: list[_Parts] = []
        for part in computed.parts:
            if part == "(":
                outer.append(level)
                level = []
            elif part == ")":
                inner, level = self._without_sums(level), outer.pop()
                level.append(["(", *inner, ")"])
            else:
                level.append([part])
        self.parts = self._without_sums(level)

    def _without_sums(self, level: Sequence[_Parts]) -> _Parts:
        """Return the tokens between two brackets, with a step for each sum. A pair of brackets is one of `level`."""
        found: _Parts = []
        left: _Parts = []
        right: _Parts = []
        sign = ""
        for item in level:
            token = item[0]
            if token in _BETWEEN:
                found += [*self._sum(left, sign, right), token]
                left, sign, right = [], "", []
            elif (token == "+" or token == "-") and right and right[-1] not in _PREFIXES:
                left, sign, right = self._sum(left, sign, right), token, []
            else:
                right += item
        return [*found, *self._sum(left, sign, right)]

    def _sum(self, left: _Parts, sign: str, right: _Parts) -> _Parts:
        """Return `left sign right`; of a sum, its step. Without a sign there is only `right`."""
        if sign == "+":
            return [self._add_step(left, right)]
        return [*left, sign, *right] if sign else right

    def _add_step(self, one: _Parts, other: _Parts) -> Variable:
        return self._step(sum_of(self._operand(one), self._operand(other)))

    def _operand(self, parts: _Parts) -> Variable | str:
        """Return an operand as one term: itself, or the result of a step."""
        return parts[0] if len(parts) == 1 else self._step(tuple(parts))

    def _step(self, parts: tuple[Variable | str, ...]) -> Variable:
        result = next(self._new)
        self.steps.append(Computed(parts, result))
        return result


def sum_of(one: Variable | str, other: Variable | str) -> tuple[Variable | str, ...]:
    """Return the tokens of `one + other` with the same result for both orders of the operands."""
    return "COALESCE", "(", one, "+", other, ",", *_subtraction(one, other), ",", *_subtraction(other, one), ")"


def _subtraction(one: Variable | str, other: Variable | str) -> tuple[Variable | str, ...]:
    """Return `one - (- other)`, a sum whose operands keep their order."""
    return one, "-", "(", "-", other, ")"
