"""`kgreason diff`: prints what an edit would change, as an RDF Patch.

Files are evaluated as a what-if. An update of a store on disk runs on a fork, a copy of the graph in memory, because
each operation of the update sees the result of the operations before it.

Invariant: the store is only read. The patch says what the edit would change as a commit. Cost: that of the edit; an
update also costs the copy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kgreason.cli.edit.options import effort
from kgreason.cli.notation import PREFIXES, prefixes, shorten
from kgreason.cli.options import (
    FileList,
    catalogue,
    check_stdin,
    example,
    functions,
    seconds,
    text_and_name,
    update_request,
    verbose,
    warn,
    with_store,
)
from kgreason.cli.places import Place, Server, graph_at
from kgreason.graph.opening.options import Strategy
from kgreason.progress import Progress

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.graph.changes.delta import Delta

_FILES = "RDF files; - is standard input."
_MOST = 5
"""At most so many violations are shown one by one."""


@click.command(
    cls=FileList,
    epilog=example(
        "kgreason diff -l store --update 'DELETE WHERE { <http://e/a> ?p ?o }'",
        "kgreason diff -l store -f new.ttl --remove old.ttl",
    ),
)
@with_store
@update_request
@click.option("-f", "--file", "added", multiple=True, metavar="FILE...", help=f"What would be loaded: {_FILES}")
@click.option("--remove", "removed", multiple=True, metavar="FILE...", help=f"What would be unloaded: {_FILES}")
@click.option("--format", "syntax", metavar="NAME", help="The format of the files, if their suffix does not say it.")
@seconds("--timeout", help="Stop with an error if the answer takes longer.")
@effort
@catalogue
@functions
@prefixes
@verbose
def diff(
    location: Place,
    text: str | None,
    file: Path | None,
    added: tuple[str, ...],
    removed: tuple[str, ...],
    syntax: str | None,
    timeout: float | None,
    strategy: Strategy,
    budget: int | None,
    most_made_terms: int | None,
    most_rounds: int | None,
    threads: int | None,
    catalogue: Path | None,
    functions: list[Callable[..., Any]],
    prefixes: dict[str, str],
    verbose: bool,
) -> None:
    """Show what an edit would change; the store stays as it is.

    The edit is a SPARQL Update, or files: -f names files to load, --remove names files to unload. A triple that is in
    files of both options is loaded.

    The answer is an RDF Patch of the whole graph, both asserted and inferred triples. A line `A s p o .` is a triple
    that would appear. A line `D s p o .` is a triple that would disappear. A fact of a relation is a header
    `H add-fact` or `H delete-fact`. If the edit changes nothing, the patch has none of these lines. With --prefix the
    lines are easier to read, but they are no RDF Patch any more. Warnings tell the violations of
    shapes that it would make, and, if the edit is files, the contradictions that it would raise.
    """
    from kgreason.cli.progress import Bars, time_limit

    if (text is not None or file) and (added or removed):
        raise click.UsageError("give an update or files, not both")
    progress = Bars(verbose)
    how: dict[str, Any] = {
        "strategy": strategy,
        "budget": budget,
        "most_made_terms": most_made_terms,
        "most_rounds": most_rounds,
        "threads": threads,
    }
    how |= {"catalogue": catalogue, "functions": functions}
    check_stdin((*added, *removed), syntax)
    with time_limit(timeout, "the edit"):
        if added or removed:
            delta = _delta_of_files(location, how, removed, added, syntax, progress)
        else:
            delta = _delta_of_update(location, how, *text_and_name(text, file, "update"), prefixes, progress)
    click.echo(shorten(delta.to_patch(), prefixes), nl=False)
    names = PREFIXES | prefixes
    come, gone = delta.results(), delta.results(appeared=False)
    told = [f"would violate: {each.to_text(names)}" for each in come[:_MOST]]
    told += [f"and {len(come) - _MOST:,} more violations"] if len(come) > _MOST else []
    told += [f"would repair: {len(gone):,} violations of shapes"] if gone else []
    warn(told, delta.contradictions, prefixes=names)


def _delta_of_files(
    location: Place,
    how: Mapping[str, Any],
    removed: tuple[str, ...],
    added: tuple[str, ...],
    syntax: str | None,
    progress: Progress,
) -> Delta:
    with graph_at(location, **how, read_only=True) as graph, graph.what_if() as tx:
        tx.unload(*removed, syntax=syntax, progress=progress)
        tx.load(*added, syntax=syntax, progress=progress)
    return tx.delta


def _delta_of_update(
    location: Place,
    how: Mapping[str, Any],
    sparql: str,
    source: str,
    prefixes: Mapping[str, str],
    progress: Progress,
) -> Delta:
    if isinstance(location, Server):
        with graph_at(location, **how) as server, progress("updating"):
            delta = cast("RemoteGraph", server).update(sparql, source, prefixes=prefixes, keep=False).delta
        return replace(delta, contradictions=())
    from kgreason.graph.fork import fork

    with fork(location, **how) as graph, progress("updating"):
        return graph.update(sparql, source, prefixes=prefixes).delta
