"""Which facts operators read and write, as small tables that a join compares with all facts.

An atom becomes a *form* (its table, its columns of constants, its columns that repeat a variable) and its constants.
There are few forms, even if there are many atoms. For each form that fits a fact, a copy of the fact is made. One
broadcast join of the copies on (form, constants) finds the rows of a table for which the fact counts.

Cost: one broadcast join, for any number of atoms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody writes it

NONE = -1
"""The number in place of a column if there is none."""

Row = tuple[int, ...]


class Form(NamedTuple):
    """What similar atoms have in common.

    `table` is the number of their table. `constants` are the numbers of the columns that have constants. `repeated` has
    a pair (column, earlier column) for each column with the same variable as an earlier column.
    """

    table: int
    constants: Row
    repeated: tuple[tuple[int, int], ...]


class Table(NamedTuple):
    """A table of numbers: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[Row]


def names(prefix: str, count: int) -> tuple[str, ...]:
    """Return numbered names of columns: `names("c", 2)` is ("c0", "c1")."""
    return tuple(f"{prefix}{number}" for number in range(count))


def frame_of(spark: SparkSession, table: Table) -> DataFrame:
    """Turn a table of numbers into a DataFrame. All columns are int."""
    columns = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.columns)
    rows = pa.table([pa.array(column, type=pa.int32()) for column in columns], names=list(table.columns))
    return spark.createDataFrame(rows, ", ".join(f"{column} int" for column in table.columns))


def met(forms: Sequence[Form], constants: int, facts: DataFrame, askers: DataFrame) -> DataFrame:
    """Join facts (`tbl, c0..`) with the rows of `askers` that fit them. Returns the columns of both.

    A row of `askers` fits a fact that has its form and its constants. The column `form` is an index in `forms`; the
    columns `k0..` are the constants of the form, then zeros. `constants` is the number of columns `k0..`.
    """
    columns = ("form", *names("k", constants))
    schema = ", ".join(f"{column}: INT" for column in columns)
    structs = [_struct(n, form, columns) for n, form in enumerate(forms)] or [f"CAST(NULL AS STRUCT<{schema}>)"]
    rows = facts.selectExpr("*", f"inline(array({', '.join(structs)}))")
    return rows.join(F.broadcast(askers), list(columns))


def valued(code: str, slots: Sequence[str]) -> str:
    """Return SQL for the value that `code` stands for: an id stands for itself, `-1 - n` for column `slots[n]`."""
    return f"if({code} >= 0, {code}, {pick(f'-1 - {code}', slots, '0')})"


def pick(number: str, columns: Sequence[str], otherwise: str) -> str:
    """Return SQL for the column `columns[number]`, or `otherwise` if `number` is not an index in `columns`."""
    return f"coalesce(get(array({', '.join(columns)}), {number}), {otherwise})" if columns else otherwise


def _struct(number: int, form: Form, columns: Sequence[str]) -> str:
    """Return SQL for a struct `columns` if the fact has the form `form`, else null, which joins with no row.

    The struct has the number of the form, the values that the fact has in place of the constants, then zeros.
    """
    has = [f"tbl = {form.table}", *(f"c{column} = c{earlier}" for column, earlier in form.repeated)]
    constants = [f"c{column}" for column in form.constants]
    values = [str(number), *constants, *["0"] * (len(columns) - 1 - len(constants))]
    fields = ", ".join(f"'{name}', {value}" for name, value in zip(columns, values, strict=True))
    return f"CASE WHEN {' AND '.join(has)} THEN named_struct({fields}) END"
