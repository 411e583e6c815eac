"""`kgreason dump`: prints the triples of a store, in any RDF format.

N-Triples and N-Quads are printed a chunk at a time. Documents in the other formats are sorted, and made in a temporary
file (`graph.results.documents`). Literals keep the form in which they were loaded. Queries show another form, because
Oxigraph normalises literals.

Laws: `--asserted` and `--inferred` have no triple in common. Together they print all triples. If a graph cannot be
written in a format, nothing is printed.
"""

from __future__ import annotations

import sys

import click

from kgreason.cli.notation import shown_prefixes
from kgreason.cli.options import example, location
from kgreason.cli.places import Place, graph_at
from kgreason.rdf.formats import PARQUET, WRITABLE

_WITH_PREFIXES = ("ttl", "trig", "n3", "rdf")
_CHOICE = f"{', '.join(_WITH_PREFIXES[:-1])} or {_WITH_PREFIXES[-1]}"


@click.command(
    epilog=example(
        "kgreason dump -l store --inferred --format ttl > inferred.ttl",
        "kgreason dump -l store --format parquet > closure.parquet",
    )
)
@location
@click.option("--asserted", is_flag=True, help="Only the triples that were loaded, or imported.")
@click.option("--inferred", is_flag=True, help="Only the triples that were derived.")
@click.option("--relations", is_flag=True, help="The facts of relations as rule text, in place of triples.")
@click.option(
    "--format",
    "syntax",
    type=click.Choice([*WRITABLE, PARQUET]),
    default="nt",
    show_default=True,
    help="The format; those with graphs (nq, trig, jsonld) show named graphs as well.",
)
@shown_prefixes
def dump(
    location: Place, asserted: bool, inferred: bool, relations: bool, syntax: str, prefixes: dict[str, str]
) -> None:
    """Print the triples of a store: all of them, or only those that were loaded, or only those that were derived.

    Triples of documents that owl:imports brought count as loaded.

    Literals keep the form in which they were loaded. Formats other than nt and nq are sorted, so that versions can be
    compared, and the prefixes of loaded files and of --prefix shorten IRIs. Turtle, TriG and N3 begin with a comment
    that says which triples they have. Parquet has the columns subject, predicate, object and asserted.
    """
    if asserted and inferred:
        raise click.UsageError("give --asserted or --inferred, not both; without them, all triples are printed")
    if prefixes and syntax not in _WITH_PREFIXES:
        raise click.UsageError(f"--prefix: the format {syntax} has no prefixes; use --format {_CHOICE}")
    out = sys.stdout.buffer
    with graph_at(location, read_only=True) as graph:
        kind = asserted if asserted or inferred else None
        if relations:
            for line in graph.dump_relations(asserted=kind):
                click.echo(line)
            return
        out.writelines(graph.dump(asserted=kind, format=syntax, prefixes=prefixes))
