"""What a configuration string of rdflib opens.

    zoo                                  the store in the folder zoo, with the rules it was made with
    zoo?rules=rdfs&rules=own.dl          made with these rules
    ?rules=none&schema=data              a graph in memory

Options that are given have to be those a store was made with, as for `KnowledgeGraph.open`.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import parse_qs

from kgreason.errors import StoreError
from kgreason.graph.knowledge_graph import KnowledgeGraph
from kgreason.materialize.options import SchemaMode
from kgreason.store.folder import Folder, is_store

_SCHEMAS = ("axioms", "data")


class Place(NamedTuple):
    """Where a graph is, None for memory, and how it is made."""

    path: Path | None
    rules: list[str] | None
    schema: SchemaMode | None

    @classmethod
    def of(cls, configuration: object) -> Place:
        """What a configuration says. Raises StoreError."""
        if not isinstance(configuration, str):
            raise StoreError(f"{configuration!r}: a configuration is a string, PATH?rules=NAME&schema=MODE")
        path, _, query = configuration.partition("?")
        options = parse_qs(query, keep_blank_values=True)
        rules, schemas = options.pop("rules", None), options.pop("schema", [])
        if options or len(schemas) > 1 or not set(schemas) <= set(_SCHEMAS):
            raise StoreError(f"{configuration}: the options are rules=NAME, several times, and schema=axioms or data")
        return cls(Path(path) if path else None, rules, cast(SchemaMode, schemas[0]) if schemas else None)

    @property
    def is_there(self) -> bool:
        """Whether there is a graph to be opened; memory always is."""
        return self.path is None or is_store(self.path)

    def open(self) -> KnowledgeGraph:
        """Open the graph, made if it is not there. Raises what `KnowledgeGraph.open` raises."""
        return KnowledgeGraph.open(self.path, rules=self.rules, schema=self.schema)

    def destroy(self) -> None:
        """Remove a store with all that is in it. Raises StoreError where there is none, or somebody has it open."""
        if self.path is None or not self.is_there:
            raise StoreError(f"{self.path}: there is no store to be destroyed")
        with Folder(self.path, write=True):
            shutil.rmtree(self.path)
