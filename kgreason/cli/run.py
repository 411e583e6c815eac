"""`kgreason run`: a plain Datalog program on tables.

Files are those of Souffle: R.facts in, R.csv out, tab separated. There are no types to declare: a field says what it is
(see `kgreason.tables`). A program has n-ary atoms alone; triple patterns and contradictions are for graphs.

Invariant: each table is written as a whole, in an order that depends on its facts alone.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.options import as_json, example, print_table, verbose

_HERE = Path()


@click.command(epilog=example("kgreason run reach.dl --facts data --output results"))
@click.argument("program", type=click.Path(path_type=Path), metavar="PROGRAM.dl")
@click.option(
    "-F",
    "--facts",
    type=click.Path(path_type=Path),
    default=_HERE,
    metavar="DIR",
    help="Where the .facts files are (here).",
)
@click.option(
    "-D",
    "--output",
    type=click.Path(path_type=Path),
    default=_HERE,
    metavar="DIR",
    help="Where the .csv files go (here).",
)
@as_json
@verbose
def run(program: Path, facts: Path, output: Path, as_json: bool, verbose: bool) -> None:
    """Run a Datalog program on tables, as Souffle does, and print how many facts each derived relation has.

    Every relation R of the program is read from R.facts where there is such a file: tab separated, one fact a line.
    Every relation that a rule derives is written to R.csv, in order. A field that reads as an integer is the number
    that rules write as 5, any other is the string that they write as "five". Triple patterns are for graphs, not for
    tables: see load and materialize.
    """
    from kgreason.cli.progress import Bars
    from kgreason.tables import TableProgram

    progress = Bars(verbose)
    tables = TableProgram(program)
    with progress("reading") as report:
        tables.read(facts, report)
    with progress("reasoning") as report:
        tables.evaluate(report)
    with progress("writing") as report:
        counts = tables.write(output, report)
    print_table(counts, as_json=as_json)
