"""Solutions as a table for people: as wide as the terminal, IRIs shortened by the prefixes of the query.

Terms are written as in Turtle, so that they can be copied into another query: `5` for a number, `"a"` for a string. A
cell that does not fit into its column goes on in the next line. A table is printed in parts of `_PART` rows, before the
last row is known.

Cost: a tenth of a second to import the library that lays out tables, which happens only if there is a table to show;
then about 0.1 milliseconds a row.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from itertools import islice
from typing import TextIO

from pyoxigraph import QuerySolution

from kgreason.graph.input.terms import text_of
from kgreason.graph.results.answers import Solutions
from kgreason.rules.formatter import format_term

_PART = 1_000
_UNBOUNDED = 1_000_000


def write_table(solutions: Solutions, prefixes: Mapping[str, str], out: TextIO) -> None:
    """Write solutions as tables of at most `_PART` rows, and then the number of solutions."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = None if sys.stdout.isatty() else _UNBOUNDED
    console = Console(file=out, width=width, highlight=False, markup=False, emoji=False)
    names, count = [variable.value for variable in solutions.variables], 0
    left = iter(solutions)
    while True:
        rows = list(islice(left, _PART))
        if rows or not count:
            table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
            for name in names:
                table.add_column(Text(name), overflow="fold")
            for row in rows:
                table.add_row(*(Text(cell) for cell in _cells(row, prefixes)))
            console.print(table)
        count += len(rows)
        if len(rows) < _PART:
            break
    out.write(f"{count:,} row{'s' * (count != 1)}\n")


def _cells(row: QuerySolution, prefixes: Mapping[str, str]) -> list[str]:
    return ["" if term is None else format_term(text_of(term), prefixes) for term in row]
