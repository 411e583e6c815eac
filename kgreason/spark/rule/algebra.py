"""Relational algebra as immutable trees: what a rule or a query is to a database.

    node                       its rows                                         its columns
    Relation(view, arity)      those of a view                                  the view's
    Product(parts)             every combination of one row of each part        the parts' side by side
    Select(source, l, r)       those with column l = r, a column or a constant  the source's
    Join(left, right, pairs)   Select for each pair, of Product((left, right))  the left's, then the right's
    Project(source, cs, names) the columns or constants cs, each row once       named

Columns have no names below the projection: they are numbered from 0, from left to right, which leaves no variable to
rename. The product of nothing is one row without columns. A projection is the root of a tree and stands nowhere else,
as in the rule translation of Carneiro de Lima and Apinis, *A Back-to-basics Empirical Study of Datalog
Materialization*, which `translation` realises. Values are pure; what evaluates them is in `evaluate` and `sql`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kgreason.rules.model import Constant

TRIPLES = "triples"
"""The view that triple patterns read; that of an n-ary relation is called `name/arity`."""


def columns_of(view: str, arity: int) -> tuple[str, ...]:
    """The columns of a view: s, p, o of triples, else c0, c1, ..."""
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
    """Every combination of rows of the parts; of no part, one row without columns."""

    parts: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """The rows of the product of two sources that agree in each of `pairs` (column of the left, of the right).

    Columns of the right are numbered on from those of the left.
    """

    left: Source
    right: Source
    pairs: tuple[tuple[int, int], ...]


Source: TypeAlias = Relation | Select | Product | Join


@dataclass(frozen=True, slots=True)
class Project:
    """Columns (int) of `source`, or constants (str), under `names`; every row once."""

    source: Source
    columns: tuple[int | Constant, ...]
    names: tuple[str, ...]


def width(source: Source) -> int:
    """The number of columns."""
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
    """The product of the parts; of a single one, that one."""
    return parts[0] if len(parts) == 1 else Product(parts)


def format_tree(plan: Project) -> str:
    """The tree as text: a node to a line, what it reads two spaces further in, `#n` for column n of what it reads.

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
