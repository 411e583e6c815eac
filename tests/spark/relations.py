"""Relational algebra by definition, on Python sets, what the oracle derives with one rule, and views as DataFrames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import product as combinations
from typing import TYPE_CHECKING

from kgreason.rules.model import FALSE, Atom, Rule, Variable
from kgreason.spark.rule.algebra import Join, Product, Project, Relation, Select, Source
from kgreason.spark.rule.sql import PRESENT, identifier
from tests.oracle.datalog import FactLike, Index, convert, derivations, plain

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Row = tuple[str, ...]
Views = Mapping[str, Collection[Row]]


def views_of(facts: Iterable[FactLike], *rules: Rule) -> dict[str, set[Row]]:
    """Facts as views, with an empty one for every atom of the rules that has no fact."""
    views: dict[str, set[Row]] = {view(atom.relation, len(atom.terms)): set() for rule in rules for atom in rule.body}
    for relation, row in map(plain, facts):
        views.setdefault(view(relation, len(row)), set()).add(row)
    return views


def view(relation: str | None, arity: int) -> str:
    return "triples" if relation is None else f"{relation}/{arity}"


def rows_of(plan: Project, views: Views) -> set[Row]:
    """The rows of a tree."""
    return {
        tuple(row[value] if isinstance(value, int) else value for value in plan.columns)
        for row in _rows(plan.source, views)
    }


def _rows(source: Source, views: Views) -> list[Row]:
    match source:
        case Relation():
            rows = list(views[source.view])
            assert all(len(row) == source.arity for row in rows)
            return rows
        case Select():
            return [row for row in _rows(source.source, views) if row[source.left] == _value(source.right, row)]
        case Product():
            return [sum(rows, ()) for rows in combinations(*(_rows(part, views) for part in source.parts))]
        case Join():
            both = combinations(_rows(source.left, views), _rows(source.right, views))
            rows = [left + right for left, right in both]
            return [row for row in rows if all(row[one] == row[other] for one, other in source.pairs)]


def _value(value: int | str, row: Row) -> str:
    return row[value] if isinstance(value, int) else value


def derived(rule: Rule, facts: Iterable[FactLike]) -> dict[str, set[Row]]:
    """What the oracle derives with a rule, by view; `false` has the rule's name, its variables and its constants."""
    heads = [_contradiction(rule) if head == FALSE else head for head in rule.heads]
    explicit = Rule(tuple(heads), rule.body)
    found: dict[str, set[Row]] = defaultdict(set)
    for head in heads:
        found[view(head.relation, len(head.terms))] = set()
    for derivation in derivations(Index(map(plain, facts)), [convert(explicit)]):
        for relation, row in derivation.heads:
            found[view(relation, len(row))].add(row)
    return dict(found)


def _contradiction(rule: Rule) -> Atom:
    terms = dict.fromkeys(term for atom in rule.body for term in atom.terms)
    variables = [term for term in terms if isinstance(term, Variable)]
    constants = [term for term in terms if not isinstance(term, Variable)]
    return Atom("false", (f'"{rule.name}"', *variables, *constants))


def frames_of(spark: SparkSession, views: Views) -> dict[str, DataFrame]:
    """Views as DataFrames, whatever their columns are called; a true nullary one has two rows."""
    return {name: _frame(spark, int(name.partition("/")[2] or 3), rows) for name, rows in views.items()}


def _frame(spark: SparkSession, arity: int, rows: Collection[Row]) -> DataFrame:
    import pyarrow as pa

    if not arity:
        return spark.range(2 if rows else 0)
    columns = zip(*sorted(rows), strict=True) if rows else [()] * arity
    arrays = [pa.array(column, pa.string()) for column in columns]
    return spark.createDataFrame(pa.table(arrays, [f"any{n}" for n in range(arity)]))


def collected(frames: Sequence[DataFrame]) -> list[list[Row]]:
    """The rows of each of several DataFrames, those that come twice twice, found out in one job."""
    from pyspark.sql import functions as F  # noqa: N812

    tagged = []
    for number, frame in enumerate(frames):
        columns = [F.col(identifier(name)) for name in frame.columns if name != PRESENT]
        tagged.append(frame.select(F.lit(number).alias("frame"), F.array(*columns).cast("array<string>").alias("row")))
    rows = reduce(lambda one, other: one.unionAll(other), tagged).collect()
    return [sorted(tuple(row["row"]) for row in rows if row.frame == number) for number in range(len(frames))]
