"""Compute the closure of encoded quads on Spark, as facts of the engine's tables.

    quads -> distinct triples, facts about literals -> level loop -> closure -> if it needs more rules: start again

Law: facts, stamps, supports and flags are those of a Bootstrap of the same rules over the same asserted facts
(docs/architecture.md, The Spark path). `close_for` computes the first stage of an in-process load; the engine then
continues from its result. `close_alone` computes the final closure of an in-process load with the plain rules of
owl:sameAs. It does not report contradictions of Table 8 (datatypes).

Cost: the level loop. `close_alone` runs the loop again if derived facts need generic rules in addition to the
translated rules.
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.materialize.materializer import Flags
from kgreason.materialize.schema_rows import SAME_AS
from kgreason.materialize.selection import Selection
from kgreason.progress import Progress
from kgreason.rules.model import FALSE
from kgreason.spark.close.fixpoint import Told
from kgreason.spark.close.levels import materialize
from kgreason.spark.close.literals import followed, literal_facts
from kgreason.spark.close.planner import Driver, Planned
from kgreason.spark.close.plans import Program, names
from kgreason.spark.encode.encode import Encoded

_RELATIONS = ("dt_value/2", "dt_type/2", "dt_ill/1")


class Closed(NamedTuple):
    """A closure: the facts, with the columns `tbl, c0.., stamp, support, asserted`, and the program that derived them.

    `tbl` is the number of the table of a fact, `c0..` are its terms as ids.
    """

    facts: DataFrame
    planned: Planned

    @property
    def triples(self) -> DataFrame:
        """The triples: s, p, o int, and asserted boolean. Generalised triples are included."""
        table = self.planned.program.tables.index((True, 3))
        return self.facts.where(F.col("tbl") == table).selectExpr("c0 AS s", "c1 AS p", "c2 AS o", "asserted")

    def terms(self, encoded: Encoded) -> DataFrame:
        """All terms of the data and of the rules: id int, text string."""
        fresh = list(self.planned.fresh.items())
        return encoded.terms.union(self.facts.sparkSession.createDataFrame(fresh, encoded.terms.schema))

    def contradictions(self) -> int:
        """The number of contradictions."""
        false = [number for text, number in self.planned.ids.items() if text.startswith(f"{FALSE.relation}/")]
        count: int = self.facts.where(F.col("c0").isin(false)).count()
        return count


def close_for(selection: Selection, encoded: Encoded, folder: str, progress: Progress) -> Closed:
    """The closure from which the engine continues an in-process load, under the rules of `selection`.

    The tables are kept in `folder`.
    """
    driver = Driver(selection, encoded.facts, encoded.terms, Flags())
    planned = driver.planned()
    facts = _triples(encoded.facts, planned.program).union(_twins(driver, planned))
    return _closed(selection, planned, facts, folder, progress)


def close_alone(selection: Selection, encoded: Encoded, folder: str, progress: Progress) -> Closed:
    """The final closure under the rules of `selection`, which has no representatives of equal terms.

    The tables are kept in `folder`.
    """
    flags, rounds = Flags(), 0
    while True:
        driver = Driver(selection, encoded.facts, encoded.terms, flags)
        planned, place = driver.planned(), f"{folder}/round-{rounds}"
        facts = _triples(encoded.facts, planned.program).union(_twins(driver, planned))
        if selection.datatypes:
            facts = facts.union(_literals(driver, encoded, planned, place))
        told = None if selection.is_literal or not selection.datatypes else _told(encoded.terms, planned)
        closed = _closed(selection, planned, facts, place, progress, told)
        flags, before = driver.called_for(closed.triples), flags
        if flags == before:
            return closed
        rounds += 1


def _closed(
    selection: Selection,
    planned: Planned,
    facts: DataFrame,
    folder: str,
    progress: Progress,
    told: Told | None = None,
) -> Closed:
    quiet = 0 if selection.is_reflexive else SAME_AS
    levels = f"{folder}/levels"
    closed = materialize(facts, planned.program, levels, quiet=quiet, progress=progress, told=told)
    return Closed(closed, planned)


def _told(terms: DataFrame, planned: Planned) -> Told:
    """A function that returns the facts dt_may_equal(x, y) for the owl:sameAs links among new facts, or None."""
    triples = planned.program.tables.index((True, 3))
    fresh = terms.sparkSession.createDataFrame(list(planned.fresh.items()), terms.schema)
    named, relation = terms.union(fresh), F.lit(planned.ids["dt_may_equal/2"])

    def told(facts: DataFrame) -> DataFrame | None:
        links = facts.where((F.col("tbl") == triples) & (F.col("c1") == SAME_AS) & (F.col("c0") != F.col("c2")))
        if links.isEmpty():
            return None
        rows = followed(links.selectExpr("c0 AS x", "c2 AS y"), named).withColumn("relation", relation)
        return _facts(rows, planned.program, (False, 3), ["relation", "x", "y"])

    return told


def _triples(triples: DataFrame, program: Program) -> DataFrame:
    """Triples (s, p, o) as rows of the table of triples."""
    return _facts(triples, program, (True, 3), ["s", "p", "o"])


def _twins(driver: Driver, planned: Planned) -> DataFrame:
    """The facts about equal restrictions, each as a row of the table of its relation."""
    program = planned.program
    columns = ", ".join(f"{name} int" for name in ("tbl", *names("c", program.width)))
    rows = [
        (program.tables.index((False, len(row))), *row, *[0] * (program.width - len(row)))
        for row in driver.twins(planned.ids)
    ]
    return driver.session.createDataFrame(rows, columns)


def _literals(driver: Driver, encoded: Encoded, planned: Planned, folder: str) -> DataFrame:
    """The facts about literals, each as a row of the table of its relation."""
    found = literal_facts(encoded.terms, driver.asked, f"{folder}/literals")
    parts = []
    for relation in _RELATIONS:
        columns = ["relation", "x", "y"][: int(relation[-1]) + 1]
        rows = found.where(F.col("name") == relation).withColumn("relation", F.lit(planned.ids[relation]))
        parts.append(_facts(rows, planned.program, (False, len(columns)), columns))
    return reduce(DataFrame.union, parts)


def _facts(rows: DataFrame, program: Program, table: tuple[bool, int], columns: list[str]) -> DataFrame:
    padded = [F.col(name) for name in columns] + [F.lit(0)] * (program.width - len(columns))
    number = F.lit(program.tables.index(table)).alias("tbl")
    cells = zip(padded, names("c", program.width), strict=True)
    return rows.select(number, *(column.cast("int").alias(name) for column, name in cells))
