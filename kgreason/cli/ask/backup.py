"""`kgreason backup`: copies a store while other processes read it and write to it.

Invariant: the copy can be opened, and holds the state after one commit. Cost: see `kgreason.store.backup`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kgreason.cli.options import as_json, example, functions, only_folder
from kgreason.graph.knowledge_graph import KnowledgeGraph


@click.command(epilog=example("kgreason backup -l store /backups/store-monday"))
@only_folder
@click.argument("copy", type=click.Path(path_type=Path))
@functions
@as_json
def backup(location: Path, copy: Path, functions: list[Callable[..., Any]], as_json: bool) -> None:
    """Copy a store to the folder COPY, which must not exist yet.

    Other processes may read the store and write to it meanwhile, and a server may serve it. The copy is a store of its
    own: the state after one commit, with the history. On the same file system, files that never change are hard links.
    To be safe from a broken disk, copy the new folder to another disk.
    """
    with KnowledgeGraph.open(location, read_only=True, functions=functions) as graph:
        commit = graph.backup(copy)
    click.echo(json.dumps({"commit": commit}) if as_json else f"copied the store as of commit {commit:,}")
