"""The fixpoint: levels of gatekeep, product, ground and distinct, until a level derives nothing new.

    delta  the facts of the last level      old  the facts of all earlier levels

A rewrite starts at a body atom with a fact of the delta. The atoms before this atom see old facts; the atoms after it
see old facts and the delta. So each derivation is met once. The *rank* of a derivation is the largest stamp of its body
facts. The stamp of a new head has the level above the largest rank of its derivations in the level, and a frailty that
comes from their number (`engine/memory/layout.py`). This number is its support. A head that is already present *gains*
1 support for each derivation with a rank below its stamp. From scratch, only facts of the last level gain support, and
only from facts of this level that are less frail.

Rules with NOT, expressions or aggregates read facts that operators assert (`operators`). When a level is empty, the
operators assert more facts. Then the levels go on as if the evaluation had started from an earlier result.

A rule is left out while one of its body atoms matches no fact, which is often so for rules about owl:sameAs. Otherwise
it could have as many rewrites as there are facts, and all of them would end at that atom. Rewrites are computed after
each step (`kept`), so Spark plans a step without the steps before it. The steps end when no rewrite has a step left. Up
to `LITTLE` rewrites or heads are broadcast to the facts; then the facts are read but not shuffled. If there are more,
the join shuffles only facts that some atom asks for. Cost of a level: two joins for each step of the longest body, and
seven or eight further joins. The number of rules does not matter. If a level has more than `LITTLE` rewrites, its heads
and the facts are grouped together instead of joined (`merged`), and only the facts of the last level are joined with
the heads, to find what they gain. Then the heads stay in memory until the level is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.engine.records import LEVEL_BITS, MOST_FRAIL, ONE_LEVEL
from kgreason.progress import Progress
from kgreason.spark.close.candidates import derived
from kgreason.spark.close.kept import Computed, Kept
from kgreason.spark.close.plans import Program, names, plan
from kgreason.spark.close.rewrites import Rules, directed, gatekeep, ground, met_atoms, product, rules_on
from kgreason.spark.folders.checkpoints import Levels


class Told(NamedTuple):
    """More facts to assert for new triples with a certain predicate. `table` is the number of the triple table.

    `asserted` is a function from the new facts `tbl, c0..` of a level to facts that are new as well, or None.
    """

    table: int
    predicate: int
    asserted: Callable[[DataFrame], DataFrame | None]


Operated: TypeAlias = Callable[[DataFrame, DataFrame, Kept], DataFrame | None]
"""A function that gives facts `tbl, c0..` to assert, or None. It gets all facts, and those since its last call."""
LITTLE = 1 << 18
"""A DataFrame with at most this many rows is sent to every task."""


class Fixpoint:
    """The evaluation of a program, level by level.

    `levels` keeps the levels on disk. `quiet` is the id of a property whose reflexive triples are not derived, or 0.
    `before` is an earlier result to start from, or None. `told` has more facts to assert for the new facts of a level
    (see `Told`). `operated` returns more facts to assert when rules derive nothing new (see `Operated`).
    """

    def __init__(
        self,
        program: Program,
        levels: Levels,
        quiet: int,
        before: DataFrame | None,
        told: Told | None = None,
        operated: Operated | None = None,
    ) -> None:
        self.key = ("tbl", *names("c", program.width))
        self.rules = rules_on(levels.spark, plan(program))
        self._program, self._present = program, set[int]()
        self._living = rules_on(levels.spark, plan(Program(program.tables, ())))
        self.levels, self.before, self._quiet, self._told, self._operated = levels, before, quiet, told, operated
        key = ", ".join(f"{column} int" for column in self.key)
        self.schema, self._gains = f"{key}, stamp int, support int, asserted boolean", f"{key}, support int"
        self._key = key
        self._gaining: list[int] = []
        """The numbers of the levels in which present facts may gain support."""
        self._asserting: list[int] = []
        """The numbers of the levels whose facts operators have asserted."""

    def run(self, first: Callable[[Kept], DataFrame], progress: Progress) -> None:
        """Compute all levels; `first` gives level 0. A level that an earlier run has completed is not computed again.

        When a level is empty, the operators assert more facts. The run ends when they assert none.
        """
        sizes, number = self.levels.sizes, 0
        while True:
            with Kept() as kept:
                is_quiet = number > 1 and not sizes[number - 1]
                wanted = self._wanted(number, kept, progress) if is_quiet else None
                if is_quiet and wanted is None:
                    return
                if wanted is not None:
                    self._asserting.append(number)
                elif self._may_gain(number):
                    self._gaining.append(number)
                if number == len(sizes):
                    with progress(f"level {number}") as report:
                        frames = self._frames(number, first, wanted, kept)
                        if not number or wanted is not None or self._may_tell():
                            frames["facts"] = self._with_told(frames["facts"], kept)
                        report(self.levels.write(**frames))
            number += 1

    @property
    def is_update(self) -> bool:
        """Whether some facts were asserted after other facts had been derived."""
        return self.before is not None or bool(self._asserting)

    def _may_gain(self, number: int) -> bool:
        """Whether present facts may gain support when rules derive level `number`.

        From scratch the facts of level 0 are asserted, and gain nothing from each other.
        """
        return number > 1 or (number == 1 and self.is_update)

    def _wanted(self, number: int, kept: Kept, progress: Progress) -> DataFrame | None:
        """Return the facts that the operators assert as level `number`, or None if there are none."""
        if self._operated is None:
            return None
        since = max(self._asserting, default=0)
        facts, arrived = (self.facts(range(low, number)).select(*self.key) for low in (0, since))
        with progress("operators"):
            return self._operated(facts, arrived, kept)

    def _frames(
        self, number: int, first: Callable[[Kept], DataFrame], wanted: DataFrame | None, kept: Kept
    ) -> dict[str, DataFrame]:
        """Compute level `number`. Returns its tables by name; the table `facts` has the new facts.

        `first` gives level 0. `wanted` are the facts that operators assert as this level, or None if rules derive it.
        If present facts may gain support, the table `gains` has this support. If operators assert the level, the table
        `flags` has those of their facts that were present before.
        """
        if not number:
            return {"facts": first(kept)}
        if wanted is None:
            return self._level(kept)
        new, met = absent(kept.computed(wanted.distinct()), self.facts(range(number)), self.key, kept)
        return {"facts": arriving(new, self.key), "flags": met.select(*self.key)}

    def _may_tell(self) -> bool:
        """Whether rules of the last level that was derived have a head for which `told` could have facts."""
        told, heads = self._told, self._living.plans.derived
        return told is not None and any(
            table == told.table and (predicate < 0 or predicate == told.predicate) for table, _, predicate, *_ in heads
        )

    def _with_told(self, facts: DataFrame, kept: Kept) -> DataFrame:
        """Return the new facts of a level, and the further facts that the function `told` returns for them."""
        if self._told is None:
            return facts
        if self._told.asserted(facts.select(*self.key)) is None:  # most often; then the facts are written and not kept
            return facts
        facts = kept.computed(facts).frame
        told = self._told.asserted(facts.select(*self.key))
        assert told is not None
        return facts.unionByName(
            told.select("*", *(F.lit(0).alias(name) for name in ("stamp", "support")), F.lit(True).alias("asserted"))
        )

    def facts(self, levels: Iterable[int]) -> DataFrame:
        """Return the facts of `levels`, and those of `before`, the earlier result, if there is one."""
        facts = self.levels.read(levels, self.schema)
        return facts if self.before is None else facts.unionByName(self.before)

    def gains(self) -> DataFrame:
        """Return the support that present facts have gained in all levels: rows `tbl, c0.., support`.

        There is a row for each level in which a fact has gained support, so a fact may have several rows.
        """
        return self.levels.read(self._gaining, self._gains, "gains")

    def flags(self) -> DataFrame:
        """Return rows `tbl, c0..`: the facts that operators have asserted after rules had derived them."""
        return self.levels.read(self._asserting, self._key, "flags")

    def _level(self, kept: Kept) -> dict[str, DataFrame]:
        """Derive the next level. Returns its tables by name: `facts`, and `gains` if there may be gains (`gains()`)."""
        last = len(self.levels.sizes) - 1
        old, delta = self.facts(range(last)), self.levels.read([last], self.schema)
        is_first, may_gain = self.before is None and last == 0, self._may_gain(last + 1)
        rules = self._alive(delta if self._present else old.unionByName(delta))
        heads, rewrites = consequences(rules, None if is_first else old, delta, self._quiet, kept)
        if is_first:  # rules with an empty body derive their heads in the first level
            given = self.rules.given.withColumn("rank", F.lit(0))
            heads = given if heads is None else heads.unionByName(given)
        if heads is None:
            empty = self.levels.read((), self.schema)
            gains = {"gains": self.levels.read((), self._gains)} if may_gain else {}
            return {"facts": empty, **gains}
        present = old.unionByName(delta).where(derived(rules.plans.derived))
        is_merged = rewrites > LITTLE and not self.is_update
        if may_gain:  # the heads are read twice: for the new facts and for the gains
            heads = kept.keep(heads) if is_merged else kept.computed(heads).frame
        if is_merged:
            new, met = merged(heads, present, self.key), little(delta, self.levels.sizes[last])
        else:
            new, met = distinct(heads, present, self.key, kept)
        frames = {"facts": new.select("*", F.lit(False).alias("asserted"))}
        return {**frames, "gains": gained(heads, met, self.key)} if may_gain else frames

    def _alive(self, facts: DataFrame) -> Rules:
        """Return the rules whose body atoms all match some fact.

        `facts` are the facts that are new since the last call. Matches of earlier calls still count.
        """
        self._present |= met_atoms(self.rules, facts)
        living = self.rules.plans.living(self._program, self._present)
        if len(living.rules) != len(self._living.plans.needs):
            self._living = rules_on(self.levels.spark, plan(living))
        return self._living


def consequences(
    rules: Rules, old: DataFrame | None, delta: DataFrame, quiet: int, kept: Kept
) -> tuple[DataFrame | None, int]:
    """Return a row `tbl, c0.., rank` for each derivation that uses a fact of `delta`, or None if there are none.

    The second value is the largest number of rewrites that a step has met, as a hint how many rows there are.
    `tbl, c0..` is the head, `rank` the largest stamp of the body facts. `delta` are the facts of the last level, `old`
    those of earlier levels, or None if there are none. `quiet` is the id of a property whose reflexive triples are left
    out, or 0.
    """
    facts = delta.withColumn("age", F.lit(1))
    if old is not None:
        facts = facts.unionByName(old.withColumn("age", F.lit(0)))
    rewrites = gatekeep(rules, delta, only_delta=old is None)
    finished, most = [], 0
    for step, plans in enumerate(rules.steps):
        done, going = kept.computed(rewrites).split("left")
        most = max(most, done.size, going.size)
        if done.size:
            finished.append(done.frame)
        if not going.size:
            break
        rewrites = product(rules, step, little(directed(going.frame, plans), going.size), facts)
    else:
        finished.append(rewrites)
    return (ground(rules, reduce(DataFrame.unionByName, finished), quiet) if finished else None), most


def arriving(facts: DataFrame, key: Sequence[str]) -> DataFrame:
    """Return facts `tbl, c0..` with three more columns: stamp 0, support 0, asserted true."""
    return facts.select(*key, F.lit(0).alias("stamp"), F.lit(0).alias("support"), F.lit(True).alias("asserted"))


def distinct(heads: DataFrame, present: DataFrame, key: Sequence[str], kept: Kept) -> tuple[DataFrame, DataFrame]:
    """Split `heads` (one row for each derivation) by whether the fact is present already.

    Returns two DataFrames: the new facts, `tbl, c0.., stamp, support`, and the facts of `present` that are derived
    again, `tbl, c0.., stamp`. `key` has the names of the columns `tbl, c0..`.
    """
    support = F.count("*").cast("int").alias("support")
    counted = kept.computed(heads.groupBy(*key).agg(_stamp(F.max("rank"), F.count("*")), support))
    return absent(counted, present, key, kept)


def _stamp(rank: Column, derivations: Column) -> Column:
    """Return the stamp of a new fact. `rank`: the largest rank of its derivations; `derivations`: their number."""
    level = F.shiftright(rank, LEVEL_BITS) + 1
    frailty = F.lit(MOST_FRAIL) - F.least(derivations, F.lit(MOST_FRAIL))
    return (level * ONE_LEVEL + frailty).cast("int").alias("stamp")


def merged(heads: DataFrame, present: DataFrame, key: Sequence[str]) -> DataFrame:
    """Return the facts of `heads` that are not in `present`, as rows `tbl, c0.., stamp, support`.

    These are the new facts that `distinct` returns, too. Here heads and facts are shuffled together and grouped once,
    without a join. This is cheaper if there are many heads.
    """
    both = heads.select(*key, "rank", F.lit(1).alias("is_head")).unionByName(
        present.select(*key, F.col("stamp").alias("rank"), F.lit(0).alias("is_head"))
    )
    support = F.sum("is_head").cast("int").alias("support")
    stamp, is_new = _stamp(F.max("rank"), F.sum("is_head")), F.min("is_head").alias("is_new")
    grouped = both.groupBy(*key).agg(stamp, support, is_new)
    return grouped.where("is_new = 1").drop("is_new")


def absent(rows: Computed, present: DataFrame, key: Sequence[str], kept: Kept) -> tuple[DataFrame, DataFrame]:
    """Split `rows` by whether they are facts of `present`. Two rows are the same fact if the columns `key` are equal.

    Returns two DataFrames: the rows that are not present, and the facts `tbl, c0.., stamp` of `present` that are among
    the rows. Only if there are many rows are the facts shuffled.
    """
    frame, count, few = rows
    met = present.select(*key, "stamp").join(little(frame.select(*key), count), list(key), "left_semi")
    if few is not None:
        met = kept.computed(met).frame
    return frame.join(little(met.select(*key), count), list(key), "left_anti"), met


def gained(heads: DataFrame, present: DataFrame, key: Sequence[str]) -> DataFrame:
    """Return rows `tbl, c0.., support`: by how much the support of each fact in `present` grows.

    `heads` has a row for each new derivation. A derivation counts if its rank is below the stamp of the fact.
    """
    met = heads.join(present.select(*key, "stamp"), list(key)).where("rank < stamp")
    return met.groupBy(*key).agg(F.count("*").cast("int").alias("support"))


def little(frame: DataFrame, rows: int) -> DataFrame:
    """Return the DataFrame, marked for broadcast if it has at most `LITTLE` rows. `rows` is the number of its rows."""
    return F.broadcast(frame) if rows <= LITTLE else frame
