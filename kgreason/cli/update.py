"""`kgreason update`: a SPARQL 1.1 Update on a store, facts and axioms alike.

WHERE matches the materialized graph. DELETE takes asserted quads alone, every spelling of a literal that queries show
as one; what is entailed stays, and is counted.

Invariant: a request of several operations is carried out as a whole or not at all. Cost: what it changes, for each
operation that asks what the ones before did.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.editing import counts, edited, means
from kgreason.cli.options import as_json, catalogue, example, existing, given, print_table, request, verbose
from kgreason.graph.knowledge_graph import Strategy


@click.command(
    epilog=example(
        "kgreason update -l store --update 'INSERT DATA { <http://e/a> a <http://e/C> }'",
        "kgreason update -l store --update-file changes.ru",
    )
)
@existing
@request
@catalogue
@means
@as_json
@verbose
def update(
    location: Path,
    text: str | None,
    file: Path | None,
    catalogue: Path | None,
    strategy: Strategy,
    budget: int | None,
    as_json: bool,
    verbose: bool,
) -> None:
    """Change a store by SPARQL Update; only what changes is computed.

    Says how many triples appeared and disappeared, how many quads came to be asserted and were retracted, how many of
    the rows to delete nobody had asserted (unasserted), and how many stay because they are entailed (entailed). Where
    anything goes wrong, and on Ctrl-C, the store stays as it was.
    """
    from kgreason.cli.progress import Bars

    sparql, source = given(text, file, "update")
    progress = Bars(verbose)
    with edited(location, strategy=strategy, budget=budget, catalogue=catalogue) as graph, progress("updating"):
        updated = graph.update(sparql, source)
    rows = {"unasserted": updated.unasserted, "entailed": updated.entailed}
    print_table(counts(updated.delta) | rows, as_json=as_json)
