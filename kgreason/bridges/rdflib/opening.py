"""`Place`: the graph that a configuration string of rdflib names.

    zoo                                  the store in the folder zoo, with the rules that it was made with
    zoo?rules=rdfs&rules=own.dl          the same, made with these rules if it does not exist
    ?rules=none&schema=data              a graph in memory

As for `KnowledgeGraph.open`, options for an existing store must be the same as when the store was made.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import parse_qs

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.options import SchemaMode
from kgreason.store.folder import Folder, is_store

_SCHEMAS = ("axioms", "data")


class Place(NamedTuple):
    """The folder of a graph (None for memory), and the options with which the graph is made."""

    path: Path | None
    rules: list[str] | None
    schema: SchemaMode | None

    @classmethod
    def of(cls, configuration: object) -> Place:
        """Read a configuration string. Raises StoreError for another type, and for an unknown or wrong option."""
        if not isinstance(configuration, str):
            raise StoreError(f"{configuration!r}: pass a string PATH?rules=NAME&schema=MODE as configuration")
        path, _, query = configuration.partition("?")
        options = parse_qs(query, keep_blank_values=True)
        rules, schemas = options.pop("rules", None), options.pop("schema", [])
        if options or len(schemas) > 1 or not set(schemas) <= set(_SCHEMAS):
            raise StoreError(
                f"{configuration}: unknown or wrong option after ?; the options are rules=NAME, once for each rule set,"
                " and schema=axioms or schema=data, joined by &"
            )
        return cls(Path(path) if path else None, rules, cast(SchemaMode, schemas[0]) if schemas else None)

    @property
    def is_there(self) -> bool:
        """Whether the graph exists. For a graph in memory, always True."""
        return self.path is None or is_store(self.path)

    def open(self) -> KnowledgeGraph:
        """Open the graph; make it first if it does not exist. Raises what `KnowledgeGraph.open` raises."""
        return KnowledgeGraph.open(self.path, rules=self.rules, schema=self.schema)

    def destroy(self) -> None:
        """Remove a store with all its data. Raises StoreError if there is no store, or if somebody has it open."""
        if self.path is None or not self.is_there:
            raise StoreError(f"{self.path}: there is no store to destroy")
        with Folder(self.path, write=True):
            shutil.rmtree(self.path)
