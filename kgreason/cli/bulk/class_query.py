"""`kgreason classify --query`: asks files, a store or a server about a class expression, and prints the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from kgreason.cli.notation import prefixes_of, short_warnings
from kgreason.cli.options import warn
from kgreason.cli.places import PLACE, Place, graph_at, require_store
from kgreason.proofs.notation import term_text

if TYPE_CHECKING:
    from kgreason.entailment.dl_query.query import ClassAnswer

place = click.option(
    "-l",
    "--location",
    type=PLACE,
    metavar="STORE",
    help="With --query: a store, or the address of a server, instead of files.",
)


def print_answer(
    expression: str,
    files: tuple[str, ...],
    location: Place | None,
    reasoner: Any,
    indirect: bool,
    as_json: bool,
    prefixes: Mapping[str, str],
    verbose: bool,
    how: Mapping[str, Any],
) -> int:
    """Print what files, or the store at a location, say of a class expression. Returns the exit status.

    `how` are options of `KnowledgeGraph.open` for files.
    """
    from kgreason.cli.progress import Bars
    from kgreason.entailment.classification.taxonomy import RULES
    from kgreason.entailment.dl_query.query import query
    from kgreason.graph.knowledge_graph import KnowledgeGraph

    if bool(files) == (location is not None):
        raise click.UsageError("give files, or a store with -l")
    options = {"read_only": True} if location else {"rules": RULES[reasoner], **how}
    with graph_at(location and require_store(location), **options) as graph:
        if isinstance(graph, KnowledgeGraph) and files:
            graph.load(*files, progress=Bars(verbose))
        names = prefixes_of(graph, prefixes)
        warn(short_warnings(graph.warnings if files else (), names), graph.contradictions(), prefixes=names)
        found = query(graph, expression, indirect=indirect, prefixes=names)
    warn(f"the answer may lack what follows from a part of the expression: {line}" for line in found.unread)
    text = json.dumps(found.to_json(), indent=1) if as_json else "\n".join(_lines(found, names))
    click.echo(text)
    return 1 if found.contradiction else 0


def _lines(found: ClassAnswer, prefixes: Mapping[str, str]) -> Iterator[str]:
    if found.contradiction:
        yield f"nothing can be in it: {found.contradiction}"
        return
    parts = {
        "equivalent classes": found.equivalent,
        "superclasses": found.superclasses,
        "subclasses": found.subclasses,
        "instances": found.instances,
    }
    for title, names in parts.items():
        yield f"{title}:{'' if names else ' none'}"
        yield from (f"  {term_text(name, prefixes)}" for name in names)
