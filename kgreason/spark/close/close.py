"""Compute the closure of encoded quads on Spark.

    quads -> distinct triples, facts about literals -> rounds of parts -> closure -> if it needs more rules: start again

There are no representatives of equal terms: the rules of owl:sameAs copy facts from each term to its equal terms.

Between rounds, when no part has facts for another one, facts about equal terms are asserted, then the results of
operators (NOT, expressions, aggregates), and the rounds go on.

Law: the result has the facts and asserted flags that the engine would compute from the same rules and asserted facts.

Cost: the rounds (`spark/rounds`). They run again if derived facts call for generic rules that the program did not have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from hashlib import sha256
from itertools import chain, count
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import RuleError
from kgreason.functions.registry import Registry
from kgreason.materialize.schema.rows import SAME_AS, Mask
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Flags
from kgreason.options import EL, Limits
from kgreason.progress import Progress
from kgreason.rules.model import FALSE
from kgreason.spark.close.decisions import Decisions
from kgreason.spark.close.job import PartsNews, close
from kgreason.spark.close.literals import LiteralFacts, triples_in, visible_triples
from kgreason.spark.close.planner import FALSES, SCHEMA, VALUES, Driver, Planned
from kgreason.spark.close.terms import Terms
from kgreason.spark.cluster.sizes import sizes
from kgreason.spark.encode.dictionary import rows_of, texts_of
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.rounds.exchange import pieces
from kgreason.spark.rounds.plan import ASSERTED, FIRST, MOST_ALIKE, NEWS, NOTED, TABLE
from kgreason.spark.rounds.ranges import RowsInFiles
from kgreason.terms.vocabulary import OWL_DIFFERENT_FROM
from kgreason.zset.columns import Int32

_MANY = 100_000
"""So many facts of `false` come to the driver."""


class Closed(NamedTuple):
    """A closure. `news` are all facts, with the columns `tbl, c0.., asserted`.

    `tbl` is the number of a fact's table, `c0..` are the ids of its terms. `planned` has the rules that derived the
    facts. `terms` has all terms of the data and of the rules, `driver` the schema.
    """

    news: PartsNews
    planned: Planned
    terms: Terms
    driver: Driver

    def triples_to_write(self, *, only_visible: bool, only_inferred: bool) -> DataFrame | RowsInFiles:
        """Return the triples of the closure, or those that users see, or the inferred ones of these.

        Rows are `s, p, o int, asserted boolean`. Users may see one spelling of a value (`literals.visible_triples`).
        """
        files = [str(file) for folder in self.news.folders for file in folder.glob("*.parquet")]
        is_split = only_visible and self.news.counts[VALUES] > 0
        if files and not is_split:
            news, spark = partial(_news_triples, self.planned.plan.triples, only_inferred), self.terms.all.sparkSession
            return RowsInFiles(spark, files, ("flag", "tbl", "c0", "c1", "c2"), news, (NEWS, NOTED))
        triples = self.triples
        if is_split:
            pairs = self.news.noted.where(F.col("c0") == self.planned.ids["dt_value/2"])
            triples = visible_triples(triples, pairs.selectExpr("c1 AS x", "c2 AS y"), self.terms.all)
        return triples.where("NOT asserted") if only_inferred else triples

    @property
    def triples(self) -> DataFrame:
        """The triples of the closure: s, p, o int, and asserted boolean. Generalised triples are included."""
        return triples_in(self.news.facts, self.planned.plan)

    def noted_triples(self, are_needed: Callable[[Int32], Mask]) -> Int32:
        """Return those noted triples, int32[n, 3], for which `are_needed` is true. It gets some of them at a time."""
        found = [np.empty((0, 3), dtype=np.int32)]
        if not self.news.counts[SCHEMA]:
            return found[0]
        if not self.news.folders:
            noted = triples_in(self.news.noted, self.planned.plan).select("s", "p", "o")
            return rows_of(noted.mapInArrow(partial(_filtered, are_needed), noted.schema))
        for facts in chain.from_iterable(pieces(folder, NOTED) for folder in self.news.folders):
            triples = facts[facts[:, TABLE] == self.planned.plan.triples, FIRST : FIRST + 3]
            found.append(triples[are_needed(triples)])
        return np.concatenate(found)

    def rows_of(self, relation: str, arity: int, most: int) -> list[tuple[str, ...]]:
        """Return the facts of a relation, at most so many, as rows of texts in this process."""
        number = self.planned.ids.get(relation_text(relation, arity))
        if number is None or (False, arity + 1) not in self.planned.plan.tables:
            return []
        table, columns = self.planned.plan.tables.index((False, arity + 1)), self.planned.plan.columns[1 : arity + 1]
        found = self.news.facts.where((F.col("tbl") == table) & (F.col("c0") == number)).select(*columns)
        rows = rows_of(found.limit(most))
        texts = texts_of(self.terms.all, np.unique(rows))
        return [tuple(map(texts.__getitem__, row)) for row in rows.tolist()]

    def contradictions(self) -> int:
        """Count the contradictions in the closure, as one process counts them.

        If there are more than `_MANY` facts of `false`, each of them counts.
        """
        ids = [number for text, number in self.planned.ids.items() if text.startswith(f"{FALSE.relation}/")]
        false = self.news.noted.where(F.col("c0").isin(ids)).drop("asserted")
        count: int = false.count() if self.news.counts[FALSES] else 0
        if not 0 < count <= _MANY:
            return count
        terms, triples = self.terms.all, self.triples
        named = false.select(F.explode(F.array(*(F.col(name) for name in self.planned.plan.columns))).alias("id"))
        named = F.broadcast(named.distinct())
        literals = named.join(terms.where(F.col("text").startswith('"')), "id").select(F.col("id").alias("o"))
        different = terms.where(F.col("text") == OWL_DIFFERENT_FROM).select(F.col("id").alias("p"))
        links = triples.where(F.col("p") == SAME_AS).join(named.withColumnRenamed("id", "s"), "s", "left_semi")
        links = links.join(F.broadcast(literals), "o", "left_anti")  # all these triples will be asserted on the driver
        asserted = triples.where("asserted")
        about = [asserted.join(F.broadcast(some), some.columns, "left_semi") for some in (literals, different)]
        return self.driver.count_contradictions(false, reduce(DataFrame.unionByName, [links, *about]), terms)


def _filtered(are_needed: Callable[[Int32], Mask], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Leave out the rows for which `are_needed` is false. For a task."""
    for batch in batches:
        rows = np.column_stack([column.to_numpy() for column in batch.columns])
        yield batch.filter(pa.array(are_needed(rows)))


