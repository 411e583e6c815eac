"""Compute the closure of encoded quads on Spark.

    quads -> distinct triples, facts about literals -> rounds of parts -> closure -> if it needs more rules: start again

There are no representatives of equal terms: the rules of owl:sameAs copy facts from each term to its equal terms.
Contradictions of Table 8 (datatypes) are not reported.

Between rounds, when no part has facts for another one, facts about equal terms and the results of operators (NOT,
expressions, aggregates) are asserted, and the rounds go on.

Law: the result has the facts and asserted flags that the engine would compute from the same rules and asserted facts.

Cost: the rounds (`spark/rounds`). They run again if derived facts call for generic rules that the program did not have.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from hashlib import sha256
from typing import NamedTuple, TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import RuleError
from kgreason.functions.registry import Registry
from kgreason.materialize.schema.rows import SAME_AS
from kgreason.materialize.selection import Selection
from kgreason.materialize.state import Flags
from kgreason.options import EL
from kgreason.progress import Progress
from kgreason.rules.model import FALSE
from kgreason.spark.close.kept import Kept
from kgreason.spark.close.literals import followed, literal_facts, visible
from kgreason.spark.close.operators.data import asserted
from kgreason.spark.close.operators.forms import names
from kgreason.spark.close.operators.operators import Assertions
from kgreason.spark.close.operators.program import between, patterns_of
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms
from kgreason.spark.close.planner import Driver, Planned
from kgreason.spark.encode.encode import Encoded
from kgreason.spark.rounds.job import More, close, parts_for
from kgreason.spark.rounds.plan import PartsPlan

Told: TypeAlias = Callable[[DataFrame], DataFrame | None]
"""A function that gives more facts to assert for new facts, or None."""
Operated: TypeAlias = Callable[[DataFrame, DataFrame, Kept], DataFrame | None]
"""A function that gives facts `tbl, c0..` to assert, or None. It gets all facts, and those since its last call."""
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

    def rows_of(self, relation: str, arity: int) -> list[tuple[str, ...]]:
        """Return the facts of a relation as rows of texts, in this process."""
        number = self.planned.ids.get(relation_text(relation, arity))
        if number is None or (False, arity + 1) not in self.planned.plan.tables:
            return []
        table, columns = self.planned.plan.tables.index((False, arity + 1)), [f"c{n}" for n in range(1, arity + 1)]
        rows = self.facts.where((F.col("tbl") == table) & (F.col("c0") == number)).select(*columns).collect()
        ids = {row[column] for row in rows for column in columns}
        known = self.terms.all.where(F.col("id").isin(sorted(ids))).select("id", "text").collect()
        texts = {row["id"]: row["text"] for row in known}
        return [tuple(texts[row[column]] for column in columns) for row in rows]

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
        self._planned = self.driver.planned(parts_for(encoded.facts))
        self._who = self._planned.operators, self._planned.fresh
        made_from = sha256(repr((self._who, self._planned.plan.rules)).encode()).hexdigest()
        self._terms = Terms(encoded.terms, self._planned.fresh, self._planned.last, f"{folder}/terms", made_from)

    def closed(self) -> Closed:
        """Compute the closure."""
        planned, selection = self._planned, self._selection
        is_told = selection.datatypes and not selection.is_literal
        told = _told(self._terms, planned) if is_told else None
        more = _more(told, self._operated() if planned.operators.all else None, self._progress)
        folder, who = f"{self._folder}/parts", self._who
        facts = close(self._asserted(), planned.plan, folder, more=more, who=who, progress=self._progress)
        return Closed(facts, planned, self._terms)

    def _asserted(self) -> DataFrame:
        """Return the facts to begin with: asserted triples, and facts about restrictions, literals and for DATA."""
        planned, encoded = self._planned, self._encoded
        facts = _triples(encoded.facts, planned.plan).union(_twins(self.driver, planned))
        if (literals := self._literals()) is not None:
            facts = facts.union(literals)
        if patterns := patterns_of(planned.operators, planned.ids, planned.plan.tables.index):
            rows = asserted(encoded.facts, patterns)
            facts = facts.union(_facts(rows, planned.plan, (False, 4), ["relation", "s", "p", "o"]))
        return facts

    def _literals(self) -> DataFrame | None:
        """Return the facts about all literals, or None if no rule reads such facts."""
        if not self._selection.datatypes:
            return None
        self._read += 1
        return _literals(self.driver, self._terms.all, self._planned, f"{self._folder}/literals-{self._read}")

    def _operated(self) -> Operated:
        """Return the function that gives the facts that operators assert next."""
        planned = self._planned
        tables = planned.plan.tables
        return Assertions(
            planned.operators,
            Tables(self.driver.session, between(planned.operators, planned.ids, tables.index), planned.plan.width),
            self._terms,
            tables.index((True, 3)),
            self._registry,
            self._literals,
        ).wanted


def _more(told: Told | None, operated: Operated | None, progress: Progress) -> More:
    """Return the function that asserts facts between rounds: first those about equal terms, then those of operators."""
    waiting: list[DataFrame] = []
    """The facts that are new since the last call of `operated`."""

    def more(facts: DataFrame, arrived: DataFrame, place: Callable[[DataFrame], None]) -> bool:
        waiting.append(arrived.drop("asserted"))
        found = told(waiting[-1]) if told else None
        if found is not None:
            place(found)
            return True
        if operated is None:
            return False
        since = reduce(lambda one, other: one.unionByName(other), waiting)
        waiting.clear()
        with Kept() as kept:
            with progress("operators"):
                wanted = operated(facts.drop("asserted"), since, kept)
            if wanted is not None:
                place(wanted)
        return wanted is not None

    return more


def _told(terms: Terms, planned: Planned) -> Told:
    """Return a function that gives a fact dt_may_equal(x, y) for each owl:sameAs link x, y among new facts.

    Links between literals with different values are left out. If no links are left, it returns None.
    """
    triples = planned.plan.tables.index((True, 3))
    relation = F.lit(planned.ids["dt_may_equal/2"])

    def told(facts: DataFrame) -> DataFrame | None:
        links = facts.where((F.col("tbl") == triples) & (F.col("c1") == SAME_AS) & (F.col("c0") != F.col("c2")))
        if links.isEmpty():
            return None
        rows = followed(links.selectExpr("c0 AS x", "c2 AS y"), terms.all).withColumn("relation", relation)
        if rows.isEmpty():
            return None
        return _facts(rows, planned.plan, (False, 3), ["relation", "x", "y"])

    return told


def _triples(triples: DataFrame, plan: PartsPlan) -> DataFrame:
    """Turn rows `s, p, o` into facts `tbl, c0..`, where `tbl` is the number of the table of triples."""
    return _facts(triples, plan, (True, 3), ["s", "p", "o"])


def _twins(driver: Driver, planned: Planned) -> DataFrame:
    """Return rows `tbl, c0..`: the facts about the restrictions of the schema (`ontology/twins`)."""
    plan = planned.plan
    columns = ", ".join(f"{name} int" for name in ("tbl", *names("c", plan.width)))
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
    cells = zip(padded, names("c", plan.width), strict=True)
    return rows.select(number, *(column.cast("int").alias(name) for column, name in cells))
