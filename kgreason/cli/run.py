"""`kgreason run`: evaluates a plain Datalog program on tables, and follows changes of a script.

The files are named as Souffle names them: R.facts is read, R.csv is written, both tab separated. The text of a field
says whether it is a number, unless `@relation` gives its column a type (see `kgreason.tables`). A program has only
n-ary atoms; triple patterns and contradictions are for graphs.

With a script the facts are kept materialized in a graph in memory. The script has the words of DDlog's command language
(`kgreason.cli.script`). The program of a script may have triple patterns, too.

Invariant: each table is written as a whole, in an order that depends only on its facts.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgreason.cli.ask.profile import costs, costs_text
from kgreason.cli.edit.options import STRATEGY
from kgreason.cli.options import (
    STDIN,
    as_json,
    example,
    functions,
    is_stdin,
    limits,
    print_table,
    threads,
    verbose,
    wait_for_stdin,
)
from kgreason.engine.changes import Strategy
from kgreason.errors import InputError
from kgreason.rules.formatter import format_rule
from kgreason.rules.model import origin

if TYPE_CHECKING:
    from kgreason.tables.layout import Layout

_HERE = Path()
_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " "}
"""Names of delimiters that are hard to type or to read."""


@click.command(
    epilog=example(
        "kgreason run reach.dl --facts data --output results",
        "kgreason run reach.dl more.dl --delimiter , --header --relation reach",
        "kgreason run reach.dl --facts data --script changes.txt",
    )
)
@click.argument("programs", type=click.Path(path_type=Path), metavar="PROGRAM.dl...", nargs=-1, required=True)
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
    metavar="DIR",
    help="The folder for the .csv files (default: the current folder; with --script none are written).",
)
@click.option(
    "-s",
    "--script",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file with changes and questions, such as: insert edge(1, 2); commit dump_changes; query reach(1, ?y); "
    "The file - is standard input.",
)
@click.option(
    "--relation",
    "relations",
    multiple=True,
    metavar="NAME",
    help="Write only this relation (default: every relation that a rule derives). Repeat the option for several.",
)
@click.option(
    "--delimiter",
    default="tab",
    show_default=True,
    metavar="CHAR",
    help="The character between the fields of the files that are read and written. With another one than tab they are "
    "CSV: a field may stand in quotation marks.",
)
@click.option("--header", is_flag=True, help="The first line of each file has the names of the columns.")
@STRATEGY
@click.option(
    "--fraction",
    type=click.FloatRange(min=0),
    metavar="SHARE",
    help="How much auto tries before it gives a deletion up: if updating takes more than this share of the work of "
    "computing everything again, everything is computed again (default: 0.5).",
)
@click.option("--profile", is_flag=True, help="Also show what each rule cost, on standard error.")
@functions
@limits
@threads
@as_json
@verbose
def run(
    programs: tuple[Path, ...],
    facts: Path,
    output: Path | None,
    script: Path | None,
    relations: tuple[str, ...],
    delimiter: str,
    header: bool,
    strategy: Strategy,
    fraction: float | None,
    profile: bool,
    functions: list[Callable[..., Any]],
    most_made_terms: int | None,
    most_rounds: int | None,
    threads: int | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Run a Datalog program on tables, as Souffle does, and print how many facts each derived relation has.

    The rules of all files are one program. A file may also import others: @import "other.dl" .

    The facts of a relation R are read from R.facts, if this file exists: tab separated, one fact a line. Each relation
    that a rule derives is written to R.csv, in order. A field that reads as a number is a number: the field 5 is the
    constant 5 of a rule, and so are 2.5 and 1e3. Any other field is a string: the field five is the constant "five".
    The field "5" is the string "5". If @relation gives a column a type, a field of the column is the text of a value of
    this type. If @relation declares a key, two facts with the same key are an error. Triple patterns are for graphs,
    not for tables: see load and materialize.

    With --script, follow changes as DDlog does: the results are kept up to date, and each command of the script ends
    with a semicolon. Edits: insert, delete, upsert, delete_key, modify, clear; then commit, or rollback. Questions:
    dump, dump_changes, query, explain, why_not, profile. After an error the edits of the open transaction are dropped.
    An error ends the script, except at a terminal. With --json each command that answers prints a JSON object on one
    line.
    """
    from kgreason.cli.progress import Bars
    from kgreason.options import checked_limits
    from kgreason.tables import TableProgram

    layout = _layout(delimiter, header=header)
    if script is not None:
        how = {
            "functions": functions,
            "most_made_terms": most_made_terms,
            "most_rounds": most_rounds,
            "threads": threads,
            "strategy": strategy,
            "fraction": fraction,
        }
        _run_script(programs, facts, script, _Results(output, layout, relations, profile, as_json), how)
        return
    progress, limits = Bars(verbose), checked_limits(made_terms=most_made_terms, rounds=most_rounds)
    tables = TableProgram(programs, functions, limits, threads, layout, fraction)
    tables.check(relations)
    with progress("reading") as report:
        tables.read(facts, report)
    with progress("reasoning") as report:
        tables.evaluate(report, "bootstrap" if strategy == "auto" else strategy)
    with progress("writing") as report:
        counts = tables.write(_HERE if output is None else output, report, relations)
    print_table(counts, as_json=as_json)
    if profile:
        whole = sum(cost.rewrites for _, cost in tables.costs()) or 1
        rows = [
            {"why": origin(rule), "names": [rule.name], "rules": [format_rule(rule)]}
            | {"share": cost.rewrites / whole}
            | cost._asdict()
            for rule, cost in tables.costs()
        ]
        _print_costs(rows)


