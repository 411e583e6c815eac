"""`kgreason check`: whether a graph contradicts itself, and why.

    status   what it means
    0        there is no contradiction
    1        there are some, each shown with a proof
    2        this could not be found out

Cost: the engine's state is read, then one proof for each contradiction.
"""

from __future__ import annotations

import json
from pathlib import Path

import click

from kgreason.cli.failures import Verdict
from kgreason.cli.notation import prefixes
from kgreason.cli.options import as_json, example, existing, verbose
from kgreason.graph.knowledge_graph import KnowledgeGraph


@click.command(cls=Verdict, epilog=example("kgreason check -l store --prefix =http://example.org/"))
@existing
@as_json
@prefixes
@verbose
@click.pass_context
def check(context: click.Context, location: Path, as_json: bool, prefixes: dict[str, str], verbose: bool) -> None:
    """Show every contradiction in a store, with a proof.

    The exit status is 1 if there is one, 0 if there is none, and 2 after an error.
    """
    from kgreason.cli.progress import Bars

    progress = Bars(verbose)
    with KnowledgeGraph.open(location, read_only=True) as graph, progress("explaining"):
        proofs = graph.prove_contradictions()
    if as_json:
        click.echo(json.dumps([proof.to_json() for proof in proofs], indent=1))
    else:
        click.echo("\n".join(proof.to_text(prefixes) for proof in proofs) or "no contradictions\n", nl=False)
    context.exit(1 if proofs else 0)
