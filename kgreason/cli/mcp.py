"""`kgreason mcp`: lets assistants ask a store, by the Model Context Protocol over standard input and output.

An assistant starts the command itself. Without --write nothing that the assistant says changes the store.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any, cast

import click

from kgreason.cli.options import example, seconds, with_store
from kgreason.cli.places import Place, Server, graph_at
from kgreason.errors import InputError

if TYPE_CHECKING:
    from kgreason.client.graph import RemoteGraph
    from kgreason.graph.changes.delta import Delta


@click.command(
    epilog=example("kgreason mcp -l store", "kgreason mcp -l http://127.0.0.1:7878 --write"),
)
@with_store
@click.option("--write", "writes", is_flag=True, help="Let the assistant carry out updates as well.")
@seconds("--query-timeout", "seconds", default=30, help="How long a query may take.")
def mcp(location: Place, writes: bool, seconds: float) -> None:
    """Let assistants ask a store (Model Context Protocol).

    The tools are query, explain, what_if and schema; with --write also update. The assistant starts this command and
    talks to it through standard input and output. LOAD is refused, so the assistant reads no files.
    """
    try:
        from kgreason.bridges.mcp import mcp_server
    except ModuleNotFoundError as error:
        raise InputError("mcp needs a library that is not installed: pip install 'kgreason[mcp]'") from error
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)

    def open_() -> Any:
        return graph_at(location, read_only=True)

    def make_edit(sparql: str) -> Delta:
        with graph_at(location, wait=seconds) as graph:
            return graph.update(sparql, "the update").delta.with_own_dictionary()

    mcp_server(open_, lambda sparql: _delta_of(location, sparql), make_edit, writes=writes, seconds=seconds).run(
        "stdio"
    )


def _delta_of(location: Place, sparql: str) -> Delta:
    """Return the delta that the update `sparql` would have as a commit. The store does not change."""
    if isinstance(location, Server):
        with graph_at(location) as server:
            return cast("RemoteGraph", server).update(sparql, "the update", keep=False).delta
    from kgreason.graph.fork import fork
    from kgreason.sparql.parser import parse

    with fork(location) as graph:
        return graph.carry_out(parse(sparql, "the update"), keep=False).delta.with_own_dictionary()
