"""Compute the closure of encoded quads on Spark, as facts of the engine's tables.

    quads -> distinct triples, facts about literals -> level loop -> closure -> if it needs more rules: start again

There are two entries. `close_for` computes a part of the closure; then the engine in this process computes the rest,
such as what follows from equal terms and literals. `close_alone` computes the final closure without the engine. It has
no representatives: the rules of owl:sameAs copy facts from each term to its equal terms. It does not report
contradictions of Table 8 (datatypes).

Law: the result has the facts, stamps, supports and asserted flags that the engine would compute from the same rules and
asserted facts. The engine would run a Bootstrap, and then an Update each time that operators (NOT, expressions,
aggregates) assert more facts (docs/architecture/spark.md).

Cost: the level loop. `close_alone` runs the loop again if derived facts call for generic rules that the program
did not have.
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
from kgreason.spark.close.fixpoint import Operated, Told
from kgreason.spark.close.kept import Kept
from kgreason.spark.close.levels import materialize
from kgreason.spark.close.literals import followed, literal_facts, visible
from kgreason.spark.close.operators.data import asserted
from kgreason.spark.close.operators.operators import Assertions
from kgreason.spark.close.operators.program import between, patterns_of
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms
from kgreason.spark.close.planner import Driver, Planned
from kgreason.spark.close.plans import Program, names
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.rounds.job import More, close, parts_for

_RELATIONS = ("dt_value/2", "dt_type/2", "dt_ill/1")


class Closed(NamedTuple):
    """A closure. `facts` has the columns `tbl, c0.., stamp, support, asserted`.

    `tbl` is the number of a fact's table, `c0..` are the ids of its terms. `planned` has the rules that derived the
    facts. `terms` has all terms of the data and of the rules.
    """

    facts: DataFrame
    planned: Planned
    terms: Terms

    @property
    def triples(self) -> DataFrame:
        """The triples of the closure: s, p, o int, and asserted boolean. Generalised triples are included."""
        table = self.planned.program.tables.index((True, 3))
        return self.facts.where(F.col("tbl") == table).selectExpr("c0 AS s", "c1 AS p", "c2 AS o", "asserted")

    @property
    def seen(self) -> DataFrame:
        """The triples of the closure that users see if they see one spelling of a value; columns as for `triples`."""
        relation = self.planned.ids.get("dt_value/2")
        if relation is None or (False, 3) not in self.planned.program.tables:
            return self.triples
        pairs = self.facts.where(
            (F.col("tbl") == self.planned.program.tables.index((False, 3))) & (F.col("c0") == relation)
        )
        return visible(self.triples, pairs.selectExpr("c1 AS x", "c2 AS y"), self.terms.all)

    def contradictions(self) -> int:
        """Count the contradictions in the closure."""
        false = [number for text, number in self.planned.ids.items() if text.startswith(f"{FALSE.relation}/")]
        count: int = self.facts.where(F.col("c0").isin(false)).count()
        return count


def close_for(selection: Selection, encoded: Encoded, folder: str, progress: Progress, registry: Registry) -> Closed:
    """Compute a part of a closure, for the engine in this process, which then computes the rest.

    `selection` has the rules, `encoded` the data. The tables of the computation are written below `folder`.
    """
    return _Closing(selection, encoded, Flags(), folder, progress, registry, goes_on=True).closed()


def close_alone(selection: Selection, encoded: Encoded, folder: str, progress: Progress, registry: Registry) -> Closed:
    """Compute the final closure, without representatives of equal terms.

    `selection` has the rules, `encoded` the data. The tables of the computation are written below `folder`. Raises
    RuleError for rules that Spark cannot evaluate.
    """
    flags, rounds = Flags(), 0
    while True:
        closing = _Closing(selection, encoded, flags, f"{folder}/round-{rounds}", progress, registry, goes_on=False)
        closed = closing.closed()
        flags, before = closing.driver.called_for(closed.triples), flags
        if flags == before:
            return closed
        rounds += 1


class _Closing:
    """One run of the level loop, with the rules of `selection` over the data `encoded`.

    `flags` says which generic rules the program includes. `goes_on` says that the engine in this process continues from
    the result. The tables of the computation are written below `folder`.
    """

    def __init__(
        self,
        selection: Selection,
        encoded: Encoded,
        flags: Flags,
        folder: str,
        progress: Progress,
        registry: Registry,
        *,
        goes_on: bool,
    ) -> None:
        self._registry = registry
        if selection.el:
            raise RuleError(f"{EL} does not run on Spark: it is for ontologies, which fit into one process")
        self._selection, self._encoded, self._folder, self._progress = selection, encoded, folder, progress
        self._goes_on, self._read = goes_on, 0
        self.driver = Driver(selection, encoded.facts, encoded.terms, flags, registry)
        parts = 0 if goes_on or "://" in folder else parts_for(encoded.facts)
        self._planned = self.driver.planned(parts)
        self._who = self._planned.operators, self._planned.fresh
        made_from = sha256(repr((self._who, self._planned.program)).encode()).hexdigest()
        self._terms = Terms(encoded.terms, self._planned.fresh, self._planned.last, f"{folder}/terms", made_from)

    def closed(self) -> Closed:
        """Compute the closure."""
        planned, selection = self._planned, self._selection
        is_told = selection.datatypes and not selection.is_literal and not self._goes_on
        if planned.plan:
            told = _told(self._terms, planned) if is_told else None
            more = _more(told, self._operated()[1] if planned.operators.all else None, self._progress)
            folder = f"{self._folder}/parts"
            facts = close(self._asserted(), planned.plan, folder, more=more, who=self._who, progress=self._progress)
            return Closed(facts, planned, self._terms)
        facts = materialize(
            self._asserted(),
            planned.program,
            f"{self._folder}/levels",
            quiet=0 if selection.is_reflexive else SAME_AS,
            progress=self._progress,
            told=_told(self._terms, planned) if is_told else None,
            operators=self._operated() if planned.operators.all else None,
        )
        return Closed(facts, planned, self._terms)

    def _asserted(self) -> DataFrame:
        """Return level 0: asserted triples, facts about restrictions and literals, and the facts that DATA reads."""
        planned, encoded = self._planned, self._encoded
        facts = _triples(encoded.facts, planned.program).union(_twins(self.driver, planned))
        if (literals := self._literals()) is not None:
            facts = facts.union(literals)
        if patterns := patterns_of(planned.operators, planned.ids, planned.program.tables.index):
            rows = asserted(encoded.facts, patterns)
            facts = facts.union(_facts(rows, planned.program, (False, 4), ["relation", "s", "p", "o"]))
        return facts

    def _literals(self) -> DataFrame | None:
        """Return the facts about all literals, or None if no rule reads such facts or if the engine adds them later."""
        if self._goes_on or not self._selection.datatypes:
            return None
        self._read += 1
        return _literals(self.driver, self._terms.all, self._planned, f"{self._folder}/literals-{self._read}")

    def _operated(self) -> tuple[object, Operated]:
        """Return the pair that `materialize` takes as the argument `operators`.

        The first value has the operators, and the constants that occur only in rules. A run on the same folder resumes
        only if this value is the same. The second value is the function that returns the facts to assert next.
        """
        planned = self._planned
        tables = planned.program.tables
        assertions = Assertions(
            planned.operators,
            Tables(self.driver.session, between(planned.operators, planned.ids, tables.index), planned.program.width),
            self._terms,
            tables.index((True, 3)),
            self._registry,
            self._literals,
            goes_on=self._goes_on,
            are_merged=bool(self._selection.equality),
        )
        return self._who, assertions.wanted


def _more(told: Told | None, operated: Operated | None, progress: Progress) -> More:
    """Return the function that asserts facts between rounds: first those about equal terms, then those of operators."""

    def more(facts: DataFrame, arrived: DataFrame, place: Callable[[DataFrame], None]) -> bool:
        found = told.asserted(arrived.drop("asserted")) if told else None
        if found is not None:
            place(found)
            return True
        if operated is None:
            return False
        with Kept() as kept:
            with progress("operators"):
                wanted = operated(facts.drop("asserted"), arrived.drop("asserted"), kept)
            if wanted is not None:
                place(wanted)
        return wanted is not None

    return more


def _told(terms: Terms, planned: Planned) -> Told:
    """Return what `materialize` takes as the argument `told`.

    Its function gets the new facts of a level. For each owl:sameAs link x, y among them it returns a fact
    dt_may_equal(x, y), unless x and y are literals with different values. If there are no links, it returns None.
    """
    triples = planned.program.tables.index((True, 3))
    relation = F.lit(planned.ids["dt_may_equal/2"])

    def told(facts: DataFrame) -> DataFrame | None:
        links = facts.where((F.col("tbl") == triples) & (F.col("c1") == SAME_AS) & (F.col("c0") != F.col("c2")))
        if links.isEmpty():
            return None
        rows = followed(links.selectExpr("c0 AS x", "c2 AS y"), terms.all).withColumn("relation", relation)
        return _facts(rows, planned.program, (False, 3), ["relation", "x", "y"])

    return Told(triples, SAME_AS, told)


def _triples(triples: DataFrame, program: Program) -> DataFrame:
    """Turn rows `s, p, o` into facts `tbl, c0..`, where `tbl` is the number of the table of triples."""
    return _facts(triples, program, (True, 3), ["s", "p", "o"])


def _twins(driver: Driver, planned: Planned) -> DataFrame:
    """Return rows `tbl, c0..`: the facts about the restrictions of the schema (`ontology/twins`)."""
    program = planned.program
    columns = ", ".join(f"{name} int" for name in ("tbl", *names("c", program.width)))
    rows = [
        (program.tables.index((False, len(row))), *row, *[0] * (program.width - len(row)))
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
        parts.append(_facts(rows, planned.program, (False, len(columns)), columns))
    return reduce(DataFrame.union, parts)


def _facts(rows: DataFrame, program: Program, table: tuple[bool, int], columns: list[str]) -> DataFrame:
    padded = [F.col(name) for name in columns] + [F.lit(0)] * (program.width - len(columns))
    number = F.lit(program.tables.index(table)).alias("tbl")
    cells = zip(padded, names("c", program.width), strict=True)
    return rows.select(number, *(column.cast("int").alias(name) for column, name in cells))
