"""How a graph reads its schema: a name that the manifest of a store and the selection of rules share."""

from __future__ import annotations

from typing import Literal, TypeAlias

SchemaMode: TypeAlias = Literal["axioms", "data"]
"""`axioms`: translated to rules; `data`: read by generic rules."""
