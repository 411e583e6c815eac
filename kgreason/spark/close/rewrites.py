"""gatekeep, product and ground as DataFrame operators, for all rules at once.

    gatekeep    joins facts of the delta with the triggers; the result is rewrites (rule, plan, slots)
    product     extends rewrites by one step of every plan: joins them with facts through arrangements
    ground      turns rewrites without a step left into head rows

A fact is a row `tbl, c0..`. It is exploded: one row for each form that it has. One broadcast join on (form, constants)
finds the plans (in gatekeep) or the arrangements (in product) that use the fact, so that a fact that no body atom uses
is never shuffled. A rewrite is a row `rule, plan, left, rank, v0..`: the number of steps left, the largest stamp met so
far, and the values of the slots. The rows of the plans say which column goes to which slot, so every assignment is one
expression over broadcast rows.

Invariant: each derivation is one rewrite and is met once; equal heads of one rewrite count once. Skew: rewrites are
joined with facts by (arrangement, all values bound so far), never by predicate or class alone, because predicates and
classes are constants of the arrangement. A key may still have very many rows. Adaptive execution can split such a key,
because no operator after the join needs its partitioning. Cost: two joins for each step, and one join each for triggers
and heads, for any number of rules.

The operators of DYRE (Carneiro de Lima and Apinis), over columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.plans import Form, Plans, Table, names

_RIVALS = pa.list_(pa.list_(pa.int32()))


class Rules(NamedTuple):
    """The tables of a program as DataFrames, which are broadcast in every join."""

    plans: Plans
    triggers: DataFrame
    asks: tuple[DataFrame, ...]
    steps: tuple[DataFrame, ...]
    heads: DataFrame
    given: DataFrame
    atoms: DataFrame

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns of a fact after `tbl`: `c0..`."""
        return names("c", self.plans.width)

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the names of the columns for the slots of a rewrite: `v0..`."""
        return names("v", self.plans.slots)


def rules_on(spark: SparkSession, plans: Plans) -> Rules:
    """Make DataFrames of the tables of a program, in a session."""
    frame = partial(frame_of, spark)
    rivals = pa.array(plans.rivals, type=_RIVALS)
    rows = _arrow(plans.heads).append_column("rivals", rivals)
    heads = spark.createDataFrame(rows, f"{_schema(plans.heads)}, rivals array<array<int>>")
    asks, steps = (tuple(map(frame, tables)) for tables in (plans.asks, plans.steps))
    return Rules(plans, frame(plans.triggers), asks, steps, heads, frame(plans.given), frame(plans.atoms))


def frame_of(spark: SparkSession, table: Table) -> DataFrame:
    """Make a DataFrame of a table of numbers. The schema is explicit: Spark Connect needs it for an empty table."""
    return spark.createDataFrame(_arrow(table), _schema(table))


def _schema(table: Table) -> str:
    return ", ".join(f"{column} int" for column in table.columns)


def _arrow(table: Table) -> pa.Table:
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return pa.table([pa.array(column, type=pa.int32()) for column in columns], names=list(table.columns))


def met_atoms(rules: Rules, facts: DataFrame) -> set[int]:
    """Return the numbers of the body atoms that match at least one of these facts `tbl, c0..`."""
    return {atom for (atom,) in _met(rules.plans, facts, rules.atoms).select("atom").distinct().collect()}


def gatekeep(rules: Rules, delta: DataFrame, *, only_delta: bool) -> DataFrame:
    """Return the rewrites that start at the facts `tbl, c0.., stamp` of the delta.

    `only_delta`: there are no facts but the delta. Then only plans in which every step may use the delta are started.
    """
    triggers = rules.triggers.where("all_delta = 1") if only_delta else rules.triggers
    met = _met(rules.plans, delta, triggers)
    return met.select("rule", "plan", "left", F.col("stamp").alias("rank"), *_bindings(rules, F.lit(0)))


def product(rules: Rules, step: int, rewrites: DataFrame, facts: DataFrame) -> DataFrame:
    """Extend rewrites by their next step: one longer rewrite for each rewrite and each fact that matches the step.

    facts: `tbl, c0.., stamp, age`, where `age` is 1 in the delta, else 0. The rewrites need the columns that `directed`
    adds for this step.
    """
    keys = names("b", rules.plans.bound)
    probes = rewrites.withColumns(_picked(rules, "s", _columns(rules.slots)))
    extended = probes.join(arranged(rules, step, facts), ["arrangement", *keys]).where("age <= sees")
    left, rank = (F.col("left") - 1).alias("left"), F.greatest("rank", "stamp").alias("rank")
    return extended.select("rule", "plan", left, rank, *_bindings(rules))


def arranged(rules: Rules, step: int, facts: DataFrame) -> DataFrame:
    """Return the facts that a step may use, each with the number of an `arrangement` and the columns `b0..`.

    `b0..` are the values of the fact in the columns of the arrangement. The join with rewrites compares these values.
    """
    met = _met(rules.plans, facts, rules.asks[step]).withColumns(_picked(rules, "a", _columns(rules.columns)))
    return met.select("arrangement", *names("b", rules.plans.bound), *rules.columns, "stamp", "age")


def directed(rewrites: DataFrame, steps: DataFrame) -> DataFrame:
    """Join each rewrite with the row of `steps` for its plan."""
    return rewrites.join(F.broadcast(steps), "plan")


def ground(rules: Rules, rewrites: DataFrame, quiet: int) -> DataFrame:
    """Return the heads of finished rewrites: a row `tbl, c0.., rank` for each derivation and each of its heads.

    `quiet` is the id of a property whose reflexive triples are left out, or 0.
    """
    width, slots = rules.plans.width, _columns(rules.slots)

    def value(code: Column) -> Column:
        return valued(code, slots)

    columns = [value(F.col(f"h{n}")).alias(f"c{n}") for n in range(width)]
    joined = rewrites.join(F.broadcast(rules.heads), "rule")
    if any(rules.plans.rivals):
        head = F.array(*[value(F.col(f"h{n}")) for n in range(width)])
        joined = joined.where(~F.exists("rivals", lambda rival: F.transform(rival, value) == head))
    heads = joined.select("tbl", *columns, "rank")
    if quiet and width > 2:
        heads = heads.where(~((F.col("c1") == quiet) & (F.col("c0") == F.col("c2"))))
    return heads


def valued(code: Column, slots: Sequence[Column]) -> Column:
    """Return a column with the value that a code stands for: an id stands for itself, `-1 - n` for slot n."""
    return F.when(code >= 0, code).otherwise(pick(-1 - code, slots, F.lit(0)))


def _met(plans: Plans, facts: DataFrame, askers: DataFrame) -> DataFrame:
    return met(plans.forms, plans.constants, facts, askers)


def met(forms: Sequence[Form], constants: int, facts: DataFrame, askers: DataFrame) -> DataFrame:
    """Join each fact with the rows of `askers` whose form and constants fit the fact.

    `askers` has the column `form` (an index in `forms`), the columns `k0..` (the constants of the form, then zeros),
    and other columns. `constants` is the number of columns `k0..`.
    """
    exploded = facts.withColumn("form", F.explode(F.array(*map(_form, range(len(forms)), forms))))
    keyed = exploded.select("*", *[_constant(forms, place).alias(f"k{place}") for place in range(constants)])
    return keyed.join(F.broadcast(askers), ["form", *names("k", constants)])


def _form(number: int, form: Form) -> Column:
    """Return a column: the number of the form if the fact has this form, else null. Null joins with no row."""
    has = F.col("tbl") == form.table
    for column, earlier in form.repeated:
        has = has & (F.col(f"c{column}") == F.col(f"c{earlier}"))
    return F.when(has, F.lit(number))


def _constant(forms: Sequence[Form], place: int) -> Column:
    """Return a column: the value that a fact has where its form has constant number `place`; 0 if there is none."""
    columns = [F.col(f"c{form.constants[place]}") if place < len(form.constants) else F.lit(0) for form in forms]
    return pick(F.col("form"), columns, F.lit(0))


def _bindings(rules: Rules, otherwise: Column | None = None) -> list[Column]:
    """Return the columns `v0..`, the values of the slots after a step.

    If the column `f{n}` has the number of a column of the fact, slot n takes the value of that column. Otherwise slot n
    takes the value `otherwise`; if `otherwise` is None, the slot keeps its value.
    """
    columns = _columns(rules.columns)
    return [
        pick(F.col(f"f{n}"), columns, F.col(slot) if otherwise is None else otherwise).alias(slot)
        for n, slot in enumerate(rules.slots)
    ]


def _picked(rules: Rules, prefix: str, values: Sequence[Column]) -> dict[str, Column]:
    """Return the columns `b0..` to join on: `b{n}` is `values[k]` if column `{prefix}{n}` has k, 0 if it has NONE."""
    return {f"b{n}": pick(F.col(f"{prefix}{n}"), values, F.lit(0)) for n in range(rules.plans.bound)}


def _columns(columns: Sequence[str]) -> list[Column]:
    return [F.col(column) for column in columns]


def pick(number: Column, values: Sequence[Column], otherwise: Column) -> Column:
    """Return a column with `values[number]` for each row, or `otherwise` if `number` is not an index in `values`."""
    picked = otherwise
    for place, value in enumerate(values):
        picked = F.when(number == place, value).otherwise(picked)
    return picked
