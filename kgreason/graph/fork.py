"""`fork`: a graph in memory that begins as a copy of a store on disk. Edits of the fork never reach the store.

With a fork any edit can be tried out, even a SPARQL Update whose later operations read the results of its first ones.
(`KnowledgeGraph.what_if` needs no copy, but an edit inside it cannot read the results of the edits before it.)

Invariant: the store is read and never written. Cost: reading the snapshot, replaying the journal, loading all rows into
an Oxigraph in memory, and the memory for all of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from kgreason.errors import StoreError
from kgreason.functions.registry import Registry
from kgreason.graph.knowledge_graph import DEFAULT_RULES, Documents, KnowledgeGraph, Strategy, opened
from kgreason.materialize.options import check_count, checked_limits
from kgreason.rules.expressions import RESERVED
from kgreason.store.folder import Folder, Manifest
from kgreason.store.journal.record import Record
from kgreason.store.repository import Repository


def fork(
    path: str | PathLike[str],
    *,
    strategy: Strategy = "auto",
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
    if threads is not None:
        check_count("threads", threads, 1)
    limits = checked_limits(made_terms=most_made_terms, rounds=most_rounds)
    while True:
        folder = Folder(Path(path), write=False)
        try:
            registry = Registry(functions, RESERVED)
            if folder.manifest:
                registry.problems(folder.manifest.functions)
            means: dict[str, Any] = {
                "catalogue": opened(catalogue),
                "registry": registry,
                "limits": limits,
                "threads": threads,
            }
            graph = KnowledgeGraph(_Origin(folder), strategy, budget, **means)
            graph._engine()  # reads everything that the fork needs from the folder
        except BaseException as error:
            has_moved = isinstance(error, StoreError) and folder.has_moved()
            folder.close()
            if not has_moved:
                raise
        else:
            if not folder.has_moved():
                return graph
            graph.close()


class _Origin(Repository):
    """A repository in memory that begins as a copy of a store's folder."""

    def __init__(self, folder: Folder) -> None:
        manifest = folder.manifest or Manifest(list(DEFAULT_RULES), spellings="one")
        super().__init__(None, replace(manifest, stored=-1 if manifest.commit else 0, journal=0, history="none"))
        self._origin = folder
        self._begun = folder.journal.last

    @property
    def snapshot(self) -> Path | None:
        """The snapshot of the folder."""
        commit = self._origin.manifest.commit if self._origin.manifest else 0
        return self._origin.snapshot(commit) if commit else None

    @property
    def last(self) -> int:
        """The number of the last commit of the fork. Before the fork's first commit, the last commit of the folder."""
        return max(self._begun, self.manifest.commit)

    def pending(self) -> list[Record]:
        """The folder's commits since its snapshot."""
        return list(self._origin.journal.records(self.manifest.commit))

    def close(self, *, is_failed: bool = False) -> None:
        """Close the fork and the folder."""
        super().close(is_failed=is_failed)
        self._origin.close()
