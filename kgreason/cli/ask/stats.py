"""`kgreason stats`: prints the counts that the last commit left in the manifest of a store.

`_ROWS` says what each count means.

Cost: one small file is read.
"""

from __future__ import annotations

from pathlib import Path

import click

from kgreason.cli.options import as_json, example, location, print_table
from kgreason.graph.knowledge_graph import KnowledgeGraph

_ROWS = {
    "facts": "triples of the graph: asserted and inferred",
    "asserted": "triples that were loaded or added",
    "inferred": "triples that follow from them by rules, and were not added",
    "hidden": "facts that no query shows: those of relations of rule files, triples that RDF does not allow",
    "named": "asserted quads of named graphs",
    "imported": "documents that owl:imports brought",
    "terms": "IRIs, blank nodes and literals in the dictionary, the vocabulary included",
    "contradictions": "mistakes that `kgreason check` shows",
    "rules": "rules in force; `kgreason rules list` shows them",
    "strategy": "how the last commit was evaluated: update (what changes) or bootstrap (everything)",
    "switched": "whether the last commit began as an update and was finished as a bootstrap",
    "rewrites": "rewrites that the last commit extended: the work of its evaluation",
    "retranslated": "axioms that the last commit translated to rules",
    "axioms": "axioms of the ontology that are rules now",
    "rules_added": "rules that came with the last commit",
    "rules_removed": "rules that went with the last commit",
    "engine_bytes": "memory of the facts in the engine",
    "dictionary_bytes": "memory of the dictionary",
}
"""The name of each count and its meaning."""
_WIDTH = max(map(len, _ROWS))


@click.command(
    epilog="\n\n".join(
        [
            "\n".join(["\b", "Rows:", *(f"  {name:<{_WIDTH}}  {meaning}" for name, meaning in _ROWS.items())]),
            example("kgreason stats -l store", "kgreason stats -l store --format json"),
        ]
    )
)
@location
@click.option("--format", "syntax", type=click.Choice(["text", "json"]), default="text", help="text (default) or json.")
@as_json
def stats(location: Path, syntax: str, as_json: bool) -> None:
    """Count the facts, terms, rules and contradictions of a store, as of its last commit."""
    with KnowledgeGraph.open(location, read_only=True) as graph:
        print_table(graph.stats(), as_json=as_json or syntax == "json")
