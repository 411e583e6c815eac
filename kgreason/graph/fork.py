"""`fork`: a graph in memory that begins as a copy of a store on disk. Edits of the fork never reach the store.

With a fork any edit can be tried out, even a SPARQL Update whose later operations read the results of its first ones.
(`KnowledgeGraph.what_if` needs no copy, but an edit inside it cannot read the results of the edits before it.)

Invariant: the store is read and never written. Cost: reading the snapshot, replaying the journal, loading all rows into
an Oxigraph in memory, and the memory for all of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.graph.opening.options import DEFAULT_RULES, Documents, EngineOptions, Strategy
from kgreason.store.folder import Folder, Manifest
from kgreason.store.homes.fork import Fork


def fork(
    path: str | PathLike[str],
    *,
    strategy: Strategy = "auto",
    fraction: float | None = None,
    budget: int | None = None,
    most_made_terms: int | None = None,
    most_rounds: int | None = None,
    threads: int | None = None,
    catalogue: Documents | None = None,
    functions: Iterable[Callable[..., Any]] = (),
) -> KnowledgeGraph:
    """Return a graph in memory that begins as the last commit of a store.

    Other processes may read and write the store meanwhile.

    The arguments are those of `KnowledgeGraph.open`. Raises StoreError if there is no store.
    """
    options = EngineOptions.of_arguments(
        strategy, budget, most_made_terms, most_rounds, threads, catalogue, functions, fraction
    )
    while True:
        folder = Folder(Path(path), write=False)
        try:
            if folder.manifest:
                options.registry.problems(folder.manifest.functions)
            home = Fork(folder, Manifest(list(DEFAULT_RULES), spellings="one"))
            graph = KnowledgeGraph.at_home(home, options)
        except BaseException as error:
            has_moved = isinstance(error, StoreError) and folder.has_moved()
            folder.close()
            if not has_moved:
                raise
        else:
            if not folder.has_moved():
                return graph
            graph.close()
