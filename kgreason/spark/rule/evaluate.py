"""Evaluate single rules and queries on DataFrames: `run`, `answers`, and `explain`, which shows the plan.

    views    "triples": a DataFrame of three columns; "name/arity": a DataFrame of `arity` columns for each relation

Columns are taken by position and hold terms as N-Triples text. A view of arity 0 is true if it has any row; a result
without columns gets the column `present`. Results are sets. Nothing is evaluated before an action asks for it. The plan
has one join for each atom of the body after the first, and a product only if no variable connects two atoms.

This is one step of one rule. `kgreason.spark.close.levels` evaluates all rules to a fixpoint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from kgreason.errors import RuleError
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import Atom, Constant, Rule, Variable
from kgreason.spark.rule.algebra import Join, Product, Project, Relation, Select, Source, format_tree, width
from kgreason.spark.rule.sql import PRESENT, to_sql
from kgreason.spark.rule.translation import heads_of, joined, translate, translate_query, view_of


def run(rule: Rule, views: Mapping[str, DataFrame]) -> dict[str, DataFrame]:
    """Apply a rule once to the facts in `views`. Returns the derived facts, as a dict from the name of a view to rows.

    A head `false` gives a view `false/n` with n columns: the name of the rule, then the values of its variables, then
    its constants without those of the vocabulary.
    Raises UnsafeRuleError, and RuleError for a view that is missing or has another number of columns.
    """
    derived: dict[str, DataFrame] = {}
    for head, plan in zip(heads_of(rule), translate(rule), strict=True):
        rows, view = evaluate(joined(plan), views), view_of(head)
        derived[view] = derived[view].union(rows).distinct() if view in derived else rows
    return derived


def answers(variables: Sequence[Variable], body: Sequence[Atom], views: Mapping[str, DataFrame]) -> DataFrame:
    """Answer the query `body` from `views`. Returns the distinct answers, with a column for each of `variables`.

    Raises the errors of `run`.
    """
    return evaluate(joined(translate_query(variables, body)), views)


def explain(rule: Rule) -> str:
    """Return a text with, for each head of a rule: the translated tree, the tree with joins, and the Spark SQL."""
    parts = [format_rule(rule)]
    for plan in translate(rule):
        parts += [format_tree(plan), format_tree(joined(plan)), to_sql(joined(plan))]
    return "\n\n".join(parts)


def evaluate(plan: Project, views: Mapping[str, DataFrame]) -> DataFrame:
    """Evaluate a tree on views. Raises RuleError for a view that is missing or has another number of columns."""
    columns = [_value(value, 0).alias(name) for name, value in zip(plan.names, plan.columns, strict=True)]
    return _rows(plan.source, views, 0).select(*columns or [F.lit(True).alias(PRESENT)]).distinct()


def _rows(source: Source, views: Mapping[str, DataFrame], first: int) -> DataFrame:
    """Evaluate the part `source` of a tree. Its columns get the names c{first}, c{first + 1}, ...

    `first` is the number that the first column of the part has in the whole tree.
    """
    match source:
        case Relation():
            return _view(source, views).toDF(*(f"c{first + column}" for column in range(source.arity)))
        case Select():
            rows = _rows(source.source, views, first)
            return rows.filter(_value(source.left, first) == _value(source.right, first))
        case Product():
            return _product(source, views, first)
        case Join():
            left = _rows(source.left, views, first)
            right = _rows(source.right, views, first + width(source.left))
            return left.join(right, [_value(one, first) == _value(other, first) for one, other in source.pairs])


def _product(source: Product, views: Mapping[str, DataFrame], first: int) -> DataFrame:
    frames = []
    for part in source.parts:
        frames.append(_rows(part, views, first))
        first += width(part)
    return reduce(lambda left, right: left.crossJoin(right), frames or [SparkSession.active().range(1).select()])


def _view(relation: Relation, views: Mapping[str, DataFrame]) -> DataFrame:
    frame = views.get(relation.view)
    if frame is None:
        raise RuleError(f"there is no view {relation.view}; the views are: {', '.join(views) or 'none'}")
    if not relation.arity:
        return frame.select()
    if len(frame.columns) != relation.arity:
        raise RuleError(f"the view {relation.view} must have {relation.arity} columns, but has {len(frame.columns)}")
    return frame


def _value(value: int | Constant, first: int) -> Column:
    return F.col(f"c{first + value}") if isinstance(value, int) else F.lit(value)
