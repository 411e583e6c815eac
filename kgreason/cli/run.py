"""`kgreason run`: evaluates a plain Datalog program on tables.

The files are named as Souffle names them: R.facts is read, R.csv is written, both tab separated. Types are not
declared: the text of a field says whether it is a number (see `kgreason.tables`). A program has only n-ary atoms;
triple patterns and contradictions are for graphs.

Invariant: each table is written as a whole, in an order that depends only on its facts.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgreason.cli.options import as_json, example, functions, print_table, verbose

_HERE = Path()


@click.command(epilog=example("kgreason run reach.dl --facts data --output results"))
@click.argument("program", type=click.Path(path_type=Path), metavar="PROGRAM.dl")
@click.option(
    "-F",
    "--facts",
    type=click.Path(path_type=Path),
    default=_HERE,
    metavar="DIR",
    help="The folder with the .facts files (default: the current folder).",
)
@click.option(
    "-D",
    "--output",
    type=click.Path(path_type=Path),
    default=_HERE,
    metavar="DIR",
    help="The folder for the .csv files (default: the current folder).",
)
@functions
@as_json
@verbose
def run(
    program: Path, facts: Path, output: Path, functions: list[Callable[..., Any]], as_json: bool, verbose: bool
) -> None:
    """Run a Datalog program on tables, as Souffle does, and print how many facts each derived relation has.

    The facts of a relation R are read from R.facts, if this file exists: tab separated, one fact a line. Each relation
    that a rule derives is written to R.csv, in order. A field that reads as an integer is a number: the field 5 is the
    constant 5 of a rule. Any other field is a string: the field five is the constant "five". Triple patterns are for
    graphs, not for tables: see load and materialize.
    """
    from kgreason.cli.progress import Bars
    from kgreason.tables import TableProgram

    progress = Bars(verbose)
    tables = TableProgram(program, functions)
    with progress("reading") as report:
        tables.read(facts, report)
    with progress("reasoning") as report:
        tables.evaluate(report)
    with progress("writing") as report:
        counts = tables.write(output, report)
    print_table(counts, as_json=as_json)
