"""The fixpoint: levels of gatekeep, product, ground and distinct until one derives nothing new.

    delta  the facts of the last level      old  all before it: none at the first level of `materialize`

Atoms before the one that meets the delta see old facts, atoms after it both, so that each derivation is met once. A
head that is new gets 1 + the largest rank of its derivations in the level as its stamp, and their number as its
support; one that is present *gains* 1 for each derivation whose rank is below its stamp, where there was a result
before: from scratch every rank is the level, and no present stamp is larger.

A rule of which some atom is met by no fact yet is left out, as rules about owl:sameAs most often are: its rewrites
would be as many as the facts, and all end at that atom. Rewrites are kept (persisted) and counted after each step: a
step that no plan has is skipped, and `LITTLE` rewrites or heads are broadcast to the facts, which are then read but not
shuffled. Many are joined by a shuffle of what some atom asks for. Cost: two joins a step of the longest body, six or
seven besides, whatever the number of rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import reduce
from typing import TypeAlias

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.progress import Progress
from kgreason.spark.close.plans import Program, names, plan
from kgreason.spark.close.rewrites import Rules, directed, gatekeep, ground, met_atoms, product, rules_on
from kgreason.spark.folders.checkpoints import Levels

Told: TypeAlias = Callable[[DataFrame], DataFrame | None]
"""From the new facts `tbl, c0..` of a level to those, if any, that are asserted beside them; none is there yet."""
LITTLE = 1 << 18
"""So many rows are sent to every task."""


class Kept(ExitStack):
    """Frames that are kept while a level is computed."""

    def keep(self, frame: DataFrame) -> DataFrame:
        """The frame, computed once."""
        kept = frame.persist()
        self.callback(kept.unpersist)
        return kept


class Fixpoint:
    """A program over facts below a folder; `before` is the result that it starts from, if it does not from scratch."""

    def __init__(
        self, program: Program, levels: Levels, quiet: int, before: DataFrame | None, told: Told | None = None
    ) -> None:
        self.key = ("tbl", *names("c", program.width))
        self.rules = rules_on(levels.spark, plan(program))
        self._program, self._present = program, set[int]()
        self._living = rules_on(levels.spark, plan(Program(program.tables, ())))
        self.levels, self.before, self._quiet, self._told = levels, before, quiet, told
        key = ", ".join(f"{column} int" for column in self.key)
        self.schema, self._gains = f"{key}, stamp int, support int, asserted boolean", f"{key}, support int"

    def run(self, first: Callable[[], DataFrame], progress: Progress) -> None:
        """Compute `first` as level 0 and what follows from it, but for the levels that are whole already."""
        sizes = self.levels.sizes
        while len(sizes) < 2 or sizes[-1]:
            with progress(f"level {len(sizes)}") as report, Kept() as kept:
                frames = self._level(kept) if sizes else {"facts": first()}
                frames["facts"] = self._with_told(frames["facts"], kept)
                report(self.levels.write(**frames))

    def _with_told(self, facts: DataFrame, kept: Kept) -> DataFrame:
        """The facts of a level, and those that are asserted beside them."""
        if self._told is None:
            return facts
        facts = kept.keep(facts)
        told = self._told(facts.select(*self.key))
        if told is None:
            return facts
        return facts.unionByName(
            told.select("*", *(F.lit(0).alias(name) for name in ("stamp", "support")), F.lit(True).alias("asserted"))
        )

    def facts(self, levels: Iterable[int]) -> DataFrame:
        """The facts of these levels, and of the result before them."""
        facts = self.levels.read(levels, self.schema)
        return facts if self.before is None else facts.unionByName(self.before)

    def gains(self) -> DataFrame:
        """What present facts have gained in all levels: `tbl, c0.., support`, in several rows for a fact."""
        return self.levels.read(self.levels.all[1:], self._gains, "gains")

    def _level(self, kept: Kept) -> dict[str, DataFrame]:
        """The next level: its facts, and, where there was a result before, what present facts gain."""
        last = len(self.levels.sizes) - 1
        old, delta = self.facts(range(last)), self.levels.read([last], self.schema)
        is_first = self.before is None and last == 0
        rules = self._alive(delta if self._present else old.unionByName(delta))
        heads = consequences(rules, None if is_first else old, delta, self._quiet, kept)
        if is_first:  # rules with an empty body derive their heads ahead of all others
            heads = heads.unionByName(self.rules.given.withColumn("rank", F.lit(0)))
        if self.before is not None:  # what is new and what gains both come from them
            heads = kept.keep(heads)
        new, present = distinct(heads, old.unionByName(delta), self.key, kept)
        facts = new.select("*", F.lit(False).alias("asserted"))
        return {"facts": facts} if self.before is None else {"facts": facts, "gains": gained(heads, present, self.key)}

    def _alive(self, facts: DataFrame) -> Rules:
        """The rules that can derive anything, now that these facts are there."""
        self._present |= met_atoms(self.rules, facts)
        living = self.rules.plans.living(self._program, self._present)
        if len(living.rules) != len(self._living.plans.needs):
            self._living = rules_on(self.levels.spark, plan(living))
        return self._living


def consequences(rules: Rules, old: DataFrame | None, delta: DataFrame, quiet: int, kept: Kept) -> DataFrame:
    """The heads `tbl, c0.., rank` of all derivations with a fact of the delta, once for each derivation."""
    facts = delta.withColumn("age", F.lit(1))
    if old is not None:
        facts = facts.unionByName(old.withColumn("age", F.lit(0)))
    rewrites = gatekeep(rules, delta, only_delta=old is None)
    finished = []
    for step, plans in enumerate(rules.steps):
        rewrites = kept.keep(rewrites)
        left = F.col("left")
        done, going = rewrites.agg(F.count_if(left == 0), F.count_if(left > 0)).first()
        if done:
            finished.append(rewrites.where("left = 0"))
        if not going:
            break
        rewrites = product(rules, step, little(directed(rewrites.where("left > 0"), plans), going), facts)
    else:
        finished.append(rewrites)
    return ground(rules, reduce(DataFrame.unionByName, finished or [rewrites]), quiet)


def distinct(heads: DataFrame, present: DataFrame, key: Sequence[str], kept: Kept) -> tuple[DataFrame, DataFrame]:
    """The heads that are new, `tbl, c0.., stamp, support`, and the present facts `tbl, c0.., stamp` that are heads."""
    support = F.count("*").cast("int").alias("support")
    counted = kept.keep(heads.groupBy(*key).agg((F.max("rank") + 1).alias("stamp"), support))
    return absent(counted, counted.count(), present, key)


def absent(rows: DataFrame, count: int, present: DataFrame, key: Sequence[str]) -> tuple[DataFrame, DataFrame]:
    """The rows that are no present facts, and the present facts `tbl, c0.., stamp` that are among the rows.

    `count` is the number of rows, each of another key. The facts are shuffled only where there are many.
    """
    met = present.select(*key, "stamp").join(little(rows.select(*key), count), list(key), "left_semi")
    return rows.join(little(met.select(*key), count), list(key), "left_anti"), met


def gained(heads: DataFrame, present: DataFrame, key: Sequence[str]) -> DataFrame:
    """What present facts gain: 1 for each derivation whose body stamps are all smaller than theirs."""
    met = heads.join(present, list(key)).where("rank < stamp")
    return met.groupBy(*key).agg(F.count("*").cast("int").alias("support"))


def little(frame: DataFrame, rows: int) -> DataFrame:
    """The frame, to be broadcast where it has few rows."""
    return F.broadcast(frame) if rows <= LITTLE else frame
