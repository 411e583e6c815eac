"""`Assertions`: the facts that operators assert when rules derive nothing new, for all operators at once.

    expressions    results for the inputs that rules ask for; as soon as rules ask
    then, stratum by stratum, when all facts of lower strata are final:
    negations      the inputs that rules ask for, if nothing matches
    aggregates     one value for each group
    SKOLEM         blank nodes for individuals, if rules follow owl:sameAs

Law: the facts at the end are those that `materialize/operators` asserts in one process. No fact is ever retracted,
because an operator is decided only when all facts that it reads are final (rules/strata.py).

Cost: some joins each time operators assert facts; their number does not depend on the number of operators. Only rules
that new facts match are evaluated, but each round reads and writes all facts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import LimitError, StratificationError
from kgreason.functions.registry import Registry
from kgreason.materialize.options import Limits
from kgreason.rules.formatter import format_aggregate
from kgreason.rules.lowering import Aggregation, Function, Negation
from kgreason.spark.close.fixpoint import Kept
from kgreason.spark.close.operators.aggregates import aggregated, aggregation_of
from kgreason.spark.close.operators.expressions import computed, expressions_of, with_first_names
from kgreason.spark.close.operators.individuals import links, others
from kgreason.spark.close.operators.negations import absent, check_absent
from kgreason.spark.close.operators.program import KNOWN, MET, Operators, check_recursion
from kgreason.spark.close.operators.tables import Tables
from kgreason.spark.close.operators.terms import Terms

LIMITS = Limits(rounds=100)
"""The limits of a recursion through BIND on Spark, where a round takes some seconds."""


class Assertions:
    """All operators of a program. They assert facts until nothing changes.

    `triples` is the number of the table of triples. `registry` has the Python functions. `literals` is a function: it
    returns the facts about all literals, or None if the rules need no such facts from Spark.

    With `goes_on`, the engine continues from the result of Spark, and does what Spark has left out: the first stratum
    with a recursion through MIN or MAX, all later strata, and the check for facts that make rules circular. With
    `are_merged`, the engine uses a representative in place of equal terms. In this case, Spark evaluates no more
    operators as soon as two terms are equal. Raises RuleError for rules that Spark cannot evaluate.
    """

    def __init__(
        self,
        operators: Operators,
        tables: Tables,
        terms: Terms,
        triples: int,
        registry: Registry,
        literals: Callable[[], DataFrame | None],
        *,
        goes_on: bool,
        are_merged: bool,
    ) -> None:
        self._operators, self._tables, self._terms = operators, tables, terms
        self._triples, self._literals = triples, literals
        self._goes_on, self._are_merged = goes_on, are_merged
        computing = [number for number, each in enumerate(operators.all) if isinstance(each.does, Function)]
        self._expressions = expressions_of(operators.all, computing, registry)
        if not goes_on:
            check_recursion(operators)
        recursive = operators.recursive()
        self._last = recursive.level - 1 if recursive else max((each.level for each in operators.all), default=0)
        self._level = self._rounds = self._made = 0
        self._since: list[DataFrame] = []

    def wanted(self, facts: DataFrame, arrived: DataFrame, kept: Kept) -> DataFrame | None:
        """Return the facts `tbl, c0..` to assert next, or None if all operators are done.

        `facts` are all facts so far, with columns `tbl, c0..`. `arrived` are those facts that are new since the last
        call. The result stays in memory until `kept` ends. Raises LimitError for a recursion that makes terms without
        end, and StratificationError if the facts make the rules circular.
        """
        if self._are_merged and not links(facts, self._triples).isEmpty():
            return None
        self._since.append(arrived)
        found = self._computed(arrived, self._numbers(Function), kept)
        if found is None:
            self._check_groups(facts, kept)
            found = self._absent(facts, kept)
        while found is None and self._level < self._last:
            self._level += 1
            self._rounds = self._made = 0  # a recursion makes all its terms in one stratum
            found = self._decided(facts, kept)
        if found is None and self._numbers(Negation) and not self._goes_on:
            check_absent(facts, self._numbers(Negation), self._operators.all, self._tables, self._terms)
        return found

    def _numbers(self, kind: type) -> list[int]:
        """Return the numbers of the operators that are of type `kind`, in all strata up to the present one."""
        found = enumerate(self._operators.all)
        return [number for number, each in found if isinstance(each.does, kind) and each.level <= self._level]

    def _reached(self, kind: type) -> list[int]:
        """Return the numbers of the operators that are of type `kind`, in the present stratum alone."""
        return [number for number in self._numbers(kind) if self._operators.all[number].level == self._level]

    def _decided(self, facts: DataFrame, kept: Kept) -> DataFrame | None:
        """Return the facts to assert in the present stratum, or None if there are none.

        All its operators assert facts, and so do the negations of lower strata.
        """
        parts = [
            self._absent(facts, kept),
            self._computed(facts, self._reached(Function), kept),
            self._aggregated(facts, kept),
        ]
        found = [part for part in parts if part is not None]
        return reduce(DataFrame.union, found) if found else None

    def _absent(self, facts: DataFrame, kept: Kept) -> DataFrame | None:
        numbers = self._numbers(Negation)
        return _some(self._tables.facts(absent(facts, numbers, self._tables)), kept) if numbers else None

    def _computed(self, facts: DataFrame, numbers: list[int], kept: Kept) -> DataFrame | None:
        """Evaluate the expressions `numbers` for the inputs that `facts` ask for.

        Returns the results as facts, or None if there are none.
        """
        waiting = {number for number in numbers if self._operators.all[number].level}
        rows = [self._results(facts, waiting, self._others(facts), kept)] if waiting else []
        rows.append(self._results(facts, {*numbers} - waiting, None, kept))
        found = [part for part in rows if part is not None]
        makes = any(self._expressions[number].computed.result for number in numbers)
        return self._with_ids(reduce(DataFrame.union, found), kept, makes=makes, is_round=True) if found else None

    def _results(
        self, facts: DataFrame, numbers: Collection[int], names: DataFrame | None, kept: Kept
    ) -> DataFrame | None:
        """Return the results of the expressions `numbers` as rows; see `expressions.computed`.

        `names` has rows `id, name`: each term that is not a first name, with the first name to use in its place.
        """
        if not numbers:
            return None
        expressions = {number: self._expressions[number] for number in numbers}
        if names is not None:
            expressions = with_first_names(expressions, names, self._terms)
        return computed(facts, expressions, self._tables, self._terms, kept, names)

    def _aggregated(self, facts: DataFrame, kept: Kept) -> DataFrame | None:
        """Compute the aggregates of the present stratum. Returns a fact for each group, or None without aggregates."""
        numbers = self._reached(Aggregation)
        if not numbers:
            return None
        return self._with_ids(kept.keep(self._values(facts, numbers)), kept)

    def _values(self, facts: DataFrame, numbers: list[int]) -> DataFrame:
        names = self._others(facts) if self._operators.is_linked else None
        return aggregated(facts, numbers, self._operators.all, self._tables, self._terms, names)

    def _others(self, facts: DataFrame) -> DataFrame:
        return others(facts, self._triples, self._terms)

    def _with_ids(self, rows: DataFrame, kept: Kept, *, makes: bool = True, is_round: bool = False) -> DataFrame | None:
        """Turn results, rows `operator, kind, b0.., text`, into facts `tbl, c0..`, or None if there are no results.

        With `makes`, each text gets the id of its term. If some of these terms are new, the facts about all literals
        are returned, too; with `is_round` the new terms count towards the limits. Without `makes` all texts are null.
        """
        made = self._terms.intern(rows.where("text IS NOT NULL").select("text")) if makes else 0
        if made and is_round:
            self._count(rows, made)
        named = self._terms.identified(rows) if makes else rows.withColumn("id", F.lit(0))
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

    def _check_groups(self, facts: DataFrame, kept: Kept) -> None:
        """Raise StratificationError if an aggregate has another value for a group than it had when it was decided."""
        since, self._since = self._since, []
        numbers = self._numbers(Aggregation)
        if not numbers or self._goes_on:
            return
        arrived = reduce(DataFrame.unionByName, since)
        touched = self._tables.keyed(arrived, numbers, (MET,)).select("operator").distinct().collect()
        if not touched:
            return
        numbers = [row.operator for row in touched]
        values = kept.keep(self._values(facts, numbers))
        self._terms.intern(values.select("text"))
        now = kept.keep(self._tables.facts(self._terms.identified(values)))
        decided = self._tables.keyed(facts, numbers, (KNOWN,)).count()
        if now.count() != decided or not now.join(facts, now.columns, "left_anti").isEmpty():
            label = format_aggregate(aggregation_of(self._operators.all[numbers[0]]).aggregate, {})
            raise StratificationError(
                f"the facts make the rules circular: {label} was decided, and then its atoms changed"
            )


def _some(rows: DataFrame, kept: Kept) -> DataFrame | None:
    """Keep rows in memory until `kept` ends. Returns the rows, or None if there are none."""
    found = kept.keep(rows)
    return None if found.isEmpty() else found
