"""`kgreason stats`: what a store says of itself.

The counts are those that the last load left in the manifest: facts asserted and inferred, facts that are hidden
because RDF does not allow them, terms, rules, contradictions, and how the engine went about it.

Cost: one small file.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.options import as_json, example, location, print_table
from kgreason.graph.knowledge_graph import KnowledgeGraph


@click.command(epilog=example("kgreason stats -l store --format json"))
@location
@click.option("--format", "syntax", type=click.Choice(["text", "json"]), default="text", help="text (default) or json.")
@as_json
def stats(location: Path, syntax: str, as_json: bool) -> None:
    """Count the facts, terms, rules and contradictions of a store, as of its last load."""
    with KnowledgeGraph.open(location, read_only=True) as graph:
        print_table(graph.stats(), as_json=as_json or syntax == "json")
