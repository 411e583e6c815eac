"""`kgreason relation`: lists the relations of a store, and reads and edits their facts.

Files are CSV: commas, or tabs if the name ends in .tsv or .facts (`graph.relation.fields`). If the first line has the
names of the declared columns, it is the header. `insert` can read the output of `read`.

Invariant: an edit is one commit, or nothing. Cost: `list` and `read` look at all facts; an edit costs what it changes.
"""

from __future__ import annotations

import csv
import json
import sys
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from kgreason.cli.edit.options import ChangeReport, Means, amount, counters_of, graph_to_edit, means
from kgreason.cli.options import as_json, example, is_stdin, location, wait_for_stdin, with_store
from kgreason.cli.places import Place, graph_at

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

_name = click.argument("name")
_file = click.argument("file", type=click.Path(path_type=Path))


@click.group(
    epilog=example("kgreason relation insert -l store edge edges.csv", "kgreason relation read -l store reach")
)
def relation() -> None:
    """Show and edit the facts of relations, such as edge(?x, ?y) in rules."""


@relation.command(
    "list", short_help="Show the relations that have facts.", epilog=example("kgreason relation list -l store")
)
@location
@as_json
def list_relations(location: Place, as_json: bool) -> None:
    """List the relations that have facts or are declared, with the number of their facts."""
    with graph_at(location, read_only=True) as graph:
        found = [(repr(each)[10:-1], len(each)) for each in graph.relations()]
    if as_json:
        click.echo(json.dumps([{"relation": name, "facts": count} for name, count in found], indent=1))
        return
    for name, count in found:
        click.echo(f"{name}: {amount(count, 'fact')}")


@relation.command(
    short_help="Print the facts of a relation.",
    epilog=example("kgreason relation read -l store reach", "kgreason relation read -l store edge --asserted"),
)
@location
@_name
@click.option("--asserted", is_flag=True, help="Only the facts that were inserted.")
@click.option("--inferred", is_flag=True, help="Only the facts that rules alone derive.")
@click.option("--tabs", is_flag=True, help="Separate the fields by tabs, and print no header.")
def read(location: Place, name: str, asserted: bool, inferred: bool, tabs: bool) -> None:
    """Print the facts of a relation as CSV, in the order of their terms.

    If the relation is declared, the first line is a header with the names of its columns.
    """
    if asserted and inferred:
        raise click.UsageError("give --asserted or --inferred, not both; without them, all facts are printed")
    from kgreason.errors import InputError
    from kgreason.graph.input.terms import text_of
    from kgreason.graph.relation.fields import field_of_term
    from kgreason.graph.relation.files import NO_FIELDS
    from kgreason.tables.fields import BREAKS

    with graph_at(location, read_only=True) as graph:
        found = graph.relation(name)
        types = [column.type for column in found.declaration.columns] if found.declaration else repeat(None)
        facts = found.facts(asserted=asserted if asserted or inferred else None)
        rows = sorted(
            [field_of_term(text_of(term), type_) for term, type_ in zip(row, types, strict=False)] for row in facts
        )
        if tabs:
            if broken := next((text for row in rows for text in row if BREAKS.search(text)), None):
                raise InputError(
                    f"{name}: the text {broken!r} has a tab or a line break, which a tab separated line cannot have;"
                    " leave --tabs out, for CSV"
                )
            for row in rows:
                click.echo("\t".join(row or [NO_FIELDS]))
            return
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if found.declaration and found.columns:
            writer.writerow(found.columns)
        writer.writerows(row or [NO_FIELDS] for row in rows)


def _edit(kind: Literal["insert", "delete", "upsert"], text: str, help_: str) -> click.Command:
    """Make the command `insert`, `delete` or `upsert`, which edits a relation by the rows of a file."""

    @relation.command(
        kind, short_help=text, help=help_, epilog=example(f"kgreason relation {kind} -l store edge edges.csv")
    )
    @with_store
    @_name
    @_file
    @means
    def command(location: Place, name: str, file: Path, how: Means, done: ChangeReport) -> None:
        if is_stdin(file):
            wait_for_stdin("rows")
        with graph_to_edit(location, **how) as graph:
            delta = getattr(graph.relation(name), kind)(file, prefixes=how["prefixes"])
            stats = graph.stats()
        done.say(f"{_summary(delta)} {done.took}", stats, counters_of(delta) | _facts(delta))

    return command


def _facts(delta: Delta) -> dict[str, Any]:
    found = [delta.relation(name) for name in delta.relations]
    return {
        "facts_appeared": sum(len(each.appeared()) for each in found),
        "facts_disappeared": sum(len(each.disappeared()) for each in found),
    }


def _summary(delta: Delta) -> str:
    told = (
        f"{each.name}: {amount(len(each.appeared()), 'fact')} appeared and {len(each.disappeared()):,} disappeared"
        for each in map(delta.relation, delta.relations)
    )
    return "; ".join(told) or "nothing changed"


_edit(
    "insert",
    "Assert the facts of a file.",
    "Assert the facts of a CSV file, and derive what follows. A value that does not fit its column is an error, and"
    " then the store stays as it was. The file - is standard input.",
)
_edit(
    "delete",
    "Retract the facts of a file.",
    "Retract the facts of a CSV file, and what follows only from them. A fact that rules still derive stays.",
)
_edit(
    "upsert",
    "Assert the facts of a file in place of those with the same keys.",
    "Assert the facts of a CSV file, and retract the facts that have the same keys. The relation must be declared with"
    " a key, as in @relation edge(from, to, weight) key(from, to) .",
)
