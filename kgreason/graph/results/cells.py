"""`Cell`: one entry of a table of terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from kgreason.store.oxigraph.update import Term

Cell: TypeAlias = "Term | str | None"
"""A term, a text such as "inferred" that is not a term, or null."""
