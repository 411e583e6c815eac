"""Rules on Spark, misread: each reading is wrong in its own way, and one of `CASES` shows it.

All cases are one program with predicates of their own, since Spark starts many jobs for any program. Each misreading
changes the triple of its case, so all misreadings can be tried at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from kgreason.spark.close.operators import operators
from kgreason.spark.close.operators.aggregates import aggregated as right_values
from kgreason.spark.close.operators.aggregates import aggregation_of
from kgreason.spark.close.operators.program import MADE, Operator, Operators
from kgreason.spark.close.operators.program import operators_of as right_operators
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms
from pyspark.sql import DataFrame

from kgreason.functions.registry import Registry
from kgreason.rules.lowering import Function, Negation
from kgreason.spark.close import planner
from kgreason.terms.vocabulary import XSD_INTEGER


class Case(NamedTuple):
    """A misreading, rules and data on which it shows, and the triple that tells; `holds` says whether it is right."""

    misreading: str
    rules: str
    data: str
    triple: str
    holds: bool


CASES = (
    Case(
        "NOT is evaluated before its stratum is closed",
        """
        :Root[?x] :- :Node[?x], NOT [?x, :hasParent, true] .
        [?x, :hasParent, true] :- :Node[?x], NOT [?x, :orphan, true] .
        """,
        ":node a :Node .",
        ":node a :Root",
        False,
    ),
    Case(
        "a group without a match has the value 0",
        ":all[:found, ?n] :- AGGREGATE([?x, :missing, ?y] BIND COUNT(*) AS ?n) .",
        "",
        ":found :all 0",
        False,
    ),
    Case(
        "COUNT counts derivations",
        """
        :near[?x, ?y] :- :left[?x, ?y] .
        :near[?x, ?y] :- :right[?x, ?y] .
        :neighbours[?x, ?n] :- AGGREGATE(:near[?x, ?y] ON ?x BIND COUNT(?y) AS ?n) .
        """,
        ":a :left :b ; :right :b .",
        ":a :neighbours 1",
        True,
    ),
    Case(
        "SUM adds equal values of different matches once",
        ":total[?x, ?n] :- AGGREGATE(:item[?x, ?y], :price[?y, ?p] ON ?x BIND SUM(?p) AS ?n) .",
        ":bill :item :tea, :milk . :tea :price 2 . :milk :price 2 .",
        ":bill :total 4",
        True,
    ),
    Case(
        "an error in a FILTER keeps the row",
        ":Tall[?x] :- :height[?x, ?h], FILTER(?h > 10) .",
        ":odd :height 'tall' .",
        ":odd a :Tall",
        False,
    ),
    Case(
        "an aggregate reads each name of an individual",
        ":owners[?x, ?n] :- AGGREGATE(:owner[?x, ?y] ON ?x BIND GROUP_CONCAT(?y) AS ?n) .",
        ":dog :owner :tom, :thomas . :tom owl:sameAs :thomas .",
        ":dog :owners 'http://e/thomas'",
        True,
    ),
    Case(
        "each name has a blank node of its own",
        """
        :card[?x, ?b] :- :Member[?x], BIND(SKOLEM("card", ?x) AS ?b) .
        :Twice[?x] :- :card[?x, ?b], :card[?x, ?c], FILTER(?b != ?c) .
        """,
        ":ann a :Member . :ann owl:sameAs :anna .",
        ":ann a :Twice",
        False,
    ),
    Case(
        "DATA reads what rules derive",
        """
        :older[?x, ?y] :- :parent[?x, ?y] .
        :told[?x, ?y] :- DATA :older[?x, ?y] .
        """,
        ":eve :parent :kit .",
        ":eve :told :kit",
        False,
    ),
)

EQUALITY = """
    @group eq .
    @rule eq-sym
    [?y, owl:sameAs, ?x] :- [?x, owl:sameAs, ?y] .
    @rule eq-trans
    [?x, owl:sameAs, ?z] :- [?x, owl:sameAs, ?y], [?y, owl:sameAs, ?z] .
    @rule eq-rep-s
    [?z, ?p, ?o] :- [?x, owl:sameAs, ?z], [?x, ?p, ?o] .
    @rule eq-rep-o
    [?s, ?p, ?z] :- [?x, owl:sameAs, ?z], [?s, ?p, ?x] .
    @group cases .
"""
"""The rules of owl:sameAs that the cases need."""


@contextmanager
def all_at_once() -> Iterator[None]:
    """Misread all but DATA, which `without_data` misreads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planner, "operators_of", _operators)
        patch.setattr(operators, "aggregated", _values)
        patch.setattr(operators, "others", _others)
        patch.setattr(operators, "check_absent", lambda *_: None)
        yield


def without_data(rules: str) -> str:
    """Rules that read derived triples as well."""
    return rules.replace("DATA ", "")


def _operators(*arguments: Any) -> Operators:
    """All NOT are decided at once, and a FILTER is true if it ends in an error."""
    found = right_operators(*arguments)
    return found._replace(all=tuple(map(_misread, found.all)))


def _misread(operator: Operator) -> Operator:
    match operator.does:
        case Negation():
            return operator._replace(level=1)
        case Function(computed=computed) as function if computed.result is None:
            parts = ("COALESCE", "(", *computed.parts, ",", "true", ")")
            return operator._replace(does=function._replace(computed=computed._replace(parts=parts)))
    return operator


def _values(
    rows: DataFrame,
    numbers: Sequence[int],
    every: Sequence[Operator],
    tables: Tables,
    terms: Terms,
    others: DataFrame | None,
    registry: Registry,
) -> DataFrame:
    """COUNT sees each row twice, SUM sees equal terms of a group once, and no rows have the value 0."""
    calls = {number: aggregation_of(every[number]).aggregate for number in numbers}
    counted, summed = ([number for number, call in calls.items() if call.function == name] for name in ("COUNT", "SUM"))

    repeated = rows.where(rows.operator.isin(counted))
    once = rows.where(rows.operator.isin(summed)).dropDuplicates(["operator", *tables.keys[:2]])
    misread = rows.where(~rows.operator.isin(summed)).unionAll(repeated).unionAll(once)
    found = right_values(misread, numbers, every, tables, terms, others, registry)
    zero = f'"0"^^{XSD_INTEGER}'
    empty = [(number, MADE, *[0] * len(tables.keys), zero) for number, call in calls.items() if not call.group]
    return found.unionAll(tables.spark.createDataFrame(empty, found.schema))


def _others(facts: DataFrame, triples: int, terms: Terms) -> DataFrame:
    """No term is another name."""
    return terms.spark.createDataFrame([], "id int, name string")
