"""`kgreason dump`: prints the triples of a store, in any RDF format.

N-Triples and N-Quads are printed a chunk at a time; the other formats are made of them in a temporary file
(`rdf.writing`). Literals keep the form in which they were loaded. Queries show another form, because Oxigraph
normalises literals.

Laws: `--asserted` and `--inferred` have no triple in common. Together they print all triples. If a graph cannot be
written in a format, nothing is printed.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from tempfile import SpooledTemporaryFile
from typing import IO, cast

import click
from pyoxigraph import Quad

from kgreason.cli.notation import PREFIXES, shown_prefixes
from kgreason.cli.options import example, location
from kgreason.cli.places import Place, graph_at
from kgreason.rdf.writing import write
from kgreason.terms.tags import quads

_FORMATS = ("nt", "nq", "ttl", "trig", "n3", "rdf", "jsonld")
_WITH_PREFIXES = ("ttl", "trig", "n3", "rdf")
_CHOICE = f"{', '.join(_WITH_PREFIXES[:-1])} or {_WITH_PREFIXES[-1]}"
_WITH_GRAPHS = ("nq", "trig", "jsonld")
_SPOOLED = 1 << 26
"""So many bytes are held in memory. More are written to a temporary file."""


@click.command(epilog=example("kgreason dump -l store --inferred --format ttl > inferred.ttl"))
@location
@click.option("--asserted", is_flag=True, help="Only the triples that were loaded.")
@click.option("--inferred", is_flag=True, help="Only the triples that were derived.")
@click.option("--relations", is_flag=True, help="The facts of relations as rule text, in place of triples.")
@click.option(
    "--format",
    "syntax",
    type=click.Choice(_FORMATS),
    default="nt",
    show_default=True,
    help="The RDF format; those with graphs (nq, trig, jsonld) show named graphs as well.",
)
@shown_prefixes
def dump(
    location: Place, asserted: bool, inferred: bool, relations: bool, syntax: str, prefixes: dict[str, str]
) -> None:
    """Print the triples of a store: all of them, or only those that were loaded, or only those that were derived.

    Literals keep the form in which they were loaded. --prefix shortens IRIs in the formats that have prefixes.
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
        chunks = graph.dump(asserted=kind, graphs=syntax in _WITH_GRAPHS)
        if syntax in ("nt", "nq"):
            out.writelines(chunks)
            return
        with SpooledTemporaryFile(_SPOOLED) as file:
            write(_quads(chunks), cast(IO[bytes], file), syntax, PREFIXES | prefixes)
            file.seek(0)
            shutil.copyfileobj(file, out)


def _quads(chunks: Iterable[bytes]) -> Iterator[Quad]:
    for chunk in chunks:
        yield from quads(chunk)
