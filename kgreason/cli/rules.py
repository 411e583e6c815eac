"""`kgreason rules`: the rules of a store.

What `list` prints is rule text again, with the reasons as comments: it can be read by people and by the parser. A rule
that was translated from axioms names the schema triples it comes from, a generic one says why it is needed.

Cost: one small file; the engine is not started.
"""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path

import click

from kgreason.cli.options import as_json, example, location
from kgreason.graph.knowledge_graph import KnowledgeGraph


@click.group(epilog=example("kgreason rules list -l store"))
def rules() -> None:
    """Show the rules of a store."""


@rules.command("list", epilog=example("kgreason rules list -l store --json"))
@location
@as_json
def list_rules(location: Path, as_json: bool) -> None:
    """List the rules in force: the name, the rule, and as a comment why it is there.

    Rules that were translated from axioms say which schema triples they come from.
    """
    with KnowledgeGraph.open(location, read_only=True) as graph:
        found = graph.rules()
    if as_json:
        click.echo(json.dumps(found, indent=1))
        return
    for why, group in groupby(found, key=lambda rule: rule["why"]):
        click.echo(f"# {why}")
        for rule in group:
            click.echo(f"@rule {rule['name']}\n{rule['rule']}")
        click.echo()
