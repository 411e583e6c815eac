"""`kgreason diff`: what an edit would change, as RDF Patch.

Files are a transaction that is tried out. An update is carried out on a copy of the graph in memory, since each of its
operations sees what the ones before did.

Invariant: the store is only read; the patch is that of the edit. Cost: the edit; for an update also the copy.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgreason.cli.options import FileList, catalogue, example, existing, given, request, verbose
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.progress import Progress

if TYPE_CHECKING:
    from kgreason.graph.changes.delta import Delta

_FILES = "RDF files; - is stdin."


@click.command(
    cls=FileList,
    epilog=example(
        "kgreason diff -l store --update 'DELETE WHERE { <http://e/a> ?p ?o }'",
        "kgreason diff -l store -f new.ttl --remove old.ttl",
    ),
)
@existing
@request
@click.option("-f", "--file", "added", multiple=True, metavar="FILE...", help=f"What would be loaded: {_FILES}")
@click.option("--remove", "removed", multiple=True, metavar="FILE...", help=f"What would be unloaded: {_FILES}")
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, where their suffix does not say it.")
@catalogue
@verbose
def diff(
    location: Path,
    text: str | None,
    file: Path | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    syntax: str | None,
    catalogue: Path | None,
    verbose: bool,
) -> None:
    """Show what an edit would change; the store stays as it is.

    The edit is a SPARQL Update, or files: -f names files that would be loaded, --remove files that would be unloaded. A
    triple that is in both would be loaded.

    The answer is an RDF Patch of the whole graph, asserted and inferred triples alike. A line `A s p o .` is a triple
    that would appear, a line `D s p o .` one that would disappear. An edit that changes nothing has no such line.
    """
    from kgreason.cli.progress import Bars

    if (text is not None or file) and (added or removed):
        raise click.UsageError("an update and files exclude each other")
    progress = Bars(verbose)
    if added or removed:
        delta = _of_files(location, catalogue, removed, added, syntax, progress)
    else:
        delta = _of_update(location, catalogue, *given(text, file, "update"), progress)
    click.echo(delta.to_patch(), nl=False)


def _of_files(
    location: Path,
    catalogue: Path | None,
    removed: tuple[str, ...],
    added: tuple[str, ...],
    syntax: str | None,
    progress: Progress,
) -> Delta:
    with KnowledgeGraph.open(location, catalogue=catalogue, read_only=True) as graph, graph.what_if() as tx:
        tx.unload(*removed, syntax=syntax, progress=progress)
        tx.load(*added, syntax=syntax, progress=progress)
    return tx.delta


def _of_update(location: Path, catalogue: Path | None, sparql: str, source: str, progress: Progress) -> Delta:
    from kgreason.graph.fork import fork

    with fork(location, catalogue=catalogue) as graph, progress("updating"):
        return graph.update(sparql, source).delta
