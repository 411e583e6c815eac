"""`Assertions`: the facts that operators assert when rules derive nothing new, for all operators at once.

    expressions    results for the inputs that rules ask for; as soon as rules ask
    then, stratum by stratum, when all facts of lower strata are final, all in one round:
    SKOLEM         blank nodes for individuals, if rules follow owl:sameAs
    negations      the inputs that rules ask for, if nothing matches
    aggregates     one value for each group

Law: the facts at the end are those that `materialize/operators` asserts in one process. No fact is ever retracted,
because an operator is decided only when all facts that it reads are final (rules/strata.py).

Cost of a round, for any number of operators: one scan of the facts that are new since the last round, for expressions;
if there are no results, one scan of all facts for all other operators; then some joins of what the operators read. A
round writes only the facts that it asserts. Then rules are evaluated that these facts match.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.options import Limits
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Aggregation, Function, Negation
from kgreason.spark.close.kept import Kept
from kgreason.spark.close.operators.aggregates import aggregated, aggregation_of
from kgreason.spark.close.operators.expressions import computed, expressions_of, with_first_names
from kgreason.spark.close.operators.individuals import others
from kgreason.spark.close.operators.negations import absent, check_absent, unanswered
from kgreason.spark.close.operators.program import (
    ASKS,
    COMPUTE,
    GROUP,
    KNOWN,
    MET,
    NOT,
    Operators,
    check_recursion,
)
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms

LIMITS = Limits(rounds=100)
"""The limits of a recursion through BIND on Spark, where a round takes some seconds."""


class _Read(NamedTuple):
    """All that operators read. `keyed` are rows of `Tables.keyed` for all operators, `facts` all facts.

    `names` has rows `id, name`: each term that is not a first name, with the first name of the same individual. It is
    None if the program has no rules about owl:sameAs, or no SKOLEM and no aggregates.
    """

    keyed: DataFrame
    facts: DataFrame
    names: DataFrame | None


class Assertions:
    """All operators of a program. They assert facts until nothing changes.

    `triples` is the number of the table of triples. `registry` has the Python functions. `literals` is a function: it
    returns the facts about all literals, or None if the rules need no such facts. Raises RuleError for rules that Spark
    cannot evaluate.
    """

    def __init__(
        self,
        operators: Operators,
        tables: Tables,
        terms: Terms,
        triples: int,
        registry: Registry,
        literals: Callable[[], DataFrame | None],
    ) -> None:
        self._operators, self._tables, self._terms = operators, tables, terms
        self._triples, self._literals = triples, literals
        computing = [number for number, each in enumerate(operators.all) if isinstance(each.does, Function)]
        self._expressions, self._registry = expressions_of(operators.all, computing, registry), registry
        check_recursion(operators)
        self._last = max((each.level for each in operators.all), default=0)
        self._level = self._rounds = self._made = 0
        self._since: list[DataFrame] = []

    def wanted(self, facts: DataFrame, arrived: DataFrame, kept: Kept) -> DataFrame | None:
        """Return the facts `tbl, c0..` to assert next, or None if all operators are done.

        `facts` are all facts so far, with columns `tbl, c0..`. `arrived` are those facts that are new since the last
        call. The result stays in memory until `kept` ends. Raises LimitError for a recursion that makes terms without
        end, and StratificationError if the facts make the rules circular.
        """
        self._since.append(arrived)
        found = self._computed(arrived, kept)
        if found is None:
            found = self._decided(facts, kept)
        return found

    def _computed(self, arrived: DataFrame, kept: Kept) -> DataFrame | None:
        """Evaluate the expressions without a stratum for the inputs that the facts `arrived` ask for.

        Returns the results as facts, or None if there are none.
        """
        if not self._numbers(Function, 0, 0):
            return None
        asks = self._tables.keyed(arrived, does=COMPUTE, role=ASKS).where("stratum = 0")
        rows = computed(asks, self._expressions, self._tables, self._terms, kept)
        return rows if rows is None else self._with_ids(rows, kept, is_round=True)

    def _decided(self, facts: DataFrame, kept: Kept) -> DataFrame | None:
        """Decide one stratum after the other until there are facts to assert. Returns these facts.

        Returns None if all strata are decided. Raises StratificationError if the facts make the rules circular.
        """
        if not self._last:
            return None
        read = _Read(kept.computed(self._tables.keyed(facts)).frame, facts, self._names(facts, kept))
        self._check_groups(read, kept)
        found = self._at(read, kept, is_new=False)
        while found is None and self._level < self._last:
            self._level += 1
            self._rounds = self._made = 0  # a recursion makes all its terms in one stratum
            found = self._at(read, kept, is_new=True)
        if found is None and self._numbers(Negation):
            check_absent(read.keyed.where(f"does = {NOT}"), self._operators.all, self._tables, self._terms)
        return found

    def _names(self, facts: DataFrame, kept: Kept) -> DataFrame | None:
        """Return rows `id, name` as `individuals.others` has them, or None if no operator reads individuals."""
        are_read = self._numbers(Function, 1, self._last) or self._numbers(Aggregation, 1, self._last)
        if not (self._operators.is_linked and are_read):
            return None
        return kept.computed(others(facts, self._triples, self._terms)).frame

    def _at(self, read: _Read, kept: Kept, *, is_new: bool) -> DataFrame | None:
        """Return the facts to assert so that all strata up to the present one are decided, or None if there are none.

        `is_new` says that the present stratum was not decided before, so its aggregates are computed.
        """
        parts = [
            self._skolems(read, kept),
            self._absent(read, kept),
            self._aggregated(read, kept) if is_new else None,
        ]
        found = [part for part in parts if part is not None]
        return reduce(DataFrame.union, found) if found else None

    def _numbers(self, kind: type, low: int = 0, high: int | None = None) -> list[int]:
        """Return the numbers of the operators of type `kind` whose stratum is `low` or above.

        Their stratum is at most `high`, or the present stratum if `high` is None.
        """
        high = self._level if high is None else high
        found = enumerate(self._operators.all)
        return [number for number, each in found if isinstance(each.does, kind) and low <= each.level <= high]

    def _up_to(self, read: _Read, does: int) -> DataFrame:
        """Return the rows of `read` for the operators `does` of the present stratum and those below, but not of 0."""
        return read.keyed.where((F.col("does") == does) & F.col("stratum").between(1, self._level))

    def _absent(self, read: _Read, kept: Kept) -> DataFrame | None:
        if not self._numbers(Negation):
            return None
        return _some(self._tables.facts(absent(self._up_to(read, NOT), self._tables.keys)), kept)

    def _skolems(self, read: _Read, kept: Kept) -> DataFrame | None:
        """Evaluate the SKOLEM expressions that wait for equal terms. Returns the results as facts, or None."""
        numbers = self._numbers(Function, 1)
        if not numbers:
            return None
        asks = kept.computed(unanswered(self._up_to(read, COMPUTE), self._tables.keys))
        if not asks.size:
            return None
        expressions = {number: self._expressions[number] for number in numbers}
        assert read.names is not None
        expressions = with_first_names(expressions, read.names, self._terms)
        rows = computed(asks.frame, expressions, self._tables, self._terms, kept, read.names)
        return rows if rows is None else self._with_ids(rows, kept, is_round=True)

    def _aggregated(self, read: _Read, kept: Kept) -> DataFrame | None:
        """Compute the aggregates of the present stratum. Returns a fact for each group, or None without aggregates."""
        numbers = self._numbers(Aggregation, self._level)
        if not numbers:
            return None
        return self._with_ids(kept.computed(self._values(read, numbers)).frame, kept)

    def _values(self, read: _Read, numbers: list[int]) -> DataFrame:
        met = read.keyed.where((F.col("does") == GROUP) & (F.col("role") == MET))
        return aggregated(met, numbers, self._operators.all, self._tables, self._terms, read.names, self._registry)

    def _with_ids(self, rows: DataFrame, kept: Kept, *, is_round: bool = False) -> DataFrame | None:
        """Turn results, rows `operator, kind, b0.., text`, into facts `tbl, c0..`, or None if there are no results.

        Each text gets the id of its term. If some of these terms are new, the facts about all literals are returned,
        too; with `is_round` the new terms count towards the limits.
        """
        texts = kept.computed(rows.where("text IS NOT NULL").select("text").distinct())
        made = self._terms.intern(texts.frame) if texts.size else 0
        if made and is_round:
            self._count(rows, made)
        named = self._terms.identified(rows) if texts.size else rows.withColumn("id", F.lit(0))
        found = _some(self._tables.facts(named), kept)
        literals = self._literals() if made and found is not None else None
        return found if found is None or literals is None else found.unionByName(literals)

    def _count(self, rows: DataFrame, made: int) -> None:
        """Count a round in which expressions made `made` terms. Raises LimitError after too many rounds or terms.

        `rows` are the results of the round; the message names the rule of one result. Without a recursion
        there are at most as many rounds as expressions. Only the terms of the rounds beyond that number are counted.
        """
        self._rounds += 1
        self._made += made if self._rounds > len(self._expressions) else 0
        if self._rounds <= LIMITS.rounds and self._made <= LIMITS.made_terms:
            return
        number = rows.where("text IS NOT NULL").select("operator").first()
        assert number is not None
        raise LimitError(
            f"{self._operators.all[number.operator].rule}: BIND has made new terms {self._rounds} times; does the "
            "recursion end? Bound it with FILTER, or load in one process, where a round costs less"
        )

    def _check_groups(self, read: _Read, kept: Kept) -> None:
        """Raise StratificationError if an aggregate has another value for a group than it had when it was decided."""
        since, self._since = self._since, []
        if not self._numbers(Aggregation):
            return
        met = self._tables.keyed(reduce(DataFrame.unionByName, since), does=GROUP, role=MET)
        touched = met.where(F.col("stratum") <= self._level).select("operator").distinct()
        numbers = [row.operator for row in touched.collect()]
        if not numbers:
            return
        values = kept.computed(self._values(read, numbers)).frame
        self._terms.intern(values.select("text"))
        now = kept.computed(self._tables.facts(self._terms.identified(values)))
        known = read.keyed.where((F.col("does") == GROUP) & (F.col("role") == KNOWN))
        decided = known.join(touched, "operator", "left_semi").count()
        if now.size != decided or not now.frame.join(read.facts, now.frame.columns, "left_anti").isEmpty():
            label = format_aggregate(aggregation_of(self._operators.all[numbers[0]]).aggregate, {})
            raise StratificationError(
                f"the facts make the rules circular: {label} was decided, and then its atoms changed"
            )


def _some(rows: DataFrame, kept: Kept) -> DataFrame | None:
    """Compute rows now. Returns the rows, or None if there are none."""
    found = kept.computed(rows)
    return found.frame if found.size else None
