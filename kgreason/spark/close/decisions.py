"""`Decisions`: what the driver does with the facts that operators of parts assert.

    tbl, c0.., place, text -> new texts get ids -> tbl, c0.., and the facts about new literals

A part that makes a term knows its text alone. Terms get ids here, because ids are those of all parts. The limits of a
recursion through BIND count over all parts.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.program.encoding import relation_text
from kgreason.functions.registry import Registry
from kgreason.options import Limits
from kgreason.rules.lowering import Expression, Negation, aggregations, lowered_expressions
from kgreason.rules.model import label
from kgreason.spark.close.literals import LiteralFacts
from kgreason.spark.close.planner import Planned
from kgreason.spark.close.terms import Terms


class Decisions:
    """The driver's side of operators. The operators of parts make terms, and the driver gives ids to these terms.

    `literals` is None if the rules need no facts about literals. `limits` are those of a recursion through BIND.
    """

    def __init__(
        self, planned: Planned, terms: Terms, literals: LiteralFacts | None, registry: Registry, limits: Limits
    ) -> None:
        self.constants, self.registry = {number: text for text, number in planned.ids.items()}, registry
        """The texts of the constants of rules, by their ids, and Python functions."""
        self._planned, self.terms, self.literals, self._first = planned, terms, literals, terms.last
        self._limits = limits
        operators = [each for each, _ in planned.plan.operators.keys]
        self._make_terms = not all(isinstance(each, Negation) for each in operators)
        self._expressions = sum(isinstance(each, Expression) for each in operators)
        self.begin()

    def begin(self) -> None:
        """Begin with the first round. Terms keep the ids that they have."""
        self._level = self._rounds = self._made = 0
        self._stated = self._first
        """The facts about literals up to this id are asserted."""

    def facts(self, rows: DataFrame, level: int) -> DataFrame:
        """Return facts `tbl, c0..` to assert for rows `tbl, c0.., place, text` that operators of a stratum assert.

        If terms are new, the facts about their literals are returned, too. Raises LimitError for a recursion that makes
        terms without end.
        """
        columns = self._planned.plan.columns
        if not self._make_terms:
            return rows.select("tbl", *columns)
        made = self.terms.intern(rows.where("text IS NOT NULL").select("text"))
        if level > self._level:
            self._level, self._rounds, self._made = level, 0, 0  # a recursion makes all its terms in one stratum
        if made and not level:
            self._count(rows, made)
        named = self.terms.with_ids(rows)
        cells = [F.when(F.col("text").isNotNull() & (F.col("place") == n), F.col("id")) for n in range(len(columns))]
        values = [cell.otherwise(F.col(name)).alias(name) for cell, name in zip(cells, columns, strict=True)]
        facts = named.select("tbl", *values)
        has_new = self.terms.last > self._stated
        literals = self.literals.facts(self._stated) if self.literals and has_new else None
        self._stated = self.terms.last
        return facts if literals is None else facts.unionByName(literals)

    def _count(self, rows: DataFrame, made: int) -> None:
        """Count a round in which expressions made `made` terms. Raises LimitError after too many rounds or terms.

        `rows` are the results of the round; the message names the rule of one result. Without a recursion there are at
        most as many rounds as expressions. Only the terms of the rounds beyond that number are counted.
        """
        self._rounds += 1
        self._made += made if self._rounds > self._expressions else 0
        self._limits.check(lambda: self._rule(rows), rounds=self._rounds, made_terms=self._made)

    def _rule(self, rows: DataFrame) -> str:
        """Return the label of a rule that has the operator whose result is the first of these rows with a new term."""
        ((relation,),) = rows.where("text IS NOT NULL").select("c0").take(1)
        rules = self._planned.plan.operators.rules
        made = [(label(rule), each.made) for rule in rules for each in lowered_expressions(rule)]
        made += [(label(rule), each.value) for rule in rules for each in aggregations(rule)]
        return next(
            name
            for name, atom in made
            if self._planned.ids[relation_text(str(atom.relation), len(atom.terms))] == relation
        )
