"""`kgreason backup`: copies a store while other processes read it and write to it.

Invariant: the copy can be opened, and holds the state after one commit. Cost: see `kgreason.store.backup`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgreason.cli.options import as_json, example, functions, with_store
from kgreason.cli.places import Place, graph_at


@click.command(
    epilog=example("kgreason backup -l store /backups/store-monday", "kgreason backup -l http://127.0.0.1:7878 monday")
)
@with_store
@click.argument("copy", type=click.Path(path_type=Path))
@functions
@as_json
def backup(location: Place, copy: Path, functions: list[Callable[..., Any]], as_json: bool) -> None:
    """Copy a store to the folder COPY, which must not exist yet.

    Other processes may read the store and write to it meanwhile, and a server may serve it. The copy is a store of its
    own: the state after one commit, with the history. On the same file system, files that never change are hard links.
    To be safe from a broken disk, copy the new folder to another disk. STORE may be the address of a server; then the
    token needs the role admin.
    """
    with graph_at(location, read_only=True, functions=functions) as graph:
        commit = graph.backup(copy)
    click.echo(json.dumps({"commit": commit}) if as_json else f"copied the store as of commit {commit:,}")
