"""gatekeep, product and ground as DataFrame operators, for all rules at once.

    gatekeep    joins the facts of the last level (the delta) with the triggers; gives rewrites (rule, plan, slots)
    product     extends rewrites by one step of every plan: joins them with facts through arrangements
    ground      turns rewrites without a step left into rows of heads

A fact is a row `tbl, c0..`. For each form that fits the fact, a copy of the row is made. One broadcast join of the
copies on (form, constants) finds the plans (in gatekeep) or the arrangements (in product) that use the fact. So a fact
that no body atom uses is never shuffled. A rewrite is a row `rule, plan, left, rank, v0..`: `left` is the number of
steps left, `rank` the largest stamp met so far, and `v0..` are the values of the slots. The rows of the plans say which
column goes to which slot.

Invariant: each derivation is found once, as one rewrite; equal heads of one rewrite give one row. Skew: rewrites are
joined with facts by (arrangement, all values bound so far), never by predicate or class alone, because predicates and
classes are constants of the arrangement. A key may still have very many rows. Adaptive execution can split such a key,
because no operator after the join needs its partitioning. Cost: two joins for each step, and one join each for triggers
and heads, for any number of rules.

The operators of DYRE (Carneiro de Lima and Apinis), over columns.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

from kgreason.spark.close.candidates import asked
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
        """Return the names `c0..` of the columns that a fact has after `tbl`."""
        return names("c", self.plans.width)

    @property
    def slots(self) -> tuple[str, ...]:
        """Return the names `v0..` of the columns in which a rewrite has the values of its slots."""
        return names("v", self.plans.slots)


def rules_on(spark: SparkSession, plans: Plans) -> Rules:
    """Turn the tables of a program, `plans`, into DataFrames."""
    frame = partial(frame_of, spark)
    rivals = pa.array(plans.rivals, type=_RIVALS)
    rows = _arrow(plans.heads).append_column("rivals", rivals)
    heads = spark.createDataFrame(rows, f"{_schema(plans.heads)}, rivals array<array<int>>")
    asks, steps = (tuple(map(frame, tables)) for tables in (plans.asks, plans.steps))
    return Rules(plans, frame(plans.triggers), asks, steps, heads, frame(plans.given), frame(plans.atoms))


def frame_of(spark: SparkSession, table: Table) -> DataFrame:
    """Turn a table of numbers into a DataFrame. All columns are int."""
    return spark.createDataFrame(_arrow(table), _schema(table))


def _schema(table: Table) -> str:
    return ", ".join(f"{column} int" for column in table.columns)


def _arrow(table: Table) -> pa.Table:
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    return pa.table([pa.array(column, type=pa.int32()) for column in columns], names=list(table.columns))


def met_atoms(rules: Rules, facts: DataFrame) -> set[int]:
    """Return the numbers of those body atoms that match at least one of `facts` (`tbl, c0..`)."""
    return {
        atom for (atom,) in _met(rules.plans, facts, rules.plans.atoms, rules.atoms).select("atom").distinct().collect()
    }


def gatekeep(rules: Rules, delta: DataFrame, *, only_delta: bool) -> DataFrame:
    """Return the rewrites that start at the facts of the last level, as rows `rule, plan, left, rank, v0..`.

    `delta` has these facts, `tbl, c0.., stamp`. `only_delta` says that there are no older facts. Then plans with a step
    that needs an older fact are left out.
    """
    triggers = rules.triggers.where("all_delta = 1") if only_delta else rules.triggers
    met = _met(rules.plans, delta, rules.plans.triggers, triggers)
    return met.selectExpr("rule", "plan", "`left`", "stamp AS rank", *_bindings(rules, "0"))


def product(rules: Rules, step: int, rewrites: DataFrame, facts: DataFrame) -> DataFrame:
    """Extend rewrites by step number `step`. Returns a rewrite for each pair of a rewrite and a fact that fits it.

    `rewrites` have the columns that `directed` adds for this step. `facts` are rows `tbl, c0.., stamp, age`, where
    `age` is 1 for facts of the last level and 0 for older facts.
    """
    keys = names("b", rules.plans.bound)
    probes = rewrites.selectExpr("*", *_picked(rules, "s", rules.slots))
    extended = probes.join(arranged(rules, step, facts), ["arrangement", *keys]).where("age <= sees")
    left, rank = "`left` - 1 AS `left`", "greatest(rank, stamp) AS rank"
    return extended.selectExpr("rule", "plan", left, rank, *_bindings(rules))


def arranged(rules: Rules, step: int, facts: DataFrame) -> DataFrame:
    """Return rows `arrangement, b0.., c0.., stamp, age`: one for each fact and each arrangement that holds the fact.

    `step` is the step whose arrangements count. `arrangement` is the number of an arrangement. `b0..` are the values
    that the fact has in the columns of the arrangement; the join with rewrites compares these values.
    """
    met = _met(rules.plans, facts, rules.plans.asks[step], rules.asks[step])
    met = met.selectExpr("*", *_picked(rules, "a", rules.columns))
    return met.select("arrangement", *names("b", rules.plans.bound), *rules.columns, "stamp", "age")


def directed(rewrites: DataFrame, steps: DataFrame) -> DataFrame:
    """Add to each rewrite the columns of `steps` for its plan: they say how the next step extends it."""
    return rewrites.join(F.broadcast(steps), "plan")


def ground(rules: Rules, rewrites: DataFrame, quiet: int) -> DataFrame:
    """Turn rewrites without a step left into heads. Returns a row `tbl, c0.., rank` for each head of each rewrite.

    Equal heads of one rewrite give one row. `quiet` is the id of a property whose reflexive triples are left out, or 0.
    """
    width = rules.plans.width
    values = [valued(f"h{n}", rules.slots) for n in range(width)]
    joined = rewrites.join(F.broadcast(rules.heads), "rule")
    if any(rules.plans.rivals):
        rival = f"transform(rival, code -> {valued('code', rules.slots)})"
        joined = joined.where(f"NOT exists(rivals, rival -> {rival} = array({', '.join(values)}))")
    heads = joined.selectExpr("tbl", *(f"{value} AS c{n}" for n, value in enumerate(values)), "rank")
    if quiet and width > 2:
        heads = heads.where(f"NOT (c1 = {quiet} AND c0 = c2)")
    return heads


def valued(code: str, slots: Sequence[str]) -> str:
    """Return SQL for the value that `code` stands for: an id stands for itself, `-1 - n` for column `slots[n]`."""
    return f"if({code} >= 0, {code}, {pick(f'-1 - {code}', slots, '0')})"


def _met(plans: Plans, facts: DataFrame, table: Table, askers: DataFrame) -> DataFrame:
    """Join facts with the rows of `askers` that fit them, see `met`. `table` has the rows of `askers`, or more."""
    keys = {row[: 1 + plans.constants] for row in table.rows}
    used = {number for number, *_ in keys}
    return met(plans.forms, plans.constants, facts.where(asked(plans.forms, keys)), askers, used)


def met(
    forms: Sequence[Form], constants: int, facts: DataFrame, askers: DataFrame, used: Collection[int] | None = None
) -> DataFrame:
    """Join facts (`tbl, c0..`) with the rows of `askers` that fit them. Returns the columns of both.

    A row of `askers` fits a fact that has its form and its constants. The column `form` is an index in `forms`; the
    columns `k0..` are the constants of the form, then zeros. `constants` is the number of columns `k0..`. `used` has
    the numbers of the forms that occur in `askers`, or is None if all may occur.
    """
    columns = ("form", *names("k", constants))
    schema = ", ".join(f"{column}: INT" for column in columns)
    structs = [_form(n, form, columns) for n, form in enumerate(forms) if used is None or n in used]
    structs = structs or [f"CAST(NULL AS STRUCT<{schema}>)"]
    rows = facts.selectExpr("*", f"inline(array({', '.join(structs)}))")
    return rows.join(F.broadcast(askers), list(columns))


def _form(number: int, form: Form, columns: Sequence[str]) -> str:
    """Return SQL for a struct `columns` if the fact has the form `form`, else null, which joins with no row.

    The struct has the number of the form, the values that the fact has in place of the constants, then zeros.
    """
    has = [f"tbl = {form.table}", *(f"c{column} = c{earlier}" for column, earlier in form.repeated)]
    constants = [f"c{column}" for column in form.constants]
    values = [str(number), *constants, *["0"] * (len(columns) - 1 - len(constants))]
    fields = ", ".join(f"'{name}', {value}" for name, value in zip(columns, values, strict=True))
    return f"CASE WHEN {' AND '.join(has)} THEN named_struct({fields}) END"


def _bindings(rules: Rules, otherwise: str = "") -> list[str]:
    """Return SQL for the columns `v0..`: the values of the slots of a rewrite after a step.

    The number in column `f{n}` says which column of the fact gives slot n its value. If the number is NONE, slot n gets
    the value `otherwise`, or keeps its value if `otherwise` is empty.
    """
    return [f"{pick(f'f{n}', rules.columns, otherwise or slot)} AS {slot}" for n, slot in enumerate(rules.slots)]


def _picked(rules: Rules, prefix: str, columns: Sequence[str]) -> list[str]:
    """Return SQL for the columns `b0..` of a join. `b{n}` is `columns[k]`, where k is the number in `{prefix}{n}`.

    If the number is NONE, `b{n}` is 0.
    """
    return [f"{pick(f'{prefix}{n}', columns, '0')} AS b{n}" for n in range(rules.plans.bound)]


def pick(number: str, columns: Sequence[str], otherwise: str) -> str:
    """Return SQL for the column `columns[number]`, or `otherwise` if `number` is not an index in `columns`."""
    return f"coalesce(get(array({', '.join(columns)}), {number}), {otherwise})" if columns else otherwise
