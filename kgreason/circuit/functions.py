"""`Functions`: the meaning of expressions and aggregates. The caller passes this meaning to the circuit.

A function of rows is linear: each row becomes the rows of its results, with the same weight. So the function is lifted
into a circuit, and is its own incremental version.

    FILTER(?x > 1)        {?x: "2"}  ->  {?x: "2"}              {?x: "1"}  ->  nothing
    BIND(?x + 1 AS ?y)    {?x: "2"}  ->  {?x: "2", ?y: "3"}     {?x: "a"}  ->  nothing: an error

Law: the same arguments always give the same results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kgreason.circuit.rewriting import Substitution
from kgreason.circuit.zset import ZSet, distinct
from kgreason.rules.model import Aggregate, Computed, Constant, Variable

Values: TypeAlias = Mapping[Variable, Constant]
Member: TypeAlias = tuple[Constant, ...]
"""What an aggregate reads of one match: the value of its argument, or `()` for COUNT(*)."""


class Functions(NamedTuple):
    """Two functions: one computes the results of an expression, the other computes the value of an aggregate."""

    expression: Callable[[Computed, Values], Iterable[Constant]]
    """The results of an expression for these values: none for an error; one, of any text, for a FILTER that holds."""
    aggregate: Callable[[Aggregate, ZSet[Member]], Constant | None]
    """The value of an aggregate for the members of a group, with the number of their matches; None for an error."""


NO_FUNCTIONS = Functions(lambda *_: (), lambda *_: None)
"""Functions under which every expression and every aggregate is an error."""


def computations(functions: Functions, computed: Computed, substitution: Substitution) -> Iterator[Substitution]:
    """Yield the substitution once for each result of `computed`, a FILTER or BIND.

    For a BIND, the substitution is extended: it gives the variable of the BIND this result.
    """
    for result in dict.fromkeys(functions.expression(computed, dict(substitution))):
        yield substitution if computed.result is None else (*substitution, (computed.result, result))


def aggregate_value(functions: Functions, aggregate: Aggregate, members: ZSet[Member]) -> Constant | None:
    """Return the value of an aggregate for `members`, the members of one group; None if the aggregate has no value."""
    return functions.aggregate(aggregate, distinct(members) if aggregate.is_distinct else members)
