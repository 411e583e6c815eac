"""The level loop: `materialize` starts from asserted facts, `insert` from an earlier result and new asserted facts.

    level 0        the asserted facts: stamp 0, and support only from rules with an empty body
    level n + 1    the heads that are not present yet, derived from level n and the levels before it. If there are none,
                   the facts that operators (NOT, expressions, aggregates) assert next; see `operators`

Law (docs/architecture/spark.md): the level in the stamp of a fact is the round of the immediate-consequence
operator that derives the fact. The support of a fact is the number of its derivations from facts with smaller stamps.
In `insert` the new facts are level 0. Stamps are final when a fact is found, and a written level never changes. But a
fact may gain support later: in `materialize` from facts of its own level, in `insert` from all new facts. The end adds
up what each fact has gained.

Each level is written to Parquet and read back. After a crash, the loop resumes after the last complete level. Nothing
as large as the data comes to the driver. Cost: a level is a fixed number of joins; see `fixpoint`. At the end the facts
that may have gained support, in `materialize` the derived ones, are joined once more and written again. Skew: see
`rewrites`.

The levels are the semi-naive levels of DYRE (Carneiro de Lima and Apinis). The stamp and support of a fact are those of
Soufflé-elastic (Zhao et al.).
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.errors import InputError
from kgreason.progress import SILENT, Progress
from kgreason.spark.close.fixpoint import Fixpoint, Operated, Told, absent, arriving
from kgreason.spark.close.kept import Kept
from kgreason.spark.close.plans import Program, names
from kgreason.spark.close.rewrites import Rules
from kgreason.spark.folders.checkpoints import Levels, fingerprint

_STATE = ("stamp", "support", "asserted")
_STAMPS = "level and frailty"
"""The parts of a stamp. Each fingerprint includes this text. An earlier version wrote levels with other stamps, and no
run may continue from those levels."""


def materialize(
    facts: DataFrame,
    program: Program,
    folder: str,
    *,
    quiet: int = 0,
    progress: Progress = SILENT,
    told: Told | None = None,
    operators: tuple[object, Operated] | None = None,
) -> DataFrame:
    """Compute the closure of asserted facts under a program, from scratch.

    `facts` has the columns `tbl, c0..` of int, padded with 0 to the widest table. The result has these columns and
    `stamp, support, asserted`. It is read back from Parquet files below `folder`, which no other computation may use.

    `quiet` is the id of a property whose reflexive triples are not derived, or 0. `told` has more facts to assert for
    the new facts of a level. `operators` is a pair: a value that identifies the operators, and a function that returns
    more facts to assert when rules derive nothing new.

    After a crash, call the function again with the same folder: it resumes after the last complete level. Raises
    InputError if a column is missing.
    """
    asserted = _rows(facts, _key(program))
    who, operated = operators or (None, None)
    levels = Levels(facts.sparkSession, folder, fingerprint((program, quiet, who, _STAMPS), asserted))
    fixpoint = Fixpoint(program, levels, quiet, None, told, operated)
    fixpoint.run(lambda _: _asserted(asserted, fixpoint.rules), progress)
    if fixpoint.is_update:
        return levels.close(lambda: _updated(fixpoint, levels.all, fixpoint.flags()), fixpoint.schema)
    if not any(levels.sizes[1:]):
        return fixpoint.facts(levels.all)
    final = levels.close(lambda: _updated(fixpoint, levels.all[1:]), fixpoint.schema)  # asserted facts have no gains
    return fixpoint.facts([0]).unionByName(final)


def insert(
    result: DataFrame,
    added: DataFrame,
    program: Program,
    folder: str,
    *,
    quiet: int = 0,
    progress: Progress = SILENT,
) -> DataFrame:
    """Add asserted facts to an earlier closure, and compute only what they change. Returns the new closure.

    `result` is what `materialize` or `insert` returned for this program, with another folder. `added` are the new
    asserted facts, with the columns `tbl, c0..`. The other arguments, the columns of the result and the behaviour after
    a crash are those of `materialize`.

    Law: facts and asserted flags are those of `materialize` on all asserted facts; stamps and supports keep the
    invariants of a commit (docs/architecture/commit.md). Raises InputError if a column is missing.
    """
    key = _key(program)
    before, asserted = _rows(result, (*key, *_STATE)), _rows(added, key).distinct()
    levels = Levels(result.sparkSession, folder, fingerprint((program, quiet, _STAMPS), before, asserted))
    fixpoint = Fixpoint(program, levels, quiet, before)
    fixpoint.run(lambda kept: _arriving(asserted, before, key, kept), progress)
    return levels.close(lambda: _updated(fixpoint, levels.all, asserted), fixpoint.schema)


def _key(program: Program) -> tuple[str, ...]:
    return "tbl", *names("c", program.width)


def _rows(facts: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Return only the given columns of `facts`. Raises InputError if a column is missing."""
    if missing := [column for column in columns if column not in facts.columns]:
        raise InputError(f"facts of this program need the columns {', '.join(columns)}; {missing[0]} is missing")
    return facts.select(*columns)


def _asserted(facts: DataFrame, rules: Rules) -> DataFrame:
    """Return level 0 of `materialize`: the asserted facts, with stamp 0.

    The support of a fact is the number of rules with an empty body that derive it.
    """
    key = rules.given.columns
    given = rules.given.groupBy(*key).agg(F.count("*").cast("int").alias("given"))
    support = F.coalesce("given", F.lit(0)).alias("support")
    keyed = facts.distinct().join(F.broadcast(given), key, "left")
    return keyed.select(*key, F.lit(0).alias("stamp"), support, F.lit(True).alias("asserted"))


def _arriving(asserted: DataFrame, before: DataFrame, key: Sequence[str], kept: Kept) -> DataFrame:
    """Return level 0 of `insert`: the facts of `asserted` that are not in `before`, the earlier result."""
    new, _ = absent(kept.computed(asserted), before, key, kept)
    return arriving(new, key)


def _updated(fixpoint: Fixpoint, levels: range, asserted: DataFrame | None = None) -> DataFrame:
    """Return the facts of these levels, and those of the earlier result, if there is one.

    Their support includes what they gained, and the facts in `asserted` count as asserted.
    """
    key = list(fixpoint.key)
    changes = fixpoint.gains().select(*key, F.col("support").alias("gain"), F.lit(False).alias("flag"))
    if asserted is not None:
        changes = changes.unionByName(asserted.select(*key, F.lit(0).alias("gain"), F.lit(True).alias("flag")))
    changes = changes.groupBy(*key).agg(F.sum("gain").alias("gain"), F.max("flag").alias("flag"))
    return (
        fixpoint.facts(levels)
        .join(changes, key, "left")
        .select(
            *key,
            "stamp",
            (F.col("support") + F.coalesce("gain", F.lit(0))).cast("int").alias("support"),
            (F.col("asserted") | F.coalesce("flag", F.lit(False))).alias("asserted"),
        )
    )
