"""Translate relational algebra to Spark SQL.

    node        SQL
    Relation    a view with an alias: `edge/2` AS t1(c0, c1)
    Product     CROSS JOIN
    Join        JOIN ... ON
    Select      a condition in the WHERE of the whole query (allowed, as there are no outer joins)
    Project     SELECT DISTINCT

Views are `triples` (s, p, o) and, for each n-ary relation, `name/arity`. Columns are taken by position and hold terms
as N-Triples text. SQL has no row without columns: a view of arity 0 is true if it has any row, and a result without
columns gets the column `present`. Spark treats names that differ only in case as different only if
`spark.sql.caseSensitive` is set.

Constants may be any text: quotation marks and backslashes are escaped. `${` is escaped too, because Spark replaces
`${name}` by the value of a variable, even in a string.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from kgreason.rules.model import Constant
from kgreason.spark.rule.algebra import Join, Product, Project, Relation, Select, Source, columns_of

PRESENT = "present"
"""The only column of a result without columns."""


class _Clauses(NamedTuple):
    """The parts of a SELECT: the text after FROM, the columns, and the conditions in WHERE.

    `tables` is empty for the product of no parts, which is one row without columns.
    """

    tables: str
    columns: tuple[str, ...]
    conditions: tuple[str, ...] = ()


def to_sql(plan: Project) -> str:
    """Translate a tree to one SELECT.

    >>> print(to_sql(Project(Select(Relation("edge/2", 2), 0, "<http://e/a>"), (1,), ("c0",))))
    SELECT DISTINCT t1.c1 AS `c0`
    FROM `edge/2` AS t1(c0, c1)
    WHERE t1.c0 = '<http://e/a>'
    """
    tables, columns, conditions = _clauses(plan.source, count(1))
    named = (
        f"{_value(value, columns)} AS {identifier(name)}" for name, value in zip(plan.names, plan.columns, strict=True)
    )
    text = f"SELECT DISTINCT {', '.join(named) or f'true AS {identifier(PRESENT)}'}"
    if tables:
        text += f"\nFROM {tables}"
    if conditions:
        text += "\nWHERE " + "\n  AND ".join(conditions)
    return text


def _clauses(source: Source, numbers: Iterator[int]) -> _Clauses:
    match source:
        case Relation():
            return _table(source, f"t{next(numbers)}")
        case Select():
            tables, columns, conditions = _clauses(source.source, numbers)
            condition = f"{columns[source.left]} = {_value(source.right, columns)}"
            return _Clauses(tables, columns, (*conditions, condition))
        case Product():
            return _combined("CROSS JOIN", source.parts, numbers)
        case Join():
            tables, columns, conditions = _combined("JOIN", (source.left, source.right), numbers)
            equal = " AND ".join(f"{columns[left]} = {columns[right]}" for left, right in source.pairs)
            return _Clauses(f"{tables} ON {equal}", columns, conditions)


def _table(relation: Relation, name: str) -> _Clauses:
    columns = columns_of(relation.view, relation.arity)
    header = f"({', '.join(columns)})" if columns else ""
    return _Clauses(f"{identifier(relation.view)} AS {name}{header}", tuple(f"{name}.{each}" for each in columns))


def _combined(operator: str, parts: tuple[Source, ...], numbers: Iterator[int]) -> _Clauses:
    """Combine parts by `operator`, JOIN or CROSS JOIN. `numbers` gives a new number for the alias of each view.

    A part after the first is put in brackets if it is a join itself.
    """
    clauses = [_clauses(part, numbers) for part in parts]
    tables = [each.tables for each in clauses if each.tables]
    tables[1:] = [f"({each})" if "\n" in each else each for each in tables[1:]]
    columns = tuple(column for each in clauses for column in each.columns)
    return _Clauses(f"\n{operator} ".join(tables), columns, tuple(one for each in clauses for one in each.conditions))


def _value(value: int | Constant, columns: tuple[str, ...]) -> str:
    return columns[value] if isinstance(value, int) else literal(value)


def identifier(name: str) -> str:
    """Return the name of a view or column in the quotation marks of SQL."""
    return "`" + name.replace("`", "``") + "`"


def literal(text: str) -> str:
    r"""Write a text as a string of SQL. The result is wrong if `spark.sql.parser.escapedStringLiterals` is set.

    >>> print(literal("it's"))
    'it\'s'
    """
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") + "'"
