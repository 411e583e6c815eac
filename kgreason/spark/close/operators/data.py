"""DATA on Spark. Patterns after `DATA` read a hidden relation; `asserted` makes its facts from the asserted triples.

Only triples that some pattern after `DATA` matches become facts. But if the program has rules about owl:sameAs, a
constant of a pattern also matches the terms that are equal to it. Then all asserted triples become facts, and rules
copy these facts to the equal terms (`materialize/operators/data`).

Cost: one broadcast join with the triples; with owl:sameAs a fact for each asserted triple.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.operators.forms import frame_of, met
from kgreason.spark.close.operators.program import Patterns


def asserted(triples: DataFrame, patterns: Patterns) -> DataFrame:
    """Return the facts for the patterns that rules have after `DATA`, as rows `relation, s, p, o`.

    `relation` is the id of the hidden relation. `triples` are all asserted triples (s, p, o int). A triple becomes a
    fact if a pattern matches it, or if `patterns.are_all` is set.
    """
    found = triples.select("s", "p", "o")
    if not patterns.are_all:
        facts = found.select(
            F.lit(patterns.table).alias("tbl"), *(F.col(name).alias(f"c{n}") for n, name in enumerate("spo"))
        )
        matches = met(patterns.forms, patterns.constants, facts, frame_of(triples.sparkSession, patterns.rows))
        found = matches.selectExpr("c0 AS s", "c1 AS p", "c2 AS o").distinct()
    return found.select(F.lit(patterns.relation).alias("relation"), "s", "p", "o")
