"""`Decisions`: what the driver does with the facts that operators of parts assert.

    tbl, c0.., place, text -> new texts get ids -> tbl, c0.., and the facts about new literals

A part that makes a term knows its text alone. Terms get ids here, because ids are those of all parts. The limits of a
recursion through BIND count over all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial, reduce

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.program.encoding import relation_text
from kgreason.errors import LimitError
from kgreason.functions.registry import Registry
from kgreason.options import Limits
from kgreason.rules.lowering import Function, Negation, aggregations, functions
from kgreason.rules.model import label
from kgreason.spark.close.planner import Planned
from kgreason.spark.encode.groups import Batches, part_number
from kgreason.spark.folders.markers import largest, parquet, whole
from kgreason.terms.dictionary import MAX_ID

_TERMS = "id int, text string"


class Terms:
    """All terms, with columns id int, text string. `stored` has the terms in files, `fresh` (id -> text) all others.

    Ids never change. A new term gets an id above the last id. New texts are divided into parts. Each part gives ids
    to its texts, as in `encode/groups`. `last` is the largest id so far.

    New terms are written to `folder`. `made_from` identifies data, rules, and all else that decides in which order
    terms are made: if a stopped job with the same `made_from` has left terms in `folder`, they keep their ids, because
    the rounds on disk have them.
    """

    def __init__(self, stored: DataFrame, fresh: Mapping[int, str], last: int, folder: str, made_from: str) -> None:
        self._folder, self._last = f"{folder}/{made_from}", last
        self._spark = stored.sparkSession
        table = pa.table({"id": pa.array(fresh.keys(), pa.int32()), "text": pa.array(fresh.values(), pa.string())})
        # Spark Connect does not take the schema of a table without rows from the table
        self._stored, self._fresh = stored, self._spark.createDataFrame(table, _TERMS)
        self._made: list[str] = []
        """The paths of the new terms."""

    @property
    def last(self) -> int:
        """The largest id so far."""
        return self._last

    @property
    def all(self) -> DataFrame:
        """All terms: those in files, and those in memory."""
        made = [parquet(self._spark, _TERMS, *self._made)] if self._made else []
        return reduce(DataFrame.union, [self._stored, *made, self._fresh])

    def identified(self, rows: DataFrame) -> DataFrame:
        """Add a column `id` to rows with a column `text`: the id of the term with this text, or 0 if the text is null.

        Rows without a text are not joined with the terms, because one task would get all of them.
        """
        known = rows.where("text IS NOT NULL").join(self.all, "text")
        return known.unionByName(rows.where("text IS NULL").withColumn("id", F.lit(0)))

    def intern(self, texts: DataFrame) -> int:
        """Give an id to each of `texts` (column text) that has none yet. Returns how many new ids were given.

        Raises LimitError if ids run out.
        """
        path = f"{self._folder}/part-{len(self._made)}"
        made, count = whole(self._spark, path, _TERMS, lambda: self._new(texts))
        self._made.append(path)
        if count:
            self._last = largest(made, "id")
        return count

    def _new(self, texts: DataFrame) -> DataFrame:
        """Return rows `id, text`: those of `texts` that have no id yet, with new ids."""
        unknown = texts.distinct().join(self.all, "text", "left_anti")
        parts = int(self._spark.conf.get("spark.sql.shuffle.partitions"))
        return unknown.repartition(parts, "text").mapInArrow(partial(_numbered, self._last, parts), _TERMS)


class Decisions:
    """The driver's side of operators. The operators of parts make terms, and the driver gives ids to these terms.

    `literals` returns the facts about literals whose ids are above a number, or None if the rules need no such facts.
    `limits` are those of a recursion through BIND.
    """

    def __init__(
        self,
        planned: Planned,
        terms: Terms,
        literals: Callable[[int], DataFrame | None],
        registry: Registry,
        limits: Limits,
    ) -> None:
        self.constants, self.registry = {number: text for text, number in planned.ids.items()}, registry
        """The texts of the constants of rules, by their ids, and Python functions."""
        self._planned, self.terms, self._literals, self._first = planned, terms, literals, terms.last
        self._limits = limits
        operators = [each for each, _ in planned.plan.operators.keys]
        self._make_terms = not all(isinstance(each, Negation) for each in operators)
        self._expressions = sum(isinstance(each, Function) for each in operators)
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
        columns = [f"c{number}" for number in range(self._planned.plan.width)]
        if not self._make_terms:
            return rows.select("tbl", *columns)
        made = self.terms.intern(rows.where("text IS NOT NULL").select("text"))
        if level > self._level:
            self._level, self._rounds, self._made = level, 0, 0  # a recursion makes all its terms in one stratum
        if made and not level:
            self._count(rows, made)
        named = self.terms.identified(rows)
        cells = [F.when(F.col("text").isNotNull() & (F.col("place") == n), F.col("id")) for n in range(len(columns))]
        values = [cell.otherwise(F.col(name)).alias(name) for cell, name in zip(cells, columns, strict=True)]
        facts = named.select("tbl", *values)
        literals = self._literals(self._stated) if self.terms.last > self._stated else None
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
        made = [(label(rule), each.made) for rule in rules for each in functions(rule)]
        made += [(label(rule), each.value) for rule in rules for each in aggregations(rule)]
        return next(
            name
            for name, atom in made
            if self._planned.ids[relation_text(str(atom.relation), len(atom.terms))] == relation
        )


def _numbered(last: int, parts: int, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Give ids above `last` to texts, in the task of one of so many parts: rows id, text."""
    first = last + 1 + part_number()
    for batch in batches:
        ids = first + parts * np.arange(len(batch), dtype=np.int64)
        first += parts * len(batch)
        if len(ids) and ids[-1] > MAX_ID:
            raise LimitError(f"the rules make terms until the dictionary, with room for {MAX_ID:,}, is full")
        yield pa.RecordBatch.from_arrays([pa.array(ids.astype(np.int32)), batch.column("text")], ["id", "text"])
