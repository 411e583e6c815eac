"""Filters that keep only the facts that can fit one of some patterns.

A *pattern* is `(table, {column: id})`: the facts of a table that have certain ids in certain columns. `candidates`
gives a condition that each fact of each pattern meets. Other facts may meet the condition, too. For example, all
patterns of the triples have one of three predicates. Then the condition is that the predicate is one of the three.

The condition is a look-up in a small set. So facts that no rule asks for are dropped when they are read from Parquet,
before they are copied or shuffled. Cost: nothing is computed by Spark to make a condition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from kgreason.spark.close.plans import Form, Row

_MOST = 1 << 10
"""A column with more different ids than this is not compared, because Spark would read a very long condition."""


def candidates(patterns: Iterable[tuple[int, Mapping[int, int]]]) -> str:
    """Return SQL over `tbl, c0..` that is true for each fact that fits one of `patterns`."""
    tables: defaultdict[int, list[Mapping[int, int]]] = defaultdict(list)
    for table, ids in patterns:
        tables[table].append(ids)
    return " OR ".join(f"({_condition(table, tables[table])})" for table in sorted(tables)) or "false"


def _condition(table: int, patterns: Sequence[Mapping[int, int]]) -> str:
    """Return the condition for the patterns of one table: it compares the columns that have an id in every pattern."""
    columns = sorted(set.intersection(*(set(pattern) for pattern in patterns)))
    sets = {column: sorted({pattern[column] for pattern in patterns}) for column in columns}
    conditions = (f"c{column} IN ({', '.join(map(str, ids))})" for column, ids in sets.items() if len(ids) <= _MOST)
    return " AND ".join((f"tbl = {table}", *conditions))


def asked(forms: Sequence[Form], keys: Iterable[Row]) -> str:
    """Return `candidates` for rows that begin with a form and its constants, as all tables of body atoms do."""
    return candidates(
        (forms[number].table, dict(zip(forms[number].constants, constants, strict=False)))
        for number, *constants in keys
    )


def derived(heads: Iterable[Row]) -> str:
    """Return `candidates` for heads, rows `tbl, c0..` in which a negative number stands for a variable."""
    return candidates((table, {n: code for n, code in enumerate(codes) if code >= 0}) for table, *codes in heads)
