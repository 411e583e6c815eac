"""`RemotePendingShapes`: the shapes graph in a transaction of a server. The client reads the files of shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self

from kgreason.graph.shapes.shapes_editor import ShapesEditor
from kgreason.rules.model import Triple


class RemotePendingShapes(ShapesEditor):
    """Writes edits of the shapes graph as lines of the transaction's request; `note` writes a line.

    Only the server knows the shapes graph after the edits, so it refuses a wrong one at the end of the transaction.
    """

    def __init__(self, note: Callable[[dict[str, Any]], object]) -> None:
        self._note = note

    def clear(self) -> Self:
        """Remove the whole shapes graph."""
        self._note({"remove_shapes": None})
        return self

    def replace(self, removed: Iterable[Triple], added: Iterable[Triple]) -> Self:
        """Remove triples and add others, both given as N-Triples texts."""
        for verb, triples in (("remove_shapes", removed), ("add_shapes", added)):
            if lines := "".join(f"{' '.join(triple)} .\n" for triple in sorted(triples)):
                self._note({verb: lines})
        return self
