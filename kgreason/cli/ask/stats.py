"""`kgreason stats`: prints the counts that the last commit left in the manifest of a store.

`_ROWS` says what each count means.

Cost: one small file is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from kgreason.cli.ask.profile import costs, costs_text
from kgreason.cli.notation import prefixes_of, shown_prefixes
from kgreason.cli.options import as_json, example, functions, location, print_table, text_of
from kgreason.cli.places import Place, graph_at
from kgreason.terms.vocabulary import VOCABULARY

_ROWS = {
    "facts": "triples of the graph, both asserted and inferred",
    "asserted": "triples that were loaded or added",
    "inferred": "triples that rules derive, and that nobody loaded or added",
    "hidden": "facts that no query shows: of relations such as reach(?x, ?y), triples that RDF does not allow, and "
    "facts that kgreason keeps for itself, for NOT, FILTER, BIND and equal terms",
    "relations": "facts of your own relations, asserted and derived",
    "named": "asserted quads in named graphs",
    "imported": "documents that were read because an ontology says owl:imports",
    "terms": f"IRIs, blank nodes and literals that the store keeps; {len(VOCABULARY)} of them are in every store",
    "contradictions": "mistakes that rules found; `kgreason check` shows them",
    "rules": "rules in force; `kgreason rules list` shows them",
    "strategy": "how the last commit was computed: update (only what changes) or bootstrap (everything)",
    "switched": "True if the last commit began as an update and ended as a bootstrap, mostly because that was cheaper",
    "rewrites": "work of the last commit: how many steps the evaluation of its rules took",
    "retranslated": "axioms that the last commit translated to rules",
    "axioms": "axioms of the ontology that are translated to rules",
    "rules_added": "rules that the last commit added, rules of axioms included",
    "rules_removed": "rules that the last commit removed, rules of axioms included",
    "engine_bytes": "memory for the facts, while a process writes to the store",
    "dictionary_bytes": "memory for the terms, while a process writes to the store",
    "seconds_by_part": "where the time of the last commit went; the parts do not overlap:",
    "peak_bytes": "the most memory that the process of the last commit had used by then",
}
"""The name of each count and its meaning."""
_WIDTH = max(map(len, _ROWS))


@click.command(
    epilog="\n\n".join(
        [
            "\n".join(["\b", "Rows:", *(f"  {name:<{_WIDTH}}  {meaning}" for name, meaning in _ROWS.items())]),
            example(
                "kgreason stats -l store", "kgreason stats -l store --format json", "kgreason stats -l store --rules"
            ),
        ]
    )
)
@location
@click.option("--format", "syntax", type=click.Choice(["text", "json"]), default="text", help="text (default) or json.")
@click.option("--rules", "is_by_rule", is_flag=True, help="Show the cost of each rule instead; see kgreason profile.")
@functions
@shown_prefixes
@as_json
def stats(
    location: Place,
    syntax: str,
    is_by_rule: bool,
    functions: list[Callable[..., Any]],
    prefixes: dict[str, str],
    as_json: bool,
) -> None:
    """Count the facts, terms, rules and contradictions of a store, as of its last commit; say what each count means.

    With --rules, show the cost of each rule: its share of all rewrites, the rewrites and the derivations since the last
    computation from scratch, and the rewrites of the last commit.
    """
    is_json = as_json or syntax == "json"
    with graph_at(location, functions=functions, read_only=True) as graph:
        if is_by_rule:
            rows = costs(graph)
            text = costs_text(rows, len(rows), prefixes_of(graph, prefixes))
            click.echo(json.dumps(rows) if is_json else "\n".join(text))
            return
        counts = graph.stats()
    print_table(counts if is_json else {name: _line(name, count) for name, count in counts.items()}, as_json=is_json)


def _line(name: str, count: object) -> str:
    if isinstance(count, dict):
        return f"{'':>13}  {_ROWS.get(name, '')} {text_of(count)}"
    text = f"{count:,}" if type(count) is int else str(count)
    return f"{text:>13}  {_ROWS.get(name, '')}".rstrip()
