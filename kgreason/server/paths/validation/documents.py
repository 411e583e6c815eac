"""`documents`: the documents of shapes in a request.

A query of a shape is a text, but no query process has to parse it first: `kgreason.shapes` limits its length and depth,
and how many rules it makes.
"""

from __future__ import annotations

from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from kgreason.graph.shapes.shapes_editor import triples_of_lines, triples_of_text
from kgreason.rules.model import Triple
from kgreason.server.paths.documents import load_operations
from kgreason.server.paths.server_parts import address
from kgreason.server.problems import Problem

_MOST = 1 << 24
"""The largest document of shapes, in bytes."""


class ShapesDocument(NamedTuple):
    """A document of shapes: its text, its format, and the base of its relative IRIs."""

    text: bytes
    form: str
    base: str

    def triples(self, owner: str, *, keeps_labels: bool = False) -> set[Triple]:
        """Return the triples as N-Triples texts. Raises RdfSyntaxError.

        The blank nodes belong to `owner`; if `keeps_labels` is set, those of N-Triples are the ones with their labels.
        """
        if keeps_labels and self.form == "nt":
            return triples_of_lines(self.text)
        return triples_of_text(self.text, self.form, self.base, owner)


async def documents(request: Request) -> list[ShapesDocument]:
    """Return the documents of shapes in the body of a request. Raises Problem."""
    base, found = address(request), list[ShapesDocument]()
    async with load_operations(request, None, base, several=False) as loads:
        for load in loads:
            if load.path.stat().st_size > _MOST:
                raise Problem(413, f"the document of shapes has more than {_MOST:,} bytes")
            text = await run_in_threadpool(load.path.read_bytes)
            found.append(ShapesDocument(text, load.syntax or "ttl", base))
    return found
