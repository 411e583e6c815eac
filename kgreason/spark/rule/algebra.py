"""Relational algebra as immutable trees: the form in which a rule or a query is evaluated on DataFrames or in SQL.

    node                       rows                                             columns
    Relation(view, arity)      the rows of a view                               the columns of the view
    Product(parts)             every combination of one row of each part        the columns of all parts
    Select(source, l, r)       the rows with column l = r (column or constant)  the columns of the source
    Join(left, right, pairs)   the product, selected by each pair of columns    the columns of left, then of right
    Project(source, cs, names) the columns or constants cs, each row once       named by `names`

Only the columns of a projection have names. Other columns are numbered from 0, from left to right. So translating a
rule renames no variable. The product of no parts is one row without columns. A projection is always the root of a tree,
as in the rule translation of Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog
Materialization*, which `translation` realises. Trees are only values; `evaluate` and `sql` evaluate them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.rules.model import Constant

TRIPLES = "triples"
"""The view that triple patterns read. The view of an n-ary relation is called `name/arity`."""


def columns_of(view: str, arity: int) -> tuple[str, ...]:
    """Return the names of the columns of a view: s, p, o for triples, else c0, c1, ..."""
    return ("s", "p", "o") if view == TRIPLES else tuple(f"c{column}" for column in range(arity))


@dataclass(frozen=True, slots=True)
class Relation:
    """The rows of a view."""

    view: str
    arity: int


@dataclass(frozen=True, slots=True)
class Select:
    """The rows of `source` whose column `left` equals `right`: a column (int) or a constant (str)."""

    source: Source
    left: int
    right: int | Constant


@dataclass(frozen=True, slots=True)
class Product:
    """Every combination of rows of the parts; for no parts, one row without columns."""

    parts: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """The rows of the product of two sources in which the two columns of each pair are equal.

    A pair is (column of the left source, column of the right source). Columns are numbered as in the product: the first
    column of the right source comes after the last column of the left source.
    """

    left: Source
    right: Source
    pairs: tuple[tuple[int, int], ...]


Source: TypeAlias = Relation | Select | Product | Join


@dataclass(frozen=True, slots=True)
class Project:
    """Some columns of the rows of `source`, under `names`; equal rows are kept once.

    In `columns` an int is a column of `source`, and a str is a constant.
    """

    source: Source
    columns: tuple[int | Constant, ...]
    names: tuple[str, ...]


def width(source: Source) -> int:
    """Return the number of columns of a tree."""
    match source:
        case Relation():
            return source.arity
        case Select():
            return width(source.source)
        case Product():
            return sum(map(width, source.parts))
        case Join():
            return width(source.left) + width(source.right)


def product(parts: tuple[Source, ...]) -> Source:
    """Return the `Product` of the parts; if there is one part, return this part."""
    return parts[0] if len(parts) == 1 else Product(parts)


def format_tree(plan: Project) -> str:
    """Return a tree as text: a node on each line, and its inputs below, indented. `#n` is column n of the input.

    >>> print(format_tree(Project(Select(Relation("edge/2", 2), 0, "<http://e/a>"), (1,), ("c0",))))
    project c0 = #1
      select #0 = <http://e/a>
        edge/2
    """
    named = ", ".join(f"{name} = {_value(value)}" for name, value in zip(plan.names, plan.columns, strict=True))
    return "\n".join([f"project {named or 'nothing'}", *_lines(plan.source, "  ")])


def _lines(source: Source, indent: str) -> Iterator[str]:
    yield indent + _title(source)
    for part in _parts(source):
        yield from _lines(part, indent + "  ")


def _title(source: Source) -> str:
    match source:
        case Relation():
            return source.view
        case Select():
            return f"select #{source.left} = {_value(source.right)}"
        case Product():
            return "product" if source.parts else "one row"
        case Join():
            return "join " + ", ".join(f"#{left} = #{right}" for left, right in source.pairs)


def _parts(source: Source) -> tuple[Source, ...]:
    match source:
        case Relation():
            return ()
        case Select():
            return (source.source,)
        case Product():
            return source.parts
        case Join():
            return source.left, source.right


def _value(value: int | Constant) -> str:
    return f"#{value}" if isinstance(value, int) else value
