"""How a graph reads its schema and shows equal terms: names that manifest and selection of rules share."""

from __future__ import annotations

from typing import Literal, TypeAlias

SameAsMode: TypeAlias = Literal["aliases", "representatives", "rules"]
"""What is shown of terms that owl:sameAs makes one: `aliases`, every triple with each of them, up to a budget of rows;
`representatives`, triples with one of them; `rules` is `aliases` by the plain rules of the W3C, without a budget."""
ALIASES = 1_000_000
"""So many rows may one clique stand for; past it, its representative alone is shown."""

SchemaMode: TypeAlias = Literal["axioms", "data"]
"""`axioms`: translated to rules; `data`: read by generic rules."""
