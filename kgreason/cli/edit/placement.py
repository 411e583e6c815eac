"""`kgreason rules placement`: shows how Spark divides the facts of a program into parts (`spark/rounds/placement`)."""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import RULE_SETS, catalogue, example, schema
from kgreason.options import ALIASES, SchemaMode

_RULES = (".dl", ".srl", ".rq")


@click.command(
    short_help="Show how Spark divides facts into parts.",
    epilog=example("kgreason rules placement family.dl", "kgreason rules placement ontology.ttl --rules owl2rl"),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--rules", multiple=True, metavar="RULES", help=f"{RULE_SETS} (default: none).")
@schema
@catalogue
@shown_prefixes
def placement(
    files: tuple[str, ...],
    rules: tuple[str, ...],
    schema: SchemaMode | None,
    catalogue: Path | None,
    prefixes: dict[str, str],
) -> None:
    """Show where the facts of a program go if `materialize --pipeline spark` closes them in parts.

    A FILE is a file of rules (.dl, .srl, .rq), or an RDF file with an ontology, whose axioms become rules.

    `everywhere` are patterns whose facts go to all parts. `by ?1` are patterns whose facts go to the part of the value
    in this place. `divided` are rules whose atoms have no variable in common: they are joined step by step, through
    hidden relations join1, join2. `in the first part alone` are rules that read only facts that are everywhere. No
    Spark is needed.
    """
    from kgreason.graph.opening.options import catalogue_of
    from kgreason.materialize.materializer import Materializer
    from kgreason.materialize.schema.rows import is_stated
    from kgreason.materialize.selection import select
    from kgreason.rdf.document_prefixes import DocumentPrefixes
    from kgreason.rdf.reader import read_files
    from kgreason.rules.parser import load
    from kgreason.spark.rounds.listing import lines_of
    from kgreason.spark.rounds.placement import placement as placement_of
    from kgreason.terms.prefixes import prefixes_to_remember

    own = [file for file in files if file.endswith(_RULES)]
    documents = catalogue_of(catalogue)
    find = documents.find if documents else None
    selection = select([*rules, *own], schema or "axioms", "rules", ALIASES, None, find)
    materializer, read = Materializer(selection), DocumentPrefixes()
    rows = read_files([file for file in files if file not in own], materializer.dictionary, prefixes=read)[:, :3]
    materializer.make_program(rows[is_stated(rows)])
    known = prefixes_to_remember({}, read.prefixes())
    for file in own:
        known |= load(file, None, find).prefixes
    for line in lines_of(placement_of(materializer.rules), PREFIXES | known | prefixes):
        click.echo(line)
