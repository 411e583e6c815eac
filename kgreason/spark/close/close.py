"""Compute the closure of encoded quads on Spark.

    quads -> distinct triples, facts about literals -> rounds of parts -> closure -> if it needs more rules: start again

There are no representatives of equal terms: the rules of owl:sameAs copy facts from each term to its equal terms.

Between rounds, when no part has facts for another one, facts about equal terms are asserted, then the results of
operators (NOT, expressions, aggregates), and the rounds go on.

Law: the result has the facts and asserted flags that the engine would compute from the same rules and asserted facts.

Cost: the rounds (`spark/rounds`). They run again if derived facts call for generic rules that the program did not have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import RuleError
from kgreason.functions.registry import Registry
from kgreason.materialize.literals.datatypes_in_use import NAMES
from kgreason.materialize.schema.rows import SAME_AS, TYPE
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Flags
from kgreason.options import EL, Limits
from kgreason.progress import Progress
from kgreason.rules.model import FALSE
from kgreason.spark.close.decisions import Decisions, Terms
from kgreason.spark.close.job import More, PartsNews, close
from kgreason.spark.close.literals import STATED, literal_facts, statements, visible
from kgreason.spark.close.planner import FALSES, LINKED, VALUES, Driver, Planned
from kgreason.spark.cluster.sizes import sizes
from kgreason.spark.encode.dictionary import rows_of, texts_of
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.rounds.plan import MOST_ALIKE, PartsPlan
from kgreason.terms.vocabulary import OWL_DIFFERENT_FROM

_MANY = 100_000
"""So many facts of `false` come to the driver."""
_RELATIONS = {"dt_value/2": 3, "dt_type/2": 3, "dt_ill/1": 2, **dict.fromkeys(STATED, 3)}
"""The relations of facts about literals, each with the width of its table."""


class Closed(NamedTuple):
    """A closure. `news` are all facts, with the columns `tbl, c0.., asserted`.

    `tbl` is the number of a fact's table, `c0..` are the ids of its terms. `planned` has the rules that derived the
    facts. `terms` has all terms of the data and of the rules, `driver` the schema.
    """

    news: PartsNews
    planned: Planned
    terms: Terms
    driver: Driver

    @property
    def triples(self) -> DataFrame:
        """The triples of the closure: s, p, o int, and asserted boolean. Generalised triples are included."""
        return _triples_in(self.news.facts, self.planned.plan)

    @property
    def seen(self) -> DataFrame:
        """The triples of the closure that users see if they see one spelling of a value; columns as for `triples`."""
        if not self.news.counts[VALUES]:
            return self.triples
        pairs = self.news.noted.where(F.col("c0") == self.planned.ids["dt_value/2"])
        return visible(self.triples, pairs.selectExpr("c1 AS x", "c2 AS y"), self.terms.all)

    def rows_of(self, relation: str, arity: int, most: int) -> list[tuple[str, ...]]:
        """Return the facts of a relation, at most so many, as rows of texts in this process."""
        number = self.planned.ids.get(relation_text(relation, arity))
        if number is None or (False, arity + 1) not in self.planned.plan.tables:
            return []
        table, columns = self.planned.plan.tables.index((False, arity + 1)), [f"c{n}" for n in range(1, arity + 1)]
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
        named = false.select(F.explode(F.array(*(F.col(name) for name in _columns(self.planned.plan)))).alias("id"))
        named = F.broadcast(named.distinct())
        literals = named.join(terms.where(F.col("text").startswith('"')), "id").select(F.col("id").alias("o"))
        different = terms.where(F.col("text") == OWL_DIFFERENT_FROM).select(F.col("id").alias("p"))
        links = triples.where(F.col("p") == SAME_AS).join(named.withColumnRenamed("id", "s"), "s", "left_semi")
        links = links.join(F.broadcast(literals), "o", "left_anti")  # all these triples will be asserted on the driver
        asserted = triples.where("asserted")
        about = [asserted.join(F.broadcast(some), some.columns, "left_semi") for some in (literals, different)]
        return self.driver.count_contradictions(false, reduce(DataFrame.unionByName, [links, *about]), terms)


def close_alone(
    selection: Selection, encoded: Encoded, folder: str, progress: Progress, registry: Registry, limits: Limits
) -> Closed:
    """Compute the final closure, without representatives of equal terms.

    `selection` has the rules, `encoded` the data. `limits` are those of a recursion through BIND. The tables of the
    computation are written below `folder`. Raises RuleError for rules that Spark cannot evaluate.
    """
    flags, rounds = Flags(), 0
    while True:
        closing = _Closing(selection, encoded, flags, f"{folder}/round-{rounds}", progress, registry, limits)
        closed = closing.closed()
        noted = _triples_in(closed.news.noted, closed.planned.plan)
        flags, before = closing.driver.called_for(noted, closed.terms.all), flags
        if flags == before:
            return closed
        rounds += 1


class _Closing:
    """One run of the rounds, with the rules of `selection` over the data `encoded`.

    `flags` says which generic rules the program includes. The tables of the computation are written below `folder`.
    """

    def __init__(
        self,
        selection: Selection,
        encoded: Encoded,
        flags: Flags,
        folder: str,
        progress: Progress,
        registry: Registry,
        limits: Limits,
    ) -> None:
        self._registry, self._limits = registry, limits
        if selection.el:
            raise RuleError(f"{EL} does not run on Spark: it is for ontologies, which fit into one process")
        self._selection, self._encoded, self._folder, self._progress = selection, encoded, folder, progress
        self._read, self._folders = 0, list[str]()
        self.driver = Driver(selection, encoded.facts, encoded.terms, flags, registry)
        self._sizes = sizes(encoded.facts.sparkSession, encoded.size, MOST_ALIKE)
        self._planned = self.driver.planned(self._sizes.parts)
        made_from = encoded.identity, self._planned.fresh, self._planned.plan, self._sizes.most_alike
        identity = sha256(repr(made_from).encode()).hexdigest()
        self._terms = Terms(encoded.terms, self._planned.fresh, self._planned.last, f"{folder}/terms", identity)

    def closed(self) -> Closed:
        """Compute the closure."""
        planned, selection = self._planned, self._selection
        more = _literals_met(self._terms, planned, follows=not selection.is_literal) if selection.datatypes else None
        decisions = Decisions(planned, self._terms, self._literals, self._registry, self._limits)
        news = close(
            self._asserted(),
            planned.plan._replace(most=self._sizes.most_alike),
            f"{self._folder}/parts",
            decisions=decisions,
            more=more,
            triples=self._encoded.facts,
            made_from=(self._encoded.identity, planned.fresh),
            memory=self._sizes.memory,
            total=self._encoded.size,
            progress=self._progress,
        )
        return Closed(news, planned, self._terms, self.driver)

    def _asserted(self) -> DataFrame:
        """Return the asserted facts beside the asserted triples: those about restrictions and literals."""
        twins, literals = _twins(self._terms.all.sparkSession, self.driver, self._planned), self._literals(0)
        return twins if literals is None else twins.union(literals)

    def _literals(self, since: int) -> DataFrame | None:
        """Return the facts about the literals with ids above `since`, or None if no rule reads such facts."""
        if not self._selection.datatypes:
            return None
        self._folders.append(f"{self._folder}/literals-{len(self._folders)}")
        found = literal_facts(self._terms.all, self.driver.asked, self._folders, self._read, since)
        self._read = self._terms.last
        return None if found is None else _about_literals(found, self._planned)


def _literals_met(terms: Terms, planned: Planned, *, follows: bool) -> More:
    """Return a function that asserts facts about the terms of new links and types.

    For each owl:sameAs link x, y this is dt_differ(x, y) if x and y are literals with different values, otherwise
    dt_may_equal(x, y) if `follows` says so. For each type d of a literal x without a value in d it is dt_not(x, d).
    """

    def more(news: PartsNews, place: Callable[[DataFrame], None]) -> bool:
        if not news.counts[LINKED]:
            return False
        is_link = (F.col("p") == SAME_AS) & (F.col("s") != F.col("o"))
        is_type = (F.col("p") == TYPE) & F.col("o").isin(list(NAMES))
        triples = _triples_in(news.noted, planned.plan).where(is_link | is_type)
        pairs = triples.selectExpr("s AS x", "p", "o AS y")
        if pairs.isEmpty():
            return False
        found = _about_literals(statements(pairs, terms.all, follows=follows), planned)
        if found.isEmpty():
            return False
        place(found)
        return True

    return more


def _triples_in(facts: DataFrame, plan: PartsPlan) -> DataFrame:
    """Return the triples among facts, `tbl, c0.., asserted`, as rows `s, p, o, asserted`."""
    triples = facts.where(F.col("tbl") == plan.triples)
    return triples.selectExpr("c0 AS s", "c1 AS p", "c2 AS o", "asserted")


def _twins(spark: SparkSession, driver: Driver, planned: Planned) -> DataFrame:
    """Return rows `tbl, c0..`: the facts about the restrictions of the schema (`ontology/twins`)."""
    plan = planned.plan
    rows = [
        (plan.tables.index((False, len(row))), *row, *[0] * (plan.width - len(row)))
        for row in driver.twins(planned.ids)
    ]
    columns = np.array(rows, dtype=np.int32).reshape(-1, 1 + plan.width).T
    table = pa.table([np.ascontiguousarray(each) for each in columns], names=["tbl", *_columns(plan)])
    return spark.createDataFrame(table)


def _about_literals(found: DataFrame, planned: Planned) -> DataFrame:
    """Return facts `tbl, c0..` for rows `name, x, y` (`literals`), if rules have the relation with this name."""
    known = [(name, width) for name, width in _RELATIONS.items() if name in planned.ids]
    tables = [(name, planned.plan.tables.index((False, width))) for name, width in known]
    rows = found.where(F.col("name").isin([name for name, _ in known]))
    numbers, relations = (
        F.create_map(*(F.lit(each) for pair in pairs for each in pair))[F.col("name")]
        for pairs in (tables, [(name, planned.ids[name]) for name, _ in known])
    )
    return _cells(rows, planned.plan, numbers, [relations, F.col("x"), F.col("y")])


def _cells(rows: DataFrame, plan: PartsPlan, table: Column, columns: list[Column]) -> DataFrame:
    padded = columns + [F.lit(0)] * (plan.width - len(columns))
    cells = zip(padded, _columns(plan), strict=True)
    return rows.select(table.cast("int").alias("tbl"), *(column.cast("int").alias(name) for column, name in cells))


def _columns(plan: PartsPlan) -> list[str]:
    return [f"c{number}" for number in range(plan.width)]
