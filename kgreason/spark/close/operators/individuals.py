"""Individuals: groups of terms that plain rules of owl:sameAs make equal (`same_as="rules"`).

Rules derive an owl:sameAs triple (*link*) for each pair of equal terms. The *first name* of an individual is its first
term: IRIs come first, then blank nodes, literals and triple terms, each in the order of UTF-8
(`materialize/operators/individuals`).

Cost: a filter over the facts, and a join of the links with the terms.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.materialize.schema.rows import SAME_AS
from kgreason.spark.close.operators.terms import Terms


def links(facts: DataFrame, triples: int) -> DataFrame:
    """Return rows `x, y`: the owl:sameAs links between different terms. `triples` is the number of the triple table."""
    is_link = (F.col("tbl") == triples) & (F.col("c1") == SAME_AS) & (F.col("c0") != F.col("c2"))
    return facts.where(is_link).selectExpr("c0 AS x", "c2 AS y")


def others(facts: DataFrame, triples: int, terms: Terms) -> DataFrame:
    """Return rows `id, name` for all terms that are not first names. `name` is the text of the term's first name.

    `triples` is the number of the triple table.
    """
    linked = links(facts, triples)
    names = linked.union(linked.selectExpr("x", "x AS y")).distinct()
    known = names.join(terms.all.withColumnsRenamed({"id": "y"}), "y")
    first = F.min(F.struct(_kind().alias("kind"), "text", "y")).alias("first")
    firsts = known.groupBy("x").agg(first)
    return firsts.where(F.col("x") != F.col("first.y")).selectExpr("x AS id", "first.text AS name")


def _kind() -> Column:
    """Return a column that ranks a term by its kind: 0 IRI, 1 blank node, 2 literal, 3 triple term."""
    text = F.col("text")
    ranks = (("<<", 3), ("<", 0), ("_", 1))
    found = F.lit(2)
    for start, rank in reversed(ranks):
        found = F.when(text.startswith(start), rank).otherwise(found)
    return found
