"""Compute the closure of encoded quads on Spark.

    quads -> distinct triples, facts about literals -> rounds of parts -> closure -> if it needs more rules: start again

There are no representatives of equal terms: the rules of owl:sameAs copy facts from each term to its equal terms.
Contradictions of Table 8 (datatypes) are not reported.

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

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import RuleError
from kgreason.functions.registry import Registry
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Flags
from kgreason.options import EL
from kgreason.progress import Progress
from kgreason.rules.model import FALSE
from kgreason.spark.close.decisions import Decisions
from kgreason.spark.close.literals import followed, literal_facts, visible
from kgreason.spark.close.planner import Driver, Planned
from kgreason.spark.close.terms import Terms
from kgreason.spark.cluster.sizes import sizes
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.rounds.job import More, Operating, close, with_hot_values
from kgreason.spark.rounds.plan import MOST_ALIKE, PartsPlan

_RELATIONS = ("dt_value/2", "dt_type/2", "dt_ill/1")


class Closed(NamedTuple):
    """A closure. `facts` has the columns `tbl, c0.., asserted`.

    `tbl` is the number of a fact's table, `c0..` are the ids of its terms. `planned` has the rules that derived the
    facts. `terms` has all terms of the data and of the rules.
    """

    facts: DataFrame
    planned: Planned
    terms: Terms

    @property
    def triples(self) -> DataFrame:
        """The triples of the closure: s, p, o int, and asserted boolean. Generalised triples are included."""
        table = self.planned.plan.tables.index((True, 3))
        return self.facts.where(F.col("tbl") == table).selectExpr("c0 AS s", "c1 AS p", "c2 AS o", "asserted")

    @property
    def seen(self) -> DataFrame:
        """The triples of the closure that users see if they see one spelling of a value; columns as for `triples`."""
        relation = self.planned.ids.get("dt_value/2")
        if relation is None or (False, 3) not in self.planned.plan.tables:
            return self.triples
        pairs = self.facts.where(
            (F.col("tbl") == self.planned.plan.tables.index((False, 3))) & (F.col("c0") == relation)
        )
        return visible(self.triples, pairs.selectExpr("c1 AS x", "c2 AS y"), self.terms.all)

    def contradictions(self) -> int:
        """Count the contradictions in the closure."""
        false = [number for text, number in self.planned.ids.items() if text.startswith(f"{FALSE.relation}/")]
        count: int = self.facts.where(F.col("c0").isin(false)).count()
        return count


def close_alone(selection: Selection, encoded: Encoded, folder: str, progress: Progress, registry: Registry) -> Closed:
    """Compute the final closure, without representatives of equal terms.

    `selection` has the rules, `encoded` the data. The tables of the computation are written below `folder`. Raises
    RuleError for rules that Spark cannot evaluate.
    """
    flags, rounds = Flags(), 0
    while True:
        closing = _Closing(selection, encoded, flags, f"{folder}/round-{rounds}", progress, registry)
        closed = closing.closed()
        flags, before = closing.driver.called_for(closed.triples), flags
        if flags == before:
            return closed
        rounds += 1


class _Closing:
    """One run of the rounds, with the rules of `selection` over the data `encoded`.

    `flags` says which generic rules the program includes. The tables of the computation are written below `folder`.
    """

    def __init__(
        self, selection: Selection, encoded: Encoded, flags: Flags, folder: str, progress: Progress, registry: Registry
    ) -> None:
        self._registry = registry
        if selection.el:
            raise RuleError(f"{EL} does not run on Spark: it is for ontologies, which fit into one process")
        self._selection, self._encoded, self._folder, self._progress = selection, encoded, folder, progress
        self._read = 0
        self.driver = Driver(selection, encoded.facts, encoded.terms, flags, registry)
        self._sizes = sizes(encoded.facts, MOST_ALIKE)
        self._planned = self.driver.planned(self._sizes.parts)
        made_from = sha256(repr((self._planned.fresh, self._planned.plan)).encode()).hexdigest()
        self._terms = Terms(encoded.terms, self._planned.fresh, self._planned.last, f"{folder}/terms", made_from)

    def closed(self) -> Closed:
        """Compute the closure."""
        planned, selection = self._planned, self._selection
        is_told = selection.datatypes and not selection.is_literal
        more = _links(self._terms, planned) if is_told else None
        decisions = Decisions(planned, self._terms, self._literals)
        operating = Operating(planned.texts, self._registry, decisions) if planned.plan.operated.keys else None
        asserted = self._asserted()
        facts = close(
            asserted,
            with_hot_values(planned.plan, asserted, self._sizes.most_alike),
            f"{self._folder}/parts",
            operating=operating,
            more=more,
            who=planned.fresh,
            memory=self._sizes.memory,
            progress=self._progress,
        )
        return Closed(facts, planned, self._terms)

    def _asserted(self) -> DataFrame:
        """Return the facts to begin with: asserted triples, and facts about restrictions and literals."""
        facts = _triples(self._encoded.facts, self._planned.plan).union(_twins(self.driver, self._planned))
        literals = self._literals()
        return facts if literals is None else facts.union(literals)

    def _literals(self) -> DataFrame | None:
        """Return the facts about all literals, or None if no rule reads such facts."""
        if not self._selection.datatypes:
            return None
        self._read += 1
        return _literals(self.driver, self._terms.all, self._planned, f"{self._folder}/literals-{self._read}")


def _links(terms: Terms, planned: Planned) -> More:
    """Return a function that asserts a fact dt_may_equal(x, y) for each owl:sameAs link x, y among new facts.

    Links between literals with different values are left out.
    """
    triples = planned.plan.tables.index((True, 3))
    relation = F.lit(planned.ids["dt_may_equal/2"])

    def more(_: DataFrame, arrived: DataFrame, place: Callable[[DataFrame], None]) -> bool:
        links = arrived.where((F.col("tbl") == triples) & (F.col("c1") == SAME_AS) & (F.col("c0") != F.col("c2")))
        if links.isEmpty():
            return False
        rows = followed(links.selectExpr("c0 AS x", "c2 AS y"), terms.all).withColumn("relation", relation)
        if rows.isEmpty():
            return False
        place(_facts(rows, planned.plan, (False, 3), ["relation", "x", "y"]))
        return True

    return more


def _triples(triples: DataFrame, plan: PartsPlan) -> DataFrame:
    """Turn rows `s, p, o` into facts `tbl, c0..`, where `tbl` is the number of the table of triples."""
    return _facts(triples, plan, (True, 3), ["s", "p", "o"])


def _twins(driver: Driver, planned: Planned) -> DataFrame:
    """Return rows `tbl, c0..`: the facts about the restrictions of the schema (`ontology/twins`)."""
    plan = planned.plan
    columns = ", ".join(f"{name} int" for name in ("tbl", *_columns(plan)))
    rows = [
        (plan.tables.index((False, len(row))), *row, *[0] * (plan.width - len(row)))
        for row in driver.twins(planned.ids)
    ]
    return driver.session.createDataFrame(rows, columns)


def _literals(driver: Driver, terms: DataFrame, planned: Planned, folder: str) -> DataFrame:
    """Return rows `tbl, c0..`: the facts about the literals in `terms`, see `literals`."""
    found = literal_facts(terms, driver.asked, folder)
    parts = []
    for relation in _RELATIONS:
        columns = ["relation", "x", "y"][: int(relation[-1]) + 1]
        rows = found.where(F.col("name") == relation).withColumn("relation", F.lit(planned.ids[relation]))
        parts.append(_facts(rows, planned.plan, (False, len(columns)), columns))
    return reduce(DataFrame.union, parts)


def _facts(rows: DataFrame, plan: PartsPlan, table: tuple[bool, int], columns: list[str]) -> DataFrame:
    padded = [F.col(name) for name in columns] + [F.lit(0)] * (plan.width - len(columns))
    number = F.lit(plan.tables.index(table)).alias("tbl")
    cells = zip(padded, _columns(plan), strict=True)
    return rows.select(number, *(column.cast("int").alias(name) for column, name in cells))


def _columns(plan: PartsPlan) -> list[str]:
    return [f"c{number}" for number in range(plan.width)]
