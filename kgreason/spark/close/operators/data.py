"""DATA on Spark: `asserted` gives the asserted triples that a pattern of the rules matches, as facts of a relation.

If rules follow owl:sameAs, a pattern must also match triples in which an equal term stands in place of its constant. So
then all asserted triples are facts of the relation, and rules copy them to the equal terms
(`materialize/operators/data`).

Cost: one broadcast join with the triples; with owl:sameAs a fact for each asserted triple.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.operators.program import Patterns
from kgreason.spark.close.rewrites import frame_of, met


def asserted(triples: DataFrame, patterns: Patterns) -> DataFrame:
    """Return rows `relation, s, p, o` for the asserted triples (s, p, o int) that some pattern of DATA matches.

    If rules follow owl:sameAs, there is a row for every asserted triple.
    """
    found = triples.select("s", "p", "o")
    if not patterns.are_all:
        facts = found.select(
            F.lit(patterns.table).alias("tbl"), *(F.col(name).alias(f"c{n}") for n, name in enumerate("spo"))
        )
        matches = met(patterns.forms, patterns.constants, facts, frame_of(triples.sparkSession, patterns.rows))
        found = matches.selectExpr("c0 AS s", "c1 AS p", "c2 AS o").distinct()
    return found.select(F.lit(patterns.relation).alias("relation"), "s", "p", "o")