def _news_triples(table: int, only_inferred: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn news, rows `flag, tbl, c0..`, into triples, or into inferred ones alone. For a task."""
    for batch in batches:
        flags, tables = (column.to_numpy() for column in batch.columns[:2])
        is_asserted = flags & ASSERTED > 0
        kept = (tables == table) & ~(is_asserted & only_inferred)
        columns = [*batch.columns[2:], pa.array(is_asserted)]
        yield pa.RecordBatch.from_arrays(columns, names=["s", "p", "o", "asserted"]).filter(pa.array(kept))


def compute_closure(
    selection: Selection, encoded: Encoded, folder: str, progress: Progress, registry: Registry, limits: Limits
) -> Closed:
    """Compute the final closure, without representatives of equal terms.

    `selection` has the rules, `encoded` the data. `limits` are those of a recursion through BIND. The tables of the
    computation are written below `folder`. Raises RuleError for rules that Spark cannot evaluate.
    """
    if selection.el:
        raise RuleError(f"{EL} does not run on Spark: it is for ontologies, which fit into one process")
    flags, runs = Flags(), count()
    while True:
        driver = Driver(selection, encoded.facts, encoded.terms, flags, registry)
        closed = _closed(selection, encoded, driver, f"{folder}/round-{next(runs)}", progress, registry, limits)
        triples = closed.noted_triples(driver.filter_of_flags())
        flags, before = driver.needed_flags(triples, closed.terms.all), flags
        if flags == before:
            return closed


def _closed(
    selection: Selection,
    encoded: Encoded,
    driver: Driver,
    folder: str,
    progress: Progress,
    registry: Registry,
    limits: Limits,
) -> Closed:
    """Run the rounds once, with the generic rules that `driver` has so far."""
    spark = encoded.facts.sparkSession
    parts, memory, most_alike = sizes(spark, encoded.size, MOST_ALIKE)
    planned = driver.planned(parts)
    plan = planned.plan
    identity = sha256(repr((encoded.identity, planned.fresh, plan, most_alike)).encode()).hexdigest()
    terms = Terms(encoded.terms, planned.fresh, planned.last, f"{folder}/terms", identity)
    literals = LiteralFacts(selection, planned, terms, driver.asked_datatypes, folder) if selection.datatypes else None
    twins = driver.twins(planned.ids)
    rows = [(plan.tables.index((False, len(row))), *row, *[0] * (plan.width - len(row))) for row in twins]
    columns = map(np.ascontiguousarray, np.array(rows, dtype=np.int32).reshape(-1, 1 + plan.width).T)
    names = ["tbl", *plan.columns]
    schema = ", ".join(f"{name} int" for name in names)  # Connect cannot know the types of a table without rows
    facts = spark.createDataFrame(pa.table([*columns], names=names), schema)
    if literals and (about_literals := literals.facts(0)) is not None:
        facts = facts.union(about_literals)
    news = close(
        facts,
        plan._replace(most=most_alike),
        f"{folder}/parts",
        Decisions(planned, terms, literals, registry, limits),
        triples=encoded.facts,
        made_from=(encoded.identity, planned.fresh),
        memory=memory,
        total=encoded.size,
        progress=progress,
    )
    return Closed(news, planned, terms, driver)
