"""NOT on Spark: `absent` finds the values for which the negated atoms have no match, for all negations at once.

    asks       values for which a rule needs to know whether NOT holds
    matches    values for which the negated atoms match
    none       values for which NOT holds; new ones are asks - matches - none        (rules/lowering.py)

Law: when the stratum of a negation is decided, no rule can derive another match. So a fact of `none` stays true. There
is one exception: facts may make rules circular (`ontology/generic/instances`); then a rule may derive a match later.
`check_absent` looks for such matches at the end.

Cost: one anti-join over the keys of all negations.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import StratificationError
from kgreason.rules.formatter import format_not
from kgreason.rules.lowering import Negation
from kgreason.spark.close.operators.program import ASKS, KNOWN, MADE, MET, Operator
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms


def unanswered(read: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return those rows of `read` in which rules ask, and for which no operator has answered and nothing matches.

    `read` are rows of `Tables.keyed`, `keys` their columns `b0..`. The result has the columns `operator, b0..`.
    """
    asks, answered = read.where(F.col("role") == ASKS), read.where(F.col("role") != ASKS)
    return asks.join(answered, ["operator", *keys], "left_anti").select("operator", *keys)


def absent(read: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return the values for which NOT now holds, as rows `operator, kind, b0.., id`.

    `read` are the rows of `Tables.keyed` for the negations to decide, `keys` their columns `b0..`, which have the
    values. Only values that a rule asks for and that have no fact of `none` yet are returned. `kind` is always `MADE`.
    `id` is always 0, because a negation has no result.
    """
    return unanswered(read, keys).select("operator", F.lit(MADE).alias("kind"), *keys, F.lit(0).alias("id"))


def check_absent(read: DataFrame, operators: Sequence[Operator], tables: Tables, terms: Terms) -> None:
    """Raise StratificationError if a negation has a match for values for which it has a fact of `none`.

    `read` are the rows of `Tables.keyed` for the negations, which are among `operators`.
    """
    known, derived = (read.where(F.col("role") == role) for role in (KNOWN, MET))
    wrong = known.join(derived, ["operator", *tables.keys], "left_semi").first()
    if wrong is None:
        return
    negation = operators[wrong.operator].does
    assert isinstance(negation, Negation)
    variables = negation.asks.terms
    texts = terms.texts([wrong[key] for key in tables.keys[: len(variables)]])
    values = ", ".join(f"{name} = {text}" for name, text in zip(variables, texts, strict=True))
    said = format_not(negation.negated, {})
    raise StratificationError(
        f"the facts make the rules circular: {said} was decided for {values}, and then the negated fact was derived"
    )
