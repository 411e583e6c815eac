"""AGGREGATE on Spark: `aggregated` gives one value for each group, for all aggregates at once.

    rows (operator, keys)  ->  operator, group, argument  ->  COUNT by Spark, the others by tasks  ->  text of the value

Each row is one fact, so a match counts once, however often rules derive it. If terms are equal, a row counts only if
each of its terms is the first name of an individual (`individuals`). Cost: COUNT is a grouped count; the others sort
the rows by their groups, and a task needs the memory of the largest group.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import RuleError
from kgreason.functions.registry import HOW_TO_PASS, Registry
from kgreason.rules.expressions import AGGREGATES
from kgreason.rules.lowering import Aggregation
from kgreason.spark.close.operators.forms import NONE, names, pick
from kgreason.spark.close.operators.program import MADE, Operator
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.tasks import Reduction, grouping
from kgreason.spark.close.operators.terms import Terms
from kgreason.terms.vocabulary import XSD_INTEGER

_COUNT = "COUNT"


def aggregated(
    rows: DataFrame,
    numbers: Sequence[int],
    operators: Sequence[Operator],
    tables: Tables,
    terms: Terms,
    others: DataFrame | None,
    registry: Registry,
) -> DataFrame:
    """Compute aggregates: the elements `numbers` of `operators`. Returns a row for each group.

    `rows` are the rows of `Tables.keyed` with the matches of aggregates; those of other aggregates do not matter.
    The columns are `operator, kind, b0.., text`: the number of the operator, MADE, the group, and the value of the
    group. `others` has a column `id`: the terms that are not first names (`individuals`); a match with such a term does
    not count. `others` is None if no terms are equal. `registry` has the Python functions.
    """
    if others is not None:
        for key in tables.keys:
            rows = rows.join(others.select(F.col("id").alias(key)), key, "left_anti")
    plans = [(number, *_plan(operators[number])) for number in numbers]
    plan = tables.spark.createDataFrame(plans, "operator int, groups int, place int, is_count boolean")
    groups = names("g", len(tables.keys))
    columns = [F.when(F.col("groups") > n, F.col(key)).otherwise(0) for n, key in enumerate(tables.keys)]
    rows = rows.join(F.broadcast(plan), "operator").select(
        "operator",
        "is_count",
        *(column.alias(group) for column, group in zip(columns, groups, strict=True)),
        F.expr(pick("place", tables.keys, "0")).alias("id"),
    )
    text = F.concat(F.lit('"'), F.count("*").cast("string"), F.lit(f'"^^{XSD_INTEGER}'))
    found = rows.where("is_count").groupBy("operator", *groups).agg(text.alias("text"))
    if not all(is_count for *_, is_count in plans):
        aggregates = reductions_of(operators, numbers, registry)
        found = found.union(_solved(rows.where("NOT is_count"), aggregates, groups, terms))
    keys = [F.col(group).alias(key) for group, key in zip(groups, tables.keys, strict=True)]
    return found.select("operator", F.lit(MADE).alias("kind"), *keys, "text")


def _solved(rows: DataFrame, aggregates: Mapping[int, Reduction], groups: tuple[str, ...], terms: Terms) -> DataFrame:
    """Compute aggregates other than COUNT, in tasks. `aggregates` has all aggregates by the numbers of their operators.

    Reads rows `operator, g0.., id`, where `id` is the term to aggregate and `groups` are the names `g0..`. Returns rows
    `operator, g0.., text`, where `text` is the value of the group.
    """
    texts = rows.join(terms.all, "id").select("operator", *groups, "text")
    ordered = texts.repartition("operator", *groups).sortWithinPartitions("operator", *groups)
    columns = ", ".join(f"{name} int" for name in ("operator", *groups))
    return ordered.mapInArrow(grouping(aggregates, len(groups)), f"{columns}, text string")


def reductions_of(operators: Sequence[Operator], numbers: Iterable[int], registry: Registry) -> dict[int, Reduction]:
    """Return a dict from the number of an operator to its aggregate. `numbers` are the operators to include.

    Raises RuleError for a Python function that is not in `registry`.
    """
    found = {}
    for number in numbers:
        rule, aggregate = operators[number].rule, aggregation_of(operators[number]).aggregate
        function = None if aggregate.function in AGGREGATES else registry.get(aggregate.function)
        if function is None and aggregate.function not in AGGREGATES:
            raise RuleError(f"{rule}: the function {aggregate.function} is missing: {HOW_TO_PASS}")
        found[number] = Reduction(rule, aggregate, function)
    return found


def _plan(operator: Operator) -> tuple[int, int, bool]:
    """Return three values for an aggregate: the width of a group, which key is the argument, and whether it is COUNT.

    COUNT(*) has no argument; then the second value is NONE.
    """
    aggregate, _, keys, _ = aggregation_of(operator)
    place = keys.index(aggregate.argument) if aggregate.argument else NONE
    return len(aggregate.group), place, aggregate.function == _COUNT


def aggregation_of(operator: Operator) -> Aggregation:
    """Return the aggregation that an operator computes. The operator must be an AGGREGATE."""
    assert isinstance(operator.does, Aggregation)
    return operator.does
