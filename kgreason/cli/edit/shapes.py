"""`kgreason shapes`: loads SHACL shapes into the shapes graph of a store, takes them out, and prints them.

Invariant: an edit is one commit, or none. Cost: reading all shapes, and what the changed rules derive.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.edit.options import ChangeReport, Means, amount, counters_of, graph_to_edit, means
from kgreason.cli.options import example, with_store
from kgreason.cli.places import Place, require_folder
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.shapes.vocabulary import RESULT

_files = click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))


@click.group(epilog=example("kgreason shapes load -l store shapes.ttl"))
def shapes() -> None:
    """Load SHACL shapes into a store, take them out, and show them. `kgreason validate` shows what violates them."""


@shapes.command(
    short_help="Add the shapes of files.",
    epilog=example("kgreason shapes load -l store shapes.ttl", "kgreason validate -l store"),
)
@with_store
@_files
@means
def load(location: Place, files: tuple[Path, ...], how: Means, done: ChangeReport) -> None:
    """Add the shapes of files to the shapes graph of a store. Their triples are no triples of the graph.

    From now on each commit computes what it violates. The command prints how many validation results the store has.
    After an error the store stays as it was.
    """
    _edit(location, files, how, done, adds=True)


@shapes.command(
    short_help="Take the shapes of files out.", epilog=example("kgreason shapes unload -l store shapes.ttl")
)
@with_store
@_files
@means
def unload(location: Place, files: tuple[Path, ...], how: Means, done: ChangeReport) -> None:
    """Take the triples of files out of the shapes graph of a store, and with them their validation results."""
    _edit(location, files, how, done, adds=False)


@shapes.command(short_help="Print the shapes graph.", epilog=example("kgreason shapes dump -l store > shapes.nt"))
@with_store
def dump(location: Place) -> None:
    """Print the shapes graph of a store as N-Triples."""
    with KnowledgeGraph.open(require_folder(location, "shapes"), read_only=True) as graph:
        for triple in sorted(graph.shapes.triples()):
            click.echo(f"{' '.join(triple)} .")


def _edit(location: Place, files: tuple[Path, ...], how: Means, done: ChangeReport, *, adds: bool) -> None:
    require_folder(location, "shapes")
    with graph_to_edit(location, **how) as graph:
        assert isinstance(graph, KnowledgeGraph)
        delta = graph.shapes.load(*files) if adds else graph.shapes.unload(*files)
        stats, results = graph.stats(), len(graph.relation(RESULT))
    values = counters_of(delta) | {"results": results}
    changed = abs(values["rules_added"] - values["rules_removed"])
    verb = "loaded" if adds else "unloaded"
    line = f"{verb} shapes of {amount(changed, 'rule')} {done.took}; {amount(results, 'validation result')}"
    done.say(line, stats, values)
