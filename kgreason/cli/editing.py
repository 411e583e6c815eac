"""What the commands that change a store have in common: how commits are evaluated, warnings, and what a commit did.

Invariant: what the ontology gets wrong is said when it comes about, contradictions after every change.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgreason.cli.options import Command, warn
from kgreason.graph.knowledge_graph import KnowledgeGraph

if TYPE_CHECKING:
    from kgreason.graph.delta import Delta

_STRATEGY = click.option(
    "--strategy",
    type=click.Choice(["auto", "update", "bootstrap"]),
    default="auto",
    show_default=True,
    help="Work out what changes, or everything again; auto does the former where that is not too much work.",
)
_BUDGET = click.option(
    "--budget", type=click.IntRange(min=1), metavar="N", help="Give up, and change nothing, after N rewrites."
)


def means(command: Command) -> Command:
    """How a commit is evaluated: `strategy` and `budget`."""
    return _STRATEGY(_BUDGET(command))


@contextmanager
def edited(location: Path, **how: Any) -> Iterator[KnowledgeGraph]:
    """The graph of a store, opened as `how` says, to be changed; then warnings that are new, and contradictions."""
    with KnowledgeGraph.open(location, **how) as graph:
        known = set(graph.warnings)
        yield graph
        new = [warning for warning in graph.warnings if warning not in known]
        warn(new, graph.contradictions())


def counts(delta: Delta) -> dict[str, Any]:
    """What a commit did, for `print_table`: triples, asserted quads, and the work."""
    work = delta.work
    return {
        "appeared": len(delta.appeared()),
        "disappeared": len(delta.disappeared()),
        "asserted": len(delta.quads(added=True)),
        "retracted": len(delta.quads(added=False)),
        "strategy": work.strategy,
        "switched": work.switched,
        "rewrites": work.rewrites,
        "rules_added": work.rules_added,
        "rules_removed": work.rules_removed,
    }