def _layout(delimiter: str, *, header: bool) -> Layout:
    from kgreason.tables.layout import Layout

    character = _DELIMITERS.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n':
        raise click.UsageError(
            f"--delimiter {delimiter!r}: it must be one character, or tab, comma, semicolon or space"
        )
    return Layout(character, header)


def _print_costs(rows: list[dict[str, Any]]) -> None:
    click.echo("\n".join(costs_text(rows, len(rows), {})), err=True)


class _Results(NamedTuple):
    """The options for the output after a script: folder and format, relations, and whether to show the costs of rules.

    `as_json`: whether the script answers in JSON.
    """

    output: Path | None
    layout: Layout
    relations: tuple[str, ...]
    profile: bool
    as_json: bool


def _run_script(programs: Sequence[Path], facts: Path, script: Path, results: _Results, how: dict[str, Any]) -> None:
    """Read the tables in the folder `facts` into a graph with the rules of a program, and carry out a script on it.

    In the end, `results` are written. `how` are arguments of `KnowledgeGraph.open`.
    """
    from kgreason.cli.script.failure import ScriptError
    from kgreason.cli.script.session import Session
    from kgreason.cli.script.syntax import commands
    from kgreason.cli.script.tables import graph_of_tables, write

    output, layout, chosen, has_profile, as_json = results
    with graph_of_tables(programs, facts, layout, how) as (graph, relations, prefixes), _script_lines(script) as lines:
        relations.check(chosen)
        source, is_live = (STDIN, True) if is_stdin(script) else (str(script), False)
        session = Session(graph, relations, prefixes, source, click.echo, as_json=as_json)
        found = commands(lines, source)
        is_terminal = is_live and sys.stdin.isatty()
        while True:
            try:
                session.run(found if is_live else list(found))  # a file is read to its end before anything is done
                break
            except ScriptError as error:
                if not is_terminal:
                    raise
                click.echo(f"kgreason: {error}", err=True)
                found = commands(lines, source)
        if output is not None:
            write(graph, relations, output, layout, chosen)
        if has_profile:
            _print_costs(costs(graph))


@contextmanager
def _script_lines(script: Path) -> Iterator[Iterable[str]]:
    """Give the block the lines of a script. Lines of standard input come one by one."""
    try:
        if is_stdin(script):
            wait_for_stdin("commands")
            yield iter(sys.stdin.readline, "")
        else:
            with script.open(encoding="utf-8-sig") as file:
                yield file
    except UnicodeDecodeError as error:
        raise InputError(f"{STDIN if is_stdin(script) else script}: is not UTF-8 text") from error
